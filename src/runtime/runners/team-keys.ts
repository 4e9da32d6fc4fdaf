/**
 * Whose briefs a runner takes of a team (spec/runner.md §3 "Keys"): of those whose keys were accepted here, and of the workers
 * that the operator of the team names in the list that he has signed, where his key was accepted here. A key that is retired
 * here counts for nobody.
 */

import { z } from 'zod';
import type { OfTeam, RunnerPost } from '../../dispatch/runner-post.js';
import type { AcceptedKey } from '../../shared/signature.js';
import { checkTeamKeys } from '../../shared/team-keys.js';

/** Of a list of keys, in bytes. */
const LIST_BYTES = 256 << 10;

const list = z.object({
  team: z.string(),
  keys: z.array(
    z.object({
      id: z.string(),
      key: z.string(),
      name: z.string(),
      role: z.enum(['operator', 'worker', 'runner']),
    }),
  ),
  key_id: z.string().nullable(),
  signature: z.string().nullable(),
});

/** @param known whose signatures count here, retired keys as such */
export async function keysForBrief(
  post: Pick<RunnerPost, 'teamKeys'>,
  of: OfTeam,
  known: readonly AcceptedKey[],
): Promise<readonly AcceptedKey[]> {
  const text = await post.teamKeys(of, LIST_BYTES);
  const said = text === null ? undefined : read(text);
  if (said === undefined || said.team !== of.team || checkTeamKeys(said, known).kind !== 'signed')
    return known;
  const named = said.keys
    .filter(({ id, role }) => role === 'worker' && !known.some((one) => one.id === id))
    .map((key) => ({ ...key, retired: false }));
  return [...known, ...named];
}

function read(text: string): z.infer<typeof list> | undefined {
  try {
    return list.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // nobody of ours has written it
  }
}
