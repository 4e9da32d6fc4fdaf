// Runners that do not do what one has to: the team comes to an end with each, and nothing of it is left.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DELEGATION_BOUNDS } from '../../../src/runtime/house.js';
import { complete, does, says, type Turn, when } from '../../cases/play.js';
import { commitAll } from '../../helpers/repository.js';
import { startJob, type WatchedTeam, writeMission } from '../../helpers/team.js';

const BAD = join(import.meta.dirname, '../../fixtures/runners/bad-runner.mjs');

const delegate = does({
  tool: 'delegate_engineer',
  args: { task: '#1', goal: 'It greets.', acceptance: ['it does'] },
});

/** Runs a team whose lead delegates its task to such a runner. */
async function team(how: string, acceptMs: number, ...turns: readonly Turn[]): Promise<WatchedTeam> {
  const at = await writeMission({
    recipe: {
      tasks: [{ id: 'build', subject: 'Build it', role: 'boss' }],
      engineer: { kind: 'command', offers: 1 },
    },
    roles: { boss: { delegate: true } },
    script: {
      boss: { idle: 'Waiting.', turns },
    },
    files: { 'readme.txt': 'a project\n' },
  });
  commitAll(at.workspace, 'Begin');
  const runner = {
    program: how === 'missing' ? '' : process.execPath,
    args: [BAD, how],
    environment: { PATH: process.env['PATH'] ?? '' },
  };
  const bounds = { ...DELEGATION_BOUNDS, acceptMs, cancelMs: 300 };
  const delegation = { kinds: ['command'], elsewhere: false, engineers: new Map(), runner, bounds };
  const house = { ...at.house, delegation };
  return startJob({ ...at, house });
}

/** For a runner that never takes its brief, and for all others. */
const SOON_MS = 500;
const LONG_MS = DELEGATION_BOUNDS.acceptMs;

const sends = when('Task #1 is ready', delegate, says('Sent.'));

const lost = when(
  ['#1 has failed', 'has ended: lost'],
  does({ tool: 'team_finish', args: { outcome: 'failed', result: 'No engineer came.' } }),
);

test.each([
  ['dies', 'exit 7', []],
  ['is silent', 'SIGKILL', []],
  ['is missing', 'no engineer is set up on this machine', []],
  ['forges', 'not what key', ['bad_signature', 'bad_signature']],
  ['mixes', 'says attempt 2', ['other_brief', 'other_brief']],
] as const)(
  'B28: one that %s: its brief is lost, offered again, and at last the task fails and the lead is told',
  async (what, words, codes) => {
    const run = await team(what.replace('is ', ''), what === 'is silent' ? SOON_MS : LONG_MS, sends, lost);
    expect(await run.ended()).toMatchObject({ reason: 'failed' });
    expect(run.of('brief.sent').map(({ offer }) => offer)).toEqual([1, 2]);
    const ended = run.of('brief.ended');
    expect(ended.map(({ status, cause }) => [status, cause])).toEqual([
      ['lost', 'lost'],
      ['lost', 'lost'],
    ]);
    for (const { detail } of ended) expect(detail).toContain(words);
    expect(run.of('brief.evidence').map(({ code }) => code)).toEqual(codes);
    expect(run.of('task.failed')).toMatchObject([{ cause: 'lost' }]);
  },
);

test('one that has made another block of skills must not begin: the brief ends, and its member goes on', async () => {
  const run = await team(
    'other',
    SOON_MS,
    sends,
    when('block_mismatch', does(complete('#1')), says('By myself.')),
  );
  expect(await run.ended()).toMatchObject({ reason: 'done' });
  expect(run.of('brief.ended')).toMatchObject([{ status: 'failed', cause: 'block_mismatch' }]);
  expect(run.of('brief.accepted')).toEqual([]);
});

test('one that does not obey is killed, and only then its brief has ended as cancelled', async () => {
  const cancel = {
    capture: { brief: 'Brief (\\S+) is sent' },
    ...does({ tool: 'delegate_cancel', args: { brief: '{{brief}}', reason: 'not wanted' } }),
  };
  const run = await team(
    'silent',
    LONG_MS,
    when('Task #1 is ready', delegate, cancel, says('Called off.')),
    when('has ended: cancelled', does(complete('#1')), says('By myself.')),
  );
  expect(await run.ended()).toMatchObject({ reason: 'done' });
  expect(run.of('brief.ended')).toMatchObject([{ status: 'cancelled', cause: 'lost' }]);
  expect(run.of('brief.sent')).toHaveLength(1);
});
