// Cases B20, B21, L11, N20, N21, N23, N26, N38 of skills.md: how rules and skills reach the members of a team. The far
// side is the model: what it was sent is what counts.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { prepareRun } from '../../src/runtime/plan/prepare-run.js';
import { sha256 } from '../../src/shared/digest.js';
import { DEFAULT_SKILL_SETTINGS } from '../../src/skills/settings.js';
import { runHeard, skillText, startHeard, writeBesideProject } from '../helpers/heard.js';
import { type Mission, ORDER, resumeJob, type TestHouse, writeMission } from '../helpers/team.js';
import { ask, claim, complete, does, expectInvariants, finish, says, spawn, when } from './play.js';

/** A boss that waits for its worker, and a worker that does its task. */
const AT_WORK = {
  boss: { idle: 'Waiting.', turns: [when('', says('Go.')), when('completed #1', finish())] },
  worker: {
    idle: 'Ready.',
    turns: [when('Task #1 is ready', does(claim('#1')), does(complete('#1')), says('Done.'))],
  },
} as const;

/** @param lists the `skills` of the boss and of the worker */
function atWork(lists: { boss?: string[]; worker?: string[] }, more: Partial<Mission> = {}): Mission {
  return {
    script: AT_WORK,
    ...more,
    roles: { boss: { skills: lists.boss ?? [] }, worker: { skills: lists.worker ?? [] }, ...more.roles },
    recipe: { tasks: [{ id: 'one', subject: 'One', role: 'worker' }], ...more.recipe },
  };
}

async function refusals(at: TestHouse, order = ORDER) {
  const prepared = await prepareRun(at.house, order);
  if (prepared.kind === 'ready') throw new Error('it was not refused');
  return prepared.findings.filter(({ severity }) => severity === 'error');
}

describe('B20: a role with skills: [a] spawned as a team-mate', () => {
  test('B20: a is active, the skill tool is absent, there is no directory section', async () => {
    const at = await writeMission(
      atWork(
        { worker: ['a'] },
        { skills: { a: skillText('a', 'The word is kestrel.'), b: skillText('b', 'The word is osprey.') } },
      ),
    );
    const { requests, firstPrompt } = await runHeard(at);
    expect(firstPrompt('worker')).toContain('[Skill: a]\nAbout a.\n\nThe word is kestrel.');
    for (const { system, tools } of requests) {
      expect(tools.map(({ name }) => name)).not.toContain('skill');
      const prompt = system.map(({ text }) => text).join('\n');
      expect(prompt).not.toMatch(/available skills/i);
      expect(prompt).not.toContain('osprey');
      expect(prompt).not.toContain('About b.');
    }
  });

  test('B20: an always-on rule comes along, an always-on skill does not', async () => {
    const at = await writeMission(
      atWork({}, { skills: { a: skillText('a', 'The word is kestrel.', ['always_on: true']) } }),
    );
    await writeFile(
      join(at.mission, 'orchestrator/skills/r.md'),
      skillText('r', 'The word is osprey.', ['kind: rule']),
    );
    const { firstPrompt } = await runHeard(at);
    expect(firstPrompt('worker')).toContain('[Rule: r]\nAbout r.\n\nThe word is osprey.');
    expect(firstPrompt('worker')).not.toContain('kestrel');
  });
});

test('B21: a role that names an unknown skill: the start is refused, with the name', async () => {
  const at = await writeMission(
    atWork({ worker: ['go-stile'] }, { skills: { 'go-style': skillText('go-style', 'x') } }),
  );
  expect(await refusals(at)).toMatchObject([
    {
      code: 'unknown-skill',
      path: expect.stringMatching(/worker\.md$/),
      message: 'no skill or rule is named "go-stile"',
      remedy: 'did you mean "go-style"?',
    },
  ]);
});

test('L11: requires: [repo-workspace] in process: the skill is absent, one line names skill and capability, the agent starts', async () => {
  const governed = ['version: 1.0.0', 'origin: proprietary', 'requires: [repo-workspace]'];
  const skills = { a: skillText('a', 'The word is kestrel.', governed) };
  const at = await writeMission(atWork({ worker: ['a'] }, { governed: true, skills }));
  const { team, firstPrompt, messages } = await runHeard(at);
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expect(firstPrompt('worker')).not.toContain('kestrel');
  expect(messages('worker')).not.toContain('kestrel');
  const detail = 'a requires repo-workspace, which this member is not granted';
  expect(team.of('entry.rejected')).toEqual([
    { type: 'entry.rejected', member: 'worker', entry: 'a', reason: 'capability', detail },
  ]);
  const told = team
    .of('run.started')[0]
    ?.findings.filter(({ message }) => message.includes('repo-workspace'));
  expect(told).toMatchObject([
    { code: 'entry-rejected', severity: 'warning', message: `worker starts without skill a: ${detail}` },
  ]);
});

