import { describe, expect, test } from 'vitest';
import { acceptBrief, type RunnerLimits } from '../../../src/delegate/runner/accept.js';
import { newKeyPair } from '../../../src/shared/signature.js';
import { aBrief, accepted } from '../../helpers/briefs.js';

const worker = newKeyPair();
const keys = [accepted(worker, 'worker')];
const now = Date.parse('2026-06-01T00:00:00Z');
const settings = { path: 'x', args: [], env: {}, projectSettings: false, mayBeFull: false };
const limits: RunnerLimits = {
  pool: null,
  labels: ['gpu', 'eu'],
  maxSafety: 'full',
  repos: ['/repository', 'https://git.example/*'],
  engineers: new Map([
    ['command', settings],
    ['claude-code', { ...settings, mayBeFull: true }],
  ]),
};
const take = (order: Parameters<typeof aBrief>[1], change: Partial<RunnerLimits> = {}) =>
  acceptBrief(JSON.stringify(aBrief(worker, order)), { ...limits, ...change }, keys, now);

describe('a runner takes a brief', () => {
  test.each([
    ['a plain one', {}],
    ['one that asks for labels it has', { labels: ['eu'] }],
    ['one on a repository that its list covers', { workspace: { repo: 'https://git.example/a/b.git' } }],
    [
      'a full one, where its engineer may',
      { safety: 'full' as const, engineer: { kind: 'claude-code', model: null } },
    ],
  ])('%s', (_, order) => {
    expect(take(order)).toMatchObject({ kind: 'accepted', by: { name: 'worker-key' } });
  });

  test.each([
    ['late', { deadline: '2026-05-31T23:59:59.999Z' }, {}, 'expired', /by 2026-05-31.*it is 2026-06-01/],
    ['at the deadline itself', { deadline: '2026-06-01T00:00:00.000Z' }, {}, 'expired', /begun by/],
    ['of another pool', { pool: 'vm-3' }, {}, 'wrong_pool', /for pool vm-3; this runner serves no pool/],
    ['of no pool, where it serves one', {}, { pool: 'vm-3' }, 'wrong_pool', /no pool; .* pool vm-3/],
    [
      'with a label it lacks',
      { labels: ['gpu', 'arm'] },
      {},
      'missing_labels',
      /arm; this runner has gpu, eu/,
    ],
    [
      'looser than it allows',
      {},
      { maxSafety: 'read-only' as const },
      'safety',
      /non-destructive; .* at most read-only/,
    ],
    [
      'full, where the engineer may not',
      { safety: 'full' as const },
      {},
      'safety',
      /command may not work under full/,
    ],
    [
      'on another repository',
      { workspace: { repo: '/other' } },
      {},
      'repository',
      /about \/other; .*\/repository/,
    ],
    [
      'on one that only begins as its list says',
      { workspace: { repo: 'https://git.example/a/../b/c.git' } },
      { repos: ['https://git.example/a/*'] },
      'repository',
      /goes by "\." or "\.\."/,
    ],
    [
      'on another repository, whose address carries a password',
      { workspace: { repo: 'https://me:word@other.example/x' } },
      {},
      'repository',
      /about (?!.*word).*other\.example\/x; /,
    ],
    [
      'for an engineer it has not',
      { engineer: { kind: 'codex', model: null } },
      {},
      'no_engineer',
      /codex; .* command, claude-code/,
    ],
  ])('never one that is %s', (_, order, change, code, message) => {
    expect(take(order, change)).toMatchObject({
      kind: 'refused',
      brief: { id: 'run-feature-01.t1.a1.o1' },
      code,
      message: expect.stringMatching(message),
    });
  });

  test('never one that nobody it knows has signed: then it believes nothing of it', () => {
    const text = JSON.stringify(aBrief(newKeyPair(), { pool: 'vm-3' }));
    expect(acceptBrief(text, limits, keys, now)).toMatchObject({
      kind: 'refused',
      brief: null,
      code: 'unknown_key',
    });
    expect(acceptBrief('{', limits, keys, now)).toMatchObject({ brief: null, code: 'unreadable' });
  });
});
