/**
 * A fresh directory for one test, removed when that test has ended, whether it passed or not.
 *
 * The path is the real one (no links in it), so it may be compared with what a program prints.
 */

import { mkdtempSync, realpathSync } from 'node:fs';
import { chmod, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemCode } from '../../src/shared/errors.js';

/**
 * Makes the directory and registers its removal with the running test. Call it inside a test (or a helper of
 * one), not in `beforeAll`: it belongs to one test.
 * @param name shown in the path, to tell directories apart when a test is held open
 */
export async function tempDir(name = 'test'): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), `bnerd-${name}-`)));
  onTestFinished(() => remove(path));
  return path;
}

/** The same at once, for who may not give way before it has begun to listen. */
export function tempDirNow(name = 'test'): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `bnerd-${name}-`)));
  onTestFinished(() => remove(path));
  return path;
}

async function remove(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    // A test of unreadable directories leaves some; removal must not depend on it tidying up.
    if (systemCode(error) !== 'EACCES') throw error;
    await openAll(path);
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function openAll(directory: string): Promise<void> {
  await chmod(directory, 0o700);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) await openAll(join(directory, entry.name));
  }
}
