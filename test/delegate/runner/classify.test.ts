import { describe, expect, test } from 'vitest';
import { classify, type Seen } from '../../../src/delegate/runner/classify.js';
import type { Collected } from '../../../src/delegate/workspace/workspace.js';

const collected: Collected = {
  head: 'a'.repeat(40),
  commits: [],
  diffstat: { files: 1, insertions: 1, deletions: 0 },
  changed: ['a'],
  protected: [],
  uncommitted: [],
  missingArtifacts: [],
  leftOut: { commits: 0, changed: 0, protected: 0, uncommitted: 0 },
  strayed: null,
};
const exit = (code: number) => ({ kind: 'exited' as const, code });
const success = { kind: 'success' as const, message: 'done' };
const passed = { key: 'test', argv: ['t'], exit: 0, outcome: 'passed' as const, tail: '', ms: 1 };
const well: Seen = {
  run: { kind: 'ended', exit: exit(0), end: success },
  left: [],
  collection: { kind: 'collected', collected },
  escaped: [],
  verify: [passed],
  readOnly: false,
};
const ended = (
  exit: Extract<Seen['run'], { kind: 'ended' }>['exit'],
  end: Extract<Seen['run'], { kind: 'ended' }>['end'],
) => ({
  run: { kind: 'ended' as const, exit, end },
});

test('completed: envelope, process, commit and verification all say so', () => {
  expect(classify(well)).toEqual({ status: 'completed', cause: null, detail: null });
  expect(classify({ ...well, verify: [] }).status).toBe('completed');
});

test('completed: also when it stayed behind its last word and was sent away, and then only by that word', () => {
  const dismissed = { kind: 'dismissed' as const };
  expect(classify({ ...well, ...ended(dismissed, success) }).status).toBe('completed');
  expect(classify({ ...well, ...ended(dismissed, { kind: 'none' }) })).toMatchObject({
    status: 'malformed',
    cause: 'no_result',
  });
});

describe('anything less is not completed', () => {
  const failure = {
    kind: 'failure' as const,
    cause: 'max_turns' as const,
    detail: 'it took 5 turns',
    message: '',
  };
  const sig = { kind: 'signalled' as const, signal: 'SIGSEGV' };
  test.each<[string, Partial<Seen>, string, string | null, RegExp]>([
    [
      'cancelled',
      { run: { kind: 'cancelled', detail: 'by the lead' }, escaped: ['x'] },
      'cancelled',
      null,
      /by the lead/,
    ],
    ['escaped', { escaped: ['the workspace: HEAD'] }, 'failed', 'escaped', /the workspace: HEAD/],
    [
      'escaped, then out of time',
      { run: { kind: 'timed_out', detail: '' }, escaped: ['x'] },
      'failed',
      'escaped',
      /x/,
    ],
    ['out of time', { run: { kind: 'timed_out', detail: 'after 10 min' } }, 'timed_out', null, /10 min/],
    [
      'never begun',
      { run: { kind: 'not_started', detail: 'no program claude' } },
      'failed',
      'spawn_failed',
      /no program/,
    ],
    [
      'never begun, for want of room',
      { run: { kind: 'not_started', detail: 'ENOSPC', cause: 'disk_full' } },
      'failed',
      'disk_full',
      /ENOSPC/,
    ],
    ['silent', { run: { kind: 'silent', detail: 'not a word' } }, 'failed', 'no_start', /not a word/],
    ['flooded', { run: { kind: 'flooded', detail: 'too much' } }, 'failed', 'output_limit', /too much/],
    [
      'an error inside of an envelope, with exit 0',
      ended(exit(0), failure),
      'failed',
      'max_turns',
      /5 turns \(exit 0\)/,
    ],
    [
      'a success that exits 1',
      ended(exit(1), success),
      'failed',
      'crashed',
      /says success and ended with exit 1/,
    ],
    ['a success that was ended by a signal', ended(sig, success), 'failed', 'crashed', /SIGSEGV/],
    ['no word at all, with exit 0', ended(exit(0), { kind: 'none' }), 'malformed', 'no_result', /never said/],
    ['no word at all, with exit 3', ended(exit(3), { kind: 'none' }), 'failed', 'crashed', /exit 3/],
    ['not collected', { collection: null }, 'failed', 'workspace', /not collected/],
    [
      'too large',
      { collection: { kind: 'failed', cause: 'result_too_large', detail: '17 MiB' } },
      'failed',
      'result_too_large',
      /17 MiB/,
    ],
    [
      'cancelled while it was collected',
      { collection: { kind: 'failed', cause: 'cancelled', detail: '' } },
      'cancelled',
      null,
      /^$/,
    ],
    ['a read-only brief with a commit', { readOnly: true }, 'failed', 'escaped', /read-only/],
    [
      'an artifact that is not there',
      { collection: { kind: 'collected', collected: { ...collected, missingArtifacts: ['out.md'] } } },
      'failed',
      'missing_artifacts',
      /out\.md/,
    ],
    [
      'verification that failed',
      { verify: [passed, { ...passed, key: 'lint', exit: 2, outcome: 'failed' }] },
      'failed',
      'verify_failed',
      /^lint: failed \(exit 2\)$/,
    ],
    [
      'verification that did not end',
      { verify: [{ ...passed, exit: null, outcome: 'timed_out' }] },
      'failed',
      'verify_failed',
      /^test: timed_out$/,
    ],
    [
      'cancelled while it was verified',
      { verify: [{ ...passed, exit: null, outcome: 'cancelled' }] },
      'cancelled',
      null,
      /verified/,
    ],
  ])('%s', (_, change, status, cause, detail) => {
    expect(classify({ ...well, ...change })).toEqual({
      status,
      cause,
      detail: expect.stringMatching(detail),
    });
  });

  test('a read-only brief that changed nothing is completed', () => {
    const nothing = { kind: 'collected' as const, collected: { ...collected, head: null } };
    expect(classify({ ...well, readOnly: true, collection: nothing, verify: [] }).status).toBe('completed');
  });
});
