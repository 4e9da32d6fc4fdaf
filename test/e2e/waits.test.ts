// spec/team.md §9 through the program: a provider that has to be left alone costs time, and nothing else.

import { afterEach, describe, expect, test } from 'vitest';
import { Releases } from '../../src/shared/releases.js';
import { claim, complete, does, finish, says, type Turn, when } from '../cases/play.js';
import { engine } from '../helpers/engines.js';
import type { Deed, Respond, Seen } from '../helpers/providers/far-side.js';
import { startFarSide } from '../helpers/providers/start-far-side.js';
import type { Mission } from '../helpers/team.js';
import { job } from './job.js';
import { oneTask } from './missions.js';

let releases = new Releases();
afterEach(async () => {
  await releases.run();
  releases = new Releases();
});

/** A worker who is refused when it wants to report, once in every process that asks for it. */
function refusedOnce(retryAfterMs: number): Mission {
  const fail = { kind: 'rate_limited', message: 'too many requests', retry_after_ms: retryAfterMs } as const;
  const turn: Turn = when(
    'Task #1 is ready',
    does(claim('#1')),
    { ...does(complete('#1')), fail },
    says('#1 done.'),
  );
  return oneTask([], {
    script: {
      boss: { idle: 'Waiting.', turns: [when('has completed #1', finish())] },
      worker: { idle: 'Ready.', turns: [turn] },
    },
  });
}

const TEN_MINUTES = 600_000;

describe('a member that waits for its provider', () => {
  test('is killed with its process and resumed: it waits on, asks again, and nothing is done twice', async () => {
    const at = await job(refusedOnce(1_500));
    const program = await at.start();
    const waits = await at.fact('turn.ended', ({ wait }) => wait !== null);
    await program.says(/^\[worker\] script asks to wait \(rate limited\), 2 s$/m);
    program.signal('SIGKILL');
    expect((await program.ended).exit).toBe(137);
    const id = await at.id();
    const before = (await at.log()).length;
    const resumed = await at.bnerd(['team', 'resume', id]);
    expect(resumed).toMatchObject({ exit: 0, stdout: 'All is said.\n' });
    const after = (await at.log()).slice(before);
    const again = after.find(({ facts }) =>
      facts.some((fact) => fact.type === 'turn.started' && fact.member === 'worker'),
    );
    expect(again?.at).toBeGreaterThanOrEqual(waits.wait?.until ?? Number.POSITIVE_INFINITY);
    expect(await at.of('task.claimed')).toHaveLength(1);
    expect(await at.of('task.completed')).toHaveLength(1);
    const ofWorker = (await at.of('turn.ended')).filter(({ member }) => member === 'worker');
    expect(ofWorker.filter(({ wait }) => wait !== null && wait.try > 0)).toMatchObject([
      { wait: { try: 1 } },
      { wait: { try: 2 } }, // The script's failure passes once in each process.
    ]);
    const put = (await at.transcript('worker')).flatMap((entry) =>
      entry.kind === 'input' ? entry.messages : [],
    );
    expect(new Set(put).size).toBe(put.length);
    expect((await at.here(['team', 'verify', id])).exit).toBe(0);
  });

  test('is shown by status and ps, and TERM ends its run at once, resumable', async () => {
    const at = await job(refusedOnce(TEN_MINUTES));
    const program = await at.start();
    await at.fact('turn.ended', ({ wait }) => wait !== null);
    const id = await at.id();
    const waits = /worker waits for script \(rate limited\), (600|5[5-9]\d) s/;
    expect((await at.bnerd(['team', 'status', id])).stdout).toMatch(waits);
    expect((await at.bnerd(['team', 'ps'])).stdout).toMatch(waits);
    const status = JSON.parse((await at.bnerd(['team', 'status', id, '--json'])).stdout);
    expect(status.members[1]).toMatchObject({
      state: 'waiting',
      turns: 0,
      wait: { provider: 'script', why: 'rate_limited', detail: expect.stringContaining('too many requests') },
    });
    program.signal('SIGTERM');
    const run = await program.ended;
    expect(run.exit).toBe(143);
    expect(run.stderr).toContain(`bnerd team resume ${id}`);
  });
});

