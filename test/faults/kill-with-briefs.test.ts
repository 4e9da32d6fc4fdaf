// A team that delegates, killed -9 after each of its log entries and taken up again: the engineer's work is in the workspace
// and in the record once, what was reserved is given back, and nobody works on for a dead team (spec/runner.md §3).
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LogEntry } from '../../src/events/log-entry.js';
import { readFileRecord } from '../../src/events/record-view.js';
import { DELEGATION_BOUNDS, runsFolder } from '../../src/runtime/house.js';
import { resumeTeam } from '../../src/runtime/resume-team.js';
import { verifyTeam } from '../../src/runtime/verify-team.js';
import { fold } from '../../src/state/team-store.js';
import { complete, does, says, when } from '../cases/play.js';
import { COMMITS } from '../e2e/commits-engineer.js';
import { delegates, delegating } from '../e2e/delegation.js';
import { doubles, factsOf } from '../helpers/outcome.js';
import { commitAll, git } from '../helpers/repository.js';
import { ORDER, type TestHouse, writeMission } from '../helpers/team.js';
import { driveTeam, inGroups } from './drive-team.js';

const DIST = process.env['BNERD_TEST_DIST'] ?? join(import.meta.dirname, '../../dist');

const SEND = does(delegates('#1', ['commit greet.txt hello'], { cost_usd: 1 }));

/** Whoever hears that the call was interrupted makes it again: one that had its effect is refused then. */
const MISSION = delegating(
  [
    when('Task #1 is ready', SEND, { when: ['^interrupted:'], ...SEND }, says('Sent.')),
    when('has ended: completed', does(complete('#1')), says('It is in.')),
  ],
  { recipe: { limits: { cost_usd: 5 } } },
);

/** The mission with a workspace that is a repository, and a runner of this program set up for it. */
async function place(): Promise<TestHouse> {
  const at = await writeMission(MISSION);
  commitAll(at.workspace, 'Begin');
  const home = join(at.house.home, 'operator');
  await mkdir(home, { recursive: true });
  const settings = { runner: { engineers: COMMITS, 'min-free': 0 } };
  await writeFile(join(home, '.bnerd.yaml'), JSON.stringify(settings));
  const runner = {
    program: process.execPath,
    args: [join(DIST, 'cli.js')],
    environment: { PATH: process.env['PATH'] ?? '', HOME: home },
  };
  const delegation = {
    kinds: ['command'],
    elsewhere: false,
    engineers: new Map(),
    runner,
    bounds: DELEGATION_BOUNDS,
  };
  return { ...at, house: { ...at.house, delegation } };
}

test('killed after any log entry and resumed, a delegated task is done once', {
  timeout: 900_000,
}, async () => {
  const undisturbed = await place();
  const driven = await driveTeam(undisturbed.house, ORDER, {});
  expect(driven.exit, driven.stderr).toBe(0);
  const whole = await logOf(undisturbed);
  await expectDone(undisturbed, 'undisturbed');
  const n = whole.length;
  process.stdout.write(`kill at every entry of a run that delegates: N = ${n}\n`);
  let kills = 0;
  await inGroups(
    Array.from({ length: n }, (_, index) => index + 1),
    async (killAfter) => {
      const at = await place();
      const killed = await driveTeam(at.house, ORDER, { entries: killAfter });
      const what = `killed after entry ${killAfter} of ${n}`;
      if (killed.signal === 'SIGKILL') {
        kills++;
        const [id = ''] = await readdir(runsFolder(at.house));
        const how = { operatorPresent: false, takeOver: false, onEntry: () => {} };
        const resumed = await resumeTeam(at.house, id, how);
        if (resumed.kind === 'refused') throw new Error(`${what}: ${JSON.stringify(resumed)}`);
        // After the last entry nothing is left to do, and the exit code is given again.
        const end = resumed.kind === 'live' ? await resumed.team.ended : resumed;
        expect(end.exit, `${what}: ${JSON.stringify(end)}`).toBe(0);
      } else expect(killed.exit, `${what}: ${killed.stderr}`).toBe(0);
      await expectDone(at, what);
    },
  );
  expect(kills).toBeGreaterThan(n * 0.8);
});

async function logOf({ house }: TestHouse): Promise<readonly LogEntry[]> {
  const [id = ''] = await readdir(runsFolder(house));
  return (await readFileRecord(join(runsFolder(house), id), 'strict').log()).entries;
}

async function expectDone(at: TestHouse, what: string): Promise<void> {
  const { house, workspace } = at;
  const [id = ''] = await readdir(runsFolder(house));
  const log = await logOf(at);
  const facts = factsOf(log);
  const state = fold(log);
  expect(state.phase, what).toMatchObject({ kind: 'ended', reason: 'done' });
  expect(state.budget, what).toMatchObject({ reservedUsd: 0, underWay: 0 });
  // Each brief that was sent has ended, one of them well, and the others as lost with their runner.
  const ends = facts.flatMap((fact) => (fact.type === 'brief.ended' ? [fact.status] : []));
  expect(ends, what).toHaveLength(state.briefs.size);
  expect(
    ends.filter((status) => status !== 'lost'),
    what,
  ).toEqual(['completed']);
  const delivered = facts.flatMap((fact) => (fact.type === 'brief.delivered' ? [fact] : []));
  expect(delivered, what).toHaveLength(1);
  const [{ branch, head } = { branch: '', head: '' }] = delivered;
  expect(git(workspace, 'rev-parse', branch), what).toBe(head);
  expect(git(workspace, 'show', `${head}:greet.txt`), what).toBe('hello');
  expect(git(workspace, 'branch', '--list', 'bnerd/*').split('\n'), what).toHaveLength(1);
  expect(doubles(log), what).toEqual([]);
  const runner = join(runsFolder(house), id, 'runner');
  expect(await readdir(join(runner, 'groups')).catch(() => []), what).toEqual([]);
  const waiting = (await readdir(join(runner, 'outbox')).catch(() => [])).filter(
    (name) => !name.startsWith('.'),
  );
  expect(waiting, what).toEqual([]);
  const verified = await verifyTeam(house, id);
  expect(verified, what).toMatchObject({ value: { ok: true } });
}
