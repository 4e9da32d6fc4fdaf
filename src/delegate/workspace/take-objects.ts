/**
 * What an engineer has committed, carried out of its repository by plain reading (W1): files of objects and the name that
 * its branch has, into a repository of ours, from which it is then fetched with all checks.
 *
 * No git is run in the engineer's repository, and of what it says there nothing is obeyed: no configuration or include of
 * one, no hook, no alternates (another repository's objects would travel as its own), no replaced or grafted history, no
 * shallow mark, no pointer to another git directory, no link in any place. What is copied may still be nonsense: it is
 * judged by the fetch, where every object gets its name anew from its content.
 *
 * Only for a repository whose engineer has ended: what is looked at does not change meanwhile.
 */

import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { commitName } from '../brief/brief.js';
import { isPlainFolder, liesAt, openPlainFile, readPlainFile } from './plain-file.js';

export interface TakeBounds {
  /** Of all files that are copied, and how many these may be. */
  readonly bytes: number;
  readonly files: number;
}

export interface TakeOrder {
  /** The engineer's tree, as a real path. */
  readonly tree: string;
  readonly branch: string;
  /** `objects` of a repository of ours. */
  readonly into: string;
  /** Files that need not be copied, since all that is in them is there already. */
  readonly given: readonly string[];
  readonly bounds: TakeBounds;
}

export type Taken =
  | {
      readonly kind: 'taken';
      /** The commit that the branch names. */
      readonly head: string;
      /** What HEAD says when it is not the branch: a ref or a commit. */
      readonly strayed: string | null;
    }
  | { readonly kind: 'refused'; readonly cause: 'workspace' | 'result_too_large'; readonly why: string };

/** Many branches make a list of this length; the engineer was given one. */
const REFS_BYTES = 4 << 20;
const REF_BYTES = 4 << 10;

export async function takeObjects(order: TakeOrder, signal: AbortSignal): Promise<Taken> {
  const gitDir = join(order.tree, '.git');
  if (!(await isPlainFolder(gitDir)))
    return refused('.git is no folder any more: the engineer has removed or replaced it');
  const head = await branchHead(gitDir, order.branch);
  if (typeof head !== 'string') return head;
  const copied = await new Copying(order, signal).all(join(gitDir, 'objects'));
  return copied ?? { kind: 'taken', head, strayed: await strayed(gitDir, order.branch) };
}

function refused(why: string, cause: 'workspace' | 'result_too_large' = 'workspace'): Taken {
  return { kind: 'refused', cause, why };
}

/** A file of its own wins over the list of packed refs, as for git. */
async function branchHead(gitDir: string, branch: string): Promise<string | Taken> {
  const ref = `refs/heads/${branch}`;
  const folder = join(gitDir, ...ref.split('/').slice(0, -1));
  if (await isPlainFolder(folder)) {
    const loose = await readPlainFile(join(gitDir, ref), REF_BYTES);
    if (loose.kind === 'unusable') return refused(`branch ${branch} ${loose.why}`);
    if (loose.kind === 'read') {
      const name = commitName.safeParse(loose.bytes.toString('latin1').trim());
      return name.data ?? refused(`branch ${branch} names no commit`);
    }
  }
  const packed = await readPlainFile(join(gitDir, 'packed-refs'), REFS_BYTES);
  if (packed.kind === 'unusable') return refused(`the list of its branches ${packed.why}`);
  if (packed.kind === 'read') {
    const line = packed.bytes
      .toString('latin1')
      .split('\n')
      .find((each) => each.endsWith(` ${ref}`));
    const name = commitName.safeParse(line?.split(' ')[0]);
    if (name.success) return name.data;
  }
  return refused(`branch ${branch} is gone: the engineer has removed or renamed it`);
}

async function strayed(gitDir: string, branch: string): Promise<string | null> {
  const read = await readPlainFile(join(gitDir, 'HEAD'), REF_BYTES);
  if (read.kind !== 'read') return 'nothing';
  const text = read.bytes.toString('utf8').trim();
  return text === `ref: refs/heads/${branch}` ? null : text.replace(/^ref: /, '');
}

/** `ab/cdef…` */
const FAN = /^[0-9a-f]{2}$/;
const LOOSE = /^(?:[0-9a-f]{38}|[0-9a-f]{62})$/;
const PACK = /^pack-[0-9a-f]{40,64}\.(?:pack|idx)$/;

const CHUNK_BYTES = 1 << 20;

class Copying {
  readonly #order: TakeOrder;
  readonly #signal: AbortSignal;
  readonly #buffer = Buffer.alloc(CHUNK_BYTES);
  #bytes = 0;
  #files = 0;

  constructor(order: TakeOrder, signal: AbortSignal) {
    this.#order = order;
    this.#signal = signal;
  }

  /** Null: all is copied. */
  async all(objects: string): Promise<Taken | null> {
    if (!(await isPlainFolder(objects))) return refused('its folder of objects is gone or a link');
    const given = new Set(this.#order.given.flatMap((name) => [name, name.replace(/\.pack$/, '.idx')]));
    for (const folder of (await readdir(objects)).sort()) {
      const isPacks = folder === 'pack';
      if (!isPacks && !FAN.test(folder)) continue;
      const names = isPacks ? PACK : LOOSE;
      const problem = await this.#folder(
        join(objects, folder),
        folder,
        (name) => names.test(name) && !given.has(name),
      );
      if (problem !== null) return problem;
    }
    return null;
  }

  async #folder(from: string, folder: string, isWanted: (name: string) => boolean): Promise<Taken | null> {
    if (!(await isPlainFolder(from))) return refused(`objects/${folder} is a link or no folder`);
    const wanted = (await readdir(from)).filter(isWanted);
    if (wanted.length === 0) return null;
    const into = join(this.#order.into, folder);
    await mkdir(into, { recursive: true });
    for (const name of wanted) {
      this.#signal.throwIfAborted();
      const problem = await this.#file(join(from, name), join(into, name), `objects/${folder}/${name}`);
      if (problem !== null) return problem;
    }
    return null;
  }

  async #file(from: string, into: string, shown: string): Promise<Taken | null> {
    const { bounds } = this.#order;
    this.#files += 1;
    if (this.#files > bounds.files)
      return refused(`it has more than ${bounds.files} files of objects`, 'result_too_large');
    const opened = await openPlainFile(from);
    if (opened.kind === 'missing') return null; // not there any more: the fetch says whether it is missed
    if (opened.kind === 'unusable') return refused(`${shown} ${opened.why}`);
    try {
      if (!(await liesAt(opened.file, from))) return refused(`${shown} lies behind a link`);
      const file = await open(into, 'wx', 0o600);
      try {
        return await this.#content(opened.file, file);
      } finally {
        await file.close();
      }
    } finally {
      await opened.file.close();
    }
  }

  async #content(from: FileHandle, into: FileHandle): Promise<Taken | null> {
    const { bytes: most } = this.#order.bounds;
    for (;;) {
      this.#signal.throwIfAborted();
      const { bytesRead } = await from.read(this.#buffer, 0, CHUNK_BYTES);
      if (bytesRead === 0) return null;
      this.#bytes += bytesRead;
      if (this.#bytes > most) return refused(`its objects have more than ${most} bytes`, 'result_too_large');
      await into.writeFile(this.#buffer.subarray(0, bytesRead));
    }
  }
}
