/**
 * The keys of this home (`bnerd keys`): with which an operator signs here, and whose signatures count
 * (spec/engine.md §3 "Trust on a shared Redis"). Read when it is asked for: a key that was retired meanwhile counts no more.
 */

import { KeyFolder } from '../delegate/keys/key-folder.js';
import type { SnapshotSeal } from '../events/redis/redis-snapshots.js';
import { UserError } from '../shared/errors.js';
import { type AcceptedKey, checkSignature, type KeyPair, signed } from '../shared/signature.js';
import { type NamedKey, signTeamKeys, type TeamKeys } from '../shared/team-keys.js';
import type { House } from './house.js';

type Home = Pick<House, 'home' | 'clock'>;

export interface KeyRing {
  /** Whose signatures count here, one's own among them; the retired ones as such. */
  readonly known: readonly AcceptedKey[];
  /** What lies among the keys and is none, as sentences. */
  readonly problems: readonly string[];
}

/** Reads whose signatures count. Rejects as the disk does. */
export async function readKeyRing({ home, clock }: Home): Promise<KeyRing> {
  const { keys, problems } = await new KeyFolder(home, clock).list();
  const known = new Map<string, AcceptedKey>();
  for (const { id, key, role, name, retiredAt } of keys) {
    const before = known.get(id);
    // A pair of one's own that was retired counts no more, whatever was accepted beside it.
    const retired = retiredAt !== null || before?.retired === true;
    known.set(id, { id, key, role, name: name ?? before?.name ?? role, retired });
  }
  return { known: [...known.values()], problems };
}

/** The pairs with which the operator signs, the newest first. */
export function operatorPairs({ home, clock }: Home): Promise<readonly KeyPair[]> {
  return new KeyFolder(home, clock).ownPairs('operator');
}

/** The pairs with which a worker of this home signs, the newest first. */
export function workerPairs({ home, clock }: Home): Promise<readonly KeyPair[]> {
  return new KeyFolder(home, clock).ownPairs('worker');
}

/** The keys that a team starts with: all that count here, each in its role. */
export function keysForTeam({ known }: KeyRing): readonly NamedKey[] {
  return known.filter(({ retired }) => !retired).map(({ id, key, name, role }) => ({ id, key, name, role }));
}

/** Signs folds that this home has made with its newest key of a worker or operator, and believes those whose key counts here. */
export async function snapshotSeal(home: Home): Promise<SnapshotSeal> {
  const { known } = await readKeyRing(home);
  const [pair] = [...(await workerPairs(home)), ...(await operatorPairs(home))];
  return {
    sign: (digest) => {
      if (pair === undefined) return undefined;
      const { key_id, signature } = signed('snapshot', { digest }, pair);
      return `${key_id} ${signature}`;
    },
    holds: (digest, seal) => {
      const [key_id, signature] = seal.split(' ');
      return checkSignature('snapshot', { digest, key_id, signature }, known).kind === 'signed';
    },
  };
}

/** Signs whose team it is and whose signatures count for it. */
export type SignTeam = <Started extends TeamKeys>(started: Started) => Started;

/**
 * How a team is signed that is started from here: with the operator's newest key. Where there is none, and a team need not
 * be signed, it stays unsigned and names no key.
 * @throws UserError `no-operator-key` where it has to be, and `bad-keys` where keys lie here that cannot be used
 */
export async function signingOf(house: House): Promise<SignTeam> {
  const { redis } = house;
  if (redis === null) return (started) => started;
  const [pair] = await operatorPairs(house);
  const ring = await readKeyRing(house);
  const [problem] = ring.problems;
  if (problem !== undefined) throw new UserError('bad-keys', problem);
  if (pair !== undefined)
    return (started) => signTeamKeys({ ...started, keys: [...started.keys, ...keysForTeam(ring)] }, pair);
  if (redis.signed === 'always') throw new UserError('no-operator-key', `${noKeyHere(redis.address.shown)}`);
  return (started) => ({ ...started, keys: [...started.keys, ...keysForTeam(ring)] });
}

function noKeyHere(shown: string): string {
  return `teams on ${shown} are signed by who starts them, and this home has no key of an operator: make one with bnerd keys init --role operator, and accept it where workers and runners are (bnerd keys accept <key> --role operator --name <name>)`;
}
