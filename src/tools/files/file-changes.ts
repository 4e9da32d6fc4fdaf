/**
 * Changes of files: written aside and renamed into place, named by the digest last read.
 *
 *  W1 a file is at every moment its old or its new self, never half of one, also after a crash;
 *  W2 changing or deleting an existing file names its present digest: two members never overwrite each other
 *     unseen. Within this process changes go one after the other; a new file never replaces one that another
 *     process made meanwhile;
 *  W3 no directory becomes a git directory by a write, and none that is one is written into;
 *  W4 only regular files are replaced or deleted, and only inside the workspace.
 */

import { lstat, unlink } from 'node:fs/promises';
import { sha256 } from '../../shared/digest.js';
import type { Refusal } from '../define-tool.js';
import { refused } from '../define-tool.js';
import type { WriteLocation } from './confinement.js';
import { checkWritable, openEntry, walkText } from './confinement.js';
import type { Directory, WalkMode } from './descriptor-walk.js';
import { openDirectory } from './descriptor-walk.js';
import { FILE_BYTES, fileSha256 } from './file-content.js';
import { GIT_DIRECTORY_NAMES, looksLikeGitDirectory } from './protected-paths.js';
import { clearAbandoned, putFile } from './put-file.js';
import type { Roots } from './roots.js';

export interface FileChange {
  readonly kind: 'changed';
  /** Path as shown to a model. */
  readonly shown: string;
  readonly created: boolean;
  /** SHA-256 of what stands there now. */
  readonly digest: string;
  readonly bytes: number;
}

export interface FileChangesOptions {
  readonly roots: Roots;
  /** The recipe's `edits_agents`. */
  readonly editsAgents: boolean;
  /** For tests of the way that other systems than Linux take. */
  readonly mode?: WalkMode;
}

/** The one writer of a workspace in this process: make one for a team and share it (W2). */
export class FileChanges {
  readonly #options: FileChangesOptions;
  #last: Promise<unknown> = Promise.resolve();
  /** Directories of the workspace that were looked through for abandoned files. */
  readonly #cleared = new Set<string>();

  constructor(options: FileChangesOptions) {
    this.#options = options;
  }

  /** The check by text alone; what `prepare` of a tool asks. */
  check(path: string): WriteLocation | Refusal {
    return checkWritable(this.#options.roots, path, this.#options.editsAgents);
  }

  /**
   * Writes a whole file; missing directories are made.
   * @param digest SHA-256 of the file it replaces; absent when it must not exist yet
   */
  write(
    path: string,
    content: string,
    digest: string | undefined,
    signal: AbortSignal,
  ): Promise<FileChange | Refusal> {
    return this.#inTurn(() =>
      this.#withParent(path, true, async (writable, directory, name) => {
        const old = await presentState(writable, directory, name, digest, signal);
        if (old.kind === 'refused') return old;
        const bytes = Buffer.from(content, 'utf8');
        await this.#clearOnce(writable, directory);
        const reason = await putFile(directory, name, bytes, old.kind === 'present' ? old.mode : undefined);
        if (reason !== undefined) return refused(`${writable.location.shown} ${reason}`);
        const shown = writable.location.shown;
        return {
          kind: 'changed',
          shown,
          created: old.kind === 'absent',
          digest: sha256(bytes),
          bytes: bytes.length,
        };
      }),
    );
  }

  /** Deletes a regular file that has this digest. */
  remove(path: string, digest: string, signal: AbortSignal): Promise<FileChange | Refusal> {
    return this.#inTurn(() =>
      this.#withParent(path, false, async (writable, directory, name) => {
        const old = await presentState(writable, directory, name, digest, signal);
        if (old.kind === 'refused') return old;
        if (old.kind === 'absent') return refused(`${writable.location.shown} does not exist`);
        await unlink(directory.entry(name));
        await directory.sync();
        return { kind: 'changed', shown: writable.location.shown, created: false, digest, bytes: 0 };
      }),
    );
  }

  /** What a killed process left beside its files goes with the first write into the same directory. */
  async #clearOnce({ location }: WriteLocation, directory: Directory): Promise<void> {
    const key = location.segments.slice(0, -1).join('/');
    if (this.#cleared.has(key)) return;
    this.#cleared.add(key);
    await clearAbandoned(directory);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {}); // its own caller hears of it; the next change does not
    return turn;
  }

  async #withParent(
    path: string,
    create: boolean,
    use: (writable: WriteLocation, directory: Directory, name: string) => Promise<FileChange | Refusal>,
  ): Promise<FileChange | Refusal> {
    const writable = this.check(path);
    if (writable.kind === 'refused') return writable;
    const { location } = writable;
    const name = location.segments.at(-1) ?? '';
    const { mode } = this.#options;
    const outcome = await openDirectory(location.root, location.segments.slice(0, -1), {
      create,
      inspect: (directory, next) => gitDirectoryReason(directory, next, location.shown),
      ...(mode === undefined ? {} : { mode }),
    });
    if (outcome.kind !== 'open') return refused(walkText(location, outcome));
    const { directory } = outcome;
    try {
      const reason = await gitDirectoryReason(directory, name, location.shown);
      return reason === undefined ? await use(writable, directory, name) : refused(reason);
    } finally {
      await directory.close();
    }
  }
}

/** W3: asked at every directory on the way, about its entries and the one to come. */
async function gitDirectoryReason(
  directory: Directory,
  next: string,
  shown: string,
): Promise<string | undefined> {
  const present = await Promise.all(
    GIT_DIRECTORY_NAMES.map(async (name) => {
      const stats = await lstat(directory.entry(name)).catch(() => undefined); // missing, or unreadable: not git's
      return stats === undefined ? [] : [name];
    }),
  );
  if (!looksLikeGitDirectory([...present.flat(), next])) return undefined;
  return `${shown} is refused: a directory on the way is, or would become, a git directory (HEAD, objects, refs)`;
}

type State = { readonly kind: 'absent' } | { readonly kind: 'present'; readonly mode: number } | Refusal;

/** What stands there, checked against the digest that the caller named (W2, W4). */
async function presentState(
  writable: WriteLocation,
  directory: Directory,
  name: string,
  digest: string | undefined,
  signal: AbortSignal,
): Promise<State> {
  const file = await openEntry(writable.location, directory, name);
  const { shown } = writable.location;
  if (file === undefined) {
    if (digest === undefined) return { kind: 'absent' };
    return refused(`${shown} does not exist (any more), so digest ${digest} names nothing; leave digest out`);
  }
  if ('kind' in file) return file;
  try {
    if (file.size > FILE_BYTES) {
      return refused(`${shown} has ${file.size} bytes; allowed are files up to ${FILE_BYTES} bytes`);
    }
    const present = await fileSha256(file.handle, signal);
    if (present === digest) return { kind: 'present', mode: file.mode };
    const found = digest === undefined ? 'no digest was named' : `digest ${digest} was named`;
    return refused(
      `${shown} exists and ${found}; its digest is now ${present}. ` +
        'Read it again, and name this digest if the change still holds',
    );
  } finally {
    await file.handle.close();
  }
}
