// spec/team.md §9 `record/` and `replay/`: a recorded run is played again with the same facts, numbers and digests, and
// whatever is asked otherwise is refused with a diff.
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendToTeam } from '../../../src/runtime/operator.js';
import { prepareRun } from '../../../src/runtime/plan/prepare-run.js';
import { resumeTeam } from '../../../src/runtime/resume-team.js';
import { teamStatus } from '../../../src/runtime/teams.js';
import { redactorOf } from '../../../src/shared/secrets/redactor.js';
import { ask, claim, complete, does, finish, says, when } from '../../cases/play.js';
import {
  type Mission,
  ORDER,
  startJob,
  type TestHouse,
  type WatchedTeam,
  writeMission,
} from '../../helpers/team.js';
import { shape } from './shape.js';

const VALUE = 'kestrel-7Qm9Zt2LbWq';

/** Two workers and a gate at work at once: reads, a write that policy confirms, mail, a review. */
const MISSION: Mission = {
  recipe: {
    workspace: 'temp',
    tasks: [
      {
        id: 'one',
        subject: 'Write one',
        role: 'ann',
        gates: ['gate'],
        acceptance: ['it is there'],
        artifacts: ['one.md'],
      },
      { id: 'two', subject: 'Look', role: 'ben' },
    ],
  },
  roles: { boss: {}, ann: { base: 'write' }, ben: { base: 'write' }, gate: {} },
  script: {
    boss: {
      idle: 'Waiting.',
      turns: [when('', says('Go.')), { await: ['completed #1', 'completed #2'], steps: [finish()] }],
    },
    ann: {
      idle: 'Ready.',
      turns: [
        when(
          'Task #1 is ready',
          does(claim('#1')),
          { calls: [{ tool: 'fs_write_file', args: { path: 'one.md', content: 'first\n' } }] },
          { calls: [{ tool: 'team_send_message', args: { to: 'ben', message: 'one.md is there' } }] },
          {
            calls: [
              { tool: 'team_overview', args: {} },
              { tool: 'fs_read_file', args: { path: 'one.md' } },
            ],
          },
          {
            calls: [
              {
                tool: 'team_task_complete',
                args: {
                  task: '#1',
                  summary: 'written',
                  evidence: [{ item: 'it is there', text: 'I read it' }],
                },
              },
            ],
          },
          says('Done.'),
        ),
      ],
    },
    ben: {
      idle: 'Ready.',
      turns: [
        when(
          'Task #2 is ready',
          does(claim('#2')),
          { calls: [{ tool: 'shell_exec', args: { command: 'pwd' } }] },
          does(complete('#2')),
          says('Done.'),
        ),
        when('one.md is there', { calls: [{ tool: 'fs_list', args: { path: '.' } }] }, says('Seen.')),
      ],
    },
    gate: {
      idle: 'Ready.',
      turns: [
        when(
          'waits for your review',
          {
            capture: { digest: '"evidence_digest":"([0-9a-f]+)"' },
            calls: [
              {
                tool: 'team_review',
                args: {
                  task: '#1',
                  attempt: 1,
                  evidence_digest: '{{digest}}',
                  verdict: 'approve',
                  findings: '',
                },
              },
            ],
          },
          says('Approved.'),
        ),
      ],
    },
  },
};

async function recorded(
  mission: Mission = MISSION,
): Promise<{ readonly at: TestHouse; readonly first: WatchedTeam }> {
  const at = await writeMission(mission);
  const first = await startJob(at, { models: ['record/script/script.yaml'].map(inRecipe(at)) });
  expect(await first.ended()).toMatchObject({ reason: 'done' });
  return { at, first };
}

/** A script that a flag names is relative to the working directory. */
function inRecipe(at: TestHouse): (name: string) => string {
  return (name) => name.replace('script.yaml', join(at.mission, 'orchestrator/teams/job/script.yaml'));
}

