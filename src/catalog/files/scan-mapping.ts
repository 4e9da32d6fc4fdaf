/**
 * Reads a whole frontmatter of the plainest kind without a YAML parser: one-line values, lists and mappings of such
 * values one level deep, JSON, and text of one paragraph. A listing of a thousand files is as quick as reading them then.
 *
 * Always true: what comes out is what `readMapping` gives for the same text, with lines and words; a line that is not
 * recognised with certainty hands the whole text back to the parser (a test compares both, over files of strangers and
 * over generated ones).
 */

import { oneLineValue } from '../../shared/one-line-value.js';
import { scanFlow } from './scan-flow.js';
import { lineKey, type WrittenMapping } from './written-mapping.js';

export type ScannedMapping = Pick<WrittenMapping, 'fields' | 'lines' | 'spelled'>;

/** The mapping, or undefined when the text has to be parsed. @param frontmatter the lines between the fences, with LF */
export function scanMapping(frontmatter: string): ScannedMapping | undefined {
  const lines = frontmatter.split('\n');
  if (lines.length > MAX_LINES) return undefined;
  const scan = new Scan(lines);
  return scan.run() ? scan : undefined;
}

/** Far above what people write, far below what the parser refuses. */
const MAX_LINES = 300;

const NOTHING = /^ *(?:#.*)?$/;
const KEY = '[A-Za-z][A-Za-z0-9_-]{0,99}';
const PAIR = new RegExp(`^( *)(${KEY}):(?: +(.*))?$`);
const ITEM = /^( *)- +(.*)$/;

/** Words that make no key of text, and keys that no mapping may have. */
const NO_KEY = /^(?:true|false|null|constructor|prototype)$/i;

/** One pass over the lines of a frontmatter. */
class Scan {
  readonly fields: Record<string, unknown> = {};
  readonly lines = new Map<string, number>();
  readonly spelled = new Map<string, string>();
  readonly #text: readonly string[];
  #at = 0;

  constructor(text: readonly string[]) {
    this.#text = text;
  }

  /** False when something was met that the parser has to judge. */
  run(): boolean {
    return this.#mapping(0, [], this.fields) && this.#next() === undefined;
  }

  /** The pairs of one indent; ends at the first line of another kind. */
  #mapping(indent: number, path: readonly string[], into: Record<string, unknown>): boolean {
    for (let line = this.#next(); line !== undefined; line = this.#next()) {
      const [, blanks, key, rest = ''] = PAIR.exec(line) ?? [];
      if (key === undefined || blanks?.length !== indent) return true;
      if (NO_KEY.test(key) || Object.hasOwn(into, key)) return false;
      const here = [...path, key];
      this.lines.set(lineKey(here), this.#at + 2); // the fence is line 1 of the file
      this.#at++;
      const written = withoutBlanks(rest);
      const value = written === '' ? this.#below(here) : this.#onLines(written, here);
      if (value === undefined) return false;
      into[key] = value;
    }
    return true;
  }

  /** A value that stands on the line of its key, or text of the top level that goes on in the lines below it. */
  #onLines(written: string, path: readonly string[]): unknown {
    const block = /^([|>])(-?)$/.exec(written);
    const following = path.length === 1 ? this.#furtherIn() : [];
    if (block === null && following.length === 0) return this.#value(written, path);
    this.#at += following.length;
    if (following.length === 0 || !this.#endsHere()) return undefined;
    if (block === null) {
      const lines = [written, ...following.map(withoutBlanks)];
      return lines.every(isSureText) ? lines.join(' ') : undefined;
    }
    const [, style, chomped] = block;
    if (!following.every((line) => BLOCK_LINE.test(line))) return undefined;
    return following.join(style === '>' ? ' ' : '\n') + (chomped === '-' ? '' : '\n');
  }

  /** The lines right below that stand further in, without the indent of the first; none of them is blank. */
  #furtherIn(): readonly string[] {
    const [blanks = ''] = /^ +/.exec(this.#text[this.#at] ?? '') ?? [];
    const found: string[] = [];
    while (blanks !== '') {
      const line = this.#text[this.#at + found.length] ?? '';
      if (!line.startsWith(blanks) || line.trim() === '') break;
      found.push(line.slice(blanks.length));
    }
    return found;
  }

  /** Whether text that goes on over lines has ended: its last line is closed, and what follows it stands at the left. */
  #endsHere(): boolean {
    let at = this.#at;
    while (this.#text[at] === '' && at + 1 < this.#text.length) at++;
    return at < this.#text.length && !/^\s/.test(this.#text[at] ?? '');
  }

  /** What stands in the lines below a key: a list, a mapping, or nothing. */
  #below(path: readonly string[]): unknown {
    const line = this.#next() ?? '';
    const item = ITEM.exec(line);
    if (item !== null) return this.#list(item[1]?.length ?? 0, path);
    const [, blanks = ''] = PAIR.exec(line) ?? [];
    if (blanks !== '' && path.length === 1) {
      const inner: Record<string, unknown> = {};
      return this.#mapping(blanks.length, path, inner) ? inner : undefined;
    }
    this.spelled.set(lineKey(path), '');
    return null;
  }

  #list(indent: number, path: readonly string[]): readonly unknown[] | undefined {
    if (path.length > 1) return undefined;
    const items: unknown[] = [];
    for (let line = this.#next(); line !== undefined; line = this.#next()) {
      const [, blanks, rest = ''] = ITEM.exec(line) ?? [];
      if (blanks?.length !== indent) break;
      const here = [...path, String(items.length)];
      this.lines.set(lineKey(here), this.#at + 2);
      this.#at++;
      const value = this.#scalar(withoutBlanks(rest), here);
      if (value === undefined) return undefined;
      items.push(value);
    }
    return items;
  }

  #value(written: string, path: readonly string[]): unknown {
    if (written.startsWith('{')) return this.#json(written, path);
    if (!written.startsWith('[')) return this.#scalar(written, path);
    const items = withoutBlanks(written.slice(1, -1)).split(',').map(withoutBlanks);
    const plain = written.endsWith(']') && items.every((item) => FLOW_ITEM.test(item));
    if (!plain || items.length > MAX_LINES) return this.#json(written, path);
    for (const place of items.keys()) this.lines.set(lineKey([...path, place]), this.#at + 1);
    const values = items.map((item, place) => this.#scalar(item, [...path, String(place)]));
    return values.includes(undefined) ? undefined : values;
  }

  #json(written: string, path: readonly string[]): object | undefined {
    return scanFlow(written, {
      found: (inner) => this.lines.set(lineKey([...path, ...inner]), this.#at + 1),
      spelled: (inner, words) => this.spelled.set(lineKey([...path, ...inner]), words),
    });
  }

  #scalar(written: string, path: readonly string[]): string | number | boolean | undefined {
    const value = otherThanText(written);
    if (value === undefined)
      return escapedText(written) ?? (SURE_TEXT.test(written) ? written : oneLineValue(written));
    this.spelled.set(lineKey(path), written);
    return value;
  }

  /** The next line that says something; undefined behind the last. */
  #next(): string | undefined {
    while (this.#at < this.#text.length && NOTHING.test(this.#text[this.#at] ?? '')) this.#at++;
    return this.#text[this.#at];
  }
}

