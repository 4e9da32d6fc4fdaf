import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { oneLine, plainJson, stripControls } from '../../src/shared/terminal-text.js';

describe('stripControls', () => {
  test.each([
    ['a colour', '\u001b[31mred\u001b[0m', '[31mred[0m'],
    ['a title set by OSC', '\u001b]0;owned\u0007x', ']0;ownedx'],
    ['an eight-bit CSI', '\u009b2Jx', '2Jx'],
    ['a backspace', 'rm\b\bls', 'rmls'],
    ['a bidi override', 'a\u202eb\u2066c\u061cd', 'abcd'],
    ['text in tag characters', 'ok\u{e0069}\u{e0067}', 'ok'],
    ['NUL and DEL', 'a\0b\u007fc', 'abc'],
  ])('strips %s', (_, text, safe) => {
    expect(stripControls(text)).toBe(safe);
  });

  test('keeps LF and TAB, and reads every other line break as LF', () => {
    expect(stripControls('a\tb\nc\r\nd\re\u2028f\u2029g')).toBe('a\tb\nc\nd\ne\nf\ng');
  });

  test('keeps letters, signs and emoji of every script', () => {
    const text = 'Grüße, 你好, שלום, 👩‍💻, é';
    expect(stripControls(text)).toBe(text);
  });

  test('what is left of any text holds no control character, and stripping again changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const safe = stripControls(text);
        expect(safe.replaceAll(/[\n\t]/g, '')).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u);
        expect(stripControls(safe)).toBe(safe);
      }),
    );
  });
});

test('in JSON no string is a command to a build log, and each is what it was', () => {
  const value = { 'a ##[error]': ['##[b', '#\u0000#[', '##\\['], c: [] };
  const json = plainJson(JSON.stringify(value));
  expect(json).not.toContain('##[');
  expect(JSON.parse(json)).toEqual(value);
});

test('in JSON no string holds what some readers take for the end of a line', () => {
  const value = { 'a\u2028::error::b': 'c\u2029d\u0085e' };
  const json = plainJson(JSON.stringify(value));
  expect(json.split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(1);
  expect(JSON.parse(json)).toEqual(value);
});

describe('oneLine', () => {
  test('shows line breaks and turns tabs into blanks', () => {
    expect(oneLine('a\nb\r\nc\td\u001b')).toBe('a\\nb\\nc d');
    expect(oneLine('a ##[error]b #\u0007#[c]')).toBe('a ## [error]b ## [c]');
  });

  test('cuts to the limit with an ellipsis, and not when it fits', () => {
    expect(oneLine('12345', 5)).toBe('12345');
    expect(oneLine('123456', 5)).toBe('1234…');
    expect(oneLine('x'.repeat(201))).toHaveLength(200);
  });

  test('never cuts a character of two units in half', () => {
    expect(oneLine('123😀56', 5)).toBe('123…');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, limit) => {
        const line = oneLine(text, limit);
        expect(line.length).toBeLessThanOrEqual(limit);
        expect(line).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });
});

describe('plainJson', () => {
  test('means the same and holds nothing that a terminal obeys or hides', () => {
    const value = { 'k\u009b': 'a\u007f\u001b[2J\u202e\u{e0041}b ü 😀' };
    const json = plainJson(JSON.stringify(value, null, 2));
    expect(json).toBe('{\n  "k\\u009b": "a\\u007f\\u001b[2J\\u202e\\udb40\\udc41b ü 😀"\n}');
    expect(JSON.parse(json)).toEqual(value);
    fc.assert(
      fc.property(fc.jsonValue(), (any) => {
        const written = plainJson(JSON.stringify(any));
        expect(stripControls(written).replaceAll('\n', '')).toBe(written.replace(/[\u2028\u2029]/g, ''));
        expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(any)));
      }),
    );
  });
});
