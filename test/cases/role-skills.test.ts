// Cases I183, I185, I186, I188: what a role lists reaches the first system prompt of every seat of that role, or the
// seat is not spawned. The far side is the model: what it was sent is what counts.
import { describe, expect, test } from 'vitest';
import { joinPrompt } from '../../src/runtime/plan/compose-prompt.js';
import { prepareRun } from '../../src/runtime/plan/prepare-run.js';
import { sha256 } from '../../src/shared/digest.js';
import { type HeardTeam, runHeard, skillText } from '../helpers/heard.js';
import { type Mission, ORDER, writeMission } from '../helpers/team.js';
import { claim, complete, does, finish, says, when } from './play.js';

/** Runs a mission to its end, which is a good one. */
async function play(mission: Mission): Promise<HeardTeam> {
  const heard = await runHeard(await writeMission(mission));
  expect(await heard.team.ended()).toMatchObject({ reason: 'done' });
  return heard;
}

const skill = (name: string, sentinel: string, more: readonly string[] = []): string =>
  skillText(name, `The word is ${sentinel}.`, ['version: 2.1.0', ...more]);

/** One task a worker, then the end. */
function oneTaskEach(workers: readonly string[]): Pick<Mission, 'recipe' | 'script'> {
  const tasks = workers.map((role, at) => ({ id: `t${at + 1}`, subject: `Part ${at + 1}`, role }));
  const script = Object.fromEntries(
    workers.map((role, at) => {
      const id = `#${at + 1}`;
      return [
        role,
        {
          idle: 'Ready.',
          turns: [when(`Task ${id} is ready`, does(claim(id)), does(complete(id)), says('Done.'))],
        },
      ];
    }),
  );
  const heard = workers.map((_, at) => `completed #${at + 1}`);
  return {
    recipe: { tasks },
    script: { boss: { idle: 'Waiting.', turns: [when('', says('Go.')), when(heard, finish())] }, ...script },
  };
}

test('I183: a skill in the list of a role stands in the first system prompt of the worker; its spawn names it with version', async () => {
  const { team, requests, firstPrompt } = await play({
    ...oneTaskEach(['worker']),
    roles: { boss: {}, worker: { skills: ['s1'] } },
    skills: { s1: skill('s1', 'kestrel') },
  });
  expect(firstPrompt('worker')).toContain('[Skill: s1] v2.1.0\nAbout s1.\n\nThe word is kestrel.');
  const spawned = team.of('member.spawned').find(({ seat }) => seat.member === 'worker');
  const rendered = '[Skill: s1] v2.1.0\nAbout s1.\n\nThe word is kestrel.';
  expect(spawned?.seat.entries.filter(({ kind }) => kind === 'skill')).toEqual([
    {
      kind: 'skill',
      name: 's1',
      level: 'role',
      version: '2.1.0',
      digest: expect.stringMatching(/^1:[0-9a-f]{64}$/),
      rendered_sha256: sha256(rendered),
      tier: 'mission',
      trust: 'instruction',
      origin: null,
      bytes: Buffer.byteLength(rendered),
      approval: null,
    },
  ]);
  expect(spawned?.seat.prompt_sha256).toBe(sha256(firstPrompt('worker')));
  // Only the role that lists it has it.
  expect(
    requests
      .filter(({ member }) => member === 'boss')
      .map(({ system }) => joinPrompt(system))
      .join(''),
  ).not.toContain('kestrel');
});

test('I185: a skill that forbids the model to call it is loaded all the same where a role lists it', async () => {
  const { firstPrompt } = await play({
    ...oneTaskEach(['worker']),
    roles: { boss: {}, worker: { skills: ['s1'] } },
    skills: { s1: skill('s1', 'kestrel', ['disable-model-invocation: true', 'user-invocable: false']) },
  });
  expect(firstPrompt('worker')).toContain('The word is kestrel.');
});

test('I186: the same list gives the same text to a role that leads and to one that works', async () => {
  const skills = { s1: skill('s1', 'kestrel'), s2: skill('s2', 'osprey') };
  const list = { skills: ['s2', 's1'] };
  const entriesOf = ({ team }: HeardTeam, member: string) =>
    team.of('member.spawned').find(({ seat }) => seat.member === member)?.seat.entries;
  const roles = { boss: list, worker: list };
  const both = await play({ ...oneTaskEach(['worker']), roles, skills });
  expect(entriesOf(both, 'boss')?.map(({ name }) => name)).toContain('s1');
  expect(entriesOf(both, 'boss')).toEqual(entriesOf(both, 'worker'));
  for (const member of ['boss', 'worker']) {
    expect(both.firstPrompt(member)).toContain('The word is kestrel.\n\n[Skill: s2] v2.1.0');
    expect(both.firstPrompt(member)).toContain('The word is osprey.');
  }
  // One role file, once as the lead of a team and once as a worker of another.
  const alone: Mission = {
    roles: { worker: list },
    script: { worker: { turns: [when('', finish())] } },
    skills,
  };
  const led = await play(alone);
  expect(entriesOf(led, 'worker')).toEqual(entriesOf(both, 'worker'));
});

describe('I188: five workers at once', () => {
  const workers = ['one', 'two', 'three', 'four', 'five'];
  const lists = Object.fromEntries(workers.map((role) => [role, { skills: ['s1'] }]));
  const mission: Mission = { ...oneTaskEach(workers), roles: { boss: {}, ...lists } };

  test('each has the sentinel in its first prompt', async () => {
    const { team, firstPrompt } = await play({ ...mission, skills: { s1: skill('s1', 'kestrel') } });
    expect(team.of('task.completed')).toHaveLength(5);
    const prompts = workers.map((member) => firstPrompt(member));
    expect(prompts.filter((prompt) => prompt.includes('The word is kestrel.'))).toHaveLength(5);
  });

  test('without the skill nothing is spawned: every role that lists it is named', async () => {
    const at = await writeMission({ ...mission, skills: { s2: skill('s2', 'kestrel') } });
    const prepared = await prepareRun(at.house, ORDER);
    expect(prepared.kind).toBe('refused');
    const unknown =
      prepared.kind === 'refused' ? prepared.findings.filter(({ code }) => code === 'unknown-skill') : [];
    expect(
      unknown.map(({ path, message, remedy }) => [path.replace(/^.*\/roles\//, ''), message, remedy]),
    ).toEqual(workers.map((role) => [`${role}.md`, 'no skill or rule is named "s1"', 'did you mean "s2"?']));
  });

  test('with a skill that cannot be loaded nothing is spawned either, and the reason is told', async () => {
    const at = await writeMission({ ...mission, skills: { s1: '---\nname: s1\n---\nNo description.\n' } });
    const prepared = await prepareRun(at.house, ORDER);
    if (prepared.kind === 'ready') throw new Error('it was not refused');
    expect(prepared.findings).toContainEqual(
      expect.objectContaining({
        code: 'unknown-skill',
        message: expect.stringMatching(/s1\/SKILL\.md is not loaded: description is missing or blank$/),
      }),
    );
  });
});