/** A line that is text and nothing else, also as a part of longer text. */
function isSureText(line: string): boolean {
  return /^\p{L}/u.test(line) && oneLineValue(line) === line;
}

/** A line of a block that is no further in than the first, and ends where it seems to. */
const BLOCK_LINE =
  /^[^ \p{Cc}\u2028\u2029\uFEFF](?:[^\p{Cc}\u2028\u2029\uFEFF]*[^ \p{Cc}\u2028\u2029\uFEFF])?$/u;

/** Not `trim`: what else it takes for white space is text in YAML. */
function withoutBlanks(text: string): string {
  return text.replace(/^ +| +$/g, '');
}

/** Items of a list in brackets that hold nothing the brackets give a meaning to. */
const FLOW_ITEM = /^(?:[A-Za-z][\w./ -]*|[\d.]+|"[^"\\,[\]{}\t]*"|'[^',[\]{}\t]*')$/;

/** Text in double quotes with the escapes that YAML has in common with JSON. */
function escapedText(written: string): string | undefined {
  const escaped =
    written.includes('\\') && /^"(?:[^"\\\p{Cc}\u2028\u2029\uFEFF]|\\["\\/nt])*"$/u.test(written);
  return escaped ? String(JSON.parse(written)) : undefined;
}

/** Versions and dates: text that begins with a digit and is no number. */
const SURE_TEXT = /^\d+\.\d+\.\d+(?:[+-][\w.+-]*)?$|^\d{4}-\d\d-\d\d$/;

function otherThanText(written: string): number | boolean | undefined {
  if (/^(?:true|True|TRUE|false|False|FALSE)$/.test(written)) return written.toLowerCase() === 'true';
  return /^(?:0|[1-9]\d{0,9})(?:\.\d{1,9})?$/.test(written) ? Number(written) : undefined;
}
