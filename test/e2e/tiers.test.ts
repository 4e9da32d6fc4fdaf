// spec/team.md §1 through the program: files of a project before and after the operator's word, and where they lie.
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { catalogueDigest } from '../../src/catalog/files/file-digest.js';
import { type BnerdPlace, type BnerdRun, bnerdPlace, startBnerd } from '../helpers/bnerd.js';
import { bnerdHere } from '../helpers/bnerd-here.js';
import { commitAll, git, putFiles } from '../helpers/repository.js';
import { oneTask } from './missions.js';

const RECIPE = '.bnerd/teams/own/team.md';
const ROLE = '.claude/agents/own-reviewer.md';
const UNUSED = (path: string): string => `not used: ${path} (untrusted; bnerd trust)`;

const BOSS = ['---', 'name: boss', 'description: Leads', '---', 'You lead.', ''].join('\n');
const REVIEWER = ['---', 'name: own-reviewer', 'description: Reviews', '---', 'SENTINEL reviewer.', ''].join(
  '\n',
);
const TEAM = [
  '---',
  'name: own',
  'description: Our own team',
  'lead: boss',
  'roles: [boss, own-reviewer]',
  'model: script/script.yaml',
  'tasks: [{id: one, subject: Do one, role: own-reviewer}]',
  '---',
  'Work.',
  '',
].join('\n');
const { boss, worker } = oneTask([]).script;
const SCRIPT = stringify({ script: 1, roles: { boss, 'own-reviewer': worker } });

const PROJECT = {
  [RECIPE]: TEAM,
  '.bnerd/teams/own/script.yaml': SCRIPT,
  '.bnerd/roles/boss.md': BOSS,
  [ROLE]: REVIEWER,
};

class Repository {
  readonly root: string;
  readonly place: BnerdPlace;

  constructor(root: string, place: BnerdPlace) {
    this.root = root;
    this.place = place;
  }

  async bnerd(words: readonly string[], cwd = '.'): Promise<BnerdRun> {
    return (await startBnerd(words, { place: this.place, cwd: join(this.root, cwd) })).ended;
  }

  /** The same in the process of the test, for what stands around what the test is about. */
  here(words: readonly string[], cwd = '.'): Promise<BnerdRun> {
    return bnerdHere(words, { place: this.place, cwd: join(this.root, cwd) });
  }

  /** Puts the operator's word into their own trust file. */
  async approve(files: Readonly<Record<string, string>>): Promise<void> {
    await mkdir(this.place.state, { recursive: true, mode: 0o700 });
    const root_commit = git(this.root, 'rev-list', '--max-parents=0', 'HEAD');
    const approved = Object.entries(files).map(([path, text]) => {
      const kind = path.endsWith('team.md') ? ('recipe' as const) : ('role' as const);
      const by = { approver: 'ann', at: '2026-01-01T00:00:00.000Z' };
      const digest = catalogueDigest(kind, text);
      return { kind, tier: 'project', path, root: this.root, root_commit, digest, ...by };
    });
    const text = stringify({ version: 1, files: approved });
    await writeFile(join(this.place.state, 'trust.yaml'), text, { mode: 0o600 });
  }
}

/** A repository with these files, in the working directory of a fresh operator. */
async function repository(files: Readonly<Record<string, string>> = PROJECT): Promise<Repository> {
  const place = await bnerdPlace();
  const root = join(place.work, 'repo');
  await putFiles(root, { 'sub/x': '', ...files });
  commitAll(root, 'first');
  return new Repository(root, place);
}

const APPROVED = {
  [RECIPE]: TEAM,
  '.bnerd/roles/boss.md': BOSS,
  [ROLE]: REVIEWER,
};

