/** A team without a process that its operator has signed. */

import { type KeyPair, newKeyPair } from '../../src/shared/signature.js';
import { type NamedKey, signTeamKeys } from '../../src/shared/team-keys.js';
import { type StartOptions, started } from './build-start.js';
import { Team } from './build-state.js';

/** A public key as a record names it. */
export function named({ id, key }: KeyPair, name: string, role: NamedKey['role'] = 'operator'): NamedKey {
  return { id, key, name, role };
}

/** A team of `ann`, whose pair this is. `keys` count beside it. */
export function signedTeam(ann: KeyPair = newKeyPair(), { keys = [], ...options }: StartOptions = {}): Team {
  const team = new Team();
  team.pairs = [ann];
  const start = signTeamKeys(started({ keys: [named(ann, 'ann'), ...keys], ...options }), ann);
  team.ok({ kind: 'run.start', started: start, tasks: [], entries: [] });
  return team;
}
