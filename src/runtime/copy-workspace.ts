/**
 * A workspace copied for one run (spec/team.md §9 `simulate`): its plain files and folders, without what members may not
 * read, what is installed or built anew, and links. Bounded: a tree that is too large is refused.
 */

import { copyFile, mkdir, readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { UserError } from '../shared/errors.js';
import { secretVerdict } from '../tools/files/secret-paths.js';

/** More than a simulation has to show anything with; a copy of them takes seconds. */
const MOST_FILES = 5_000;
const MOST_BYTES = 128 * 1024 * 1024;

/** Folders that programs make from the rest. */
const LEFT_OUT: readonly string[] = ['node_modules', '.venv', 'target'];

/** Copies the files of one directory into another, which is there and empty. Rejects with `workspace-too-large`. */
export async function copyWorkspace(from: string, to: string): Promise<void> {
  const room = { files: MOST_FILES, bytes: MOST_BYTES };
  await copyFolder(from, to, from, room);
}

async function copyFolder(
  from: string,
  to: string,
  root: string,
  room: { files: number; bytes: number },
): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) {
      if (LEFT_OUT.includes(entry.name)) continue;
      await mkdir(target, { mode: 0o700 });
      await copyFolder(source, target, root, room);
    } else if (entry.isFile() && secretVerdict(relative(root, source).split(sep)).kind === 'plain') {
      room.files -= 1;
      room.bytes -= (await stat(source)).size;
      if (room.files < 0 || room.bytes < 0) throw tooLarge(root);
      await copyFile(source, target);
    }
  }
}

function tooLarge(root: string): UserError {
  return new UserError(
    'workspace-too-large',
    `${root} holds more than ${MOST_FILES} files or ${MOST_BYTES / 1024 / 1024} MiB and is not copied; add --workspace temp for an empty directory, or --workspace here to work in it`,
  );
}
