/** Teams in processes of their own that end as nothing can be ended more rudely, at a point that is told. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { House } from '../../src/runtime/house.js';
import type { RunOrder } from '../../src/runtime/plan/run-order.js';

const ROOT = new URL('../..', import.meta.url).pathname;
const DIST = process.env['BNERD_TEST_DIST'] ?? join(ROOT, 'dist');
const DRIVER = join(ROOT, 'test/fixtures/programs/drive-team.js');

/** Processes at once: the machine's two cores. */
const AT_ONCE = 2;

export interface Driven {
  /** Null: a signal ended it. */
  readonly exit: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

/** When the process ends itself by SIGKILL: once so many are on disk. Neither: never. */
export interface KillPoint {
  /** Entries of the log. */
  readonly entries?: number;
  /** Entries of the log and of transcripts together. */
  readonly rows?: number;
}

/**
 * Starts a run with the built program and waits for the end of its process.
 * @param house as it can be told in JSON: no approvals, no model settings
 * @param order without variables and limits
 */
export function driveTeam(house: House, order: RunOrder, killAfter: KillPoint): Promise<Driven> {
  const argument = JSON.stringify({ dist: DIST, house, order, killAfter });
  return new Promise((resolve) => {
    execFile(process.execPath, [DRIVER, argument], { timeout: 60_000 }, (error, _stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : 0;
      resolve({ exit: error?.signal ? null : code, signal: error?.signal ?? null, stderr });
    });
  });
}

/** Does the work for every item, a few at once. What fails ends it, when what has begun is over. */
export async function inGroups<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
  atOnce = AT_ONCE,
): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      await work(item).catch((error: unknown) => {
        left.length = 0;
        throw error;
      });
    }
  };
  for (const done of await Promise.allSettled(Array.from({ length: atOnce }, worker)))
    if (done.status === 'rejected') throw done.reason;
}
