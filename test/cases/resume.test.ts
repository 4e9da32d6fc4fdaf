// Cases F: crash, restart and resume of whole teams. Those that are killed run the built program.
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { LogEntry } from '../../src/events/log-entry.js';
import { cleanupTeam } from '../../src/runtime/cleanup-team.js';
import { runsFolder } from '../../src/runtime/house.js';
import { resumeTeam } from '../../src/runtime/resume-team.js';
import { listTeams, teamLog, teamStatus } from '../../src/runtime/teams.js';
import { verifyTeam } from '../../src/runtime/verify-team.js';
import { type RunningBnerd, startBnerd } from '../helpers/bnerd.js';
import { gate, waitAt } from '../helpers/gate.js';
import { type Mission, resumeJob, startJob, type TestHouse, writeMission } from '../helpers/team.js';
import { until } from '../helpers/until.js';
import { crashAt } from './crash.js';
import { create, does, expectInvariants, finish, mailTo, says, when, works } from './play.js';

/** What a test of a refused resume gives for options. */
const NOBODY = { operatorPresent: false, onEntry: () => {}, takeOver: false };

/** The recipe `job` of a house in a process of its own. */
async function startProgram(at: TestHouse): Promise<RunningBnerd> {
  const args = ['team', 'run', 'job', '--mission-repo', at.mission, '--auto-approve', 'all'];
  return startBnerd(args, { cwd: at.workspace, env: { BNERD_HOME: at.house.home } });
}

/** Waits for something that the program does; fails at once when it ends instead. */
async function untilProgram<T>(
  program: RunningBnerd,
  what: string,
  seen: () => Promise<T>,
): ReturnType<typeof until<T>> {
  const early = new AbortController();
  void program.ended.then(({ exit, stderr }) =>
    early.abort(
      new Error(`it ended with ${exit}:
${stderr}`),
    ),
  );
  return until(seen, { what, ms: 60_000, signal: early.signal });
}

/** Ends a program as nothing can be ended more rudely. */
async function kill(program: RunningBnerd): Promise<void> {
  program.signal('SIGKILL');
  await program.ended;
}

async function runIds(at: TestHouse): Promise<string[]> {
  return (await readdir(runsFolder(at.house))).sort();
}

/** Waits until the program's team has a tool running, and gives its id. */
function teamAtWork(at: TestHouse, program: RunningBnerd): Promise<string> {
  return untilProgram(program, 'a tool of its team runs', async () => {
    for (const id of await runIds(at).catch(() => [])) {
      const log = await teamLog(at.house, id);
      const facts = log.kind === 'found' ? log.value.flatMap((entry) => entry.facts) : [];
      if (facts.some((fact) => fact.type === 'tool.started')) return id;
    }
    return undefined;
  });
}

async function logOf(at: TestHouse, id: string): Promise<readonly LogEntry[]> {
  const log = await teamLog(at.house, id);
  if (log.kind === 'refused') throw new Error(JSON.stringify(log));
  return log.value;
}

/** Every file of a folder with its content, but for the lock. */
async function bytesOf(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !path.includes('/lock/')) files[path] = await readFile(path, 'utf8');
  }
  return files;
}

/** Two tasks one after the other; the second is held at a gate. */
const HELD: Mission = {
  recipe: {
    tasks: [
      { id: 'one', subject: 'Do one', role: 'worker' },
      { id: 'two', subject: 'Do two', role: 'worker', blocked_by: ['one'] },
    ],
  },
  roles: { boss: {}, worker: { base: 'write' } },
  script: {
    boss: {
      idle: 'Waiting.',
      turns: [
        when(
          'has completed #2',
          does(create({ subject: 'Do three', role: 'worker' }), mailTo('worker', 'One more.')),
          says('On.'),
        ),
        when('has completed #3', finish()),
      ],
    },
    worker: { idle: 'Ready.', turns: [works('#1'), works('#2', does(waitAt('hold'))), works('#3')] },
  },
};