describe('a team of the project', () => {
  test('is not listed, not described and not run before the operator has approved it; each file is named', async () => {
    const at = await repository();
    const list = await at.bnerd(['team', 'list'], 'sub');
    expect(list).toMatchObject({ exit: 0, stderr: `${UNUSED(`../${RECIPE}`)}\n` });
    expect(list.stdout).not.toContain('own ');
    expect(list.stdout).toMatch(/^quickstart {11}/m);
    const json = JSON.parse((await at.here(['team', 'list', '--json'])).stdout);
    expect(json.recipes).toContainEqual({
      slug: 'own',
      description: 'Our own team',
      tier: 'project',
      path: join(at.root, RECIPE),
      trust: 'untrusted',
      shadowed_by: null,
    });
    const run = await at.bnerd(['team', 'run', 'own']);
    expect(run).toMatchObject({ exit: 2, stdout: '' });
    expect(run.stderr).toMatch(
      /the recipe "own" is needed and not used: nobody has approved it \(.*bnerd trust .*own\/team\.md, or .*bnerd trust --repo\)/,
    );
    await at.approve({ [RECIPE]: TEAM, '.bnerd/roles/boss.md': BOSS });
    const second = await at.here(['team', 'run', 'own']);
    expect(second).toMatchObject({ exit: 2, stdout: '' });
    expect(second.stderr).toContain('the role "own-reviewer" is needed and not used');
    expect(second.stderr).not.toContain(UNUSED(ROLE));
    const events = await at.bnerd(['team', 'run', 'own', '--json-events']);
    expect(events.lines).toMatchObject([{ type: 'run.refused', exit: 2 }]);
  });

  test('runs once every file it needs is approved, and not after an edit of one', async () => {
    const at = await repository();
    await at.approve(APPROVED);
    expect((await at.here(['team', 'list'])).stdout).toMatch(/^own {18}Our own team$/m);
    const own = ['team', 'run', 'own', '--model', `script/${join(at.root, '.bnerd/teams/own/script.yaml')}`];
    const run = await at.bnerd([...own, 'Review it.', '--json-events'], 'sub');
    expect(run.stderr).not.toContain('not used');
    expect(run).toMatchObject({ exit: 0 });
    expect(run.lines[0]).toMatchObject({
      type: 'run.started',
      recipe: { tier: 'project', path: join(at.root, RECIPE) },
      project: { root: at.root, folders: [at.root, join(at.root, 'sub')] },
      mission: null,
      seats: [
        { role: 'boss', role_tier: 'project' },
        { role: 'own-reviewer', role_tier: 'project' },
      ],
      findings: [],
    });
    await putFiles(at.root, { [ROLE]: REVIEWER.replace('reviewer.', 'reviewer!') });
    const edited = await at.bnerd(own);
    expect(edited.exit).toBe(2);
    expect(edited.stderr).toContain('it has changed since it was approved');
    await putFiles(at.root, { [ROLE]: REVIEWER });
    expect((await at.bnerd(own)).exit).toBe(0);
  });

  test('is not played by a script beside it on the approval of its text alone: that file nobody has approved', async () => {
    const at = await repository();
    await at.approve(APPROVED);
    const run = await at.bnerd(['team', 'run', 'own']);
    expect(run).toMatchObject({ exit: 2, stdout: '' });
    expect(run.stderr).toMatch(
      /team\.md:\d+: error untrusted model "script\/script\.yaml" is a file that nobody has approved.*--model.*bnerd trust --repo/,
    );
    const lint = await at.here(['team', 'lint', 'own']);
    expect(lint.exit).toBe(1);
    expect(lint.stdout).toContain('is a file that nobody has approved');
    expect(await at.bnerd(['trust', '--repo', '--yes', '--as', 'ann'])).toMatchObject({ exit: 0 });
    expect((await at.bnerd(['team', 'run', 'own'])).exit).toBe(0);
  });

  test('does not replace a built-in one: that runs, says what it left out, and uses none of it', async () => {
    const at = await repository({
      '.bnerd/teams/quickstart/team.md': TEAM.replaceAll('own', 'quickstart').replace('Our', 'SENTINEL'),
      '.bnerd/roles/guide.md': REVIEWER.replaceAll('own-reviewer', 'guide'),
      '.claude/agents/scout.md': REVIEWER.replaceAll('own-reviewer', 'scout'),
      'one.md': 'One.',
      'two.md': 'Two.',
      'three.md': 'Three.',
    });
    const described = await at.bnerd(['team', 'describe', 'quickstart']);
    expect(described.exit).toBe(0);
    const lines = ['.bnerd/teams/quickstart/team.md', '.bnerd/roles/guide.md', '.claude/agents/scout.md'].map(
      UNUSED,
    );
    for (const line of lines) expect(described.stderr.split('\n')).toContain(line);
    const run = await at.bnerd(['team', 'run', 'quickstart', '--auto-approve', 'safe']);
    for (const line of lines) expect(run.stderr.split('\n')).toContain(line);
    expect(run.exit).toBe(0);
    expect(run.stdout).not.toContain('SENTINEL');
    const lint = await at.here(['team', 'lint']);
    for (const line of lines) expect(lint.stderr.split('\n')).toContain(line);
    // Said once: where the contract has it.
    expect(lint.stdout).not.toContain('untrusted');
  });
});

