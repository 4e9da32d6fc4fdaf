// spec/team.md §2: shell.wrap of a run, from the setting over the record to a resume elsewhere.
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { policyText } from '../../src/cli/texts/policy-text.js';
import { describePolicy } from '../../src/runtime/describe-policy.js';
import { prepareRun } from '../../src/runtime/plan/prepare-run.js';
import { resumeTeam } from '../../src/runtime/resume-team.js';
import { crashAt } from '../cases/crash.js';
import { does, finish, shell, when, works } from '../cases/play.js';
import { type Mission, ORDER, resumeJob, startJob, type TestHouse, writeMission } from '../helpers/team.js';

const MISSION: Mission = {
  recipe: { tasks: [{ id: 'one', subject: 'Part one', role: 'worker' }] },
  roles: { boss: {}, worker: { base: 'write' } },
  script: {
    boss: { idle: 'Waiting.', turns: [when('completed #1', finish())] },
    worker: {
      idle: 'Ready.',
      turns: [works('#1', does(shell('echo kestrel')))],
    },
  },
};

/** A house with a wrapper that says its name; gives the house as it would be with that setting. */
async function wrappedHouse(name = 'first'): Promise<{ at: TestHouse; wrap: string[] }> {
  const at = await writeMission(MISSION);
  const path = await putWrapper(at, name);
  return { at: { ...at, house: { ...at.house, shellWrap: [path, name] } }, wrap: [path, name] };
}

async function putWrapper(at: TestHouse, name: string): Promise<string> {
  const path = join(at.house.temporaryDirectory, 'wrappers', name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '#!/bin/sh\necho "under $1"\nshift\nexec "$@"\n');
  await chmod(path, 0o755);
  return path;
}

test('is recorded as written, and programs run under it', async () => {
  const { at, wrap } = await wrappedHouse();
  const team = await startJob(at);
  expect((await team.ended()).reason).toBe('done');
  expect(team.of('run.started')).toMatchObject([{ shell_wrap: wrap }]);
  expect(team.results('worker')).toContain('exit 0\nunder first\nkestrel');
});

test('whose program is missing refuses the run before it starts, and says what to do', async () => {
  const { at } = await wrappedHouse();
  const house = { ...at.house, shellWrap: ['no-such-wrapper', '--x'] };
  const prepared = await prepareRun(house, ORDER);
  expect(prepared).toMatchObject({ kind: 'refused' });
  expect(prepared.kind === 'refused' && prepared.findings).toContainEqual({
    code: 'shell-wrap-missing',
    severity: 'error',
    path: '~/.bnerd.yaml',
    message: 'shell.wrap: the program "no-such-wrapper" is not there, or is no program',
    remedy: 'install it, or name another one in shell: {wrap: […]}',
  });
});

test('a resume runs under the present setting, else under the recorded one, and says when they differ', async () => {
  const { at, wrap } = await wrappedHouse();
  const id = await crashedBeforeTheCommand(at);
  const bare: TestHouse = { ...at, house: { ...at.house, shellWrap: [] } };
  const team = await resumeJob(bare, id);
  expect((await team.ended()).reason).toBe('done');
  expect(team.results('worker')).toContain('exit 0\nunder first\nkestrel');
  expect(team.of('run.resumed')[0]?.findings).toContainEqual(
    expect.objectContaining({
      code: 'shell-wrap-changed',
      severity: 'warning',
      message: `shell.wrap is not set here, and the run was started with ${JSON.stringify(wrap)}: programs of tools still run under it`,
    }),
  );
});

test('the present setting of the machine goes before the recorded one', async () => {
  const { at } = await wrappedHouse();
  const id = await crashedBeforeTheCommand(at);
  const second = [await putWrapper(at, 'second'), 'second'];
  const team = await resumeJob({ ...at, house: { ...at.house, shellWrap: second } }, id);
  expect((await team.ended()).reason).toBe('done');
  expect(team.results('worker')).toContain('exit 0\nunder second\nkestrel');
  expect(team.of('run.resumed')[0]?.findings.map(({ code }) => code)).toContain('shell-wrap-changed');
});

test('a recorded one whose program is gone refuses the resume: it never goes on without', async () => {
  const { at, wrap } = await wrappedHouse();
  const id = await crashedBeforeTheCommand(at);
  await rm(wrap[0] ?? '');
  const house = { ...at.house, shellWrap: [] };
  const resumed = await resumeTeam(house, id, {
    takeOver: false,
    operatorPresent: false,
    onEntry: () => {},
    onTranscript: () => {},
  });
  expect(resumed).toMatchObject({
    kind: 'refused',
    findings: [{ code: 'shell-wrap-missing' }, { code: 'shell-wrap-changed' }],
  });
});

test('describe --policy shows it', async () => {
  const { at, wrap } = await wrappedHouse();
  const found = await describePolicy(at.house, 'job', null);
  if (found.kind === 'refused') throw new Error(JSON.stringify(found.findings));
  expect(found.value.shellWrap).toEqual(wrap);
  expect(policyText(found.value)).toContain(`shell.wrap: programs of tools run under ${wrap.join(' ')}\n`);
  const without = await describePolicy({ ...at.house, shellWrap: [] }, 'job', null);
  expect(without.kind === 'found' && policyText(without.value)).toContain('shell.wrap is not set');
});

async function crashedBeforeTheCommand(at: TestHouse): Promise<string> {
  const team = await startJob(at);
  const claimed = await crashAt(at, team, (row) => row.kind === 'fact' && row.fact.type === 'task.claimed');
  return claimed.id;
}
