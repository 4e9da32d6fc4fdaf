/**
 * Who a runner is and whom it obeys, in two files of its folder (spec/runner.md §3 "Keys"): `identity.json`, its name and
 * key pair, made on first use and the same ever after; `keys.json`, the public keys that it accepts.
 *
 * For an embedded runner its parent calls the same functions before it starts one: `openIdentity` tells the public key
 * that the record names, `acceptKeys` says which worker may give briefs.
 */

import { join } from 'node:path';
import { z } from 'zod';
import { type AcceptedKey, type KeyPair, newKeyPair } from '../../shared/signature.js';
import {
  acceptedKey,
  isPair,
  isPublic,
  type KeyRead,
  keyName,
  makeKeyFile,
  pairFields,
  readKeyFile,
  replaceKeyFile,
} from '../keys/key-file.js';

export interface RunnerIdentity {
  /** As people know it, and as its results name it. */
  readonly name: string;
  readonly pair: KeyPair;
}

export type OpenedIdentity =
  | { readonly kind: 'ready'; readonly identity: RunnerIdentity }
  | { readonly kind: 'refused'; readonly message: string };

const identityFile = z.strictObject({ v: z.literal(1), name: keyName, ...pairFields });
const keysFile = z.strictObject({ v: z.literal(1), keys: z.array(acceptedKey) });

/**
 * The identity of the runner with this folder. Any number of processes may ask at once, and get the same one.
 * @param name of a new one; one that is there keeps its own
 */
export async function openIdentity(workdir: string, name: string): Promise<OpenedIdentity> {
  const path = join(workdir, 'identity.json');
  let read = await readKeyFile(path, identityFile, 'secrets');
  if (read.kind === 'missing') {
    await makeKeyFile(path, { v: 1, name, ...newKeyPair() });
    read = await readKeyFile(path, identityFile, 'secrets');
  }
  if (read.kind === 'missing') return { kind: 'refused', message: `${path} was made and is gone again` };
  if (read.kind === 'refused') return read;
  const { v: _, name: own, ...pair } = read.value;
  return isPair(pair)
    ? { kind: 'ready', identity: { name: own, pair } }
    : { kind: 'refused', message: `${path} holds two halves that are no key pair; move it away` };
}

/** Writes whom the runner with this folder obeys, in place of what was said before. */
export async function acceptKeys(workdir: string, keys: readonly AcceptedKey[]): Promise<void> {
  await replaceKeyFile(keysPath(workdir), { v: 1, keys });
}

/** Whom the runner with this folder obeys; `missing`: nobody has said so here. */
export async function acceptedKeys(workdir: string): Promise<KeyRead<readonly AcceptedKey[]>> {
  const path = keysPath(workdir);
  const read = await readKeyFile(path, keysFile, 'public keys');
  if (read.kind !== 'read') return read;
  const wrong = read.value.keys.find((key) => !isPublic(key));
  return wrong === undefined
    ? { kind: 'read', value: read.value.keys }
    : { kind: 'refused', message: `${path}: ${wrong.id} is not the id of its key; write the file anew` };
}

function keysPath(workdir: string): string {
  return join(workdir, 'keys.json');
}
