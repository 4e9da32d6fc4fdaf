// spec/team.md §1 `bnerd team new`: sound from the first moment, and it runs.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Trust } from '../../src/catalog/trust.js';
import type { House } from '../../src/runtime/house.js';
import { lintCatalogue } from '../../src/runtime/lint.js';
import { newTeam } from '../../src/runtime/new-team.js';
import { MAX_NEW_SLUG } from '../../src/runtime/new-team-texts.js';
import { claim, does, finish, says, when } from '../cases/play.js';
import { startJob, writeMission } from '../helpers/team.js';

const ALL_TRUSTED: Trust = {
  verdict: async () => ({ kind: 'trusted', by: 'a test' }),
  placeTrusted: async () => true,
  findings: async () => [],
};

/** A house whose working directory lies below a repository. */
async function house(): Promise<{ house: House; root: string; mission: string }> {
  const at = await writeMission({ recipe: {}, roles: { boss: {}, worker: {} }, script: {} });
  return {
    house: { ...at.house, project: { root: at.workspace, folders: [at.workspace] } },
    root: at.workspace,
    mission: at.mission,
  };
}

async function made(at: House, slug = 'code-tour', into: 'project' | 'mission' = 'project') {
  const team = await newTeam(at, slug, into);
  if (team.kind === 'refused') throw new Error(JSON.stringify(team.findings));
  return team.value;
}

describe('a new team', () => {
  test('is a recipe, two roles and a skill in the project tier, which are not in effect yet', async () => {
    const at = await house();
    const team = await made(at.house);
    expect(team).toMatchObject({ slug: 'code-tour', tier: 'project', inEffect: false, findings: [] });
    expect(team.files).toEqual(
      [
        '.bnerd/skills/code-tour-guide/SKILL.md',
        '.bnerd/roles/code-tour-lead.md',
        '.bnerd/roles/code-tour-reader.md',
        '.bnerd/teams/code-tour/team.md',
      ].map((path) => join(at.root, path)),
    );
    for (const path of team.files) expect((await readFile(path, 'utf8')).startsWith('---\n')).toBe(true);
  });

  test('with mission: the same four in the orchestrator folder, in effect at once', async () => {
    const at = await house();
    const team = await made(at.house, 'code-tour', 'mission');
    expect(team).toMatchObject({ tier: 'mission', inEffect: true, findings: [] });
    for (const path of team.files) expect(path.startsWith(join(at.mission, 'orchestrator/'))).toBe(true);
  });

  test.each(['project', 'mission'] as const)(
    'in the tier %s it lints without a single remark, once approved',
    async (into) => {
      const at = await house();
      const team = await made(at.house, 'x'.repeat(MAX_NEW_SLUG), into);
      const { checked, findings } = await lintCatalogue({ ...at.house, trust: ALL_TRUSTED }, [
        team.slug,
        ...team.files.slice(1),
      ]);
      expect(findings).toEqual([]);
      expect(checked).toHaveLength(3);
    },
  );

  test('in a governed mission repository the skill is in the strict grammar', async () => {
    const at = await house();
    await mkdir(join(at.mission, '.bnerd'));
    await writeFile(join(at.mission, '.bnerd/context.md'), '---\nskills: governed\n---\n');
    const team = await made(at.house, 'tour', 'mission');
    expect(team.findings).toEqual([]);
    expect(await readFile(team.files[0] ?? '', 'utf8')).toMatch(/^origin: proprietary$/m);
    expect((await lintCatalogue(at.house, ['tour'])).findings).toEqual([]);
  });

  test('runs: its task is offered, done and closed', async () => {
    const at = await house();
    const team = await made(at.house, 'tour', 'mission');
    const script = {
      script: 1,
      roles: {
        'tour-lead': { idle: 'Waiting.', turns: [when('has completed #1', finish())] },
        'tour-reader': {
          idle: 'Ready.',
          turns: [
            when(
              'Task #1 is ready',
              does(claim('#1')),
              does({
                tool: 'team_task_complete',
                args: {
                  task: '#1',
                  summary: 'Found.',
                  evidence: [
                    { item: 'each statement names the file and line it rests on', text: 'README.md:1' },
                    { item: 'what was looked for and not found is named', text: 'nothing' },
                  ],
                },
              }),
              says('Done.'),
            ),
          ],
        },
      },
    };
    const file = join(at.root, 'tour.yaml');
    await writeFile(file, stringify(script));
    const run = await startJob(
      { house: at.house, mission: at.mission, workspace: at.root },
      { slug: team.slug, models: [`script/${file}`] },
    );
    expect(await run.ended()).toMatchObject({ reason: 'done' });
    expect(
      run
        .of('member.spawned')
        .map(({ seat }) => seat.member)
        .sort(),
    ).toEqual(['tour-lead', 'tour-reader']);
  });

  test.each(['', 'Code-Tour', 'a b', '../x', '-x', 'ü', 'x'.repeat(MAX_NEW_SLUG + 1)])(
    'the slug %j is refused with the rule, and nothing is made',
    async (slug) => {
      const at = await house();
      const before = await readdir(at.root);
      expect(await newTeam(at.house, slug, 'project')).toMatchObject({
        kind: 'refused',
        findings: [
          { code: 'bad-slug', message: expect.stringContaining(`at most ${MAX_NEW_SLUG} characters`) },
        ],
      });
      expect(await readdir(at.root)).toEqual(before);
    },
  );

  test('a second one of the same name is refused, and so is one that would hide a recipe or role', async () => {
    const at = await house();
    const trusted = { ...at.house, trust: ALL_TRUSTED };
    await made(trusted);
    expect(await newTeam(trusted, 'code-tour', 'project')).toMatchObject({ kind: 'refused' });
    expect(await newTeam(at.house, 'code-tour', 'project')).toMatchObject({ kind: 'refused' });
    for (const slug of ['quickstart', 'job']) {
      expect(await newTeam(at.house, slug, 'project')).toMatchObject({ findings: [{ code: 'name-taken' }] });
    }
    await mkdir(join(at.mission, 'orchestrator/roles'), { recursive: true });
    await writeFile(
      join(at.mission, 'orchestrator/roles/x.md'),
      '---\nname: Tour Lead\ndescription: d\n---\nx\n',
    );
    expect(await newTeam(at.house, 'tour', 'project')).toMatchObject({ findings: [{ code: 'name-taken' }] });
  });

  test('without a named mission repository --mission is refused, also when one was found', async () => {
    const at = await house();
    const found = at.house.mission === null ? null : { ...at.house.mission, named: false };
    for (const mission of [null, found]) {
      expect(await newTeam({ ...at.house, mission }, 'tour', 'mission')).toMatchObject({
        kind: 'refused',
        findings: [{ code: 'no-mission' }],
      });
    }
  });

  test("in the operator's own folder it is of the global tier, and in effect", async () => {
    const at = await house();
    const bnerd = join(at.root, '.bnerd');
    const global = { bnerd, claude: join(at.root, '.claude'), agents: join(at.root, '.agents') };
    expect(await made({ ...at.house, global })).toMatchObject({ tier: 'global', inEffect: true });
  });
});
