import { describe, expect, test } from 'vitest';
import { activityText, heardOf, listen, type Silence } from '../../../src/cli/live/silence.js';

const thinking = (member: string, sinceMs: number): { member: string; what: string; sinceMs: number } => ({
  member,
  what: 'thinking',
  sinceMs,
});

/** Looks every second from 0 and gives the seconds at which something was said of `a`. */
function spokenAt(
  seconds: number,
  at: (second: number) => { busyMs: number; heard?: boolean } | null,
): number[] {
  let silence: Silence = new Map();
  const spoken: number[] = [];
  for (let second = 0; second <= seconds; second++) {
    const state = at(second);
    const look = listen(silence, state === null ? [] : [thinking('a', state.busyMs)], second * 1_000);
    silence = look.silence;
    if (look.due.length > 0) spoken.push(second);
    if (state?.heard === true) silence = heardOf(silence, 'a', second * 1_000);
  }
  return spoken;
}

describe('the silence of a busy member', () => {
  test('is broken every 30 s', () => {
    expect(spokenAt(95, (second) => ({ busyMs: second * 1_000 }))).toEqual([30, 60, 90]);
  });

  test('begins anew when something was said of it', () => {
    expect(spokenAt(60, (second) => ({ busyMs: second * 1_000, heard: second === 20 }))).toEqual([50]);
  });

  test('does not begin before it is busy', () => {
    const at = (second: number): { busyMs: number } | null =>
      second < 100 ? null : { busyMs: (second - 100) * 1_000 };
    expect(spokenAt(135, at)).toEqual([130]);
  });

  test('goes on while it does one short thing after the other', () => {
    expect(spokenAt(61, (second) => ({ busyMs: (second % 5) * 1_000 }))).toEqual([30, 60]);
  });

  test('is counted for each member alone', () => {
    const first = listen(new Map(), [thinking('a', 0)], 0);
    const second = listen(first.silence, [thinking('a', 20_000), thinking('b', 0)], 20_000);
    const third = listen(second.silence, [thinking('a', 31_000), thinking('b', 11_000)], 31_000);
    expect(third.due.map(({ member }) => member)).toEqual(['a']);
  });

  test('of one that waits is told with how much longer', () => {
    const waits = {
      member: 'a',
      what: 'waits for anthropic (rate limited)',
      sinceMs: 30_000,
      leftMs: 11_600,
    };
    expect(activityText(waits)).toBe('waits for anthropic (rate limited), 12 s more');
  });

  test('is told with what it does and for how long', () => {
    expect(activityText(thinking('a', 45_900))).toBe('thinking, 45 s');
  });
});