test('a recorded run is played again: same facts in the same order, same numbers, same digests, same result', async () => {
  const { at, first } = await recorded();
  // Whatever the script says now is not asked.
  await writeFile(join(at.mission, 'orchestrator/teams/job/script.yaml'), 'script: 1\nroles: {}\n');
  for (let time = 0; time < 3; time++) {
    const again = await startJob(at, { models: [`replay/${first.live.id}`] });
    expect(await again.ended()).toMatchObject({ reason: 'done', result: first.of('run.ended')[0]?.result });
    expect(shape(again)).toEqual(shape(first));
    expect(await readFile(join(again.live.workspace, 'one.md'), 'utf8')).toBe('first\n');
  }
});

test('the beginning of the id is enough; one that is unknown, was not recorded or has no answers for a role is refused', async () => {
  const { at, first } = await recorded();
  const plain = await startJob(at);
  await plain.ended();
  const findings = async (...models: string[]) => {
    const prepared = await prepareRun(at.house, { ...ORDER, models });
    return prepared.kind === 'refused'
      ? prepared.findings.filter(({ severity }) => severity === 'error')
      : [];
  };
  expect(await findings(`replay/${first.live.id.slice(0, -3)}`)).toEqual([]);
  expect(await findings('replay/run-nothing')).toMatchObject([{ code: 'unknown-team' }]);
  expect(await findings(`replay/${plain.live.id}`)).toMatchObject([
    { code: 'not-replayable', message: expect.stringContaining('none of its models was recorded') },
  ]);
});

test('one changed byte in a role file is refused with a diff of the prompt, before anything is created', async () => {
  const { at, first } = await recorded();
  const file = join(at.mission, 'orchestrator/roles/ann.md');
  await writeFile(file, (await readFile(file, 'utf8')).replace('You are ann.', 'You are Ann.'));
  const prepared = await prepareRun(at.house, { ...ORDER, models: [`replay/${first.live.id}`] });
  expect(prepared).toMatchObject({
    kind: 'refused',
    findings: expect.arrayContaining([
      expect.objectContaining({
        code: 'replay-differs',
        message: 'the system prompt of ann differs from the recorded one in part role',
        detail: [
          '--- system prompt of ann, part role, as recorded',
          '+++ system prompt of ann, part role, in this run',
          '@@ -1,1 +1,1 @@',
          '-You are ann.',
          '+You are Ann.',
        ],
      }),
    ]),
  });
});

test('what a tool gives otherwise than then ends the run with a diff of the message', async () => {
  const mission: Mission = {
    ...MISSION,
    recipe: { ...MISSION.recipe, workspace: 'work' },
    files: { 'note.txt': 'then' },
  };
  const { at, first } = await recorded(mission);
  await rm(join(at.workspace, 'one.md'));
  await cp(join(at.workspace, 'note.txt'), join(at.workspace, 'note-of-now.txt'));
  const again = await startJob(at, { models: [`replay/${first.live.id}`] });
  const ended = await again.ended();
  expect(ended).toMatchObject({ reason: 'failed', cause: 'error', resumable: false });
  expect(ended.detail).toContain('what ben sends is not what was recorded');
  expect(ended.detail).toMatch(/\n--- message \d+, as recorded\n(.*\n)*\+.*note-of-now\.txt/);
});