test('F128 the process is killed in the middle: one store goes on, ids continue, and what is done is not dispatched again', async () => {
  const at = await writeMission(HELD);
  await gate(at.workspace, 'hold');
  const program = await startProgram(at);
  const id = await teamAtWork(at, program);
  await kill(program);
  const team = await resumeJob(at, id);
  expect(await team.ended()).toMatchObject({ reason: 'done', exit: 0 });
  // One store, under the one id.
  expect(await runIds(at)).toEqual([id]);
  expect(team.live.id).toBe(id);
  const verified = await verifyTeam(at.house, id);
  expect(verified).toMatchObject({ kind: 'found', value: { ok: true } });
  // Ids continue where the dead process had stopped.
  const log = await logOf(at, id);
  const facts = log.flatMap((entry) => entry.facts);
  const resumed = facts.findIndex((fact) => fact.type === 'run.resumed');
  expect(resumed).toBeGreaterThan(0);
  const messages = facts.flatMap((fact) => (fact.type === 'mail.sent' ? [fact.id] : []));
  expect(messages).toEqual(messages.map((_, place) => `m${place + 1}`));
  const tasks = facts.flatMap((fact) => (fact.type === 'task.created' ? [fact.task] : []));
  expect(tasks).toEqual(['#1', '#2', '#3']);
  // Nothing of the task that was done comes up again.
  const again = facts.slice(resumed).filter((fact) => 'task' in fact && fact.task === '#1');
  expect(again).toEqual([]);
  expect(team.of('task.completed').map((fact) => fact.task)).toEqual(['#2', '#3']);
  // The call that was running is reported, not repeated.
  expect(team.results('worker')[0]).toContain('unknown whether it took effect');
  expectInvariants({ entries: log });
});

test('F130 a team that was killed is untouched by the next run, and is resumed after it', async () => {
  const at = await writeMission(HELD);
  const hold = await gate(at.workspace, 'hold');
  const program = await startProgram(at);
  const id = await teamAtWork(at, program);
  await kill(program);
  const folder = join(runsFolder(at.house), id);
  const before = await bytesOf(folder);
  const other = await startJob(at);
  await other.fact('tool.started');
  // One for its call, one for that of the dead process, which may still stand there.
  await hold.open();
  await hold.open();
  expect(await other.ended()).toMatchObject({ reason: 'done' });
  expect(await bytesOf(folder)).toEqual(before);
  const team = await resumeJob(at, id);
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  // Only an explicit word takes a team away, and only the one it names.
  expect(await runIds(at)).toEqual([id, other.live.id].sort());
  await cleanupTeam(at.house, id, { purge: true });
  expect(await runIds(at)).toEqual([other.live.id]);
});

describe('F131 a team whose process has died', () => {
  test('F131 its owner is seen to be dead, the same recipe starts at once, and it is resumed without a question', async () => {
    const at = await writeMission(HELD);
    const hold = await gate(at.workspace, 'hold');
    const program = await startProgram(at);
    const id = await teamAtWork(at, program);
    // While it lives it is not taken away: who asks is told the holder and what may be done.
    const refused = await resumeTeam(at.house, id, NOBODY);
    expect(refused).toMatchObject({ kind: 'refused', findings: [{ code: 'team-held', severity: 'error' }] });
    if (refused.kind === 'refused') {
      expect(refused.findings[0]?.message).toContain(`pid ${program.pid}`);
      expect(refused.findings[0]?.remedy).toContain(`bnerd team stop ${id}`);
    }
    expect(await listTeams(at.house)).toMatchObject([{ id, live: true }]);
    await kill(program);
    expect(await listTeams(at.house)).toMatchObject([{ id, live: false, phase: 'running' }]);
    expect(await teamStatus(at.house, id)).toMatchObject({ value: { live: false, holder: null } });
    const other = await startJob(at);
    expect(other.live.id).not.toBe(id);
    await other.fact('tool.started');
    // One for its call, one for that of the dead process, which may still stand there.
    await hold.open();
    await hold.open();
    expect(await other.ended()).toMatchObject({ reason: 'done' });
    const team = await resumeJob(at, id);
    expect(await team.ended()).toMatchObject({ reason: 'done' });
  });
});

