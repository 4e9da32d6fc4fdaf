/**
 * A lock without `flock`: numbered files `<n>.json` of which the highest is the lock.
 *
 * 1. A generation is made by linking a complete file to its name, which one of many can do.
 * 2. Only its own process changes a generation, by a rename over it: a reader sees the old or the new content.
 * 3. The highest generation is never removed, and the sixteen below it stay. So who was slow between looking
 *    and linking, and made a generation that had been pruned long ago, finds a higher one when it looks again.
 */

import { randomBytes } from 'node:crypto';
import { link, open, readdir, rename, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../shared/durable-file.js';
import { systemCode } from '../shared/errors.js';
import { jsonLine } from '../shared/jsonl.js';
import { type LockFile, parseLockFile } from './lock-file.js';
import { readFileIfThere } from './whole-file.js';

/** Generations kept below the highest, see 3. */
const KEPT = 16;

export interface Generation {
  readonly number: number;
  /** Undefined when the file cannot be understood. */
  readonly file: LockFile | undefined;
  /** When its holder last touched it, milliseconds of the wall clock of the file system. */
  readonly beatMs: number;
}

/** The highest generation, undefined when the team was never locked. */
export async function highestGeneration(folder: string): Promise<Generation | undefined> {
  for (;;) {
    const number = (await generations(folder)).at(-1);
    if (number === undefined) return undefined;
    const path = generationPath(folder, number);
    const bytes = await readFileIfThere(path);
    const beatMs = await touchedAt(path);
    if (bytes !== undefined && beatMs !== undefined) {
      return { number, file: parseLockFile(bytes.toString('utf8')), beatMs };
    }
    // It was pruned in between, so there is a higher one now.
  }
}

/** Makes a generation; false when somebody else made it or a higher one first. */
export async function makeGeneration(folder: string, number: number, file: LockFile): Promise<boolean> {
  const part = await writePart(folder, file);
  try {
    await link(part, generationPath(folder, number));
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(part);
  }
  const highest = (await generations(folder)).at(-1);
  if (highest !== number) return false;
  await syncFolder(folder);
  return true;
}

/** Puts new content into one's own generation. */
export async function replaceGeneration(folder: string, number: number, file: LockFile): Promise<void> {
  const part = await writePart(folder, file);
  await rename(part, generationPath(folder, number));
  await syncFolder(folder);
}

/**
 * Puts content that is not longer into one's own generation, in place: for a disk that takes no new file. A
 * reader may meet it half written, and then finds a lock that it cannot judge.
 */
export async function overwriteGeneration(folder: string, number: number, file: LockFile): Promise<void> {
  const handle = await open(generationPath(folder, number), 'r+');
  try {
    const { size } = await handle.stat();
    await handle.write(
      `${jsonLine(file)
        .trimEnd()
        .padEnd(size - 1)}\n`,
      0,
    );
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** Shows that the holder lives, at a time of the wall clock; says whether its generation is still the lock. */
export async function touchGeneration(folder: string, number: number, wallMs: number): Promise<boolean> {
  if ((await generations(folder)).at(-1) !== number) return false;
  const seconds = wallMs / 1000;
  try {
    await utimes(generationPath(folder, number), seconds, seconds);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
  return true;
}

/** Removes generations far below one's own. */
export async function pruneGenerations(folder: string, own: number): Promise<void> {
  const old = (await generations(folder)).filter((number) => number < own - KEPT);
  for (const number of old) await unlinkIfThere(generationPath(folder, number));
}

/** Numbers of all generations, lowest first. */
async function generations(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names
    .flatMap((name) => /^([1-9]\d{0,14})\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((one, other) => one - other);
}

function generationPath(folder: string, number: number): string {
  return join(folder, `${number}.json`);
}

async function writePart(folder: string, file: LockFile): Promise<string> {
  const part = join(folder, `.part-${process.pid}-${randomBytes(6).toString('hex')}`);
  const handle = await open(part, 'wx', 0o600);
  try {
    await handle.writeFile(jsonLine(file));
    await handle.datasync();
  } finally {
    await handle.close();
  }
  return part;
}

async function touchedAt(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}
