/** Git repositories for the program to work in, with an identity of nobody's machine. */

import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** An empty repository at this path, which need not exist; gives the path back. */
export async function makeRepository(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  await git(path, 'init', '--quiet', '--initial-branch=main');
  return path;
}

/** Writes files below a folder, by their paths relative to it. */
export async function putFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** Commits all there is. */
export async function commitAll(repository: string, message: string): Promise<void> {
  await git(repository, 'add', '--all');
  await git(repository, 'commit', '--quiet', '-m', message);
}

/** What git prints about a repository. */
export async function gitText(repository: string, ...args: string[]): Promise<string> {
  return (await git(repository, ...args)).stdout;
}

async function git(directory: string, ...args: string[]): Promise<{ readonly stdout: string }> {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false'];
  const env = { PATH: process.env['PATH'], HOME: directory, GIT_CONFIG_NOSYSTEM: '1' };
  return run('git', [...identity, ...args], { cwd: directory, env });
}
