/**
 * The keys of one run (spec/runner.md §3 "Keys"): of the team's side, which signs briefs, and of the runner that is its
 * child, which signs what comes of them. Made when they are first needed, in the run folder, for nobody else to read; the
 * same after a resume, and the first entry of the record names their public halves.
 */

import { join } from 'node:path';
import { z } from 'zod';
import { isPair, makeKeyFile, pairFields, readKeyFile } from '../../delegate/keys/key-file.js';
import { acceptKeys, openIdentity } from '../../delegate/runner/identity.js';
import type { FactOf } from '../../events/event.js';
import { FatalError } from '../../shared/errors.js';
import type { AcceptedKey, KeyPair } from '../../shared/signature.js';
import { newKeyPair } from '../../shared/signature.js';

export interface RunKeys {
  /** Signs briefs and the word to cancel one. */
  readonly worker: KeyPair;
  /** Whose word on a brief counts. */
  readonly runner: AcceptedKey;
  /** As the first entry of the record names them. */
  readonly named: FactOf<'run.started'>['keys'];
}

const workerFile = z.strictObject({ v: z.literal(1), ...pairFields });

/** The folder of the runners of a run. */
export function runnerFolder(folder: string): string {
  return join(folder, 'runner');
}

/**
 * The keys of a run, made where there are none. Rejects with `FatalError` (`keys`) where they cannot be used.
 * @param folder the run folder
 */
export async function openRunKeys(folder: string): Promise<RunKeys> {
  const path = join(folder, 'keys', 'worker.json');
  let read = await readKeyFile(path, workerFile, 'secrets');
  if (read.kind === 'missing') {
    await makeKeyFile(path, { v: 1, ...newKeyPair() });
    read = await readKeyFile(path, workerFile, 'secrets');
  }
  if (read.kind !== 'read')
    throw new FatalError('keys', read.kind === 'refused' ? read.message : `${path} is gone again`);
  const { v: _, ...worker } = read.value;
  if (!isPair(worker)) throw new FatalError('keys', `${path} holds two halves that are no key pair`);
  const workdir = runnerFolder(folder);
  const opened = await openIdentity(workdir, 'embedded');
  if (opened.kind === 'refused') throw new FatalError('keys', opened.message);
  const { name, pair } = opened.identity;
  const ofWorker = { id: worker.id, key: worker.key, name: 'team', role: 'worker' } as const;
  const ofRunner = { id: pair.id, key: pair.key, name, role: 'runner' } as const;
  await acceptKeys(workdir, [{ ...ofWorker, retired: false }]);
  return { worker, runner: { ...ofRunner, retired: false }, named: [ofWorker, ofRunner] };
}

/** Whether these are the keys that the record of the run names. */
export function areThoseOf({ named }: RunKeys, { keys }: Pick<FactOf<'run.started'>, 'keys'>): boolean {
  return named.every(({ id, key }) => keys.some((known) => known.id === id && known.key === key));
}
