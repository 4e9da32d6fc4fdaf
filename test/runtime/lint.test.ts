import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { lintCatalogue } from '../../src/runtime/lint.js';
import { prepareRun } from '../../src/runtime/prepare-run.js';
import { type Mission, ORDER, writeMission } from '../helpers/team.js';
import { JOB } from './job.js';

async function lint(mission: Mission, targets: readonly string[] = []) {
  const at = await writeMission(mission);
  const { findings } = await lintCatalogue(at.house, targets);
  return { at, findings };
}

test('the built-in catalogue is clean, and so is a sound mission', async () => {
  const { findings } = await lint(JOB);
  expect(findings.filter((finding) => finding.severity !== 'info')).toEqual([]);
});

test('a broken mission is told all that is wrong with it, each once, with place and remedy', async () => {
  const { at, findings } = await lint({
    ...JOB,
    recipe: { ...JOB.recipe, mode: 'queue', size: 9, permissions: [{ tool: 'Bash', decision: 'deny' }] },
    roles: { boss: { approver: 'lead' }, worker: { base: 'write', skills: ['none'], tools: ['Raed'] } },
    script: { ...JOB.script, worker: { turns: [{ steps: [{ text: 'a' }, { text: 'b' }] }] } },
  });
  const said = findings.filter(({ path }) => path.startsWith(at.mission));
  expect([...new Set(said.map((finding) => finding.code))].sort()).toEqual(
    [
      'not-available',
      'size-mismatch',
      'unknown-tool',
      'unknown-skill',
      'unreachable-approver',
      'no-tools-resolve',
      'step-left-over',
      'not-in-effect',
    ].sort(),
  );
  expect(
    said.filter(({ code }) => code === 'unknown-tool').map(({ path }) => path.slice(at.mission.length)),
  ).toEqual(expect.arrayContaining(['/orchestrator/teams/job/team.md', '/orchestrator/roles/worker.md']));
  const texts = said.map((finding) => JSON.stringify(finding));
  expect(new Set(texts).size).toBe(texts.length);
  for (const finding of said) expect(finding.remedy).not.toBe('');
});

test('an error of the lint refuses the run, and a run is refused for nothing that the lint does not say', async () => {
  const { at, findings } = await lint({
    ...JOB,
    recipe: { ...JOB.recipe, page: 'required' },
    roles: { ...JOB.roles, worker: { base: 'write', skills: ['none'] } },
  });
  const prepared = await prepareRun(at.house, ORDER);
  if (prepared.kind === 'ready') throw new Error('it was not refused');
  const errors = (all: typeof findings): string[] =>
    all.filter(({ severity }) => severity === 'error').map((finding) => JSON.stringify(finding));
  expect(errors(prepared.findings).sort()).toEqual(errors(findings).sort());
  expect(errors(findings)).not.toEqual([]);
});

test('one bad file hides no other: a YAML error here, an unknown role there', async () => {
  const at = await writeMission(JOB);
  const recipe = stringify({ name: 'job', description: 'd', lead: 'boss', roles: ['boss', 'gone'] });
  await writeFile(join(at.mission, 'orchestrator/teams/job/team.md'), `---\n${recipe}---\nx\n`);
  await writeFile(join(at.mission, 'orchestrator/roles/worker.md'), '---\nname: "worker\n---\n');
  const codes = (await lintCatalogue(at.house, [])).findings.map((finding) => finding.code);
  expect(codes).toEqual(expect.arrayContaining(['unknown-role', 'yaml-error']));
});

test('that this machine has no model configured is nothing against the files', async () => {
  const { findings } = await lint({ ...JOB, recipe: { ...JOB.recipe, model: undefined } }, ['job']);
  expect(findings.filter((finding) => finding.severity !== 'info')).toEqual([]);
});

test('a target that is not there is an error with what is', async () => {
  const { at } = await lint(JOB);
  await rm(join(at.mission, 'orchestrator/teams/job/script.yaml'));
  expect(await lintCatalogue(at.house, ['jobb'])).toMatchObject({
    checked: [],
    findings: [{ severity: 'error', path: 'jobb' }],
  });
  expect((await lintCatalogue(at.house, ['job'])).findings.map((finding) => finding.code)).toEqual([
    'unreadable-file',
  ]);
});
