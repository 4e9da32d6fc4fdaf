// Which due turns no live worker can take, and what is missing (spec/engine.md §3).
import { expect, test } from 'vitest';
import type { WorkerSays } from '../../../src/dispatch/presence.js';
import { unservedTurns } from '../../../src/runtime/workers/unserved.js';
import { newKeyPair } from '../../../src/shared/signature.js';
import { Team } from '../../helpers/build-state.js';
import { signedTeam } from '../../helpers/signed-team.js';

const worker = (more: Partial<WorkerSays> = {}): WorkerSays => ({
  pools: ['turns', 'turns.h1'],
  providers: ['anthropic'],
  version: '0.1.0',
  maxSafety: 'full',
  workspaceRoots: [],
  operators: [],
  signed: 'with a key',
  slots: 4,
  running: 0,
  host: 'h1',
  pid: 12,
  silentMs: 0,
  ...more,
});

function due(): Team {
  const team = Team.start();
  team.awake('lead');
  return team;
}

const seen = (team: Team, workers: readonly WorkerSays[]): readonly unknown[] =>
  unservedTurns(team.state, team.now, workers);

test('nobody is there, or nobody for the pool', () => {
  const team = Team.start();
  const waits = unservedTurns(team.state, team.now, []);
  expect(waits.length).toBeGreaterThan(0);
  for (const one of waits) expect(one).toMatchObject({ pool: 'turns', why: 'no_worker', detail: null });
  expect(seen(team, [worker({ pools: ['turns.h1'] })])).toEqual(waits);
});

test('one worker that can is enough, whatever others lack', () => {
  const team = Team.start();
  const lacking = worker({ providers: [], maxSafety: 'read-only', workspaceRoots: ['/nowhere', '/else'] });
  expect(seen(team, [lacking, worker({ providers: [...PROVIDERS] })])).toEqual([]);
  const { path = '' } = team.state.run?.workspace ?? {};
  const roots = worker({ providers: [...PROVIDERS], workspaceRoots: ['/nowhere', path] });
  expect(seen(team, [roots])).toEqual([]);
});

test('what each of those that serve the pool lacks is named', () => {
  const team = Team.start();
  const [first] = unservedTurns(team.state, team.now, [
    worker({ providers: [...PROVIDERS], workspaceRoots: ['/nowhere', '/else'] }),
  ]);
  expect(first).toMatchObject({ pool: 'turns', why: 'not_taken' });
  expect(first?.detail).toMatch(/lies outside of \/nowhere, \/else, which the worker on h1 serves/);
});

test('nobody is due: nothing waits', () => {
  const team = due();
  team.ok({ kind: 'run.fail', cause: 'error', detail: 'over' });
  expect(seen(team, [])).toEqual([]);
});

const PROVIDERS = ['anthropic', 'openai', 'openai-compatible', 'amazon-bedrock', 'google'] as const;

test('who has signed a team, or that nobody has, is named where a worker does not serve it for that', () => {
  const ann = newKeyPair();
  const all = { providers: [...PROVIDERS] };
  const detail = (team: Team, says: Partial<WorkerSays>): string | null | undefined =>
    unservedTurns(team.state, team.now, [worker({ ...all, ...says })])[0]?.detail;
  const of = signedTeam(ann);
  expect(detail(of, {})).toBe(`signed with key ${ann.id}, which is not accepted by the worker on h1`);
  expect(detail(of, { operators: [ann.id], signed: 'always' })).toBeUndefined();
  expect(detail(Team.start(), {})).toBeUndefined();
  expect(detail(Team.start(), { signed: 'always' })).toBe(
    'not signed, as the worker on h1 wants a team to be',
  );
});
