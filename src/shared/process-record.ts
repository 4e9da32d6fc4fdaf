/**
 * The note on disk about a process group: written before its work starts, removed after its end, so that the
 * next start can end what a killed owner left behind (case Q36, invariant 6).
 *
 * One file a group, `<folder>/<group id>.json`, put in place by rename: a reader never sees half of one. No
 * fsync: it must outlive the owner, not the machine, whose end is the end of the group too.
 */

import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { systemCode } from './errors.js';
import { identitySchema } from './identity-schema.js';
import { inFolder } from './make-folder.js';

const groupRecord = z.object({
  v: z.literal(1),
  /** The first process of the group; its number is the group's id. */
  leader: identitySchema,
  /** Who started it and is to end it. */
  owner: identitySchema,
  /** `NAME=value` in the environment of every process of the group. */
  marker: z.string().min(1),
  /** For whom it runs, as `GroupSpec.owner`; absent: for nobody in particular. */
  for: z.string().min(1).optional(),
});

export type GroupRecord = z.infer<typeof groupRecord>;

/** A record file as found; `record` null when it cannot be read as one. */
export interface FoundRecord {
  readonly file: string;
  readonly record: GroupRecord | null;
}

/** Writes the record of a group; the folder is made when it is missing (0700): who leaves takes an empty one away. */
export async function writeGroupRecord(folder: string, record: GroupRecord): Promise<void> {
  const place = recordFile(folder, record.leader.pid);
  const temporary = `${place}.${record.owner.pid}.tmp`; // one group, one owner: no two write the same name
  await inFolder(folder, 0o700, async () => {
    await writeFile(temporary, `${JSON.stringify(record)}\n`, { mode: 0o600 });
    await rename(temporary, place);
  });
}

/** Removes the record of a group; a missing one is no error. */
export async function removeGroupRecord(folder: string, group: number): Promise<void> {
  await rm(recordFile(folder, group), { force: true });
}

/** Every record of a folder, in the order of their names; a missing folder has none. */
export async function readGroupRecords(folder: string): Promise<readonly FoundRecord[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  });
  const found: FoundRecord[] = [];
  for (const name of names.filter((each) => /^\d+\.json$/.test(each)).sort()) {
    const file = join(folder, name);
    found.push({ file, record: await readRecord(file) });
  }
  return found;
}

async function readRecord(file: string): Promise<GroupRecord | null> {
  try {
    return groupRecord.safeParse(JSON.parse(await readFile(file, 'utf8'))).data ?? null;
  } catch {
    return null; // not JSON, or unreadable: the caller reports it by its name
  }
}

function recordFile(folder: string, group: number): string {
  return join(folder, `${group}.json`);
}
