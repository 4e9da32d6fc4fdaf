// spec/skills.md §4: characters a reviewer cannot see.
import { describe, expect, test } from 'vitest';
import { unseenCharacters, withUnseenShown } from '../../src/shared/unseen-characters.js';

const points = (text: string): string[] => unseenCharacters(text).map(({ codePoint }) => codePoint);

describe('characters that nobody sees', () => {
  test.each([
    ['NUL', '\u0000'],
    ['escape', '\u001b'],
    ['a lone CR', '\r'],
    ['DEL', '\u007f'],
    ['C1', '\u009b'],
    ['soft hyphen', '\u00ad'],
    ['combining grapheme joiner', '\u034f'],
    ['Arabic letter mark', '\u061c'],
    ['Hangul filler', '\u3164'],
    ['half-width Hangul filler', '\uffa0'],
    ['zero width space', '\u200b'],
    ['zero width non-joiner', '\u200c'],
    ['right-to-left override', '\u202e'],
    ['isolate', '\u2066'],
    ['word joiner', '\u2060'],
    ['line separator', '\u2028'],
    ['paragraph separator', '\u2029'],
    ['blank Braille', '\u2800'],
    ['BOM inside', '\ufeff'],
    ['tag letter', '\u{e0041}'],
    ['variation selector 17', '\u{e0100}'],
    ['variation selector behind a letter', '\ufe0f'],
    ['Mongolian vowel separator', '\u180e'],
  ])('%s is found with line and code point', (_, character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    expect(unseenCharacters(`one\r\ntwo x${character}y\nthree`)).toEqual([
      { line: 2, codePoint: `U+${hex}`, kind: 'hidden' },
    ]);
  });

  test('letters of every script, blanks, tabs, line ends and a BOM in front are none', () => {
    const text = '\ufeffaé\tßдж中あ한 العربية\r\nहिन्दी ไทย\n„—“ ＡＢ\u3000∑ e\u0301\n';
    expect(points(text)).toEqual([]);
  });

  test('emoji keep what they need: selector, joiner, modifier, keycap; not a second selector', () => {
    expect(points('❤️ 👩‍💻 👩🏽‍🚀 🏳️‍🌈 1️⃣ ✔︎')).toEqual([]);
    expect(points('❤\ufe0f\ufe0f')).toEqual(['U+FE0F']);
    expect(points('❤\u{e0101}')).toEqual(['U+E0101']);
  });

  test('NBSP and a joiner outside of emoji are doubtful', () => {
    expect(unseenCharacters('a\u00a0b\nk\u200dx')).toEqual([
      { line: 1, codePoint: 'U+00A0', kind: 'doubtful' },
      { line: 2, codePoint: 'U+200D', kind: 'doubtful' },
    ]);
  });

  test('all of them can be shown, and nothing else changes', () => {
    const text = 'a\u00a0b k\u200dx \u001b[31m \u{e0041}❤️\n\tend\u202e';
    expect(withUnseenShown(text)).toBe('a<U+00A0>b k<U+200D>x <U+001B>[31m <U+E0041>❤️\n\tend<U+202E>');
  });

  test('lines are right over many of them', () => {
    const text = Array.from({ length: 50 }, (_, n) => (n % 7 === 0 ? 'x\u200b' : 'x')).join('\n');
    expect(unseenCharacters(text).map(({ line }) => line)).toEqual([1, 8, 15, 22, 29, 36, 43, 50]);
  });
});