describe('F135 the process is killed while the team is made', () => {
  const members = ['ann', 'ben', 'cat', 'dan'];
  const mission: Mission = {
    recipe: {
      tasks: Array.from({ length: 9 }, (_, place) => ({
        id: `t${place + 1}`,
        subject: `Task ${place + 1}`,
        role: 'boss',
        ...(place === 0 ? {} : { blocked_by: [`t${place}`] }),
      })),
    },
    roles: { boss: {}, ...Object.fromEntries(members.map((name) => [name, {}])) },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when('', does(mailTo('all', 'hello')), says('All here.')),
          ...Array.from({ length: 9 }, (_, place) => works(`#${place + 1}`)),
        ],
      },
      ...Object.fromEntries(
        members.map((name) => [name, { idle: 'Ready.', turns: [when('hello', says('Hello.'))] }]),
      ),
    },
  };

  /** All of the team or nothing of it, and a resume that says which. */
  async function expectAllOrNothing(at: TestHouse, id: string): Promise<'all' | 'nothing'> {
    const status = await teamStatus(at.house, id);
    if (status.kind !== 'found') throw new Error(JSON.stringify(status));
    const { value } = status;
    if (value.phase === 'absent') {
      expect(value).toMatchObject({ members: [], tasks: [], live: false });
      const refused = await resumeTeam(at.house, id, NOBODY);
      expect(refused).toMatchObject({ kind: 'refused', findings: [{ code: 'never-started', path: id }] });
      if (refused.kind === 'refused') {
        expect(refused.findings[0]?.message).toContain('its process ended while the team was being made');
        expect(refused.findings[0]?.remedy).toContain(`bnerd team cleanup ${id}`);
      }
      expect(await cleanupTeam(at.house, id, { purge: true })).toMatchObject({ kind: 'found' });
      return 'nothing';
    }
    expect(value.members.map((member) => member.name)).toEqual(['boss', ...members]);
    expect(value.tasks).toHaveLength(9);
    const team = await resumeJob(at, id);
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    return 'all';
  }

  test('F135 cut anywhere in its first entry there is nothing of it; with the whole entry there is all of it', async () => {
    const at = await writeMission(mission);
    const team = await startJob(at);
    const { id, folder } = await crashAt(at, team, (row) => row.kind === 'transcript');
    const log = join(folder, 'log.jsonl');
    const bytes = await readFile(log);
    const length = bytes.indexOf(10) + 1;
    await rm(join(folder, 'transcripts'), { recursive: true });
    const facts = JSON.parse(bytes.subarray(0, length).toString('utf8')).facts as { type: string }[];
    expect(facts.filter((fact) => fact.type === 'member.spawned')).toHaveLength(5);
    expect(facts.filter((fact) => fact.type === 'task.created')).toHaveLength(9);
    // Between member 2 and 4, say.
    const third = bytes.indexOf('"type":"member.spawned"', bytes.indexOf('"member":"ben"'));
    const kept = join(at.house.home, 'kept');
    await rename(folder, kept);
    for (const cut of [null, 0, 1, third, length - 2, length - 1]) {
      await copyTeam(kept, folder, cut === null ? null : bytes.subarray(0, cut));
      expect(await expectAllOrNothing(at, id), `cut at ${cut}`).toBe('nothing');
      expect(await runIds(at)).toEqual([]);
    }
    await copyTeam(kept, folder, bytes.subarray(0, length));
    expect(await expectAllOrNothing(at, id)).toBe('all');
  });

  test('F135 killed at any moment of its making, a team is there whole or not at all', async () => {
    const at = await writeMission(mission);
    const found = async (path: string): Promise<boolean> => {
      const names = await readdir(runsFolder(at.house), { recursive: true }).catch(() => []);
      return names.some((name) => name.includes(path));
    };
    for (const moment of ['run-', 'lock/', 'blobs/', 'log.jsonl', 'transcripts/boss']) {
      const program = await startProgram(at);
      await untilProgram(program, `it has made ${moment}`, () => found(moment));
      await kill(program);
      const [id = ''] = await runIds(at);
      const there = await expectAllOrNothing(at, id);
      if (moment === 'transcripts/boss') expect(there).toBe('all');
      await rm(runsFolder(at.house), { recursive: true, force: true });
    }
  });
});

/** Puts a copy of a team's folder in its place, with this for its log. */
async function copyTeam(from: string, to: string, log: Uint8Array | null): Promise<void> {
  await cp(from, to, { recursive: true });
  await rm(join(to, 'log.jsonl'));
  if (log !== null) await writeFile(join(to, 'log.jsonl'), log);
}

