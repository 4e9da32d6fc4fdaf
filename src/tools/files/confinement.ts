/**
 * The guard of file tools: from a path of a model to an open regular file or directory inside the roots, or a
 * refusal (spec/team.md §2). Nothing else in this folder opens a path of a model.
 *
 * Checked in this order: the text of the path (`roots.ts`), the secret list (`secret-paths.ts`), for writing the
 * protected places (`protected-paths.ts`), then the way there on disk (`descriptor-walk.ts`), then what it is.
 *
 * A file with a second name elsewhere (a hard link) is a file of this place too: package managers link their files so,
 * and nothing a member holds makes such a link to what it cannot read. It is read, and replaced, never written through.
 * What is mounted below a root belongs to the root: whoever mounts is the operator.
 */

import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, open } from 'node:fs/promises';
import { assertNever } from '../../shared/assert-never.js';
import { systemCode } from '../../shared/errors.js';
import type { Refusal } from '../define-tool.js';
import { refused } from '../define-tool.js';
import type { Directory, WalkFailure, WalkMode } from './descriptor-walk.js';
import { openDirectory } from './descriptor-walk.js';
import { writeVerdict } from './protected-paths.js';
import type { Location, Roots } from './roots.js';
import { isInReadRoot, locate, locateForReading } from './roots.js';
import { holdsPrivateKey, secretText, secretVerdict } from './secret-paths.js';

/** A regular file, open for reading; its owner closes it. */
export interface OpenFile {
  readonly location: Location;
  readonly handle: FileHandle;
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
}

/** A directory inside a root; its owner closes it. */
export interface OpenFolder {
  readonly location: Location;
  readonly directory: Directory;
}

/** Where a write may go. `agents`: it lies in an agent folder, which the recipe has opened. */
export interface WriteLocation {
  readonly kind: 'writable';
  readonly location: Location;
  readonly agents: boolean;
}

/** Not waiting for the other end of a pipe, and no terminal of ours. */
const OPEN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Longest file that is searched for a private key; a longer one of such a name is refused. */
const KEY_BYTES = 256 * 1024;

/** The check by text alone of a file that is to be read. */
export function checkReadable(roots: Roots, path: string): readonly Location[] | Refusal {
  const locations = locateForReading(roots, path);
  if ('kind' in locations) return locations;
  for (const { segments, shown } of locations) {
    const verdict = secretVerdict(segments);
    if (verdict.kind === 'secret') return refused(secretText(shown, verdict.what));
  }
  return locations;
}

/** The check by text alone of a file that is to be written or deleted. */
export function checkWritable(roots: Roots, path: string, editsAgents: boolean): WriteLocation | Refusal {
  const location = locate(roots, path);
  if (location.kind === 'refused') return location;
  const { shown, segments } = location;
  if (location.area === 'reads' || isInReadRoot(roots, location)) {
    return refused(
      `${shown} lies in a read root, which is only read; allowed are paths inside the workspace`,
    );
  }
  if (segments.length === 0 || location.directory) {
    return refused(`${shown} names a directory; allowed is the path of a file`);
  }
  const secret = secretVerdict(segments);
  if (secret.kind === 'secret') return refused(secretText(shown, secret.what));
  const verdict = writeVerdict(segments);
  switch (verdict.kind) {
    case 'free':
      return { kind: 'writable', location, agents: false };
    case 'git':
      return refused(
        `${shown} is refused: nothing is ever written below "${verdict.name}"; use the git tools`,
      );
    case 'agents':
      if (editsAgents) return { kind: 'writable', location, agents: true };
      return refused(
        `${shown} is refused: "${verdict.name}" holds what decides about members; ` +
          'a recipe with "edits_agents: true" lets the operator confirm such a write',
      );
    default:
      return assertNever(verdict, 'write verdict');
  }
}

/** Opens a regular file for reading. */
export async function openFile(roots: Roots, path: string, mode?: WalkMode): Promise<OpenFile | Refusal> {
  const locations = checkReadable(roots, path);
  if ('kind' in locations) return locations;
  for (const location of locations) {
    const file = await openAt(location, mode);
    if (file !== undefined) return file;
  }
  return refused(`${locations[0]?.shown ?? path} does not exist${elsewhere(locations.length)}`);
}

