import { expect, test } from 'vitest';
import { TroubleLines } from '../../src/dispatch/trouble-lines.js';

function lines() {
  const told: string[] = [];
  let now = 0;
  const trouble = new TroubleLines((line) => told.push(line), { monotonicMs: () => now });
  return {
    told,
    trouble,
    at: (ms: number) => {
      now = ms;
    },
  };
}

const refused = (): Error =>
  Object.assign(new Error('connect ECONNREFUSED /tmp/a'), { code: 'ECONNREFUSED' });

test('an outage is one line, however many errors it makes, and its end another', () => {
  const { told, trouble, at } = lines();
  for (let ms = 0; ms < 300_000; ms += 100) {
    at(ms);
    trouble.hear(refused());
    trouble.hear(new Error('Connection is closed.'));
  }
  trouble.answered(); // One of several connections: the others fail still.
  expect(told).toEqual(['Redis does not answer: connect ECONNREFUSED /tmp/a']);
  at(302_000);
  trouble.answered();
  trouble.answered();
  trouble.hear(refused());
  expect(told.slice(1)).toEqual([
    'Redis answers again',
    'Redis does not answer: connect ECONNREFUSED /tmp/a',
  ]);
});

test('a refusal of the server is one line by its word, and news again when it had been quiet', () => {
  const { told, trouble, at } = lines();
  for (const key of ['a', 'b']) trouble.hear(new Error(`OOM command not allowed, key ${key}`));
  trouble.hear(new Error("READONLY You can't write against a read only replica."));
  at(60_001);
  trouble.hear(new Error('OOM command not allowed, key c'));
  expect(told.map((line) => /OOM|READONLY/.exec(line)?.[0])).toEqual(['OOM', 'READONLY', 'OOM']);
});

test('other errors are told each, and only so many are remembered', () => {
  const { told, trouble } = lines();
  for (let number = 0; number < 1_000; number++) trouble.hear(new Error(`job ${number}`));
  trouble.hear(new Error('job 999'));
  expect(told).toHaveLength(1_000);
});
