// Why nobody takes a brief, as far as runners say what they serve (spec/runner.md §5).
import { expect, test } from 'vitest';
import type { LiveRunner } from '../../../src/dispatch/runners.js';
import { unservedBrief } from '../../../src/runtime/briefs/unserved-briefs.js';

const runner = (more: Partial<LiveRunner> = {}): LiveRunner => ({
  id: 'vm.1',
  pools: ['default'],
  labels: ['gpu'],
  slots: 1,
  running: 0,
  version: '1.0.0',
  key: 'k'.repeat(43),
  keyId: 'k1',
  engineers: { command: null },
  maxSafety: 'non-destructive',
  repos: [],
  host: 'vm',
  pid: 1,
  process: 'p',
  skewMs: 0,
  silentMs: 0,
  progress: null,
  draining: false,
  ...more,
});

const BRIEF = { brief: 'run-x.t1.a1.o1', pool: null, engineer: { kind: 'command', model: null } };

test.each([
  ['one that can take it', [runner()], [], null],
  ['none', [], [], { why: 'no_runner', pool: 'briefs.default', detail: null }],
  ['one of another pool', [runner({ pools: ['far'] })], [], { why: 'no_runner' }],
  ['one that is drained', [runner({ draining: true })], [], { why: 'no_runner' }],
  ['one without a label', [runner()], ['big'], { why: 'not_taken', detail: 'vm.1 has no label big' }],
  [
    'one without the engineer',
    [runner({ engineers: {} })],
    [],
    { why: 'not_taken', detail: 'vm.1 has no engineer command' },
  ],
  [
    'one whose key nobody has accepted',
    [runner({ keyId: 'other' })],
    [],
    { why: 'not_taken', detail: expect.stringContaining('bnerd keys accept kkk') },
  ],
  ['one that cannot, beside one that can', [runner({ id: 'vm.0', labels: [] }), runner()], ['gpu'], null],
] as const)('where there is %s', (_, runners, labels, expected) => {
  const found = unservedBrief(BRIEF, labels, runners, ['k1']);
  if (expected === null) expect(found).toBeNull();
  else expect(found).toMatchObject({ what: BRIEF.brief, ...expected });
});
