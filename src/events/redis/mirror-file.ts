/** The file that a mirror is (`mirror-lines.ts`): written by whoever coordinates the run, read by whoever takes it up again. */

import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { inFolder } from '../../shared/make-folder.js';
import { readFileIfThere } from '../whole-file.js';
import { type Mirrored, type MirrorItem, mirrorLine, mirrorStart, openMirror } from './mirror-lines.js';

/** Lines of one write: no more of a long record is held twice. */
const AT_ONCE = 1_000;

/** Reads a mirror; undefined where there is none. Rejects with `mirror-broken`. */
export async function readMirror(path: string, team: string): Promise<Mirrored | undefined> {
  const bytes = await readFileIfThere(path);
  return bytes === undefined || bytes.length === 0 ? undefined : openMirror(team, bytes, path);
}

/** A mirror that is written; each is written anew, and one that was there stays until the new one holds as much. */
export class MirrorFile {
  readonly #handle: FileHandle;
  #digest: string;

  private constructor(handle: FileHandle, team: string) {
    this.#handle = handle;
    this.#digest = mirrorStart(team);
  }

  /** Begins one with what there is now. Rejects as the disk does; then the old one is as it was. */
  static async begin(path: string, team: string, held: readonly MirrorItem[]): Promise<MirrorFile> {
    const fresh = `${path}.new`;
    const handle = await inFolder(dirname(path), 0o700, () => open(fresh, 'w', 0o600));
    const file = new MirrorFile(handle, team);
    try {
      await file.add(held);
      await rename(fresh, path);
    } catch (error) {
      await file.close();
      throw error;
    }
    return file;
  }

  /** Adds to its end, and resolves when that is durable. Whoever has seen it reject adds nothing more. */
  async add(held: readonly MirrorItem[]): Promise<void> {
    for (let at = 0; at < held.length; at += AT_ONCE) {
      let text = '';
      for (const one of held.slice(at, at + AT_ONCE)) {
        const { line, digest } = mirrorLine(this.#digest, one);
        text += line;
        this.#digest = digest;
      }
      await this.#handle.appendFile(text);
    }
    await this.#handle.datasync();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}
