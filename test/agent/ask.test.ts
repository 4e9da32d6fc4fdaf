import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ask } from '../../src/agent/ask.js';
import type { Model, ModelOutcome, ModelReply, ModelRequest } from '../../src/models/model.js';
import { FREE } from '../../src/models/settings.js';

const REQUEST: ModelRequest = {
  member: 'ada',
  role: 'engineer',
  system: [],
  messages: [{ role: 'user', text: 'hello' }],
  tools: [],
  maxOutputTokens: 10,
};
const REPLY: ModelReply = {
  kind: 'reply',
  text: 'hi',
  calls: [],
  usage: { inputTokens: 1, cachedTokens: 0, outputTokens: 1 },
  stop: 'end',
};
const CUT: ModelOutcome = { kind: 'unavailable', retryAfterMs: null, message: 'connection cut' };

function playing(...outcomes: ModelOutcome[]): { model: Model; asked: () => number; at: number[] } {
  const at: number[] = [];
  const model: Model = {
    id: 'test/far',
    facts: FREE,
    leftover: () => [],
    generate: async () => {
      at.push(Date.now());
      return outcomes[Math.min(at.length, outcomes.length) - 1] ?? REPLY;
    },
  };
  return { model, asked: () => at.length, at };
}

/** The waits between the tries, in milliseconds. */
function waits(at: readonly number[]): number[] {
  return at.slice(1).map((time, index) => time - (at[index] ?? 0));
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;

describe('failures that pass', () => {
  test('are outlived, each wait twice the one before', async () => {
    const far = playing(CUT, CUT, CUT, REPLY);
    const asked = ask(far.model, REQUEST, never, () => 0);
    await vi.runAllTimersAsync();
    expect(await asked).toEqual(REPLY);
    expect(waits(far.at)).toEqual([1000, 2000, 4000]);
  });

  test('are given up after six tries, with the code of the last', async () => {
    const far = playing(CUT);
    const asked = ask(far.model, REQUEST, never, () => 0);
    await vi.runAllTimersAsync();
    expect(await asked).toEqual({ kind: 'failed', code: 'unavailable', error: 'connection cut' });
    expect(far.asked()).toBe(6);
    expect(waits(far.at)).toEqual([1000, 2000, 4000, 8000, 16_000]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('wait as long as the far side said, where it said so', async () => {
    const far = playing({ kind: 'rate_limited', retryAfterMs: 45_000, message: 'slow down' }, REPLY);
    const asked = ask(far.model, REQUEST, never, () => 0);
    await vi.runAllTimersAsync();
    expect(await asked).toEqual(REPLY);
    expect(waits(far.at)).toEqual([45_000]);
  });

  test('wait up to a quarter longer by chance, never shorter', async () => {
    const far = playing({ kind: 'rate_limited', retryAfterMs: null, message: 'slow down' }, CUT, REPLY);
    const asked = ask(far.model, REQUEST, never, () => 1);
    await vi.runAllTimersAsync();
    await asked;
    expect(waits(far.at)).toEqual([1250, 2500]);
  });
});

test('a failure that would come again is given back at once', async () => {
  const far = playing({ kind: 'fatal', code: 'bad-request', message: 'no' });
  expect(await ask(far.model, REQUEST, never)).toEqual({ kind: 'failed', code: 'bad-request', error: 'no' });
  expect(far.asked()).toBe(1);
});

test('a wait obeys the signal and leaves no timer', async () => {
  const control = new AbortController();
  const far = playing(CUT);
  const asked = ask(far.model, REQUEST, control.signal);
  await vi.advanceTimersByTimeAsync(10);
  control.abort();
  expect(await asked).toEqual({ kind: 'cancelled' });
  expect(far.asked()).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

test('a call that was cancelled is not made again', async () => {
  const far = playing({ kind: 'cancelled' });
  expect(await ask(far.model, REQUEST, never)).toEqual({ kind: 'cancelled' });
  expect(far.asked()).toBe(1);
});
