/**
 * The frontmatter of an open file, field by field: what a key holds, in the words of the file, and where.
 *
 * Always true: a key without a value is as good as absent; what a field does not take stays untouched for others.
 */

import { lineAt, lineKey, type WrittenMapping } from '../../catalog/files/written-mapping.js';

/** What one key holds. */
export type OpenValue = OpenText | OpenList | { readonly kind: 'mapping'; readonly line: number | null };

/** Text, or a number or boolean in the words it is written in; trimmed. */
export interface OpenText {
  readonly kind: 'text';
  readonly text: string;
  readonly line: number | null;
}

/** A list; an item that is neither text nor number nor boolean is null. */
export interface OpenList {
  readonly kind: 'list';
  readonly items: readonly (string | null)[];
  readonly line: number | null;
}

export class OpenFields {
  readonly mapping: WrittenMapping;

  constructor(mapping: WrittenMapping) {
    this.mapping = mapping;
  }

  get keys(): readonly string[] {
    return Object.keys(this.mapping.fields);
  }

  line(key: string): number | null {
    return lineAt(this.mapping.lines, [key]) ?? null;
  }

  /** Undefined when the key is absent or holds nothing. */
  get(key: string): OpenValue | undefined {
    const value = this.#value(key);
    if (value === undefined || value === null) return undefined;
    const line = this.line(key);
    if (Array.isArray(value)) {
      return { kind: 'list', line, items: value.map((item, place) => this.#words(item, [key, place])) };
    }
    const text = this.#words(value, [key]);
    return text === null ? { kind: 'mapping', line } : { kind: 'text', text, line };
  }

  /** The text of a key of a mapping, such as `metadata.origin`. */
  textInside(key: string, inner: string): string | null {
    const value = this.#value(key);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, inner)) return null;
    return this.#words(Reflect.get(value, inner), [key, inner]);
  }

  /** The keys with their values, but for those of a list. */
  without(keys: readonly string[]): Readonly<Record<string, unknown>> {
    return Object.fromEntries(Object.entries(this.mapping.fields).filter(([key]) => !keys.includes(key)));
  }

  #value(key: string): unknown {
    return Object.hasOwn(this.mapping.fields, key) ? this.mapping.fields[key] : undefined;
  }

  #words(value: unknown, at: readonly PropertyKey[]): string | null {
    if (typeof value === 'string') return value.trim();
    if (typeof value !== 'number' && typeof value !== 'boolean') return null;
    return this.mapping.spelled.get(lineKey(at)) ?? String(value);
  }
}
