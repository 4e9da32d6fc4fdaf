/**
 * Whose signatures count for a team (spec/engine.md §3 "Trust on a shared Redis"): the list that the operator who starts a
 * team signs with its id. It can be shown without the record: a runner reads none, and checks whose brief it was given.
 */

import { type AcceptedKey, checkSignature, type KeyPair, signed, type Verdict } from './signature.js';

/** A key as the record of a team names it. */
export type NamedKey = Omit<AcceptedKey, 'retired'>;

/** What is signed. `run.started` holds it all. */
export interface TeamKeys {
  readonly team: string;
  readonly keys: readonly NamedKey[];
  /** The operator key that has signed; null: nobody has. */
  readonly key_id: string | null;
  readonly signature: string | null;
}

/** The same with the signature of an operator. */
export function signTeamKeys<Started extends TeamKeys>(started: Started, pair: KeyPair): Started {
  const { key_id, signature } = signed('team', withoutSignature(started), pair);
  return { ...started, key_id, signature };
}

/** What of a `run.started` is to be shown where the record is not read. */
export function teamKeysOf({ team, keys, key_id, signature }: TeamKeys): TeamKeys {
  return { team, keys, key_id, signature };
}

/**
 * Whether the list is one that an operator has signed whose key counts here. Total.
 * @param known whose signatures count here, retired keys as such
 */
export function checkTeamKeys(said: TeamKeys, known: readonly AcceptedKey[]): Verdict {
  const { key_id, signature } = said;
  return checkSignature('team', { ...withoutSignature(said), key_id, signature }, known);
}

function withoutSignature({ team, keys }: TeamKeys): Pick<TeamKeys, 'team' | 'keys'> {
  return { team, keys };
}
