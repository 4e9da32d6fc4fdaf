/**
 * The folders of briefs in a runner's folder: taken once by one brief, kept after a failure, found again by name and mark.
 *
 *  L1 a folder that is there is never used again, whoever made it (case L226): an offer has an id of its own, and what
 *     another process left may still be written to;
 *  L2 a folder is ours only when the mark in it names it; nothing else is ever listed or removed.
 */

import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, realpath, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Clock, isoStamp, systemClock } from '../../shared/clock.js';
import { writeNewFile } from '../../shared/durable-file.js';
import { systemCode } from '../../shared/errors.js';
import { identitySchema } from '../../shared/identity-schema.js';
import { makeFolder } from '../../shared/make-folder.js';
import {
  liveness,
  type ProcessSource,
  processIdentity,
  systemProcessSource,
} from '../../shared/process-identity.js';
import { failed, fileFailure, type WorkspaceFailure } from './our-git.js';
import { readPlainFile } from './plain-file.js';
import { removeTree } from './remove-tree.js';
import type { BriefPlaces } from './workspace.js';

/** Begins the name of a folder that is being made. */
export const UNFINISHED = '.new-';

const MARK = 'brief.json';
const KEPT = 'kept.json';

const mark = z.object({
  v: z.literal(1),
  brief: z.string(),
  owner: identitySchema,
  at: z.iso.datetime(),
});
const keptMark = z.object({ v: z.literal(1), brief: z.string(), at: z.iso.datetime(), why: z.string() });

/** More than a mark has. */
const MARK_BYTES = 64 << 10;

export interface KeptBrief {
  readonly brief: string;
  readonly root: string;
  /** Since when, and why it was kept, for people. */
  readonly at: string;
  readonly why: string;
  /** Whether its runner has said so; else it died before it could. */
  readonly marked: boolean;
}

export function briefsFolder(workdir: string): string {
  return join(workdir, 'briefs');
}

/** @param brief an id, which is one name of a folder */
export function briefPlaces(workdir: string, brief: string): BriefPlaces {
  const root = join(briefsFolder(workdir), brief);
  return {
    root,
    tree: join(root, 'tree'),
    home: join(root, 'home'),
    quarantine: join(root, 'quarantine.git'),
    transcript: join(root, 'transcript'),
  };
}

/** Whose folder it is that could not be taken. */
export type Taken = { readonly kind: 'taken'; readonly detail: string };

/**
 * Makes the folder of a brief, with an empty home in it; one that is there already is refused (L1). It gets its name once
 * its mark is in it, so that a folder without one is nobody's who lives; of a failure nothing is left.
 */
export async function takePlaces(
  workdir: string,
  brief: string,
  clock: Clock = systemClock,
): Promise<BriefPlaces | Taken | WorkspaceFailure> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(brief))
    return failed('workspace', `"${brief}" is no id of a brief, so no folder is made for it`);
  const folder = briefsFolder(workdir);
  const fresh = join(folder, `${UNFINISHED}${randomBytes(8).toString('hex')}`);
  try {
    await makeFolder(folder, 0o700);
    const places = briefPlaces(await realpath(workdir), brief);
    if (await isThere(places.root)) return isTaken(places.root);
    await mkdir(fresh, { mode: 0o700 });
    const own = { v: 1, brief, owner: await processIdentity(), at: isoStamp(clock.wallMs()) };
    await writeNewFile(join(fresh, MARK), `${JSON.stringify(own)}\n`, 0o600);
    await mkdir(join(fresh, 'home'), { mode: 0o700 });
    await rename(fresh, places.root);
    return places;
  } catch (error) {
    const { root } = briefPlaces(workdir, brief);
    await removeTree(fresh).catch(() => {}); // what cannot go now is found by its name
    return ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(systemCode(error) ?? '')
      ? isTaken(root)
      : fileFailure(error, `workspace ${root}`);
  }
}

function isTaken(root: string): Taken {
  return {
    kind: 'taken',
    detail:
      `workspace ${root}: it is there already, so this offer was taken before, here or by another runner with this workdir; ` +
      'it is not used again: give each runner a workdir of its own, or remove it with bnerd runner prune',
  };
}

/** Marks the folder of a brief that has ended as kept: it may be looked at, and pruned. */
export async function keepPlaces(
  { root }: Pick<BriefPlaces, 'root'>,
  kept: Omit<KeptBrief, 'root' | 'marked'>,
): Promise<void> {
  // A name that was planted here is replaced, not written through.
  const fresh = join(root, `${KEPT}.${randomBytes(8).toString('hex')}`);
  await writeNewFile(fresh, `${JSON.stringify({ v: 1, ...kept })}\n`, 0o600);
  await rename(fresh, join(root, KEPT));
}

/** The folders that are kept, by their names; one whose runner has died before it could say so is kept since it was taken. */
export async function keptBriefs(
  workdir: string,
  source: ProcessSource = systemProcessSource(),
): Promise<readonly KeptBrief[]> {
  const folder = briefsFolder(workdir);
  const items = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  });
  const found: KeptBrief[] = [];
  for (const { name } of items.filter((item) => item.isDirectory())) {
    const kept = await keptBrief(workdir, name, source);
    if (kept !== undefined) found.push(kept);
  }
  return found.sort((one, other) => (one.brief < other.brief ? -1 : 1));
}

/** The folder of one brief, if it is kept; `keptBriefs` looks into every one there is. */
export async function keptBrief(
  workdir: string,
  brief: string,
  source: ProcessSource = systemProcessSource(),
): Promise<KeptBrief | undefined> {
  const { root } = briefPlaces(workdir, brief);
  const own = mark.safeParse(await readJson(join(root, MARK)));
  if (own.data?.brief !== brief) return undefined; // L2
  const kept = keptMark.safeParse(await readJson(join(root, KEPT)));
  if (kept.data?.brief === brief) return { brief, root, at: kept.data.at, why: kept.data.why, marked: true };
  const { owner, at } = own.data;
  if ((await liveness(owner, await processIdentity(source), source)) !== 'dead') return undefined;
  return { brief, root, at, why: `its runner, process ${owner.pid}, has died`, marked: false };
}

/** Whether the folder of a brief carries its mark, whoever has made it. */
export async function isMarked(workdir: string, brief: string): Promise<boolean> {
  return mark.safeParse(await readJson(join(briefPlaces(workdir, brief).root, MARK))).data?.brief === brief;
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function readJson(path: string): Promise<unknown> {
  const read = await readPlainFile(path, MARK_BYTES);
  if (read.kind !== 'read') return undefined;
  try {
    return JSON.parse(read.bytes.toString('utf8'));
  } catch {
    return undefined; // an engineer can write here: then it is no mark
  }
}
