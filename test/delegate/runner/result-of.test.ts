import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BRIEF_BYTES } from '../../../src/delegate/brief/brief.js';
import { readResult } from '../../../src/delegate/brief/read.js';
import { NO_USAGE } from '../../../src/delegate/engineers/engineer.js';
import { type Found, resultOf } from '../../../src/delegate/runner/result-of.js';
import { NO_SECRETS, redactorOf } from '../../../src/shared/secrets/redactor.js';
import { newKeyPair, signed } from '../../../src/shared/signature.js';
import { aBrief, BASE } from '../../helpers/briefs.js';

const PAIR = newKeyPair();
const brief = aBrief(PAIR);

const seen = {
  run: {
    kind: 'ended',
    exit: { kind: 'exited', code: 0 },
    end: { kind: 'success', message: '' },
  },
  message: 'done',
  session: null,
  model: null,
  version: null,
  usage: NO_USAGE,
  noise: { lines: 0, oversize: 0, bytes: 0 },
  transcript: { path: '/t', bytes: 1, sha256: 'a'.repeat(64), cut: 0, failure: null },
  left: [],
} as const;

const collected = {
  head: BASE,
  commits: [],
  diffstat: { files: 0, insertions: 0, deletions: 0 },
  changed: [],
  protected: [],
  uncommitted: [],
  missingArtifacts: [],
  leftOut: { commits: 0, changed: 0, protected: 0, uncommitted: 0 },
  strayed: null,
};

const FOUND: Found = {
  brief,
  runner: 'vm-07',
  acceptedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:00:01.000Z',
  classified: { status: 'completed', cause: null, detail: null },
  engineerVersion: '1.0',
  projectSettings: false,
  block: { sentBlock: '', finalBlock: '', additions: [] },
  seen,
  collected,
  verify: [],
  notVerified: null,
  bundle: null,
  pushed: false,
  workspaceChanges: [],
};

const readable = (found: Found): ReturnType<typeof readResult> =>
  readResult(JSON.stringify(signed('result', resultOf(found, NO_SECRETS), PAIR)));

test('whatever was found and however much of it, the result can be signed and read again', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 50 }),
    fc.string({ unit: 'grapheme' }),
    fc.constant('\ud800x'),
  );
  const long = text.chain((one) =>
    fc.integer({ min: 1, max: 200_000 }).map((times) => one.repeat(times).slice(0, 500_000)),
  );
  const paths = fc
    .tuple(text, fc.integer({ min: 0, max: 10_000 }))
    .map(([path, count]) => Array(count).fill(path));
  const outcome = fc.record({
    key: fc.constant('test'),
    argv: fc.array(fc.string(), { minLength: 1 }),
    exit: fc.constant(null),
    outcome: fc.constantFrom('passed' as const, 'timed_out' as const),
    tail: long,
    ms: fc.nat(),
  });
  fc.assert(
    fc.property(
      fc.record({
        message: long,
        detail: long,
        changed: paths,
        uncommitted: paths,
        verify: fc.array(outcome, { maxLength: 50 }),
        changes: paths,
      }),
      ({ message, detail, changed, uncommitted, verify, changes }) => {
        const read = readable({
          ...FOUND,
          classified: { status: 'failed', cause: 'crashed', detail },
          seen: { ...seen, message },
          collected: { ...collected, changed, uncommitted: uncommitted.slice(0, 1_000) },
          verify,
          workspaceChanges: changes,
        });
        expect(read).toMatchObject({ kind: 'read' });
      },
    ),
    { numRuns: 40 },
  );
});

test('what is too much is cut where it hurts least, and the result says so', () => {
  const verify = Array.from({ length: 50 }, () => ({
    ...{ key: 'test', argv: ['t'], exit: 1, outcome: 'failed' as const, ms: 1 },
    tail: `${'x'.repeat(200_000)}the end`,
  }));
  const changed = Array.from({ length: 10_000 }, (_, at) => `${'deep/'.repeat(150)}${at}`);
  const read = readable({
    ...FOUND,
    verify,
    collected: { ...collected, changed, leftOut: { ...collected.leftOut, changed: 7 } },
  });
  if (read.kind === 'refused') throw new Error(read.message);
  const { value } = read;
  expect(Buffer.byteLength(JSON.stringify(value))).toBeLessThan(BRIEF_BYTES);
  expect(value.verify).toHaveLength(50);
  expect(value.verify.every(({ tail }) => tail.endsWith('the end'))).toBe(true);
  expect(value.detail).toBe('left out of the lists: 7 changed; the lists are cut: the branch has all of it');
  expect(value.changed.length).toBeGreaterThan(100);
});

test('what is worth knowing beside the status stands in the detail', () => {
  const found: Found = {
    ...FOUND,
    seen: { ...seen, transcript: { ...seen.transcript, cut: 5, failure: 'ENOSPC' } },
    collected: { ...collected, strayed: 'refs/heads/other' },
  };
  const read = readable(found);
  expect(read).toMatchObject({
    value: {
      status: 'completed',
      detail:
        'the engineer stood on refs/heads/other at its end: what it committed there was not taken; ' +
        '5 bytes of its output are not in the transcript; the transcript ends early: ENOSPC',
    },
  });
});

test('of an output that was cut, the line that was cut is left out, since it may begin within a secret', () => {
  const secrets = redactorOf([{ name: 'KEY', value: 'sk-0123456789-abcdef' }]);
  const verify = [
    {
      ...{ key: 'test', argv: ['t'], exit: 1, outcome: 'failed' as const, ms: 1 },
      tail: '… (99 bytes left out)\n6789-abcdef\nand sk-0123456789-abcdef again\n',
    },
  ];
  expect(resultOf({ ...FOUND, verify }, secrets).verify[0]?.tail).toBe(
    '… (99 bytes left out)\nand [secret:KEY] again\n',
  );
});
