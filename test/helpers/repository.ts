/** Git repositories for tests: real git, without any configuration of this machine, in the name of Ada. */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const ADA = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};

/** Runs git in a directory; gives what it prints, without the line break at its end. */
export function git(directory: string, ...words: readonly string[]): string {
  const env = { PATH: process.env['PATH'], HOME: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', ...ADA };
  return execFileSync('git', words, { cwd: directory, env, encoding: 'utf8', stdio: 'pipe' }).trimEnd();
}

/** An empty repository at this path, which need not exist; gives the path back. */
export async function makeRepository(path: string, format: 'sha1' | 'sha256' = 'sha1'): Promise<string> {
  await mkdir(path, { recursive: true });
  git(path, 'init', '--quiet', '--initial-branch=main', `--object-format=${format}`);
  return path;
}

/** Makes a repository of a folder unless it is one, and commits everything in it. Gives the commit. */
export function commitAll(directory: string, message: string): string {
  if (!existsSync(join(directory, '.git'))) git(directory, 'init', '--quiet', '--initial-branch=main');
  git(directory, 'add', '--all');
  git(directory, 'commit', '--quiet', '--allow-empty', '--message', message);
  return git(directory, 'rev-parse', 'HEAD');
}

/** Writes files below a folder, by their paths relative to it, in the order given. */
export async function putFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
