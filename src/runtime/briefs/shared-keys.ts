/**
 * The keys of a team whose runners are on other machines (spec/runner.md §3 "Keys"): it signs briefs with a worker key of its
 * operator, and the results of every runner count that the operator has accepted. Both lie in the operator's folder of keys,
 * and the first entry of the record names those that counted then.
 */

import { KeyFolder } from '../../delegate/keys/key-folder.js';
import type { FactOf } from '../../events/event.js';
import { FatalError } from '../../shared/errors.js';
import type { AcceptedKey, KeyPair } from '../../shared/signature.js';
import type { House } from '../house.js';
import { readKeyRing, workerPairs } from '../key-ring.js';

type Home = Pick<House, 'home' | 'clock'>;
type Named = FactOf<'run.started'>['keys'];

/**
 * The pairs with which briefs are signed on this machine, the newest first; one is made where there is none. Rejects with
 * `FatalError` `keys`.
 */
export async function briefPairs(house: Home): Promise<readonly [KeyPair, ...KeyPair[]]> {
  const [first, ...more] = await workerPairs(house);
  if (first !== undefined) return [first, ...more];
  const made = await new KeyFolder(house.home, house.clock).init('worker');
  if (made.kind === 'refused') throw new FatalError('keys', made.message);
  const [pair] = await workerPairs(house);
  if (pair === undefined)
    throw new FatalError('keys', `the worker key in ${house.home} was made and is gone again`);
  return [pair];
}

/** The first of these pairs that may act for a team; undefined: none of them. */
export function listedPair(pairs: readonly KeyPair[], keys: Named): KeyPair | undefined {
  return pairs.find((pair) =>
    keys.some(({ id, key, role }) => role === 'worker' && id === pair.id && key === pair.key),
  );
}

/**
 * Whose word counts now: what the operator of this machine says of keys, then those of the record that he says nothing of. One
 * that he has retired counts nowhere here.
 */
export async function acceptedRunners(house: Home, keys: Named): Promise<readonly AcceptedKey[]> {
  const { known } = await readKeyRing(house);
  const named = keys
    .filter(({ id, role }) => role === 'runner' && !known.some((said) => said.id === id))
    .map((key) => ({ ...key, retired: false }));
  return [...known, ...named];
}
