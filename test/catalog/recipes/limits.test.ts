import { expect, test } from 'vitest';
import { limitsFile, resolveLimits } from '../../../src/catalog/recipes/limits.js';

// The table of the specification, written out by hand.
const TABLE: Readonly<Record<string, number | null>> = {
  members: 8,
  concurrency: 4,
  turns: 500,
  turn_minutes: 30,
  lost_turns: 3,
  model_calls: 2000,
  tokens: 5000000,
  cost_usd: null,
  wall_minutes: 120,
  messages: 10000,
  mail_bytes: 32768,
  unread_bytes: 262144,
  tasks: 1000,
  open_requests: 4,
  calls_per_reply: 32,
  calls_per_turn: 100,
  review_rounds: 3,
  record_bytes: 1073741824,
};

const camel = (name: string): string => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

test('a recipe that sets nothing gets the defaults of the table', () => {
  expect(resolveLimits({})).toEqual(
    Object.fromEntries(Object.entries(TABLE).map(([name, value]) => [camel(name), value])),
  );
});

test.each(Object.keys(TABLE))('`%s` may be set, and sets nothing else', (name) => {
  const resolved = resolveLimits(limitsFile.parse({ [name]: 7 }));
  expect(resolved).toEqual({ ...resolveLimits({}), [camel(name)]: 7 });
  expect(limitsFile.safeParse({ [name]: -1 }).success).toBe(false);
  expect(limitsFile.safeParse({ [name]: '7' }).success).toBe(false);
});