/** A boss and a worker with one task, played from what they are sent. */
const bossAndWorker: Respond = (seen) => {
  const said = seen.messages.map((message) => message.text).join('\n');
  const call = (tool: string, args: Record<string, unknown>): Deed => ({
    kind: 'reply',
    text: '',
    calls: [{ tool, arguments: args }],
  });
  if (seen.system.join('\n').includes('You are boss.')) {
    return said.includes('has completed #1')
      ? call('team_finish', { outcome: 'done', result: `Heard: ${/word is (\w+)/.exec(said)?.[1]}` })
      : { kind: 'reply', text: 'I wait.' };
  }
  if (called(seen, 'team_task_complete')) return { kind: 'reply', text: 'Done.' };
  if (!called(seen, 'team_task_claim')) return call('team_task_claim', { task: '#1' });
  return call('team_task_complete', { task: '#1', summary: 'the word is kestrel' });
};

function called(seen: Seen, tool: string): boolean {
  return seen.messages.some(
    (message) => message.role === 'assistant' && message.calls.some((call) => call.tool === tool),
  );
}

test('over the wire: 429 with retry-after, 503, cut connections, then answers: the run is done', async () => {
  const faults = new Map<number, Deed>([
    [1, { kind: 'status', status: 429, headers: { 'retry-after': '1' }, message: 'slow down' }],
    [2, { kind: 'status', status: 503 }],
    [3, { kind: 'cut', when: 'before' }],
    [4, { kind: 'cut', when: 'within' }],
    [5, { kind: 'status', status: 529, type: 'overloaded_error' }],
  ]);
  const far = await startFarSide(
    'anthropic',
    (seen, count) => faults.get(count) ?? bossAndWorker(seen, count),
    releases,
  );
  const at = await job(oneTask([]));
  const run = await at.run(['--model', 'anthropic/claude-test'], {
    env: { ANTHROPIC_API_KEY: 'test-key-anthropic-000000', ANTHROPIC_BASE_URL: far.url },
  });
  expect(run.stderr).toMatch(/^done \(exit 0\)$/m);
  expect(run).toMatchObject({ exit: 0, stdout: 'Heard: kestrel\n' });
  expect(
    far.seen.every(({ streaming }) => streaming),
    'lines tell how far an answer is, where that is known',
  ).toBe(engine().traits.has('owner'));
  expect(run.stderr).toMatch(/^\[(lead|worker)\] anthropic asks to wait \(rate limited\), \d+ s$/m);
  expect(run.stderr).toMatch(/^\[(lead|worker)\] anthropic is unavailable, asked again in \d+ s: /m);
  const log = await at.log();
  const waits = log.flatMap(({ at: time, facts }) =>
    facts.flatMap((fact) =>
      fact.type === 'turn.ended' && fact.wait !== null ? [{ time, ...fact.wait }] : [],
    ),
  );
  const own = (why: string) => waits.filter((wait) => wait.why === why && wait.try > 0);
  expect(own('unavailable').length).toBeGreaterThanOrEqual(3);
  const [first] = own('rate_limited');
  expect((first?.until ?? 0) - (first?.time ?? 0), 'as long as it was told').toBeGreaterThanOrEqual(1_000);
  // What was refused is no call that was made. What the provider broke off may have been used: it is booked as reserved.
  const refused = [...faults.values()].filter(({ kind }) => kind === 'status').length;
  const spent = await at.of('budget.spent');
  expect(spent.length).toBe(far.seen.length - refused);
  expect(spent.filter(({ estimated }) => estimated)).toHaveLength(faults.size - refused);
  const [ended] = await at.of('run.ended');
  expect(ended?.totals.model_calls).toBe(far.seen.length - refused);
  expect(ended?.totals.estimated_tokens).toBeGreaterThan(0);
  expect(await at.of('member.failed')).toEqual([]);
  expect((await at.here(['team', 'verify', await at.id()])).exit).toBe(0);
});

test('where nobody looks on no answer is asked for piece by piece', async () => {
  const far = await startFarSide('anthropic', bossAndWorker, releases);
  const at = await job(oneTask([]));
  const run = await at.run(['--model', 'anthropic/claude-test', '--quiet'], {
    env: { ANTHROPIC_API_KEY: 'test-key-anthropic-000000', ANTHROPIC_BASE_URL: far.url },
  });
  expect(run).toMatchObject({ exit: 0, stdout: 'Heard: kestrel\n' });
  expect(far.seen.some(({ streaming }) => streaming)).toBe(false);
});
