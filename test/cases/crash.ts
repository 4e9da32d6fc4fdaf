/**
 * A team as a kill -9 leaves it: folder and workspace are copied at the very moment at which a row of its record
 * has become durable and nothing has come of it yet, and put back once the process has let go of the team.
 */

import { cpSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogEntry } from '../../src/events/log-entry.js';
import { readFileRecord } from '../../src/events/record-view.js';
import type { JournalRow, TestHouse, WatchedTeam } from '../helpers/team.js';
import { tempDirNow } from '../helpers/temp-dir.js';

export interface Crashed {
  readonly id: string;
  readonly folder: string;
  /** What the log holds. */
  readonly entries: readonly LogEntry[];
}

/** Waits for the first row that fits, from the call on, and leaves the team as it was then. */
export async function crashAt(
  at: TestHouse,
  team: WatchedTeam,
  fits: (row: JournalRow) => boolean,
): Promise<Crashed> {
  const { id, folder } = team.live;
  // Nothing is awaited in front of it: what its caller does next may be what it waits for.
  const kept = tempDirNow('crash');
  await new Promise<void>((resolve, reject) => {
    team.onRow = (row) => {
      if (!fits(row)) return;
      team.onRow = () => {};
      cpSync(folder, join(kept, 'team'), { recursive: true });
      cpSync(at.workspace, join(kept, 'work'), { recursive: true });
      resolve();
    };
    void team.ended().then((ended) => reject(new Error(`it ended first: ${JSON.stringify(ended)}`)));
  });
  // Whatever it does from here on is undone.
  await team.live.stop('stop');
  team.live.kill();
  await team.ended();
  await rm(folder, { recursive: true });
  await rename(join(kept, 'team'), folder);
  await rm(at.workspace, { recursive: true });
  await rename(join(kept, 'work'), at.workspace);
  // The holder in it is this process, which lives: to the next one it is dead.
  await rm(join(folder, 'lock'), { recursive: true });
  const { entries } = await readFileRecord(folder, 'strict').log();
  return { id, folder, entries };
}
