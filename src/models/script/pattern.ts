/** `{{name}}` and regexes of scripts: compiled once, filled per conversation. */

import { errorText } from '../../shared/errors.js';

export type Captures = ReadonlyMap<string, string>;

/** A regex of a script. `regex` is null when it holds `{{name}}` and can only be made with captures at hand. */
export interface Pattern {
  readonly source: string;
  readonly regex: RegExp | null;
}

/** How much of what was sent a regex sees: bounds the cost of a script's worst regex. In UTF-16 units. */
const WINDOW = 64 * 1024;

const FLAGS = 'mu';
const PLACEHOLDER = /\{\{\s*([A-Za-z_][A-Za-z0-9_-]*)\s*\}\}/g;

/** What may stand between the braces. */
export function isCaptureName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(text);
}

/** The names that a text uses, in order, repeats included. */
export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map((match) => match[1] ?? '');
}

/**
 * A text with its `{{name}}` replaced; what a capture holds is not looked into again.
 * @param missing takes the names that nothing has set; their places stay as they are
 */
export function fill(text: string, captures: Captures, missing: Set<string>): string {
  return fillWith(text, captures, missing, (value) => value);
}

/** Why a regex of a script cannot be used, or the pattern with the number of its groups. */
export type CompiledPattern =
  | { readonly kind: 'compiled'; readonly pattern: Pattern; readonly groups: number }
  | { readonly kind: 'bad'; readonly reason: string };

/** Compiles a regex; `{{name}}` counts as some literal text. */
export function compilePattern(source: string): CompiledPattern {
  const dynamic = placeholdersIn(source).length > 0;
  const sample = dynamic ? source.replace(PLACEHOLDER, 'x') : source;
  const compiled = toRegex(sample);
  if (typeof compiled === 'string') return { kind: 'bad', reason: compiled };
  // An empty alternative matches the empty text, and the match lists every group there is.
  const groups = (new RegExp(`${sample}|`, FLAGS).exec('')?.length ?? 1) - 1;
  return { kind: 'compiled', pattern: { source, regex: dynamic ? null : compiled }, groups };
}

export type SearchOutcome =
  | { readonly kind: 'matched'; readonly group: string | undefined }
  | { readonly kind: 'unmatched'; readonly regex: string }
  | { readonly kind: 'unusable'; readonly reason: string };

/** Looks for a pattern in the newest `WINDOW` characters of a text; `group` is what its first group holds. */
export function search(pattern: Pattern, text: string, captures: Captures): SearchOutcome {
  let regex = pattern.regex;
  if (regex === null) {
    const missing = new Set<string>();
    const filled = fillWith(pattern.source, captures, missing, escapeRegex);
    if (missing.size > 0) return { kind: 'unusable', reason: unknownCaptures(missing, captures) };
    const made = toRegex(filled);
    if (typeof made === 'string') return { kind: 'unusable', reason: made };
    regex = made;
  }
  const match = regex.exec(newest(text));
  return match === null ? { kind: 'unmatched', regex: regex.source } : { kind: 'matched', group: match[1] };
}

/** The newest part of a text that regexes see. */
export function newest(text: string): string {
  return text.length <= WINDOW ? text : text.slice(-WINDOW);
}

/** The sentence about each `{{name}}` that nothing has set. */
export function unknownCaptures(missing: ReadonlySet<string>, captures: Captures): string {
  const names = [...missing].map((name) => `{{${name}}}`).join(', ');
  return `nothing has captured ${names}; known here: ${[...captures.keys()].sort().join(', ')}`;
}

function fillWith(
  text: string,
  captures: Captures,
  missing: Set<string>,
  form: (value: string) => string,
): string {
  return text.replace(PLACEHOLDER, (whole, name: string) => {
    const value = captures.get(name);
    if (value !== undefined) return form(value);
    missing.add(name);
    return whole;
  });
}

/** The regex, or the reason why the text is none. */
function toRegex(source: string): RegExp | string {
  try {
    return new RegExp(source, FLAGS);
  } catch (error) {
    return errorText(error);
  }
}

/** Under the flag `u` only these may be escaped. */
function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