test('N20: role list and task name the same entry: it is there once, with the role', async () => {
  const tasks = [{ id: 'one', subject: 'One', role: 'worker', skills: ['a', 'b'] }];
  const at = await writeMission(
    atWork(
      { worker: ['a'] },
      {
        recipe: { tasks },
        skills: { a: skillText('a', 'The word is kestrel.'), b: skillText('b', 'The word is osprey.') },
      },
    ),
  );
  const { team, firstPrompt, messages } = await runHeard(at);
  expect(firstPrompt('worker').split('kestrel')).toHaveLength(2);
  expect(messages('worker')).not.toContain('kestrel');
  expect(messages('worker').split('osprey')).toHaveLength(2);
  const spawned = team.of('member.spawned').find(({ seat }) => seat.member === 'worker');
  expect(spawned?.seat.entries.map(({ name, level }) => [name, level])).toContainEqual(['a', 'role']);
  const carried = team.of('task.created')[0]?.spec.skills.find(({ members }) => members.includes('worker'));
  expect(carried?.entries.map(({ name, level }) => [name, level])).toEqual([['b', 'task']]);
});

test('N21: one name in two sources: the later trusted tier wins; one that nobody has approved takes no name', async () => {
  const name = 'leading-a-team';
  const theirs = { [`.bnerd/skills/${name}/SKILL.md`]: skillText(name, 'The word is osprey.') };
  const mission = atWork({ boss: [name] }, { skills: { [name]: skillText(name, 'The word is kestrel.') } });
  const { team, firstPrompt, requests } = await runHeard(await writeBesideProject(mission, theirs));
  expect(firstPrompt('boss')).toContain('The word is kestrel.');
  expect(JSON.stringify(requests)).not.toContain('osprey');
  const spawned = team.of('member.spawned').find(({ seat }) => seat.lead);
  expect(spawned?.seat.entries.filter((entry) => entry.name === name)).toMatchObject([
    { tier: 'mission', trust: 'instruction', level: 'role' },
  ]);
});

describe('N23: the reference block at its bound', () => {
  const theirs = {
    '.bnerd/skills/a/SKILL.md': skillText('a', 'The word is kestrel.'),
    '.bnerd/skills/b/SKILL.md': skillText('b', `The word is osprey${', osprey'.repeat(40)}.`),
  };

  async function blockWith(maxBytes: number) {
    const at = await writeBesideProject(atWork({ worker: ['a', 'b'] }), theirs);
    const settled = { ...at, house: { ...at.house, skills: { ...DEFAULT_SKILL_SETTINGS, maxBytes } } };
    return runHeard(settled);
  }

  test('N23: exactly at the limit it is kept; one byte over, the largest is dropped', async () => {
    const whole = await blockWith(24_000);
    const seat = (run: typeof whole) =>
      run.team.of('member.spawned').find((spawned) => spawned.seat.member === 'worker')?.seat;
    const bytes = seat(whole)?.reference?.bytes ?? 0;
    expect(bytes).toBeGreaterThan(300);
    const exactly = await blockWith(bytes);
    expect(exactly.team.of('entry.omitted')).toEqual([]);
    expect(exactly.messages('worker')).toContain('osprey');
    const over = await blockWith(bytes - 1);
    expect(over.team.of('entry.omitted')).toEqual([
      {
        type: 'entry.omitted',
        member: 'worker',
        entry: 'b',
        reason: 'budget',
        detail: `the reference text of worker would be more than ${bytes - 1} bytes with it (skills.max-bytes)`,
      },
    ]);
    expect(over.messages('worker')).not.toContain('osprey');
    expect(over.messages('worker')).toContain('kestrel');
    expect(
      seat(over)
        ?.entries.filter(({ trust }) => trust === 'reference')
        .map(({ name }) => name),
    ).toEqual(['a']);
  });
});

test('N26: approved and unapproved together: system section and user block; only the block is cut by the limit', async () => {
  const long = 'The word is kestrel. '.repeat(400);
  const mission = atWork({ worker: ['a', 'b', 'c'] }, { skills: { a: skillText('a', long) } });
  const theirs = {
    '.bnerd/skills/b/SKILL.md': skillText('b', 'The word is osprey.'),
    '.bnerd/skills/c/SKILL.md': skillText('c', 'The word is merlin. '.repeat(400)),
  };
  const at = await writeBesideProject(mission, theirs);
  const skills = { ...DEFAULT_SKILL_SETTINGS, maxBytes: 1_000 };
  const { team, firstPrompt, messages } = await runHeard({ ...at, house: { ...at.house, skills } });
  expect(firstPrompt('worker')).toContain(`[Skill: a]\nAbout a.\n\n${long.trimEnd()}`);
  expect(firstPrompt('worker')).not.toMatch(/osprey|merlin/);
  expect(messages('worker')).toContain('osprey');
  expect(messages('worker')).not.toMatch(/kestrel|merlin/);
  expect(team.of('entry.omitted').map(({ entry, reason }) => [entry, reason])).toEqual([['c', 'budget']]);
  const spawned = team.of('member.spawned').find(({ seat }) => seat.member === 'worker');
  expect(spawned?.seat.entries.map(({ name, trust }) => [name, trust])).toEqual(
    expect.arrayContaining([
      ['a', 'instruction'],
      ['b', 'reference'],
    ]),
  );
  // The record and the first input hold the very block that the digest names.
  const [input = ''] = team.inputs('worker');
  const block = input.slice(0, input.indexOf("\n\n[m1: the operator's order"));
  expect(spawned?.seat.reference).toEqual({ sha256: sha256(block), bytes: Buffer.byteLength(block) });
  expectInvariants(team);
});

