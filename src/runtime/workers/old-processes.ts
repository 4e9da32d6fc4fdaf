/**
 * What tools of a member have started on this machine, whichever process of ours started it: known by the notes that are
 * written before such a process begins its work (`process-record.ts`).
 */

import { rm } from 'node:fs/promises';
import { endProcesses, KILL_LADDER } from '../../shared/process-ending.js';
import { lookAtProcess, processIdentity } from '../../shared/process-identity.js';
import { type FoundRecord, readGroupRecords } from '../../shared/process-record.js';
import { systemProcessTable } from '../../shared/process-table.js';

type Found = FoundRecord & { readonly record: NonNullable<FoundRecord['record']> };

/** The notes about processes that were started for this member. @param folder where they are */
export async function processesFor(folder: string, member: string): Promise<readonly Found[]> {
  const found = await readGroupRecords(folder);
  return found.filter((one): one is Found => one.record?.for === member);
}

/**
 * Ends what these notes name, at once. Those of another boot are gone, and those of another process table cannot be looked
 * at from here: they are left alone.
 * @returns the processes that could not be ended
 */
export async function endProcessesFor(old: readonly Found[]): Promise<readonly number[]> {
  if (old.length === 0) return [];
  const self = await processIdentity();
  const table = systemProcessTable();
  const left = await Promise.all(
    old.map(async ({ file, record: { leader, marker } }) => {
      if (leader.pidNamespace !== self.pidNamespace || leader.bootId !== self.bootId) return [];
      const look = await lookAtProcess(leader.pid);
      const same = look.kind === 'running' && look.startedAt === leader.startedAt;
      const group = same ? { id: leader.pid, startedAt: leader.startedAt } : null;
      const ending = await endProcesses({ group, marker }, KILL_LADDER, table);
      if (ending.left.length === 0) await rm(file, { force: true });
      return ending.left;
    }),
  );
  return left.flat();
}
