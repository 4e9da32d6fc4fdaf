/** Random entries out of an alphabet that is chosen against the renderer: its own marks, and what looks like them. */

import fc from 'fast-check';
import type { Entry } from '../../../src/skills/entry.js';
import { anEntry } from '../entries.js';
import { HARMLESS, IMITATIONS } from './hostile-lines.js';

const ALPHABET = [
  ...IMITATIONS.map(([written]) => written),
  ...HARMLESS,
  ...[
    '[',
    ']',
    ':',
    '<',
    '!',
    '--',
    '>',
    '<<',
    '>>',
    '~',
    '#',
    '##',
    '*',
    '`',
    '```',
    '~~~',
    '````',
    '|',
    '-',
    '>',
  ],
  ...[
    'Skill',
    'Rule',
    'provenance',
    'Active',
    'Available',
    'Rules',
    'Skills',
    'process',
    '0123456789ab',
    'v1.0.0',
  ],
  ...['\n', '\n\n', '\r', '\r\n', '\u2028', '\u0085', '\t', ' ', '\u00a0', '\u200b', '\u0000', '\u001b[2K'],
  ...['⧵', '⧵⧵', '⧵{a}', '\\', '\\\\', '{a}', 'é', '規則', '🧪', '\ud83e'],
  ...[
    'scripts/a.py',
    './assets/x',
    '{baseDir}/references/r.md',
    '[l](references/r.md)',
    '```sh scripts/b',
    'words',
  ],
  ...['-->', '--!>', '; ', 'license=MIT', 'https://h.org/a@v1'],
];

const letters = fc.constantFrom(...ALPHABET);

/** A text of any number of lines. */
export const hostileText = fc.oneof(
  { weight: 6, arbitrary: fc.array(letters, { maxLength: 14 }).map((pieces) => pieces.join('')) },
  { weight: 3, arbitrary: fc.array(fc.array(letters, { maxLength: 3 }), { maxLength: 6 }).map(joinedLines) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);

function joinedLines(lines: readonly (readonly string[])[]): string {
  return lines.map((pieces) => pieces.join('')).join('\n');
}

const name = fc
  .array(fc.oneof(letters, fc.constantFrom('a', 'b', 'skill')), { minLength: 1, maxLength: 5 })
  .map((pieces) => pieces.join('') || 'n');
const version = fc.option(
  fc.oneof(fc.constantFrom('1.0.0', '2.1.0-rc.1', '1.0.0+b.1', '10.20.30-alpha.0'), hostileText),
);
const maybe = fc.option(hostileText);

/** An entry that may instruct. */
export const hostileEntry: fc.Arbitrary<Entry> = fc
  .record({
    kind: fc.constantFrom('rule' as const, 'skill' as const),
    name,
    version,
    // No entry is loaded without a description.
    description: hostileText.map((text) => text || 'One line.'),
    body: hostileText,
    support: fc.constantFrom('full' as const, 'partial' as const),
    origin: maybe,
    license: maybe,
    upstream: maybe,
    vetted: maybe,
  })
  .map((fields) => anEntry(fields));

/** As a registry decides: each name once. */
export const hostileEntries = fc.uniqueArray(hostileEntry, {
  selector: ({ kind, name: unique }) => `${kind} ${unique}`,
  maxLength: 5,
});
