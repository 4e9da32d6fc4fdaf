import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapedInOneLine, escapedLine, foldMarked, markedText } from '../../../src/cli/live/marked-text.js';

describe('a line of a stranger', () => {
  test.each([
    ['plain ASCII', 'git log --oneline | head -5', 'git log --oneline | head -5'],
    ['tabs', 'a\tb', 'a\tb'],
    ['German, French, Japanese, Arabic', 'Größe, déjà vu, 日本語, مرحبا', 'Größe, déjà vu, 日本語, مرحبا'],
    ['Russian, of which some letters look Latin', 'Создать таблицу с нуля?', 'Создать таблицу с нуля?'],
    ['dashes and quotes of prose', '“yes” — no…', '“yes” — no…'],
    ['a Cyrillic letter among Latin ones', 'p\u0430ypal.com', 'p\\u{430}ypal.com'],
    ['a word all of look-alikes', 'сору x', '\\u{441}\\u{43e}\\u{440}\\u{443} x'],
    ['full-width letters', 'ｒｍ -rf', '\\u{ff52}\\u{ff4d} -rf'],
    ['mathematical letters', '𝗿𝗺', '\\u{1d5ff}\\u{1d5fa}'],
    ['a slash that is none', 'a\u2215b', 'a\\u{2215}b'],
    ['a hyphen that is none', 'x\u2010y', 'x\\u{2010}y'],
    ['a zero width space', 'rm\u200b-rf', 'rm\\u{200b}-rf'],
    ['a bidi override', 'a\u202eb', 'a\\u{202e}b'],
    ['a blank that is none', 'a\u00a0b\u3000c', 'a\\u{a0}b\\u{3000}c'],
    ['an escape', 'a\u001b[2Jb', 'a\\u{1b}[2Jb'],
    ['tag characters', 'a\u{e0041}', 'a\\u{e0041}'],
    ['half of a pair', 'a\ud800', 'a\\u{d800}'],
  ])('%s', (_, line, shown) => {
    expect(escapedLine(line)).toBe(shown);
  });

  test('in one line has its breaks shown', () => {
    expect(escapedInOneLine('a\r\nb\nc\td')).toBe('a\\nb\\nc d');
  });

  test('whatever it holds, nothing is left that a terminal obeys or a person cannot see', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = markedText('x', text)
          .join('\n')
          .replace(/[\n\t]/g, '');
        expect(shown).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
      }),
    );
  });
});

describe('a marked line', () => {
  test('is folded to the width of the terminal, each piece behind the mark', () => {
    expect(foldMarked(`  │ ${'x'.repeat(50)}`, 30)).toEqual([
      `  │ ${'x'.repeat(26)}`,
      `  │ ${'x'.repeat(24)}`,
    ]);
    expect(foldMarked(`  │ ${'日'.repeat(20)}`, 30)).toEqual([
      `  │ ${'日'.repeat(13)}`,
      `  │ ${'日'.repeat(7)}`,
    ]);
  });

  test('is whole where there is no terminal; a line of ours is never folded', () => {
    const long = `  │ ${'x'.repeat(500)}`;
    expect(foldMarked(long, null)).toEqual([long]);
    expect(foldMarked('y'.repeat(500), 30)).toEqual(['y'.repeat(500)]);
  });

  test('loses nothing by it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 60 }), (text, width) => {
        const folded = foldMarked(`  │ ${text}`, width);
        expect(folded.every((line) => line.startsWith('  │ '))).toBe(true);
        expect(folded.map((line) => line.slice(4)).join('')).toBe(text);
      }),
    );
  });
});
