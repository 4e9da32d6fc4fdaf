/**
 * Opens a runner's folder: what killed runners have left running there is ended before anything else, then it is known who
 * this one is and whom it obeys, and a watchdog stands behind everything that it starts.
 *
 * Any number of processes may have the same folder open; each has its own groups in it.
 */

import { randomBytes } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorText } from '../../shared/errors.js';
import { gitDirectory } from '../../shared/git-directory.js';
import { makeFolder } from '../../shared/make-folder.js';
import { endProcesses, gentleLadder } from '../../shared/process-ending.js';
import { processIdentity } from '../../shared/process-identity.js';
import { endLeftovers, type Leftovers } from '../../shared/process-leftovers.js';
import { removeGroupRecord, writeGroupRecord } from '../../shared/process-record.js';
import { systemProcessTable } from '../../shared/process-table.js';
import { ProcessGroups } from '../../shared/processes.js';
import type { AcceptedKey } from '../../shared/signature.js';
import type { EngineerHouse } from '../engineers/run-engineer.js';
import { othersMayWrite } from '../keys/own-folder.js';
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
      /** What speaks against its folder, for people; null: nothing does. */
      readonly remark: string | null;
      /** Ends what still runs of it, and lets the watchdog go. */
      readonly close: () => Promise<void>;
    }
  | { readonly kind: 'refused'; readonly message: string };

/** Between TERM and KILL. */
const GRACE_MS = 1_000;

const MARK = 'BNERD_RUNNER_PROCESS';

/** Opens it, or says in one sentence why the folder cannot be a runner's. Never rejects. */
export async function openRunner(plan: RunnerPlan): Promise<OpenedRunner> {
  try {
    return await opened(plan);
  } catch (error) {
    return { kind: 'refused', message: `${plan.workdir} cannot be a runner's folder: ${errorText(error)}` };
  }
}

async function opened(plan: RunnerPlan): Promise<OpenedRunner> {
  await makeFolder(plan.workdir, 0o700);
  const workdir = await realpath(plan.workdir);
  const others = await othersMayWrite(workdir);
  if (others !== null)
    return {
      kind: 'refused',
      message: `${workdir} ${others}: whoever writes there says whom this runner obeys; give it a folder of its own`,
    };
  const folder = join(workdir, 'groups');
  const leftovers = await endLeftovers(folder);
  const identity = await openIdentity(workdir, plan.name);
  if (identity.kind === 'refused') return identity;
  const keys = await acceptedKeys(workdir);
  if (keys.kind === 'refused') return keys;
  const remark = await insideOfWork(workdir);
  const own = await ownMark(folder); // from here on nothing may fail: it is let go by `close` alone
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
  return { kind: 'open', house, leftovers, remark, close };
}

/**
 * A checkout finds modules and settings in the folders around it, so what passes there may fail elsewhere; and the work tree
 * shows the files of the runner as new ones. Whoever has their whole home in git lives with that: it is said, not refused.
 */
async function insideOfWork(workdir: string): Promise<string | null> {
  for (let folder = workdir; ; folder = dirname(folder)) {
    if ((await gitDirectory(folder)).kind === 'found')
      return `${workdir} lies in the git work tree ${folder}: what engineers make is tried among its files; name a workdir outside of it`;
    if (dirname(folder) === folder) return null;
  }
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
