/**
 * Files of keys: one JSON object, whole or not there, for nobody else to read. What cannot be used is told as a sentence
 * with its path; a secret is in none of them.
 */

import { randomBytes } from 'node:crypto';
import { link, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { syncFolder, writeNewFile } from '../../shared/durable-file.js';
import { systemCode } from '../../shared/errors.js';
import { makeFolder } from '../../shared/make-folder.js';
import {
  type AcceptedKey,
  checkSignature,
  type KeyPair,
  readPublicKey,
  signed,
} from '../../shared/signature.js';
import { readPlainFile } from '../workspace/plain-file.js';

/** Far more than a few hundred keys have. */
const FILE_BYTES = 1 << 20;

export const keyRole = z.enum(['operator', 'worker', 'runner']);
export type KeyRole = z.infer<typeof keyRole>;

/** A name of a key or runner, as people type it. */
export const KEY_NAME_RULE =
  'up to 64 letters, digits, dots, hyphens and underscores that begin with a letter or digit';
export const keyName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, KEY_NAME_RULE);

/** The two halves as they stand in a file; that they belong together is looked at where they are read. */
export const pairFields = { id: z.string(), key: z.string(), secret: z.string() };

export const acceptedKey = z.object({
  id: z.string(),
  key: z.string(),
  name: keyName,
  role: keyRole,
  retired: z.boolean(),
});

export type KeyRead<Value> =
  | { readonly kind: 'read'; readonly value: Value }
  | { readonly kind: 'missing' }
  /** One sentence: where, what was found, what to do. */
  | { readonly kind: 'refused'; readonly message: string };

/** Whether the halves belong together. */
export function isPair(pair: KeyPair): boolean {
  try {
    const known: AcceptedKey = { ...pair, name: 'own', role: 'runner', retired: false };
    return (
      isPublic(pair) && checkSignature('accepted', signed('accepted', {}, pair), [known]).kind === 'signed'
    );
  } catch {
    return false; // the secret half is no key
  }
}

/** Whether the id is that of the key. */
export function isPublic({ id, key }: { readonly id: string; readonly key: string }): boolean {
  return readPublicKey(key)?.id === id;
}

/**
 * Reads one file. Total.
 * @param holds `secrets`: one that others may read is refused
 */
export async function readKeyFile<Value>(
  path: string,
  schema: z.ZodType<Value>,
  holds: 'secrets' | 'public keys',
): Promise<KeyRead<Value>> {
  const refused = (what: string): KeyRead<never> => ({ kind: 'refused', message: `${path} ${what}` });
  const read = await readPlainFile(path, FILE_BYTES);
  if (read.kind === 'missing') return read;
  if (read.kind === 'unusable') return refused(read.why);
  const { mode } = await stat(path);
  if (holds === 'secrets' && (mode & 0o077) !== 0)
    return refused(
      `may be read by others (mode ${(mode & 0o777).toString(8)}): what it signs says nothing; make new keys`,
    );
  let value: unknown;
  try {
    value = JSON.parse(read.bytes.toString('utf8'));
  } catch {
    return refused('is not JSON; move it away');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { kind: 'read', value: parsed.data };
  const [issue] = parsed.error.issues;
  return refused(
    `is no file of keys (${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}); move it away`,
  );
}

/** Makes the file unless it is there; whoever was faster wins. Folders are made, closed to others. */
export async function makeKeyFile(path: string, value: object): Promise<'made' | 'there'> {
  const fresh = await freshFile(path, value);
  try {
    await link(fresh, path);
    await syncFolder(dirname(path));
    return 'made';
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    return 'there';
  } finally {
    await rm(fresh, { force: true });
  }
}

/** Puts the file in place of the one that is there. */
export async function replaceKeyFile(path: string, value: object): Promise<void> {
  await rename(await freshFile(path, value), path);
  await syncFolder(dirname(path));
}

async function freshFile(path: string, value: object): Promise<string> {
  await makeFolder(dirname(path), 0o700);
  const fresh = join(dirname(path), `.new-${randomBytes(8).toString('hex')}`);
  await writeNewFile(fresh, `${JSON.stringify(value, null, 1)}\n`, 0o600);
  return fresh;
}
