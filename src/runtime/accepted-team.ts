/**
 * Whether this process may serve a team by who has signed it, and whose keys a team takes in when it is resumed
 * (spec/engine.md §3 "Trust on a shared Redis"). Pure: the keys come in.
 */

import type { FactOf } from '../events/event.js';
import { checkTeamKeys, type NamedKey } from '../shared/team-keys.js';
import type { TeamState } from '../team/show/view.js';
import type { RedisPlace } from './house.js';
import { type KeyRing, keysForTeam } from './key-ring.js';

type Signed = Pick<FactOf<'run.started'>, 'team' | 'keys' | 'key_id' | 'signature'>;

/** Why a team is not served here for who has signed it; undefined: it may be. For people, with what to do. */
export function notAccepted(
  run: Signed,
  { known }: Pick<KeyRing, 'known'>,
  demand: RedisPlace['signed'],
): string | undefined {
  if (run.signature === null)
    return demand === 'always'
      ? 'it is not signed, and what is served here has to be: who starts it makes a key first (bnerd keys init --role operator)'
      : undefined;
  const verdict = checkTeamKeys(run, known);
  if (verdict.kind === 'signed') return undefined;
  const { code, message } = verdict;
  const accept = 'bnerd keys accept <key> --role operator --name <name>';
  return code === 'unknown_key' ? `${message}: if you know whose it is, ${accept}` : message;
}

/** What a resume changes of whose word counts: keys that count here and not in the team, and those that were retired here. */
export function keyChanges(
  { keys }: Pick<TeamState, 'keys'>,
  ring: KeyRing,
): { readonly keys: readonly NamedKey[]; readonly retiredKeys: readonly string[] } {
  const counts = new Set(keys.filter(({ retired }) => !retired).map(({ id }) => id));
  const retired = ring.known.filter(({ id, retired }) => retired && counts.has(id));
  return {
    keys: keysForTeam(ring).filter(({ id }) => !counts.has(id)),
    retiredKeys: retired.map(({ id }) => id),
  };
}
