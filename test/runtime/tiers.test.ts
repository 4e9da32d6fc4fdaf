// spec/team.md §1 through a run: which files it takes, what it records of them, what a resume says of them.
import { appendFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { catalogueDigest } from '../../src/catalog/files/file-digest.js';
import type { TrustQuestion } from '../../src/catalog/trust.js';
import { describeRecipe } from '../../src/runtime/describe.js';
import { describePolicy } from '../../src/runtime/describe-policy.js';
import { describePrompt } from '../../src/runtime/describe-prompt.js';
import type { House } from '../../src/runtime/house.js';
import { lintCatalogue } from '../../src/runtime/lint.js';
import { prepareRun } from '../../src/runtime/plan/prepare-run.js';
import type { RunOrder } from '../../src/runtime/plan/run-order.js';
import { crashAt } from '../cases/crash.js';
import { approvals } from '../helpers/approvals.js';
import { commitAll } from '../helpers/repository.js';
import { ORDER, resumeJob, startJob, type TestHouse, writeMission } from '../helpers/team.js';
import { writeTrust } from '../helpers/trust-file.js';
import { JOB } from './job.js';

const ROLE = '.claude/agents/worker.md';
const RECIPE = '.bnerd/teams/job/team.md';

interface Around extends TestHouse {
  readonly project: string;
  /** The script of a recipe of the project is the operator's word: the approval of the recipe does not cover it. */
  readonly order: Pick<RunOrder, 'models'>;
}

/** The job of `job.ts`, its worker moved to a project beside the mission repository, and its recipe when asked for. */
async function inProject(
  moved: { readonly recipe?: true },
  approved: readonly string[],
  house: Partial<House> = {},
): Promise<Around> {
  const at = await writeMission(JOB);
  const project = join(dirname(at.mission), 'project');
  const move = async (from: string, to: string): Promise<void> => {
    await mkdir(dirname(join(project, to)), { recursive: true });
    await cp(join(at.mission, 'orchestrator', from), join(project, to), { recursive: true });
    await rm(join(at.mission, 'orchestrator', from), { recursive: true });
  };
  await move('roles/worker.md', ROLE);
  if (moved.recipe) await move('teams/job', dirname(RECIPE));
  await mkdir(join(project, 'work'), { recursive: true });
  await writeFile(join(project, 'work/notes.txt'), 'here the word is kestrel\n');
  // A run goes by the files of the operator, and asks them again.
  const questions = approved.map(async (path): Promise<TrustQuestion> => {
    const kind = path === RECIPE ? 'recipe' : 'role';
    const text = await readFile(join(project, path), 'utf8').catch(() => ''); // approved, and not there
    return { kind, tier: 'project', root: project, path, digest: catalogueDigest(kind, text) };
  });
  await writeTrust(at.house.home, { approved: await Promise.all(questions) });
  return {
    ...at,
    project,
    order: { models: moved.recipe ? [`script/${join(project, dirname(RECIPE), 'script.yaml')}`] : [] },
    house: {
      ...at.house,
      workingDirectory: project,
      project: { root: project, folders: [project] },
      trust: approvals(approved),
      ...house,
    },
  };
}

const prepared = (at: Around) => prepareRun(at.house, { ...ORDER, ...at.order });

describe('a run that needs a file of the project', () => {
  test('is refused with both ways out while nobody approved it', async () => {
    const at = await inProject({}, []);
    const run = await prepared(at);
    expect(run.kind).toBe('refused');
    expect(run.kind === 'refused' && run.findings).toContainEqual({
      code: 'untrusted',
      severity: 'error',
      path: join(at.project, ROLE),
      message: 'the role "worker" is needed and not used: nobody has approved it',
      remedy: expect.stringMatching(
        /bnerd trust \/.+, or trust its repository for good with bnerd trust --repo/,
      ),
    });
    const recipe = await prepared(await inProject({ recipe: true }, [ROLE]));
    expect(recipe.kind === 'refused' && recipe.findings).toMatchObject([
      {
        code: 'untrusted',
        severity: 'error',
        message: expect.stringContaining('the recipe "job" is needed'),
      },
    ]);
  });

  test('runs on it once it is approved, and records tier, path and digest, project and mission', async () => {
    const at = await inProject({ recipe: true }, [ROLE, RECIPE]);
    const commit = commitAll(at.mission, 'a mission');
    const house = { ...at.house, mission: commitOf(at.house, commit) };
    const team = await startJob({ ...at, house }, at.order);
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    const [started] = team.of('run.started');
    expect(started).toMatchObject({
      recipe: { slug: 'job', tier: 'project', path: join(at.project, RECIPE) },
      project: { root: at.project, folders: [at.project] },
      mission: { path: at.mission, named: true, commit },
      // Relative paths of a project's recipe are the working directory's.
      workspace: { path: join(at.project, 'work') },
      findings: [],
    });
    expect(started?.seats.map(({ member, role_tier, role_path }) => [member, role_tier, role_path])).toEqual([
      ['boss', 'mission', join(at.mission, 'orchestrator/roles/boss.md')],
      ['worker', 'project', join(at.project, ROLE)],
    ]);
    expect(team.results('worker').join('\n')).toContain('kestrel');
  });

  test('names every file that is not used in what it records, and uses none of them', async () => {
    const at = await inProject({ recipe: true }, [ROLE, RECIPE]);
    await mkdir(join(at.project, '.bnerd/roles'), { recursive: true });
    await writeFile(
      join(at.project, '.bnerd/roles/boss.md'),
      '---\nname: boss\ndescription: x\n---\nSENTINEL\n',
    );
    await mkdir(join(at.project, '.bnerd/teams/other'));
    await writeFile(join(at.project, '.bnerd/teams/other/team.md'), 'SENTINEL');
    const run = await prepared(at);
    if (run.kind === 'refused') throw new Error(JSON.stringify(run.findings));
    expect(run.plan.started.findings.map(({ code, severity, path }) => [code, severity, path])).toEqual([
      ['untrusted', 'info', join(at.project, '.bnerd/teams/other/team.md')],
      ['untrusted', 'info', join(at.project, '.bnerd/roles/boss.md')],
    ]);
    expect(JSON.stringify([...run.plan.prompts])).not.toContain('SENTINEL');
    const described = await describeRecipe(at.house, 'job');
    expect(described.kind === 'found' && described.value.findings.map(({ code }) => code)).toEqual([
      'untrusted',
      'untrusted',
    ]);
  });

  test('is refused while a trust file that counts cannot be used', async () => {
    const at = await inProject({ recipe: true }, [ROLE, RECIPE]);
    const broken = {
      code: 'unusable-trust-file',
      severity: 'error',
      path: '/t',
      message: 'm',
      remedy: 'r',
    } as const;
    const trust = { ...approvals([ROLE, RECIPE]), findings: async () => [broken] };
    expect(await prepared({ ...at, house: { ...at.house, trust } })).toMatchObject({
      kind: 'refused',
      findings: [broken],
    });
    // It is told as well where it may be the reason.
    for (const approved of [[], [RECIPE]]) {
      const house = { ...at.house, trust: { ...trust, verdict: approvals(approved).verdict } };
      const run = await prepared({ ...at, house });
      expect(run.kind === 'refused' && run.findings.map(({ code }) => code)).toEqual([
        'unusable-trust-file',
        'untrusted',
      ]);
      const wishes = { slug: 'job', variables: new Map(), safety: null };
      for (const described of [
        await describePrompt(house, wishes, 'worker'),
        await describePolicy(house, 'job', null),
      ]) {
        expect(described.kind === 'refused' && described.findings.map(({ code }) => code)).toEqual([
          'unusable-trust-file',
          'untrusted',
        ]);
      }
    }
  });

  test.each([
    ['a role', ROLE.replace('worker', 'other'), 'name: other\ndescription: x'],
    ['a rule alone', '.bnerd/rules/tone.md', 'name: tone\ndescription: x'],
  ])('is refused though nobody looks into a trust file before %s is asked about', async (_, path, fields) => {
    const at = await inProject({}, []);
    await rm(join(at.project, ROLE));
    await writeFile(join(at.mission, 'orchestrator/roles/worker.md'), '---\nname: worker\n---\nWork.\n');
    await mkdir(dirname(join(at.project, path)), { recursive: true });
    await writeFile(join(at.project, path), `---\n${fields}\n---\nText.\n`);
    const code = 'unusable-trust-file';
    const broken = { code, severity: 'error', path: '/t', message: 'm', remedy: 'r' } as const;
    const { asked, verdict, placeTrusted } = approvals([]);
    const findings = async () => (asked.length > 0 ? [broken] : []);
    const house = { ...at.house, trust: { verdict, placeTrusted, findings } };
    const run = await prepared({ ...at, house });
    expect(run).toMatchObject({ kind: 'refused', findings: expect.arrayContaining([broken]) });
    const described = await describeRecipe(house, 'job');
    expect(described).toMatchObject({ value: { findings: expect.arrayContaining([broken]) } });
  });
});

function commitOf({ mission }: House, commit: string): House['mission'] {
  return mission === null ? null : { ...mission, commit };
}

describe('lint of every tier', () => {
  test('checks what nobody approved like all else, marks it, and composes it for nobody', async () => {
    const at = await inProject({ recipe: true }, []);
    await appendFile(join(at.project, ROLE), '');
    await writeFile(join(at.project, '.claude/agents/odd.md'), '---\nname: odd\ncolour: red\n---\nx\n');
    const { checked, findings } = await lintCatalogue(at.house, []);
    const inside = (path: string): string => path.slice(at.project.length + 1);
    const own = findings.filter(({ path }) => path.startsWith(at.project));
    expect(
      checked
        .filter((path) => path.startsWith(at.project))
        .map(inside)
        .sort(),
    ).toEqual([RECIPE, '.claude/agents/odd.md', ROLE]);
    expect(
      own.filter(({ code }) => code === 'untrusted').map(({ path, severity }) => [inside(path), severity]),
    ).toEqual([
      [RECIPE, 'info'],
      ['.claude/agents/odd.md', 'info'],
      [ROLE, 'info'],
    ]);
    expect(own.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(own.map(({ code }) => code)).toContain('missing-description');
  });

  test('by name finds the file that is used, and the untrusted one where none is', async () => {
    const at = await inProject({}, []);
    expect((await lintCatalogue(at.house, ['worker'])).checked).toEqual([join(at.project, ROLE)]);
    await writeFile(join(at.project, '.claude/agents/boss.md'), 'SENTINEL');
    expect((await lintCatalogue(at.house, ['boss'])).checked).toEqual([
      join(at.mission, 'orchestrator/roles/boss.md'),
    ]);
  });
});

describe('a resume', () => {
  const claimed = (row: { kind: string; fact?: { type: string } }): boolean =>
    row.fact?.type === 'task.claimed';

  async function crashed(at: Around) {
    return (await crashAt(at, await startJob(at, at.order), (row) => claimed(row))).id;
  }

  test('tells the files it does not use, and takes none of them for a change of its own', async () => {
    const at = await inProject({ recipe: true }, [ROLE, RECIPE]);
    const id = await crashed(at);
    for (const [path, text] of [
      ['.bnerd/roles/worker.md', '---\nname: worker\ndescription: x\n---\nSENTINEL\n'],
      ['.bnerd/roles/boss.md', 'SENTINEL'],
    ] as const) {
      await mkdir(dirname(join(at.project, path)), { recursive: true });
      await writeFile(join(at.project, path), text);
    }
    const team = await resumeJob(at, id);
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(team.of('run.resumed')[0]?.findings.map(({ code, path }) => [code, path])).toEqual([
      ['untrusted', join(at.project, '.bnerd/roles/boss.md')],
      ['untrusted', join(at.project, '.bnerd/roles/worker.md')],
    ]);
  });

  test('compares with the files of the record, wherever it is started and whatever is approved by now', async () => {
    const at = await inProject({ recipe: true }, [ROLE, RECIPE]);
    const id = await crashed(at);
    const elsewhere = { ...at.house, project: null, mission: null, trust: approvals([]) };
    const team = await resumeJob({ ...at, house: elsewhere }, id);
    const findings = team.of('run.resumed')[0]?.findings ?? [];
    expect(findings.filter(({ code }) => code === 'changed-since-start')).toEqual([]);
    // They would not be used by a run of today, and that is said.
    expect(findings.map(({ code, path }) => [code, path])).toEqual([
      ['untrusted', join(at.project, RECIPE)],
      ['untrusted', join(at.project, ROLE)],
    ]);
  });

  test('reports a file of its own that was edited or is gone', async () => {
    const at = await inProject({ recipe: true }, [ROLE, RECIPE]);
    const id = await crashed(at);
    await appendFile(join(at.project, ROLE), 'More.\n');
    await rm(join(at.project, RECIPE));
    const team = await resumeJob(at, id);
    expect(team.of('run.resumed')[0]?.findings.map(({ code, message }) => [code, message])).toEqual([
      ['changed-since-start', expect.stringContaining('recipe job has changed')],
      ['changed-since-start', expect.stringContaining('role worker has changed')],
    ]);
  });
});
