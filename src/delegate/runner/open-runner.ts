/**
 * Opens a runner's folder: what killed runners have left running there is ended before anything else, then it is known who
 * this one is and whom it obeys, and a watchdog stands behind everything that it starts.
 *
 * Any number of processes may have the same folder open; each has its own groups in it.
 */

import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '../../shared/errors.js';
import { makeFolder } from '../../shared/make-folder.js';
import { endProcesses, gentleLadder } from '../../shared/process-ending.js';
import { processIdentity } from '../../shared/process-identity.js';
import { endLeftovers, type Leftovers } from '../../shared/process-leftovers.js';
import { removeGroupRecord, writeGroupRecord } from '../../shared/process-record.js';
import { systemProcessTable } from '../../shared/process-table.js';
import { ProcessGroups } from '../../shared/processes.js';
import type { AcceptedKey } from '../brief/signature.js';
import type { EngineerHouse } from '../engineers/run-engineer.js';
import { Watchdog } from '../watch/guard.js';
import { acceptedKeys, openIdentity } from './identity.js';
import type { RunnerHouse } from './runner-house.js';

/** What the machine and its operator say; the rest lies in the folder. */
export interface RunnerPlan
  extends Pick<RunnerHouse, 'limits' | 'additions' | 'bounds' | 'minFreeBytes' | 'secrets' | 'clock'> {
  /** The folder; it is made where it is missing. */
  readonly workdir: string;
  /** Of an identity that is made now. */
  readonly name: string;
  /** Whom it obeys where the folder does not say so. */
  readonly keys: readonly AcceptedKey[];
  readonly git: Omit<RunnerHouse['git'], 'marks'>;
  readonly engineer: Pick<EngineerHouse, 'environment' | 'wrap'>;
}

export type OpenedRunner =
  | {
      readonly kind: 'open';
      readonly house: RunnerHouse;
      readonly leftovers: Leftovers;
      /** Ends what still runs of it, and lets the watchdog go. */
      readonly close: () => Promise<void>;
    }
  | { readonly kind: 'refused'; readonly message: string };

/** Between TERM and KILL. */
const GRACE_MS = 1_000;

const MARK = 'BNERD_RUNNER_PROCESS';

export async function openRunner(plan: RunnerPlan): Promise<OpenedRunner> {
  let workdir: string;
  try {
    await makeFolder(plan.workdir, 0o700);
    workdir = await realpath(plan.workdir);
    const others = othersMayWrite(await stat(workdir));
    if (others !== null)
      return {
        kind: 'refused',
        message: `${workdir} ${others}: whoever writes there says whom this runner obeys; give it a folder of its own`,
      };
  } catch (error) {
    return { kind: 'refused', message: `${plan.workdir} cannot be a runner's folder: ${errorText(error)}` };
  }
  const folder = join(workdir, 'groups');
  const leftovers = await endLeftovers(folder);
  const identity = await openIdentity(workdir, plan.name);
  if (identity.kind === 'refused') return identity;
  const keys = await acceptedKeys(workdir);
  if (keys.kind === 'refused') return keys;
  const own = await ownMark(folder);
  const groups = new ProcessGroups({ folder, guard: own.guard });
  const { limits, additions, bounds, minFreeBytes, secrets, clock } = plan;
  const house: RunnerHouse = {
    ...{ workdir, limits, additions, bounds, minFreeBytes, secrets, clock },
    identity: identity.identity,
    keys: keys.kind === 'read' ? keys.value : plan.keys,
    git: { ...plan.git, marks: own.marks },
    engineer: { ...plan.engineer, groups, clock, secrets },
  };
  const close = async (): Promise<void> => {
    await groups.endAll(gentleLadder(GRACE_MS));
    await own.close();
  };
  return { kind: 'open', house, leftovers, close };
}

/** Why a folder is not this user's alone to write; null: it is. What root owns is as good. */
function othersMayWrite({ uid, mode }: Stats): string | null {
  const own = process.getuid?.() ?? uid;
  if (uid !== own && uid !== 0) return `belongs to another user (${uid})`;
  return (mode & 0o022) === 0 ? null : `may be written by others (mode ${(mode & 0o777).toString(8)})`;
}

/** The mark of this process's own git: on disk and with the watchdog before the first one runs. */
async function ownMark(folder: string): Promise<{
  readonly guard: Watchdog;
  readonly marks: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}> {
  const nonce = randomBytes(12).toString('hex');
  const target = { group: null, marker: `${MARK}=${nonce}` };
  const self = await processIdentity();
  await writeGroupRecord(folder, { v: 1, leader: self, owner: self, marker: target.marker });
  const guard = new Watchdog();
  await guard.guards(target);
  const close = async (): Promise<void> => {
    // A program that git has started, ssh for one, may outlive it.
    await endProcesses(target, gentleLadder(GRACE_MS), systemProcessTable());
    guard.ended(target);
    guard.close();
    await removeGroupRecord(folder, self.pid);
  };
  return { guard, marks: { [MARK]: nonce }, close };
}