test("the operator's answer to a parked call is given again at its place, and late answers keep their order", async () => {
  const slow = { delay_ms: 40 };
  const mission: Mission = {
    recipe: {
      workspace: 'temp',
      tasks: [
        { id: 'one', subject: 'Write', role: 'ann' },
        { id: 'two', subject: 'Look', role: 'ben' },
      ],
    },
    roles: { boss: {}, ann: { base: 'write' }, ben: {} },
    script: {
      boss: MISSION.script['boss'],
      ann: {
        idle: 'Ready.',
        turns: [
          when(
            'Task #1 is ready',
            does(claim('#1')),
            does(ask('Which word?')),
            {
              capture: { word: 'answers r1:\\n(\\w+)' },
              calls: [{ tool: 'fs_write_file', args: { path: 'a.md', content: '{{word}}' } }],
            },
            does(complete('#1')),
            says('Done.'),
          ),
        ],
      },
      ben: {
        idle: 'Ready.',
        turns: [
          when(
            'Task #2 is ready',
            { ...does(claim('#2')), ...slow },
            { ...does({ tool: 'team_overview', args: {} }), ...slow },
            { ...does(complete('#2')), ...slow },
            says('Done.'),
          ),
        ],
      },
    },
  };
  const at = await writeMission(mission);
  const first = await startJob(at, { models: ['record/script/script.yaml'].map(inRecipe(at)) }, true);
  await first.fact('request.opened');
  await first.live.answer('r1', { kind: 'text', text: 'kestrel' });
  expect(await first.ended()).toMatchObject({ reason: 'done' });
  for (const operatorPresent of [false, true]) {
    const again = await startJob(at, { models: [`replay/${first.live.id}`] }, operatorPresent);
    expect(await again.ended()).toMatchObject({ reason: 'done' });
    expect(shape(again)).toEqual(shape(first));
    expect(await readFile(join(again.live.workspace, 'a.md'), 'utf8')).toBe('kestrel');
  }
});

test('a replay is not taken up again, and a recorded run that was is not played', async () => {
  const { at, first } = await recorded();
  const again = await startJob(at, { models: [`replay/${first.live.id}`] });
  await again.fact('task.claimed');
  await again.live.stop('stop');
  // Nothing that is said of it sends anybody to a resume.
  expect(await again.ended()).toMatchObject({ reason: 'cancelled', resumable: false });
  const status = await teamStatus(at.house, again.live.id);
  if (status.kind !== 'found') throw new Error('it is not found');
  expect(status.value.waiting.join()).toContain('is played whole');
  expect(status.value.waiting.join()).not.toContain('resume');
  const sent = await sendToTeam(at.house, again.live.id, 'lead', 'And?');
  expect(sent).toMatchObject({ kind: 'done', text: expect.not.stringContaining('bnerd team resume') });
  const options = { operatorPresent: false, takeOver: false, onEntry: () => {} };
  expect(await resumeTeam(at.house, again.live.id, options)).toMatchObject({
    kind: 'refused',
    findings: expect.arrayContaining([expect.objectContaining({ code: 'replay' })]),
  });
});

test('among secrets: the same order is the same, and what a diff shows of a changed prompt is bounded and holds none', async () => {
  const secrets = redactorOf([{ name: 'DEPLOY_TOKEN', value: VALUE }]);
  const written = await writeMission(MISSION);
  const at = { ...written, house: { ...written.house, secrets } };
  const prompt = `Do it with ${VALUE}.`;
  const first = await startJob(at, { prompt, models: ['record/script/script.yaml'].map(inRecipe(at)) });
  expect(await first.ended()).toMatchObject({ reason: 'done' });
  const again = await startJob(at, { prompt, models: [`replay/${first.live.id}`] });
  expect(await again.ended()).toMatchObject({ reason: 'done' });
  expect(shape(again)).toEqual(shape(first));

  const file = join(at.mission, 'orchestrator/roles/ann.md');
  const long = Array.from({ length: 200 }, (_, at) => `${'x'.repeat(390)}${VALUE} line ${at}`).join('\n');
  await writeFile(file, (await readFile(file, 'utf8')).replace('You are ann.', `You are ${VALUE}.\n${long}`));
  const prepared = await prepareRun(at.house, { ...ORDER, prompt, models: [`replay/${first.live.id}`] });
  if (prepared.kind !== 'refused') throw new Error('it was not refused');
  const text = JSON.stringify(prepared.findings);
  expect(text).toContain('+You are [secret:DEPLOY_TOKEN].');
  expect(text).not.toContain(VALUE.slice(0, 8));
  const detail = prepared.findings.find(({ code }) => code === 'replay-differs')?.detail ?? [];
  expect(detail.length).toBeLessThan(70);
  for (const line of detail) expect(line.length).toBeLessThanOrEqual(400);
});
