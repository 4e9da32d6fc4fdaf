import { expect, test } from 'vitest';
import { gaveUp, troubleOf } from '../../../src/events/redis/redis-trouble.js';
import { BugError } from '../../../src/shared/errors.js';

/** As the client gives what a server has answered. */
function reply(text: string): Error {
  const error = new Error(text);
  error.name = 'ReplyError';
  return error;
}

test.each([
  ['LOADING Redis is loading the dataset in memory'],
  ["READONLY You can't write against a read only replica. script: 0a, on @user_script:9."],
  ['NOREPLICAS Not enough good replicas to write.'],
  ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."],
  ['BUSY Redis is busy running a script.'],
  [
    'ERR Error running script (call to f_0a): @user_script:9: -READONLY You can not write against a read only replica.',
  ],
])('%s passes', (text) => {
  expect(troubleOf(reply(text))).toEqual({ kind: 'passing', code: 'record-unreachable' });
});

test.each([
  ['MISCONF Redis is configured to save RDB snapshots', 'redis-misconf', 'cannot write its own disk'],
  [
    "OOM command not allowed when used memory > 'maxmemory'. script: 0a, on @user_script:9.",
    'redis-full',
    'is full and nothing of this was written',
  ],
  [
    "ERR Error running script (call to f_0a): @user_script:9: -OOM command not allowed when used memory > 'maxmemory'.",
    'redis-full',
    'is full and nothing of this was written',
  ],
] as const)('%s passes, under its own name', (text, code, words) => {
  expect(troubleOf(reply(text))).toEqual({ kind: 'passing', code });
  const error = gaveUp(code, 'redis://h:1', reply(text));
  expect(error).toMatchObject({ code, name: 'FatalError' });
  expect(error.message).toContain(words);
});

test.each([
  ['NOPERM this user has no permissions to run the evalsha command', 'redis-denied'],
  ['WRONGTYPE Operation against a key holding the wrong kind of value', 'log-failed'],
  ['ERR something else', 'log-failed'],
])('%s does not pass', (text, code) => {
  expect(troubleOf(reply(text))).toMatchObject({ kind: 'final', error: { code, name: 'FatalError' } });
});

test('a broken connection is no answer, an error of ours is its own', () => {
  for (const text of ['Connection is closed.', 'Reached the max retries per request limit (which is 0).']) {
    expect(troubleOf(new Error(text))).toEqual({ kind: 'passing', code: 'record-unreachable' });
  }
  const bug = new BugError('a-bug', 'a bug');
  expect(troubleOf(bug)).toEqual({ kind: 'final', error: bug });
});