describe('where the project lies', () => {
  test('a repository inside another is one of its own', async () => {
    const at = await repository();
    await putFiles(join(at.root, 'vendor/inner'), { 'x/y': '' });
    git(join(at.root, 'vendor/inner'), 'init', '--quiet');
    const list = await at.here(['team', 'list'], 'vendor/inner/x');
    expect(list.stderr).toBe('');
  });

  test('a linked work tree is found by the file it has for .git', async () => {
    const at = await repository();
    const tree = join(at.root, '..', 'tree');
    git(at.root, 'worktree', 'add', '--quiet', tree);
    const list = await at.here(['team', 'list'], '../tree/sub');
    expect(list.stderr).toBe(`${UNUSED(`../${RECIPE}`)}\n`);
    const json = JSON.parse((await at.here(['team', 'list', '--json'], '../tree')).stdout);
    expect(json.recipes).toContainEqual(expect.objectContaining({ slug: 'own', path: join(tree, RECIPE) }));
  });

  test('a home directory that is a repository keeps its own folders, which need nobody to approve them', async () => {
    const place = await bnerdPlace();
    await putFiles(place.home, { ...PROJECT, 'src/app/x': '' });
    commitAll(place.home, 'dotfiles');
    const run = async (cwd: string) =>
      (
        await startBnerd(['team', 'list'], {
          place,
          cwd: join(place.home, cwd),
          env: { BNERD_HOME: undefined },
        })
      ).ended;
    for (const cwd of ['.', 'src/app']) {
      const list = await run(cwd);
      expect(list.stderr).toBe('');
      expect(list.stdout).toMatch(/^own {18}Our own team$/m);
    }
  });

  test('a link out of the repository gets nothing in, one that stays inside is a file like any other', async () => {
    const at = await repository({
      'teams/own/team.md': TEAM,
      [ROLE]: REVIEWER,
      '.bnerd/roles/boss.md': BOSS,
    });
    await mkdir(join(at.root, '.bnerd/teams'));
    await symlink('../../teams/own', join(at.root, '.bnerd/teams/own'));
    await rm(join(at.root, ROLE));
    await putFiles(at.place.root, { 'outside/own-reviewer.md': REVIEWER });
    await symlink(join(at.place.root, 'outside/own-reviewer.md'), join(at.root, ROLE));
    await at.approve(APPROVED);
    expect((await at.here(['team', 'list'])).stdout).toMatch(/^own {18}Our own team$/m);
    const run = await at.bnerd(['team', 'run', 'own']);
    expect(run.exit).toBe(2);
    expect(run.stderr).toContain('the role "own-reviewer" is needed and not used');
  });

  test('a file whose name would move the cursor is named without that', async () => {
    const at = await repository();
    await putFiles(at.root, { '.claude/agents/a\u001b[2J\nb.md': REVIEWER });
    const lint = await at.here(['team', 'lint']);
    expect(lint.stderr).toMatch(/^not used: \.claude\/agents\/a.*b\.md \(untrusted; bnerd trust\)$/m);
  });
});

describe('a mission repository that was only found', () => {
  const files = {
    '.bnerd/context.md': 'x',
    'orchestrator/teams/own/team.md': TEAM,
    'orchestrator/teams/own/script.yaml': SCRIPT,
    'orchestrator/roles/boss.md': BOSS,
    'orchestrator/roles/own-reviewer.md': REVIEWER,
    'orchestrator/trust.yaml': 'version: 1\n',
  };

  test('counts for nothing, its trust file included, until it is named', async () => {
    const at = await repository(files);
    const list = await at.bnerd(['team', 'list'], 'sub');
    expect(list.stderr.trimEnd().split('\n')).toEqual([
      UNUSED('../orchestrator/trust.yaml'),
      UNUSED('../orchestrator/teams/own/team.md'),
    ]);
    expect((await at.bnerd(['team', 'run', 'own'])).exit).toBe(2);
    const named = await at.bnerd(['team', 'run', 'own', '--mission-repo', '.', '--json-events']);
    expect(named.exit).toBe(0);
    expect(named.lines[0]).toMatchObject({
      type: 'run.started',
      recipe: { tier: 'mission' },
      mission: { path: at.root, named: true, commit: git(at.root, 'rev-parse', 'HEAD') },
      findings: [],
    });
  });

  test('keeps no state: BNERD_HOME inside of it is refused', async () => {
    const at = await repository(files);
    const env = { BNERD_HOME: join(at.root, 'state') };
    const words = ['team', 'list'];
    const list = await (await startBnerd(words, { place: at.place, cwd: join(at.root, 'sub'), env })).ended;
    expect(list).toMatchObject({ exit: 2, stdout: '' });
    expect(list.stderr).toMatch(/^BNERD_HOME: error bad-value .*allowed: a folder outside the repository/);
  });
});
