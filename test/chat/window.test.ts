import { describe, expect, test } from 'vitest';
import { keptFrom, tooLittleLeft } from '../../src/chat/window.js';
import type { ModelMessage } from '../../src/models/model.js';

describe('room for a load', () => {
  const window = { tokens: 1_000, known: true, model: 'test/m' };

  test('exactly a tenth left is enough, one token less is not', () => {
    expect(tooLittleLeft(window, 900, 50)).toBeUndefined();
    expect(tooLittleLeft(window, 901, 51)).toBe(
      'it takes 51 tokens and would leave 99 of the 1000 of test/m, less than 10 % (tokens are UTF-8 bytes / 4)',
    );
  });

  test('a window that ten does not divide is counted without rounding', () => {
    expect(tooLittleLeft({ ...window, tokens: 1_009 }, 908, 1)).toBeUndefined(); // 101 left
    expect(tooLittleLeft({ ...window, tokens: 1_009 }, 909, 1)).toContain('would leave 100 of the 1009');
  });

  test('a window that nobody knows says so', () => {
    const assumed = tooLittleLeft({ tokens: 32_768, known: false, model: 'local/x' }, 32_000, 9_000);
    expect(assumed).toContain('the window of local/x is not known and counts as 32768');
  });

  test('a model without a window has room for everything', () => {
    expect(tooLittleLeft(null, 1e9, 1e9)).toBeUndefined();
  });
});

describe('what is still sent', () => {
  const user = (text: string): ModelMessage => ({ role: 'user', text });
  const answer: ModelMessage = { role: 'assistant', text: 'a', calls: [] };
  const messages = [user('1'), answer, user('2'), answer, user('3')];

  test('everything while it fits', () => {
    expect(keptFrom(messages, 0, () => true)).toBe(0);
  });

  test('else from the first turn from which it does', () => {
    expect(keptFrom(messages, 0, (at) => at >= 1)).toBe(2);
    expect(keptFrom(messages, 0, (at) => at >= 3)).toBe(4);
  });

  test('the newest turn whatever its size, and nothing that was dropped before', () => {
    expect(keptFrom(messages, 0, () => false)).toBe(4);
    expect(keptFrom(messages, 2, () => true)).toBe(2);
  });
});
