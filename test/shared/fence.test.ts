import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/shared/digest.js';
import { fenced, fenceToken } from '../../src/shared/fence.js';

describe('fenced', () => {
  test('stands around the text, which is not changed', () => {
    const token = `~${sha256('hello\nworld').slice(0, 12)}`;
    expect(fenced('mail from writer', 'hello\nworld')).toBe(
      `<<mail from writer ${token}\nhello\nworld\n${token}>>`,
    );
  });

  test('is the same for the same text and another for another', () => {
    expect(fenced('x', 'a')).toBe(fenced('x', 'a'));
    expect(fenceToken('a')).not.toBe(fenceToken('b'));
  });

  test('a text that was fenced before cannot close the fence around it', () => {
    const inner = fenced('mail from writer', 'stop here');
    const outer = fenced('mail from lead', inner);
    const token = fenceToken(inner);
    expect(outer.split(token)).toHaveLength(3);
    expect(outer.endsWith(`\n${token}>>`)).toBe(true);
  });
});

describe('fenceToken', () => {
  test('never occurs in the text, also when the text holds the beginning of its own hash', () => {
    // One digit makes such texts common; with twelve it takes a search that nobody can run in a test.
    const text = fc
      .array(fc.constantFrom('~', ...'0123456789abcdef'), { maxLength: 60 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(text, (one) => {
        expect(one).not.toContain(fenceToken(one, 1));
      }),
      { numRuns: 500 },
    );
  });

  test('grows until it differs from what the text holds', () => {
    const everyDigit = [...'0123456789abcdef'].map((digit) => `~${digit}`).join(' ');
    expect(fenceToken(everyDigit, 1)).toBe(`~${sha256(everyDigit).slice(0, 2)}`);
  });
});
