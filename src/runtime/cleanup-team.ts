/** Puts a team away: stopped, recorded as archived, its folder moved to the archive or deleted (spec/team.md §7). */

import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../shared/abort.js';
import { FatalError, UserError } from '../shared/errors.js';
import { ulid } from '../shared/ids.js';
import { engineOf } from './engine/engine-of.js';
import { type Found, findTeam } from './find-team.js';
import { archiveFolder, type House } from './house.js';
import { stopTeam } from './operator.js';
import { teamStatus } from './teams.js';

/** How long a live team may take to stop before cleanup gives up, in milliseconds. */
const STOP_DEADLINE_MS = 60_000;

/** How often cleanup looks whether a stopping team has let go, in milliseconds. */
const LOOK_MS = 100;

/** Archives a team, or deletes it. The caller has asked the operator when the team is live. */
export async function cleanupTeam(
  house: House,
  typed: string,
  how: { readonly purge: boolean },
): Promise<Found<{ readonly text: string }>> {
  const found = await findTeam(house, typed);
  if (found.kind === 'refused') return found;
  const { id, folder } = found.value;
  const stopped = await stopAndWait(house, id);
  if (stopped.kind === 'refused') return stopped;
  try {
    const opened = await (await engineOf(house)).open(id, 'open');
    if (opened.kind === 'held') return { kind: 'refused', findings: [opened.finding] };
    const { team } = opened;
    try {
      const outcome = await team.store.send(`operator/${ulid(house.clock.wallMs())}`, {
        kind: 'run.archive',
        by: house.user,
      });
      if (outcome.kind === 'refused' && outcome.code !== 'archived' && outcome.code !== 'not_started') {
        throw new FatalError(outcome.code, outcome.message);
      }
    } finally {
      await team.releases.run();
    }
  } catch (error) {
    // A record that cannot be opened may still be put away; it is not changed.
    if (!(error instanceof UserError) && !(error instanceof FatalError)) throw error;
  }
  if (how.purge) {
    await rm(folder, { recursive: true, force: true });
    return { kind: 'found', value: { text: `${id} is deleted` } };
  }
  await mkdir(archiveFolder(house), { recursive: true, mode: 0o700 });
  const target = await freePlace(house, id);
  await rename(folder, target);
  return { kind: 'found', value: { text: `${id} is archived in ${target}` } };
}

/** Teams that were given a name may be put away under it again and again: each keeps its own folder. */
async function freePlace(house: House, id: string): Promise<string> {
  const place = join(archiveFolder(house), id);
  const there = await stat(place).then(
    () => true,
    () => false,
  );
  return there ? `${place}-${ulid(house.clock.wallMs())}` : place;
}

/** Stops a live team and waits until its process has let go of it. */
async function stopAndWait(house: House, id: string): Promise<Found<null>> {
  const stop = await stopTeam(house, id, null, false);
  if (stop.kind === 'refused') {
    const unopened = stop.findings.every(
      (finding) => finding.code !== 'team-held' && finding.code !== 'unreachable',
    );
    if (!unopened) return stop;
  }
  const deadline = AbortSignal.timeout(STOP_DEADLINE_MS);
  for (;;) {
    const status = await teamStatus(house, id);
    if (status.kind === 'refused' || !status.value.live) return { kind: 'found', value: null };
    try {
      await sleep(LOOK_MS, deadline);
    } catch {
      const message = `the team did not stop within ${STOP_DEADLINE_MS / 1000} s`;
      const remedy = `bnerd team stop ${id} --force`;
      return {
        kind: 'refused',
        findings: [{ code: 'still-live', severity: 'error', path: id, message, remedy }],
      };
    }
  }
}
