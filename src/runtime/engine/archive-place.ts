/** What both engines need to put a team away: a place in the archive, and the last word in its record. */

import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FatalError } from '../../shared/errors.js';
import { ulid } from '../../shared/ids.js';
import type { TeamStore } from '../../state/team-store.js';
import { archiveFolder, type House } from '../house.js';
import type { PutAway } from './engine.js';

/** How long what is live may take to let a team go before it stays where it is, in milliseconds. */
export const STOP_DEADLINE_MS = 60_000;

/** How often that is looked at, in milliseconds. */
export const STOP_LOOK_MS = 100;

/** A folder that is not there yet. Teams that were given a name may be put away under it again and again: each keeps its own. */
export async function freePlace(house: House, id: string): Promise<string> {
  await mkdir(archiveFolder(house), { recursive: true, mode: 0o700 });
  const place = join(archiveFolder(house), id);
  const there = await stat(place).then(
    () => true,
    () => false,
  );
  return there ? `${place}-${ulid(house.clock.wallMs())}` : place;
}

/** Records that the team is put away; one that never started, or is archived already, has no more to say. */
export async function recordArchived(house: House, store: TeamStore): Promise<void> {
  const outcome = await store.send(`operator/${ulid(house.clock.wallMs())}`, {
    kind: 'run.archive',
    by: house.user,
  });
  if (outcome.kind === 'refused' && outcome.code !== 'archived' && outcome.code !== 'not_started') {
    throw new FatalError(outcome.code, outcome.message);
  }
}

/** @param withinMs how long it was waited for */
export function stillLive(id: string, withinMs: number): PutAway {
  const message = `the team did not stop within ${withinMs / 1000} s`;
  const remedy = `bnerd team stop ${id} --force`;
  return {
    kind: 'refused',
    findings: [{ code: 'still-live', severity: 'error', path: id, message, remedy }],
  };
}
