// A working directory in which everything is as odd as a file system allows: no command obeys, shows or waits for any of it.
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type BnerdPlace, bnerd, bnerdPlace } from '../helpers/bnerd.js';
import { engine } from '../helpers/engines.js';
import { commitAll } from '../helpers/repository.js';

const COMMAND_NAME = '.claude/agents/\u001b]0;x\u0007\n::set-output name=x::y\u202e##[error]z.md';

async function tree(place: BnerdPlace, files: Readonly<Record<string, string>>): Promise<string> {
  const root = join(place.root, 'clone');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

test('a program that lies in the tree is not run for git, whatever PATH is', async () => {
  const place = await bnerdPlace();
  const mark = join(place.root, 'was-run');
  const root = await tree(place, { git: `#!/bin/sh\n: > ${mark}\n`, '.bnerd/context.md': 'x' });
  await chmod(join(root, 'git'), 0o755);
  commitAll(root, 'a mission of strangers');
  for (const PATH of [undefined, '', '.', root]) {
    // A mission repository that was found is asked for its commit; --repo asks for root commits.
    await bnerd(['team', 'run', 'pr-review', 'x'], { place, cwd: root, env: { PATH } });
    const trusted = await bnerd(['trust', '--repo', '--yes', '--as', 'ann'], {
      place,
      cwd: root,
      env: { PATH },
    });
    expect(trusted).toMatchObject({ exit: 0 });
  }
  expect(await readdir(place.root)).not.toContain('was-run');
});

test('pipes, links out and in circles, names that are commands: each command ends, and none shows what a file says', async () => {
  const place = await bnerdPlace();
  const text = (name: string): string => `---\nname: ${name}\ndescription: SENTINEL\n---\nSENTINEL\n`;
  const root = await tree(place, {
    [COMMAND_NAME]: text('x'),
    '.claude/agents/reviewer.md': text('Code Reviewer'),
    '.claude/agents/folder.md/x': '',
    '.bnerd/teams/pr-review/team.md/x': '',
    '.bnerd/teams/Feature/team.md': text('feature'),
    '.bnerd/rules/k8s-security.md': text('k8s-security'),
    '.bnerd/skills/x.md': '---\nname: "x\\e[31m\\u202e"\ndescription: SENTINEL\n---\nx\n',
    '.claude/agents/aliases.md': `---\na: &a 1\nb: [${'*a,'.repeat(40_000)}1]\n---\nx\n`,
  });
  for (const path of [
    '.bnerd/teams/quickstart/team.md',
    '.claude/agents/pipe.md',
    '.claude/skills/p/SKILL.md',
  ]) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    execFileSync('mkfifo', [join(root, path)]);
  }
  for (const [path, to] of [
    ['.claude/agents/environment.md', '/proc/self/environ'],
    ['.claude/agents/all', '/'],
    ['.claude/agents/loop', 'loop'],
    ['.claude/agents/up', '..'],
    ['orchestrator', '/etc'],
  ] as const) {
    await symlink(to, join(root, path));
  }
  execFileSync('git', ['init', '--quiet'], { cwd: root });
  for (const words of [
    ['team', 'list'],
    ['team', 'describe', 'pr-review', '--json'],
    ['team', 'describe', 'pr-review', '--prompt', 'code-reviewer'],
    ['team', 'run', 'quickstart', 'x', '--json-events'],
    ['team', 'run', 'quickstart', 'x'],
  ]) {
    const run = await bnerd(words, { place, cwd: root });
    expect(run, words.join(' ')).toMatchObject({
      exit: expect.toSatisfy((exit) => exit === 0 || exit === 4),
    });
    for (const stream of [run.stdout, run.stderr]) {
      expect(stream, words.join(' ')).not.toMatch(/SENTINEL|##\[|^::|\u202e/m);
    }
  }
  const ids = await engine().ids(place);
  expect(ids).not.toEqual([]);
  for (const id of ids) {
    const { entries } = await engine().record(place, id).log();
    expect(JSON.stringify(entries)).not.toContain('SENTINEL');
  }
});
