/**
 * Notes on phrases by which a text tries to set aside what it stands among (spec/skills.md §4): in the text, and in
 * what its fields hold once escapes are read. They refuse nothing; whoever approves says that he has seen them.
 */

import { lineAt } from '../../catalog/files/written-mapping.js';
import { type Finding, firstOf } from '../../shared/findings.js';
import { oneLine } from '../../shared/terminal-text.js';
import { type OverridePhrase, overridePhrases } from '../../skills/guards/override-phrases.js';
import { placeNames } from './field-at.js';
import { readingsOf } from './readings.js';

/** Enough to see what is going on. */
const MAX_NOTES = 20;

/** A note on each phrase, in the order of lines; beyond a bound the rest is counted in one. */
export function overrideNotes(path: string, text: string): readonly Finding[] {
  const placeOf = placeNames(text);
  const inText = overridePhrases(text).map((phrase) => ({ ...phrase, where: placeOf(phrase.line) }));
  const known = new Set(inText.map(({ kind, where }) => `${kind} ${where}`));
  const hidden = inValues(path, text).filter(({ kind, where }) => !known.has(`${kind} ${where}`));
  const notes = [...inText, ...hidden]
    .sort((one, other) => one.line - other.line)
    .map(({ kind, phrase, line, where }): Finding => {
      const message = `${where} says "${oneLine(phrase, 120)}" (${kind})`;
      const remedy = 'read it in its place; it is approved with --accept only';
      return { code: 'override-phrase', severity: 'info', path, line, message, remedy };
    });
  return firstOf(notes, MAX_NOTES, (count) => ({
    code: 'override-phrase',
    severity: 'info',
    path,
    message: `${count} more phrases of this kind`,
    remedy: 'read the whole text',
  }));
}

/** Phrases of the fields as they are read: YAML has escapes for every character. */
function inValues(path: string, text: string): readonly (OverridePhrase & { readonly where: string })[] {
  const found = readingsOf(path, text).flatMap(({ fields, lines }) =>
    Object.entries(fields).flatMap(([key, value]) =>
      textsIn(value).flatMap((inner) =>
        overridePhrases(inner).map((phrase) => ({
          ...phrase,
          line: lineAt(lines, [key]) ?? 1,
          where: `the field "${key}"`,
        })),
      ),
    ),
  );
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