describe('F136', () => {
  const ids = Array.from({ length: 12 }, (_, place) => `#${place + 1}`);
  const mission: Mission = {
    recipe: {
      tasks: ids.map((id, place) => ({
        id: `t${place + 1}`,
        subject: `Task ${id}`,
        role: 'worker',
        ...(place === 0 ? {} : { blocked_by: [`t${place}`] }),
      })),
    },
    roles: { boss: {}, worker: {} },
    script: {
      boss: { idle: 'Waiting.', turns: [when('has completed #12', finish())] },
      worker: { idle: 'Ready.', turns: ids.map((id) => works(id)) },
    },
  };

  test('F136 killed at task 9 of 12, with the recipe changed since: 8 are skipped, the recorded recipe is used, the change is reported', async () => {
    const at = await writeMission(mission);
    const first = await startJob(at);
    const crashed = await crashAt(
      at,
      first,
      (row) => row.kind === 'fact' && row.fact.type === 'task.claimed' && row.fact.task === '#9',
    );
    const recorded = crashed.entries
      .flatMap((entry) => entry.facts)
      .find((fact) => fact.type === 'run.started');
    const recipe = join(at.mission, 'orchestrator/teams/job/team.md');
    const role = join(at.mission, 'orchestrator/roles/worker.md');
    const changed = {
      name: 'job',
      description: 'Another',
      lead: 'boss',
      roles: ['boss', 'worker'],
      limits: { turns: 1 },
    };
    await writeFile(recipe, `---\n${stringify(changed)}---\nQuite another contract.\n`);
    await writeFile(
      role,
      '---\nname: worker\ndescription: Another\ndisallowedTools: [fs_read_file]\n---\nAnother.\n',
    );
    const second = await resumeJob(at, crashed.id);
    expect(await second.ended()).toMatchObject({ reason: 'done' });
    // No model call for what was done: 2 answers are left of task 9, and 3 for each of the three after it.
    const calls = second.of('budget.reserved').filter((fact) => fact.member === 'worker');
    expect(calls).toHaveLength(2 + 3 * 3);
    const inputs = second.inputs('worker');
    for (const id of ids.slice(0, 8)) {
      expect(inputs.some((text) => text.includes(`Task ${id} is ready`))).toBe(false);
      expect(second.facts.some((fact) => 'task' in fact && fact.task === id)).toBe(false);
    }
    expect(second.of('task.claimed').map((fact) => fact.task)).toEqual(['#10', '#11', '#12']);
    expect(second.of('task.completed').map((fact) => fact.task)).toEqual(['#9', '#10', '#11', '#12']);
    // The recorded recipe is used; the change is said.
    expect(second.live.state().run).toEqual(recorded);
    expect(second.live.state().run?.limits.turns).not.toBe(1);
    const findings = second.of('run.resumed')[0]?.findings ?? [];
    expect(findings.filter((finding) => finding.code === 'changed-since-start')).toMatchObject([
      { severity: 'warning', path: recipe, message: expect.stringContaining('recipe job has changed') },
      { severity: 'warning', path: role, message: expect.stringContaining('role worker has changed') },
    ]);
    expectInvariants(crashed, second);
  });

  test('F136 the record of another team is refused, whole or in part, and left as it is', async () => {
    const at = await writeMission(mission);
    const teams: string[] = [];
    for (let team = 0; team < 2; team++) {
      const started = await startJob(at);
      await started.fact('task.completed');
      await started.live.stop('stop');
      await started.ended();
      teams.push(started.live.id);
    }
    const [one = '', two = ''] = teams;
    const place = (id: string): string => join(runsFolder(at.house), id);
    const swap = async (path: string): Promise<void> => {
      const aside = join(at.house.home, 'aside');
      await rename(join(place(one), path), aside);
      await rename(join(place(two), path), join(place(one), path));
      await rename(aside, join(place(two), path));
    };
    for (const part of ['', 'log.jsonl', 'transcripts']) {
      await swap(part);
      const before = await bytesOf(place(one));
      const refused = await resumeTeam(at.house, one, NOBODY);
      if (refused.kind !== 'refused') throw new Error(`${part} of another team: ${refused.kind}`);
      expect(refused.findings).not.toEqual([]);
      for (const { code, message } of refused.findings) {
        expect(code).toBe('foreign-record');
        expect(message).toContain(two);
      }
      expect(await bytesOf(place(one))).toEqual(before);
      const verified = await verifyTeam(at.house, one);
      expect(verified.kind === 'found' && verified.value.ok).toBe(false);
      await swap(part);
    }
    const resumed = await resumeJob(at, one);
    expect(await resumed.ended()).toMatchObject({ reason: 'done' });
  });
});
