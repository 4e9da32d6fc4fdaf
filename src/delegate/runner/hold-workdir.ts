/**
 * The folder of a runner that stands is one process's (spec/runner.md §3 "Keys"): two under one identity would each answer for
 * what the other does. A file names who has it; one whose process is gone is put aside, and what cannot be known is no "gone".
 */

import { randomBytes } from 'node:crypto';
import { link, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeNewFile } from '../../shared/durable-file.js';
import { systemCode } from '../../shared/errors.js';
import { identitySchema } from '../../shared/identity-schema.js';
import { liveness, processIdentity } from '../../shared/process-identity.js';
import { readPlainFile } from '../workspace/plain-file.js';

export type HeldWorkdir =
  | { readonly kind: 'held'; readonly release: () => Promise<void> }
  | { readonly kind: 'refused'; readonly message: string };

const FILE = 'standing.json';
const BYTES = 64 << 10;

const standing = z.object({ v: z.literal(1), process: identitySchema, nonce: z.string() });

/** How often a folder is tried that others let go of meanwhile. */
const TRIES = 5;

/** Takes the folder for this process, until it is released. */
export async function holdWorkdir(workdir: string): Promise<HeldWorkdir> {
  const path = join(workdir, FILE);
  const self = await processIdentity();
  const nonce = randomBytes(12).toString('hex');
  for (let tried = 0; tried < TRIES; tried++) {
    if (await made(path, JSON.stringify({ v: 1, process: self, nonce })))
      return { kind: 'held', release: () => release(path, nonce) };
    const there = await read(path);
    if (there === null) continue; // it was let go of
    const life = there === 'broken' ? 'unknown' : await liveness(there.process, self);
    if (life !== 'dead' || there === 'broken') return { kind: 'refused', message: held(path, there, life) };
    await putAside(path, there.nonce);
  }
  return { kind: 'refused', message: `${path} changes all the time: several runners start in one folder` };
}

function held(path: string, there: z.infer<typeof standing> | 'broken', life: string): string {
  const { pid, host } = there === 'broken' ? { pid: 'unknown', host: 'unknown' } : there.process;
  return life === 'alive'
    ? `${path}: process ${pid} is the runner with this folder; give each runner a workdir of its own`
    : `${path}: process ${pid} on ${host} has this folder and cannot be looked at from here; when you know that it is gone, remove the file`;
}

async function made(path: string, text: string): Promise<boolean> {
  const fresh = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    await writeNewFile(fresh, text, 0o600);
    await link(fresh, path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(fresh, { force: true });
  }
}

async function read(path: string): Promise<z.infer<typeof standing> | 'broken' | null> {
  const file = await readPlainFile(path, BYTES);
  if (file.kind === 'missing') return null;
  if (file.kind !== 'read') return 'broken';
  try {
    return standing.parse(JSON.parse(file.bytes.toString('utf8')));
  } catch {
    return 'broken'; // nobody of ours has written it
  }
}

/** Out of the way, unless another has taken its place since it was read: that one is put back. */
async function putAside(path: string, nonce: string): Promise<void> {
  const aside = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    await rename(path, aside);
    const moved = await read(aside);
    if (moved !== null && moved !== 'broken' && moved.nonce !== nonce) await link(aside, path);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(systemCode(error) ?? '')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

async function release(path: string, nonce: string): Promise<void> {
  const there = await read(path);
  if (there !== null && there !== 'broken' && there.nonce === nonce) await rm(path, { force: true });
}