describe('N38: a skill is disabled while the run waits', () => {
  const mission = atWork(
    { worker: ['a'] },
    {
      roles: { helper: { skills: ['a'] } },
      recipe: { on_demand: ['helper'] },
      skills: { a: skillText('a', 'The word is kestrel.') },
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [when('', says('Go.')), when('completed #1', does(spawn('helper')), finish())],
        },
        worker: {
          idle: 'Ready.',
          turns: [
            when(
              'Task #1 is ready',
              does(claim('#1')),
              does(ask('Go on?')),
              does(complete('#1')),
              says('Done.'),
            ),
          ],
        },
        helper: { idle: 'Ready.', turns: [when('', says('Here.'))] },
      },
    },
  );

  test('N38: the running member keeps its recorded text; a new spawn and a new run are refused with the reason', async () => {
    const at = await writeMission(mission);
    const first = await startHeard(at);
    expect(await first.team.ended()).toMatchObject({ reason: 'needs_human' });
    const disabled = [{ name: 'a', place: '~/.bnerd.yaml' }];
    const later = { ...at, house: { ...at.house, skills: { ...DEFAULT_SKILL_SETTINGS, disabled } } };
    const resumed = await resumeJob(later, first.team.live.id, true);
    const before = first.team.of('member.spawned').find(({ seat }) => seat.member === 'worker');
    expect(resumed.live.state().members.get('worker')?.seat.prompt_sha256).toBe(before?.seat.prompt_sha256);
    const [request] = [...resumed.live.state().requests.keys()];
    await resumed.live.answer(request ?? '', { kind: 'text', text: 'yes' });
    await resumed.ended();
    expect(resumed.of('run.resumed')[0]?.disabled).toEqual(disabled);
    expect(resumed.results('boss').join('\n')).toContain(
      'helper cannot be brought in: skill a is disabled by ~/.bnerd.yaml',
    );
    expect(resumed.of('task.completed')).toHaveLength(1);
    expect(resumed.of('member.spawned')).toEqual([]);
    expect(await refusals(later)).toMatchObject([
      {
        code: 'entry-disabled',
        message: 'skill "a" is disabled by ~/.bnerd.yaml',
        path: expect.stringMatching(/worker\.md$/),
      },
      { code: 'entry-disabled', path: expect.stringMatching(/helper\.md$/) },
    ]);
  });
});

test('N26: a block is that of the start for a member that comes in after the run was taken up again', async () => {
  const mission = atWork(
    { worker: ['b'] },
    {
      recipe: { on_demand: ['worker'] },
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [
            when('', does(ask('Begin?')), does(spawn('worker')), says('Go.')),
            when('completed #1', finish()),
          ],
        },
        worker: AT_WORK.worker,
      },
    },
  );
  const file = '.bnerd/skills/b/SKILL.md';
  const at = await writeBesideProject(mission, { [file]: skillText('b', 'The word is osprey.') });
  const first = await startHeard(at);
  expect(await first.team.ended()).toMatchObject({ reason: 'needs_human' });
  const path = join(at.house.project?.root ?? '', file);
  await writeFile(path, skillText('b', 'The word is merlin.'));
  const resumed = await resumeJob(at, first.team.live.id, true);
  await resumed.live.answer('r1', { kind: 'text', text: 'yes' });
  expect(await resumed.ended()).toMatchObject({ reason: 'done' });
  const [input = ''] = resumed.inputs('worker');
  const block = input.slice(0, input.indexOf("\n\n[m1: the operator's order"));
  expect(block).toContain('The word is osprey.');
  expect(JSON.stringify(resumed.transcripts)).not.toContain('merlin');
  expect(resumed.of('member.spawned')[0]?.seat.reference?.sha256).toBe(sha256(block));
  expect(resumed.of('run.resumed')[0]?.findings).toContainEqual(
    expect.objectContaining({ code: 'changed-since-start', path }),
  );
});
