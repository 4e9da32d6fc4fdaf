/**
 * Why a text may not be approved because of what a reviewer cannot see in it (spec/skills.md §4): characters of the
 * text, and characters that stand in its frontmatter as escapes and would reach a model as what they are.
 */

import { lineAt } from '../../catalog/files/written-mapping.js';
import type { Finding } from '../../shared/findings.js';
import { type UnseenCharacter, unseenCharacters } from '../../shared/unseen-characters.js';
import { placeNames } from './field-at.js';
import { readingsOf } from './readings.js';

/** Enough to see what is going on. */
const MAX_FINDINGS = 20;

interface Place extends UnseenCharacter {
  readonly where: string;
}

/**
 * An error for each, in the order of lines; beyond a bound the rest is counted in one.
 * @param accepted no-break spaces and joiners have been shown as marks and are accepted
 */
export function unseenFindings(path: string, text: string, accepted: boolean): Finding[] {
  const found = [...inText(text), ...inValues(path, text)]
    .filter(({ kind }) => kind === 'hidden' || !accepted)
    .sort((one, other) => one.line - other.line);
  const findings = found.slice(0, MAX_FINDINGS).map(({ line, codePoint, kind, where }): Finding => {
    const message = `${codePoint} in ${where}: a character that a reviewer cannot see`;
    const remedy = kind === 'hidden' ? 'remove it' : 'remove it, or accept it with --show-invisible';
    return { code: 'unseen-character', severity: 'error', path, line, message, remedy };
  });
  if (found.length > MAX_FINDINGS) {
    const message = `${found.length - MAX_FINDINGS} more characters that a reviewer cannot see`;
    findings.push({ code: 'unseen-character', severity: 'error', path, message, remedy: 'remove them' });
  }
  return findings;
}

function inText(text: string): Place[] {
  const placeOf = placeNames(text);
  return unseenCharacters(text).map((found) => ({ ...found, where: placeOf(found.line) }));
}

/** What the fields hold once they are read and the text does not show: YAML has escapes for every character. */
function inValues(path: string, text: string): Place[] {
  // What stands in the text as it is has been found there, with its own line.
  const shown = new Set(unseenCharacters(text).map(({ codePoint }) => codePoint));
  const places = new Map<string, Place>();
  for (const { fields, lines } of readingsOf(path, text)) {
    for (const { value, at } of textsIn(fields, [])) {
      const where = `the field "${String(at[0])}", written as an escape`;
      const line = lineAt(lines, at) ?? 1;
      for (const found of unseenCharacters(asCharacters(value))) {
        if (shown.has(found.codePoint)) continue;
        const place: Place = { ...found, line, where };
        places.set(JSON.stringify([line, found.codePoint, where]), place);
      }
    }
  }
  return [...places.values()];
}

/** A value is no file: a mark at its head is one of its characters, and so is each half of its line ends. */
function asCharacters(value: string): string {
  return `.${value.replaceAll('\r', '\r.')}`;
}

function textsIn(
  value: unknown,
  at: readonly PropertyKey[],
): readonly { readonly value: string; readonly at: readonly PropertyKey[] }[] {
  if (typeof value === 'string') return [{ value, at }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const below = [...at, key];
    return [{ value: key, at: below }, ...textsIn(inner, below)];
  });
}
