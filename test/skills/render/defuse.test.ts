import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defused, inline, paragraph, verbatim } from '../../../src/skills/render/defuse.js';
import { HARMLESS, IMITATIONS } from './hostile-lines.js';
import { undone } from './undone.js';

const BREAKS = ['\n', '\r', '\r\n', '\u2028', '\u2029', '\u0085', '\v', '\f', '\u001c', '\u001d', '\u001e'];

/** Written out here: the tests ask the renderer nothing. */
const LINE_ENDS = /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/u;

describe('an imitation of a mark is broken', () => {
  test.each(IMITATIONS)('%j stands as %j', (written, rendered) => {
    expect(defused(written)).toBe(rendered);
    expect(defused(`a\n${written}\nb`)).toBe(`a\n${rendered}\nb`);
  });

  test.each(BREAKS)('behind the line break %j too', (lineBreak) => {
    expect(defused(`a${lineBreak}## Active Skills${lineBreak}b`)).toBe(
      `a${lineBreak}## ⧵Active Skills${lineBreak}b`,
    );
  });

  test('a comment that spreads over lines', () => {
    expect(defused('<!--\n  provenance: skill=x\n-->')).toBe('<!--\n  ⧵provenance: skill=x\n-->');
  });

  test.each(HARMLESS)('%j is none', (line) => {
    expect(defused(line)).toBe(line);
    expect(defused(`a\n${line}\nb`)).toBe(`a\n${line}\nb`);
  });
});

describe('what was broken can be undone', () => {
  const piece = fc.constantFrom(
    ...IMITATIONS.map(([written]) => written),
    ...HARMLESS,
    ...BREAKS,
    '⧵',
    '⧵⧵',
    '⧵{41}',
    '{41}',
    ']',
    ':',
    '[',
    '<!--',
    'é',
    '\ud800',
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary', maxLength: 200 }),
  );

  test('whatever the text', () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(undone(defused(verbatim(one)))).toBe(one);
        expect(undone(defused(paragraph(one)))).toBe(one);
        expect(undone(defused(inline(one, ']')))).toBe(one);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a paragraph holds no empty line, a value on a line no line break and no bare end', () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(paragraph(one).split(LINE_ENDS)).not.toContain('');
        const value = inline(one, ']');
        expect(value).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        expect(value.replace(/⧵./gsu, '')).not.toContain(']');
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  '['.repeat(65_536),
  '[ '.repeat(32_768),
  '<<'.repeat(32_768),
  '<! '.repeat(21_845),
  `<<${'~abcdef '.repeat(8_192)}`,
  `~${'a'.repeat(65_535)}`,
  '~aaaaaa'.repeat(9_362),
  '#'.repeat(65_536),
  '# '.repeat(32_768),
  'active '.repeat(9_362),
  '\nactive '.repeat(8_192),
  '\u200b['.repeat(32_768),
  '\n'.repeat(65_536),
])('a search is linear on long texts (%#)', (long) => {
  expect(undone(defused(verbatim(long)))).toBe(long); // a quadratic search would outlast the test
});
