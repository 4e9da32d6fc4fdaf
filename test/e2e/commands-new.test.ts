// spec/team.md §1 `bnerd team new` through the program: written, linted, and honest about what counts.
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { bnerd, bnerdPlace } from '../helpers/bnerd.js';
import { bnerdHere } from '../helpers/bnerd-here.js';

const FILES = [
  'skills/code-tour-guide/SKILL.md',
  'roles/code-tour-lead.md',
  'roles/code-tour-reader.md',
  'teams/code-tour/team.md',
];

describe('team new', () => {
  test('from below a repository: into its root, with the command that approves each file', async () => {
    const place = await bnerdPlace();
    await execa('git', ['init', '--quiet'], { cwd: place.work });
    const cwd = join(place.work, 'src');
    await mkdir(cwd);
    const made = await bnerd(['team', 'new', 'code-tour'], { place, cwd });
    expect(made.exit).toBe(0);
    const paths = FILES.map((file) => join(place.work, '.bnerd', file));
    expect(made.stdout).toBe(paths.map((path) => `${path}\n`).join(''));
    expect(made.stderr).toMatch(
      /^4 files: 4 loaded, 0 repaired, 0 refused; 0 errors, 0 warnings, 0 remarks; /,
    );
    for (const path of paths) expect(made.stderr).toContain(`\n  bnerd trust ${path}\n`);
    // The files are sound, whoever has approved them: a build that lints all there is passes.
    expect((await bnerd(['team', 'lint', '--strict'], { place, cwd })).exit).toBe(0);
    // Before that they are in nobody's way; after it they are a team, without a remark.
    const list = await bnerdHere(['team', 'list'], { place, cwd });
    expect(list.stdout).not.toContain('code-tour');
    const run = await bnerd(['team', 'run', 'code-tour'], { place, cwd });
    expect(run.exit).toBe(2);
    for (const [, command = ''] of made.stderr.matchAll(/^ {2}bnerd (trust .+)$/gm)) {
      const shown = await bnerdHere(command.split(' '), { place, cwd });
      const digest = /digest: +(1:[0-9a-f]{64})/.exec(shown.stdout)?.[1] ?? '';
      expect((await bnerdHere([...command.split(' '), '--digest', digest], { place, cwd })).exit).toBe(0);
    }
    const lint = await bnerd(['team', 'lint', 'code-tour', '--strict'], { place, cwd });
    expect(lint).toMatchObject({
      exit: 0,
      stdout: '',
      stderr: '1 file: 1 loaded, 0 repaired, 0 refused; 0 errors, 0 warnings, 0 remarks\n',
    });
  });

  test('with --mission: into the named repository, where they count at once', async () => {
    const place = await bnerdPlace();
    const mission = join(place.root, 'ops');
    await mkdir(mission);
    const made = await bnerd(['team', 'new', 'code-tour', '--mission', '--mission-repo', mission, '--json'], {
      place,
    });
    expect(made.exit).toBe(0);
    expect(JSON.parse(made.stdout)).toMatchObject({
      v: 1,
      slug: 'code-tour',
      tier: 'mission',
      in_effect: true,
      files: FILES.map((file) => join(mission, 'orchestrator', file)),
      findings: [],
    });
    const env = { BNERD_MISSION_REPO: mission };
    const lint = await bnerd(['team', 'lint', 'code-tour', '--strict'], { place, env });
    expect(lint).toMatchObject({ exit: 0, stdout: '' });
    const shown = await bnerd(['team', 'describe', 'code-tour', '--prompt', 'code-tour-reader'], {
      place,
      env,
    });
    expect(shown).toMatchObject({ exit: 0 });
    expect(shown.stdout).toContain('[Skill: code-tour-guide] v0.1.0');
  });

  test('a second time, a bad slug, no mission repository: exit 2, and nothing is written', async () => {
    const place = await bnerdPlace();
    expect((await bnerd(['team', 'new', 'code-tour'], { place })).exit).toBe(0);
    const before = await readdir(place.work, { recursive: true });
    for (const words of [['code-tour'], ['Code Tour'], ['quickstart'], ['other', '--mission']]) {
      const made = await bnerdHere(['team', 'new', ...words], { place });
      expect(made).toMatchObject({ exit: 2, stdout: '' });
      expect(made.stderr).toMatch(/: error (file-exists|bad-slug|name-taken|no-mission) /);
    }
    expect(await readdir(place.work, { recursive: true })).toEqual(before);
  });
});
