import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { lintCatalogue } from '../../src/runtime/lint.js';
import { prepareRun } from '../../src/runtime/plan/prepare-run.js';
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
    recipe: { ...JOB.recipe, size: 9, permissions: [{ tool: 'Bash', decision: 'deny' }] },
    roles: {
      boss: { approver: 'lead', color: 'red' },
      worker: { base: 'write', skills: ['none'], tools: ['Raed'] },
    },
    script: { ...JOB.script, worker: { turns: [{ steps: [{ text: 'a' }, { text: 'b' }] }] } },
  });
  const said = findings.filter(({ path }) => path.startsWith(at.mission));
  expect([...new Set(said.map((finding) => finding.code))].sort()).toEqual(
    [
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

test('a role file alone is judged by its tools, its skills and its keys, as mildly as any team could', async () => {
  const at = await writeMission(JOB);
  const path = join(at.workspace, 'stranger.md');
  const lintOf = async (head: string): Promise<string[]> => {
    await writeFile(path, `---\nname: stranger\ndescription: d\n${head}\n---\nBody.\n`);
    const { findings } = await lintCatalogue(at.house, [path]);
    return findings.map(({ line, severity, code, message }) => `${line} ${severity} ${code} ${message}`);
  };
  expect(await lintOf('tools: Read, codebase, Agent')).toEqual([
    '4 warning unknown-tool tools: unknown tool "codebase"',
    '4 warning tool-not-in-effect tools: "Agent" is not in effect here: members have no such tool',
  ]);
  expect(await lintOf('tools: WebSearch')).toEqual([
    '4 warning tool-not-in-effect tools: "WebSearch" is not in effect here: members have no such tool',
    '4 error no-tools-resolve tools: none of "WebSearch" is left for this role',
  ]);
  expect(await lintOf('tools: WebFetch')).toEqual([]);
  expect(await lintOf('disallowedTools: bash')).toEqual([
    '4 error unknown-tool disallowedTools: unknown tool "bash"',
  ]);
  expect(await lintOf('skills: [writing-a-report, nobodys]\ncolor: red')).toEqual([
    '5 info not-in-effect `color` is not in effect: nothing is shown in colours',
    '4 warning unknown-skill no skill or rule is named "nobodys"',
  ]);
  // What only some safety or duty would take away is no fault of the file.
  expect(await lintOf('tools: Write, Bash\nmaxTurns: 3')).toEqual([]);
  expect(await lintOf('tools: ExitPlanMode\npermissionMode: plan')).toEqual([]);
});

test('a role with a seat is judged in its seat: what is missing there is an error, and is said once', async () => {
  const { at, findings } = await lint({
    ...JOB,
    recipe: { ...JOB.recipe, safety: 'read-only' },
    roles: { ...JOB.roles, worker: { tools: ['Write'], skills: ['nobodys'] } },
  });
  const own = findings.filter(({ path }) => path === join(at.mission, 'orchestrator/roles/worker.md'));
  expect(own.map(({ code, severity }) => [code, severity])).toEqual([
    ['no-tools-resolve', 'error'],
    ['unknown-skill', 'error'],
  ]);
});

test('which window a model has is the word of a settings file: a run warns of it, a lint of files only remarks', async () => {
  const recipe = { ...JOB.recipe, model: 'openai-compatible/house' };
  const { at, findings } = await lint({ ...JOB, recipe }, ['job']);
  const said = (all: typeof findings) =>
    all.filter(({ code }) => code === 'context-assumed').map(({ severity }) => severity);
  expect(said(findings)).toEqual(['info']);
  const prepared = await prepareRun(at.house, ORDER);
  expect(said(prepared.kind === 'ready' ? prepared.plan.findings : prepared.findings)).toEqual(['warning']);
});
