/**
 * The keys of a team whose runners are on other machines (spec/runner.md §3 "Keys"): it signs briefs with a worker key of its
 * operator, and the results of every runner count that the operator has accepted. Both lie in the operator's folder of keys;
 * the record names those that counted when the team was started, and what each resume has changed of them.
 */

import { KeyFolder } from '../../delegate/keys/key-folder.js';
import { FatalError } from '../../shared/errors.js';
import type { AcceptedKey, KeyPair } from '../../shared/signature.js';
import type { TeamState } from '../../team/show/view.js';
import type { House } from '../house.js';
import { readKeyRing, workerPairs } from '../key-ring.js';

type Home = Pick<House, 'home' | 'clock'>;

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

/**
 * The pair that acts for a team now; undefined: none of these may. One that it was started with goes before those that a
 * resume has taken in: runners are shown the list of the start.
 */
export function listedPair(
  pairs: readonly KeyPair[],
  { run, keys }: Pick<TeamState, 'run' | 'keys'>,
): KeyPair | undefined {
  const listed = pairs.filter((pair) =>
    keys.some(
      ({ id, key, role, retired }) => role === 'worker' && !retired && id === pair.id && key === pair.key,
    ),
  );
  return listed.find(({ id }) => run?.keys.some((key) => key.id === id)) ?? listed[0];
}

/**
 * Whose word counts now: of those whom the operator of this machine has accepted, and of runners that the record names and he
 * says nothing of. One that he or a resume of the team has retired counts nowhere here.
 */
export async function acceptedRunners(
  house: Home,
  { keys }: Pick<TeamState, 'keys'>,
): Promise<readonly AcceptedKey[]> {
  const { known } = await readKeyRing(house);
  const isRetired = (id: string): boolean => keys.some((key) => key.id === id && key.retired);
  const named = keys.filter(({ id, role }) => role === 'runner' && !known.some((said) => said.id === id));
  return [...known.map((key) => ({ ...key, retired: key.retired || isRetired(key.id) })), ...named];
}
