/**
 * Texts by digest: `blobs/<sha256>`, written under a temporary name and put in place by a rename, so that a
 * file that carries a digest's name is whole. What is read is checked against its name.
 */

import { randomBytes } from 'node:crypto';
import { open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../shared/digest.js';
import { FatalError, systemCode } from '../shared/errors.js';
import { readFileIfThere } from './whole-file.js';

const TEMPORARY = '.part-';

/** Stores bytes under their digest; says whether a file had to be made. The folder is not yet synced. */
export async function writeBlob(folder: string, digest: string, bytes: Uint8Array): Promise<boolean> {
  const path = join(folder, digest);
  if ((await sizeOf(path)) === bytes.length) return false;
  const part = join(folder, `${TEMPORARY}${process.pid}-${randomBytes(6).toString('hex')}`);
  try {
    const handle = await open(part, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(part, path);
  } catch (error) {
    // Best effort: what stays is swept at the next opening, and the first error is the one to report.
    await unlink(part).catch(() => undefined);
    throw error;
  }
  return true;
}

/** Whether a file of the folder is a text: whole, under its digest. */
export function isBlobName(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name);
}

/** The text of a digest, undefined when it is not there; `FatalError` when the bytes do not give the digest. */
export async function readBlob(folder: string, digest: string): Promise<string | undefined> {
  if (!isBlobName(digest)) return undefined;
  const path = join(folder, digest);
  const bytes = await readFileIfThere(path);
  if (bytes === undefined) return undefined;
  const found = sha256(bytes);
  if (found !== digest) {
    throw new FatalError('blob-broken', `${path} gives the digest ${found}: it was changed or damaged`);
  }
  return bytes.toString('utf8');
}

/** Removes what a dead writer left half written. */
export async function sweepBlobParts(folder: string): Promise<void> {
  const names = await readdir(folder);
  await Promise.all(
    names.filter((name) => name.startsWith(TEMPORARY)).map((name) => unlink(join(folder, name))),
  );
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Sizes of the blobs in a folder, by digest. */
export async function blobSizesIn(folder: string): Promise<ReadonlyMap<string, number>> {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return new Map(names.map((name, index) => [name, sizes[index] ?? 0]));
}
