/**
 * Results until they are in the record (spec/runner.md §3 "Report"): `outbox/<brief id>/` with `bundle`, where there is
 * one, and `result.json`. Read by the runner's parent, and after a crash by whoever comes next.
 *
 *  O1 a result is there whole or not at all, through a kill and a power cut: its bundle is in place before it is;
 *  O2 one brief has one result: a second is never put over the first;
 *  O3 it goes by acknowledgement, or by age, which is told; what is damaged is told and stays.
 */

import { randomBytes } from 'node:crypto';
import { link, lstat, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256 } from '../../shared/digest.js';
import { syncFolder, writeNewFile } from '../../shared/durable-file.js';
import { errorText, systemCode } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import { makeFolder } from '../../shared/make-folder.js';
import { BRIEF_BYTES } from '../brief/brief.js';
import { readResult } from '../brief/read.js';
import type { Result } from '../brief/result.js';
import { BUNDLE_BYTES } from '../workspace/bundle.js';
import { readPlainFile } from '../workspace/plain-file.js';
import { removeTree } from '../workspace/remove-tree.js';

export interface Waiting {
  readonly result: Result;
  /** The signed text, byte for byte. */
  readonly text: string;
  /** The file of the bundle; null: the result names none. */
  readonly bundle: string | null;
  /** When it was put there, in milliseconds since the epoch; for people. */
  readonly putMs: number;
}

export type OutboxRead =
  | { readonly kind: 'result'; readonly waiting: Waiting }
  /** No result: none was put there, or it was acknowledged, or whoever was writing it has not come to its end. */
  | { readonly kind: 'none' }
  | { readonly kind: 'damaged'; readonly finding: Finding };

/** Begins the name of what is on its way out. */
const GOING = '.going-';

export class Outbox {
  readonly #folder: string;

  /** @param workdir the runner's folder */
  constructor(workdir: string) {
    this.#folder = join(workdir, 'outbox');
  }

  /**
   * Puts a signed result in place, durably. `there`: this brief has one already, and it stays.
   * @param bundle a file on the same disk, which is moved
   */
  async put(result: Result, bundle: string | null): Promise<'put' | 'there'> {
    const folder = this.#of(result.brief);
    if ((await this.read(result.brief)).kind !== 'none') return 'there';
    try {
      await makeFolder(folder, 0o700);
      if (bundle !== null) {
        await syncFile(bundle);
        await rename(bundle, join(folder, 'bundle'));
        await syncFolder(folder);
      }
      await linkNew(join(folder, 'result.json'), JSON.stringify(result));
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return 'there';
      // Where the disk is full, what is of no use must not fill it.
      await takeBack(folder, bundle !== null).catch(() => {});
      throw error;
    }
    await syncFolder(folder);
    await syncFolder(this.#folder);
    return 'put';
  }

  /** Moves what lies there of a brief out of the way of another result; it is told as damaged, and stays (O3). */
  async putAside(brief: string): Promise<void> {
    await rename(this.#of(brief), this.#of(`${brief}.aside-${randomBytes(4).toString('hex')}`));
    await syncFolder(this.#folder);
  }

  /** What waits of one brief. Total over whatever lies there. */
  async read(brief: string): Promise<OutboxRead> {
    const folder = this.#of(brief);
    const path = join(folder, 'result.json');
    const damaged = (what: string): OutboxRead => ({ kind: 'damaged', finding: damage(path, what) });
    const file = await readPlainFile(path, BRIEF_BYTES);
    if (file.kind === 'missing') return { kind: 'none' };
    if (file.kind === 'unusable') return damaged(`it ${file.why}`);
    const text = file.bytes.toString('utf8');
    const read = readResult(text);
    if (read.kind === 'refused') return damaged(read.message);
    const result = read.value;
    if (result.brief !== brief) return damaged(`it is the result of ${result.brief}`);
    const bundle = join(folder, 'bundle');
    if (result.bundle !== null) {
      const bytes = await readPlainFile(bundle, BUNDLE_BYTES);
      if (bytes.kind !== 'read')
        return damaged(`its bundle ${bytes.kind === 'missing' ? 'is gone' : bytes.why}`);
      if (sha256(bytes.bytes) !== result.bundle.sha256)
        return damaged('its bundle is not the one that it names');
    }
    const putMs = await stat(path).then(({ mtimeMs }) => Math.floor(mtimeMs));
    return {
      kind: 'result',
      waiting: { result, text, bundle: result.bundle === null ? null : bundle, putMs },
    };
  }

  /** Where the result of a brief lies, or would; for people. */
  path(brief: string): string {
    return join(this.#of(brief), 'result.json');
  }

  /** All that wait, by the ids of their briefs, and what cannot be read. */
  async list(): Promise<{ readonly waiting: readonly Waiting[]; readonly findings: readonly Finding[] }> {
    const waiting: Waiting[] = [];
    const findings: Finding[] = [];
    for (const name of await this.#names()) {
      if (name.startsWith('.')) continue;
      const read = await this.read(name).catch(
        (error: unknown): OutboxRead => ({
          kind: 'damaged',
          finding: damage(join(this.#folder, name), errorText(error)),
        }),
      );
      if (read.kind === 'result') waiting.push(read.waiting);
      if (read.kind === 'damaged') findings.push(read.finding);
    }
    return { waiting, findings };
  }

  /** The result is in the record: it goes. One that is gone already is no error. */
  async acknowledge(brief: string): Promise<void> {
    const going = join(this.#folder, `${GOING}${randomBytes(8).toString('hex')}`);
    try {
      await rename(this.#of(brief), going); // no half of it is ever met
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      return;
    }
    await removeTree(going);
  }

  /**
   * Lets go what nobody has taken for so long, and what half a removal has left; gives the results that went.
   * @param nowMs milliseconds since the epoch
   */
  async expire(nowMs: number, keepMs: number): Promise<readonly Waiting[]> {
    const { waiting } = await this.list();
    const old = waiting.filter(({ putMs }) => nowMs - putMs > keepMs);
    for (const { result } of old) await this.acknowledge(result.brief);
    for (const name of await this.#names())
      if (name.startsWith(GOING)) await removeTree(join(this.#folder, name));
    return old;
  }

  async #names(): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    });
    return names.sort();
  }

  #of(brief: string): string {
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(brief)) throw new Error(`"${brief}" is no id of a brief`);
    return join(this.#folder, brief);
  }
}

/** Of a result that is not in place: its bundle, if there was one, and the folder unless somebody else uses it. */
async function takeBack(folder: string, hasBundle: boolean): Promise<void> {
  const result = await lstat(join(folder, 'result.json')).catch(() => null);
  if (result !== null) return;
  if (hasBundle) await rm(join(folder, 'bundle'), { force: true });
  await rmdir(folder);
}

/** Makes a file that is whole or not there; one that is there is an error of the system. */
async function linkNew(path: string, text: string): Promise<void> {
  const fresh = join(dirname(path), `.new-${randomBytes(8).toString('hex')}`);
  try {
    await writeNewFile(fresh, text, 0o600);
    await link(fresh, path);
  } finally {
    await rm(fresh, { force: true });
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function damage(path: string, what: string): Finding {
  const remedy = 'look at it, then remove its folder; the brief counts as lost';
  return { code: 'damaged-result', severity: 'error', path, message: `no result to read: ${what}`, remedy };
}
