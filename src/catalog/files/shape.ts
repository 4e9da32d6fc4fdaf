/**
 * From what a file says to what a schema wants: one finding for every field that does not fit, with its line,
 * what stands there and what may (style 7, 17). Keys the schema does not know are found here as well; how bad
 * they are is for the caller to say.
 *
 * A schema states in the `error` of a check what it expects, in words that follow "expected".
 */

import { z } from 'zod';
import { nameRemedy } from '../../shared/did-you-mean.js';
import type { Finding } from '../../shared/findings.js';
import { shownPath, valueAt } from '../../shared/key-path.js';
import { lineAt, placeIn, type WrittenMapping } from './written-mapping.js';

export type Shaped<T> =
  | { readonly kind: 'fits'; readonly value: T }
  | { readonly kind: 'does-not-fit'; readonly findings: readonly Finding[] };

/** Checks the fields of a file against a schema. Unknown keys are ignored: see `unknownKeys`. */
export function shapeOf<T>(schema: z.ZodType<T>, mapping: WrittenMapping, path: string): Shaped<T> {
  const parsed = schema.safeParse(mapping.fields);
  if (parsed.success) return { kind: 'fits', value: parsed.data };
  return {
    kind: 'does-not-fit',
    findings: parsed.error.issues.map((issue) => findingFor(innermost(issue), mapping, path)),
  };
}

/** A key that stands where the schema has no such key. */
export interface UnknownKey {
  readonly path: readonly PropertyKey[];
  readonly line: number | undefined;
  /** The keys that may stand there. */
  readonly known: readonly string[];
}

/** Every key of the file, at any depth the schema describes, that the schema does not know. */
export function unknownKeys(schema: z.ZodType, mapping: WrittenMapping): UnknownKey[] {
  const found: UnknownKey[] = [];
  const visit = (inner: unknown, value: unknown, at: readonly PropertyKey[]): void => {
    const type = unwrapped(inner);
    if (Array.isArray(value)) {
      if (type instanceof z.ZodArray)
        for (const [place, item] of value.entries()) visit(type.element, item, [...at, place]);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, below] of Object.entries(value)) {
        const path = [...at, key];
        if (type instanceof z.ZodRecord) visit(type.valueType, below, path);
        else if (type instanceof z.ZodObject) {
          const known = Object.keys(type.shape);
          if (known.includes(key)) visit(type.shape[key], below, path);
          else found.push({ path, line: lineAt(mapping.lines, path), known });
        }
      }
    }
  };
  visit(schema, mapping.fields, []);
  return found;
}

function unwrapped(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) inner = inner.unwrap();
  return inner;
}

/** Of a choice of forms, what is wrong inside the form that was meant: an item of a list rather than the list. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const inner = issue.errors.flat().find(({ path }) => path.length > 0);
  return inner === undefined ? issue : { ...inner, path: [...issue.path, ...inner.path] };
}

function findingFor(issue: z.core.$ZodIssue, mapping: WrittenMapping, path: string): Finding {
  const value = valueAt(mapping.fields, issue.path);
  const name = shownPath(issue.path);
  const place = { severity: 'error', ...placeIn({ path, lines: mapping.lines }, issue.path) } as const;
  if (value === undefined) {
    const message = `\`${name}\` is missing; expected ${expectation(issue)}`;
    return { code: 'missing-field', ...place, message, remedy: `add \`${String(issue.path.at(-1))}\`` };
  }
  if (issue.code === 'invalid_key') {
    const message = `\`${name}\` is no name that may stand here; expected ${issue.issues[0]?.message ?? 'another'}`;
    return { code: 'bad-value', ...place, message, remedy: 'rename it' };
  }
  const code = issue.code === 'invalid_type' || issue.code === 'invalid_union' ? 'wrong-type' : 'bad-value';
  const message = `\`${name}\` is ${described(value)}; expected ${expectation(issue)}`;
  return { code, ...place, message, remedy: remedyFor(issue, value) };
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_WORDS[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      if (issue.origin === 'string') return 'text that is not empty';
      if (issue.origin === 'array') return `a list of at least ${issue.minimum}`;
      return `a number ${issue.inclusive === true ? 'of at least' : 'greater than'} ${issue.minimum}`;
    case 'too_big':
      return `at most ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''}`;
    default:
      return issue.message;
  }
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping of keys to values',
  record: 'a mapping of names to values',
};

function remedyFor(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'invalid_value' && typeof value === 'string') {
    return nameRemedy(value, issue.values.map(String));
  }
  if (value === null) return 'give it a value, or remove the key';
  if (issue.code === 'invalid_type' && issue.expected === 'string' && typeof value !== 'object') {
    return 'put the value in quotes';
  }
  if (issue.code === 'invalid_type' && issue.expected === 'array') return 'write it as [a, b]';
  return 'change the value';
}

/** What stands in the file, in words, short enough for one line. */
function described(value: unknown): string {
  if (value === null) return 'empty';
  if (typeof value === 'string')
    return value === '' ? 'empty text' : `the text ${shortened(JSON.stringify(value))}`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a mapping';
  return typeof value === 'number' ? `the number ${value}` : String(value);
}

function shortened(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 58)}…"`;
}
