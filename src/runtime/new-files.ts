/**
 * Writes several new files, all of them or none.
 *
 *  1. No file is replaced: one that is there already refuses the whole.
 *  2. No file is ever seen half-written: each is made under another name and then linked to its own.
 *  3. What fails on the way takes away again everything that was made, folders included.
 *  4. Nothing is written outside the root, whatever links lie on the way.
 */

import { link, lstat, mkdir, realpath, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeNewFile } from '../shared/durable-file.js';
import { errorText, systemCode } from '../shared/errors.js';
import type { Finding } from '../shared/findings.js';
import { isInside } from '../shared/inner-path.js';

export interface NewFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
}

export type WrittenFiles =
  /** `undo` takes them away again. */
  | { readonly kind: 'written'; readonly undo: () => Promise<void> }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** @param root real path of the folder that all of it stays in */
export async function writeNewFiles(root: string, files: readonly NewFile[]): Promise<WrittenFiles> {
  const there = await Promise.all(files.map(({ path }) => existing(path)));
  const findings = there.flatMap((finding) => (finding === undefined ? [] : [finding]));
  if (findings.length > 0) return { kind: 'refused', findings };
  const folders: string[] = [];
  const made: string[] = [];
  const undo = async (): Promise<void> => {
    for (const path of made) await rm(path, { force: true });
    // One that somebody has put something into since stays.
    for (const folder of [...folders].reverse()) await rmdir(folder).catch(() => {});
  };
  for (const file of files) {
    try {
      const outside = await makeFolders(root, dirname(file.path), folders);
      if (outside !== undefined) {
        await undo();
        return { kind: 'refused', findings: [outside] };
      }
      await writeOne(file);
      made.push(file.path);
    } catch (error) {
      await undo();
      return { kind: 'refused', findings: [failure(file.path, error)] };
    }
  }
  return { kind: 'written', undo };
}

/** Makes the folder and what is missing above it, one by one, so that each is known when it has to go again. */
async function makeFolders(root: string, folder: string, made: string[]): Promise<Finding | undefined> {
  const missing: string[] = [];
  let nearest = folder;
  while ((await realOrMissing(nearest)) === undefined) {
    missing.unshift(nearest);
    nearest = dirname(nearest);
  }
  if (!isInside(await realpath(nearest), root)) return leadsOut(nearest, root);
  for (const path of missing) {
    await mkdir(path);
    made.push(path);
  }
  return undefined;
}

async function writeOne({ path, text }: NewFile): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.new`);
  try {
    await writeNewFile(temporary, text);
    // Unlike a rename, a link never replaces.
    await link(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function realOrMissing(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function existing(path: string): Promise<Finding | undefined> {
  try {
    await lstat(path);
  } catch {
    return undefined; // what else may be wrong with it is said when it is written
  }
  return alreadyThere(path);
}

function failure(path: string, error: unknown): Finding {
  if (systemCode(error) === 'EEXIST') return alreadyThere(path);
  const message = `the file cannot be written: ${systemCode(error) ?? errorText(error)}; nothing was written`;
  const remedy = 'make the folder one that you may write';
  return { code: 'cannot-write', severity: 'error', path, message, remedy };
}

function alreadyThere(path: string): Finding {
  const message = 'the file is there already; no file is replaced, and nothing was written';
  return { code: 'file-exists', severity: 'error', path, message, remedy: 'choose another slug' };
}

function leadsOut(folder: string, root: string): Finding {
  const message = `the folder is a link that leads out of ${root}; nothing was written`;
  const remedy = 'replace the link by the folder itself';
  return { code: 'link-leads-out', severity: 'error', path: folder, message, remedy };
}
