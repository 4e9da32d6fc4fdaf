/**
 * Walks from a root down to a directory without following a link, with no gap between check and use (measured:
 * design/library-facts.md "Files").
 *
 * On Linux each directory is opened with O_DIRECTORY|O_NOFOLLOW below the descriptor of the one before, as
 * `/proc/self/fd/<n>/<name>`: a link swapped in meanwhile is met by the system call itself. Elsewhere each part
 * is checked, the directory is opened with O_NOFOLLOW, and `unmoved` compares afterwards: whoever uses an entry
 * asks it before believing what was read, and before and after a change.
 *
 * Every link is refused, also one that stays inside: a simple rule that needs no second look.
 */

import type { Stats } from 'node:fs';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { access, lstat, mkdir, open } from 'node:fs/promises';
import { systemCode } from '../../shared/errors.js';

/** An open directory inside a root. Its owner closes it. */
export interface Directory {
  /** A path by which file functions reach an entry of this very directory. */
  entry(name: string): string;
  /** Whether the way here is still the one that was walked. */
  unmoved(): Promise<boolean>;
  /** Makes changes of its entries durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export type WalkFailure =
  /** `depth`: index of the segment that failed, -1 for the root itself. */
  | { readonly kind: 'missing'; readonly depth: number }
  | { readonly kind: 'link'; readonly depth: number }
  | { readonly kind: 'not-a-directory'; readonly depth: number }
  | { readonly kind: 'stopped'; readonly depth: number; readonly reason: string };

export type WalkOutcome = { readonly kind: 'open'; readonly directory: Directory } | WalkFailure;

/** `descriptor` needs Linux with /proc; `checked` works everywhere. */
export type WalkMode = 'descriptor' | 'checked';

export interface WalkOptions {
  /** Makes directories that are missing. */
  readonly create?: boolean;
  /** Asked at every directory before its next segment is used or made; a text stops the walk. */
  readonly inspect?: (directory: Directory, next: string) => Promise<string | undefined>;
  /** Chosen by the system unless given. */
  readonly mode?: WalkMode;
}

const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Opens the directory that `segments` name below `root`. `segments` hold no `.`, `..`, slash or NUL. */
export async function openDirectory(
  root: string,
  segments: readonly string[],
  options: WalkOptions = {},
): Promise<WalkOutcome> {
  const mode = options.mode ?? (await walkMode());
  let outcome = await step(null, root, -1, mode);
  for (const [depth, name] of segments.entries()) {
    if (outcome.kind !== 'open') return outcome;
    const parent = outcome.directory;
    try {
      const reason = await options.inspect?.(parent, name);
      if (reason !== undefined) return { kind: 'stopped', depth, reason };
      if (options.create === true) await make(parent.entry(name));
      outcome = await step(parent, name, depth, mode);
    } finally {
      await parent.close();
    }
  }
  return outcome;
}

/** Opens a directory below an open one. */
export async function openBelow(parent: Directory, name: string): Promise<WalkOutcome> {
  return step(parent, name, 0, parent instanceof DescriptorDirectory ? 'descriptor' : 'checked');
}

async function walkMode(): Promise<WalkMode> {
  if (process.platform !== 'linux') return 'checked';
  return access('/proc/self/fd').then(
    () => 'descriptor',
    () => 'checked', // no /proc mounted
  );
}

async function make(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error; // whatever it is, the walk looks at it next
  }
}

async function step(
  parent: Directory | null,
  name: string,
  depth: number,
  mode: WalkMode,
): Promise<WalkOutcome> {
  const path = parent === null ? name : parent.entry(name);
  let handle: FileHandle;
  try {
    handle = await open(path, OPEN_DIRECTORY);
  } catch (error) {
    return failure(error, path, depth);
  }
  if (mode === 'descriptor') return { kind: 'open', directory: new DescriptorDirectory(handle) };
  const way = parent instanceof CheckedDirectory ? parent.way : [];
  const directory = new CheckedDirectory(handle, path, [...way, { path, stats: await handle.stat() }]);
  if (await directory.unmoved()) return { kind: 'open', directory };
  await directory.close();
  return { kind: 'link', depth };
}

/** A link gives ENOTDIR on Linux and ELOOP elsewhere: a look tells which it was, for the message only. */
async function failure(error: unknown, path: string, depth: number): Promise<WalkFailure> {
  const code = systemCode(error);
  if (code === 'ENOENT') return { kind: 'missing', depth };
  if (code === 'ELOOP') return { kind: 'link', depth };
  if (code !== 'ENOTDIR') throw error;
  const stats = await lstat(path).catch(() => undefined);
  return { kind: stats?.isSymbolicLink() === true ? 'link' : 'not-a-directory', depth };
}

class DescriptorDirectory implements Directory {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  entry(name: string): string {
    return `/proc/self/fd/${this.#handle.fd}/${name}`;
  }

  async unmoved(): Promise<boolean> {
    return true; // a descriptor cannot be led elsewhere
  }

  sync(): Promise<void> {
    return this.#handle.sync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

interface Checked {
  readonly path: string;
  readonly stats: Stats;
}

class CheckedDirectory implements Directory {
  readonly #handle: FileHandle;
  readonly #path: string;
  /** Every directory from the root to here, as it was when it was opened. */
  readonly way: readonly Checked[];

  constructor(handle: FileHandle, path: string, way: readonly Checked[]) {
    this.#handle = handle;
    this.#path = path;
    this.way = way;
  }

  entry(name: string): string {
    return `${this.#path}/${name}`;
  }

  async unmoved(): Promise<boolean> {
    for (const { path, stats } of this.way) {
      const now = await lstat(path).catch(() => undefined);
      if (now === undefined || !now.isDirectory()) return false;
      if (now.dev !== stats.dev || now.ino !== stats.ino) return false;
    }
    return true;
  }

  sync(): Promise<void> {
    return this.#handle.sync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
