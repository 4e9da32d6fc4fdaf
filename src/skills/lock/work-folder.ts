/**
 * One writer at a time in a folder of entries, and the place where a change of it is prepared: the hidden folder
 * `.skills.work` in it, which discovery does not look at.
 *
 *     writer.<n>   who writes: a process by its identity; the highest number counts
 *     next         the text of `skills.lock` as it will be (`lock-file.ts` says when it counts already)
 *     entry        the file, or the folder with the file, that will be put in place
 *
 *  1. A number is taken by a hard link, which never replaces: of two that want it one has it.
 *  2. A writer that is dead is followed by the next number; one that lives, or may live, keeps everybody else out.
 *  3. The files of the writers go last, and then the folder: what a killed process leaves is found by the next.
 */

import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeNewFile } from '../../shared/durable-file.js';
import { systemCode } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import { identitySchema } from '../../shared/identity-schema.js';
import { liveness, type ProcessIdentity, processIdentity } from '../../shared/process-identity.js';

/** The folder of the work in a folder of entries. */
export function workFolder(folder: string): string {
  return join(folder, '.skills.work');
}

/** The lock to come. */
export function nextLock(folder: string): string {
  return join(workFolder(folder), 'next');
}

export type HeldFolder =
  | {
      readonly kind: 'held';
      /** Ends the hold; what else lies in the work folder must be gone or in place. */
      readonly release: () => Promise<void>;
    }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** How often a hold is tried anew because another process ended its own in between. */
const TRIES = 5;

/**
 * Holds a folder, which must exist, for one writer. Rejects only with errors of the file system.
 * @param self who wants it; this process unless given
 */
export async function holdFolder(folder: string, self?: ProcessIdentity): Promise<HeldFolder> {
  const own = self ?? (await processIdentity());
  const work = workFolder(folder);
  for (let round = 0; round < TRIES; round++) {
    await mkdir(work).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error;
    });
    const last = await lastWriter(work);
    if (last !== null && (last.identity === null || (await liveness(last.identity, own)) !== 'dead')) {
      return { kind: 'refused', findings: [busy(folder, last.identity)] };
    }
    const number = (last?.number ?? 0) + 1;
    const taken = await takeNumber(work, number, own).catch(async (error: unknown) => {
      await letGo(work, 0).catch(() => {}); // the folder, when it is ours alone
      throw error;
    });
    if (!taken) continue;
    // The dead one may have been followed and the folder begun anew meanwhile: then its number is another's now.
    const before = await writerAt(work, number - 1);
    if (last === null || JSON.stringify(before) === JSON.stringify(last.identity)) {
      return { kind: 'held', release: () => letGo(work, number) };
    }
    await rm(join(work, writerName(number)), { force: true });
  }
  return { kind: 'refused', findings: [busy(folder, null)] };
}

interface Writer {
  readonly number: number;
  /** Null: the file cannot be understood, so nobody knows whether it lives. */
  readonly identity: ProcessIdentity | null;
}

function writerName(number: number): string {
  return `writer.${number}`;
}

async function lastWriter(work: string): Promise<Writer | null> {
  const names = await readdir(work).catch(ifMissing([]));
  const numbers = names.flatMap((name) => /^writer\.(\d{1,9})$/.exec(name)?.[1] ?? []).map(Number);
  if (numbers.length === 0) return null;
  const number = Math.max(...numbers);
  return { number, identity: await writerAt(work, number) };
}

async function writerAt(work: string, number: number): Promise<ProcessIdentity | null> {
  const text = await readFile(join(work, writerName(number)), 'utf8').catch(ifMissing(''));
  try {
    return identitySchema.parse(JSON.parse(text));
  } catch {
    return null; // neither dead nor alive
  }
}

/** Whether the number is ours now; false when another has it, or the folder went away. */
async function takeNumber(work: string, number: number, own: ProcessIdentity): Promise<boolean> {
  const temporary = join(work, `${randomUUID()}.new`);
  try {
    await writeNewFile(temporary, `${JSON.stringify(own)}\n`);
    await link(temporary, join(work, writerName(number)));
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOENT'].includes(systemCode(error) ?? '')) return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function letGo(work: string, number: number): Promise<void> {
  for (let each = 1; each <= number; each++) await rm(join(work, writerName(each)), { force: true });
  await rmdir(work).catch((error: unknown) => {
    // Another has it by now, or something waits in it for the next.
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(systemCode(error) ?? '')) throw error;
  });
}

function ifMissing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (systemCode(error) === 'ENOENT') return instead;
    throw error;
  };
}

function busy(folder: string, by: ProcessIdentity | null): Finding {
  const who = by === null ? 'another process' : `process ${by.pid} on ${by.host}`;
  return {
    code: 'folder-busy',
    severity: 'error',
    path: folder,
    message: `${who} is changing the entries of this folder; nothing was written`,
    remedy: `try again when it has ended; if there is none, remove ${workFolder(folder)}`,
  };
}