/** Opens a directory for listing. */
export async function openFolder(roots: Roots, path: string, mode?: WalkMode): Promise<OpenFolder | Refusal> {
  const locations = locateForReading(roots, path);
  if ('kind' in locations) return locations;
  for (const location of locations) {
    const outcome = await openDirectory(location.root, location.segments, mode === undefined ? {} : { mode });
    if (outcome.kind === 'open') return { location, directory: outcome.directory };
    if (outcome.kind !== 'missing') return refused(walkText(location, outcome));
  }
  return refused(`${locations[0]?.shown ?? path} does not exist${elsewhere(locations.length)}`);
}

/** Opens an entry of an open directory, as `openFile` does; undefined when there is none. */
export async function openEntry(
  location: Location,
  directory: Directory,
  name: string,
): Promise<OpenFile | Refusal | undefined> {
  const path = directory.entry(name);
  const before = await look(path);
  if (before === undefined) return undefined;
  const kind = entryKind(before);
  if (kind !== 'file') return refused(notAFile(location, kind));
  let handle: FileHandle;
  try {
    handle = await open(path, OPEN_FILE);
  } catch (error) {
    // Swapped between the look and here: by then the system call itself has met the link.
    if (systemCode(error) === 'ELOOP') return refused(notAFile(location, 'link'));
    throw error;
  }
  let kept = false;
  try {
    const reason = await refusalOfOpen(location, directory, handle);
    if (reason !== undefined) return refused(reason);
    const { size, mode } = await handle.stat();
    kept = true;
    return { location, handle, size, mode: mode & 0o777 };
  } finally {
    if (!kept) await handle.close();
  }
}

/** What an entry is, as far as tools tell things apart. */
export type EntryKind = 'file' | 'directory' | 'link' | 'special';

export function entryKind(stats: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): EntryKind {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'link' : 'special';
}

/** The sentence about an entry that is not a regular file. */
function notAFile(location: Location, kind: Exclude<EntryKind, 'file'>): string {
  const { shown } = location;
  switch (kind) {
    case 'directory':
      return `${shown} is a directory; allowed is a regular file (fs_list shows what it holds)`;
    case 'link':
      return `${shown} is a symbolic link; links are not followed, name the file itself`;
    case 'special':
      return `${shown} is a pipe, socket or device; allowed is a regular file`;
    default:
      return assertNever(kind, 'entry kind');
  }
}

/** The sentence about a walk that did not reach its end. */
export function walkText(location: Location, failure: WalkFailure): string {
  const { shown, segments } = location;
  const part = failure.depth < 0 ? 'its root' : JSON.stringify(segments[failure.depth] ?? '');
  switch (failure.kind) {
    case 'missing':
      return `${shown} does not exist: there is no ${part}`;
    case 'link':
      return `${shown} is refused: ${part} is a symbolic link; links are not followed`;
    case 'not-a-directory':
      return `${shown} does not exist: ${part} is not a directory`;
    case 'stopped':
      return failure.reason;
    default:
      return assertNever(failure, 'walk failure');
  }
}

async function openAt(
  location: Location,
  mode: WalkMode | undefined,
): Promise<OpenFile | Refusal | undefined> {
  const name = location.segments.at(-1);
  if (name === undefined || location.directory) return refused(notAFile(location, 'directory'));
  const parents = location.segments.slice(0, -1);
  const outcome = await openDirectory(location.root, parents, mode === undefined ? {} : { mode });
  if (outcome.kind === 'missing') return undefined;
  if (outcome.kind !== 'open') return refused(walkText(location, outcome));
  try {
    return await openEntry(location, outcome.directory, name);
  } finally {
    await outcome.directory.close();
  }
}

async function look(path: string): Promise<Awaited<ReturnType<typeof lstat>> | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Of what was really opened, not of what stood there before. */
async function refusalOfOpen(
  location: Location,
  directory: Directory,
  handle: FileHandle,
): Promise<string | undefined> {
  const stats = await handle.stat();
  const kind = entryKind(stats);
  if (kind !== 'file') return notAFile(location, kind);
  if (!(await directory.unmoved()))
    return `${location.shown} is refused: its directory was replaced meanwhile`;
  const verdict = secretVerdict(location.segments);
  if (verdict.kind === 'plain') return undefined;
  const start = Buffer.alloc(Math.min(stats.size, KEY_BYTES));
  await handle.read(start, 0, start.length, 0);
  const secret = verdict.kind === 'secret' || stats.size > KEY_BYTES || holdsPrivateKey(start);
  return secret ? secretText(location.shown, verdict.what) : undefined;
}

function elsewhere(places: number): string {
  return places > 1 ? ' (neither in the workspace nor in a read root)' : '';
}
