/** The text of a script file, or the finding that says why it cannot be had. */

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errorText, systemCode } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';

/** Far above any script that a person writes; keeps a wrong path from filling the memory. */
const MAX_BYTES = 1024 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is not a directory',
  EACCES: 'permission is denied',
  ELOOP: 'its links go in a circle',
};

export type ReadScript =
  | { readonly kind: 'read'; readonly text: string }
  | { readonly kind: 'refused'; readonly finding: Finding };

/**
 * Reads a regular file of at most 1 MiB as UTF-8.
 * @param file absolute path
 * @param shown the path as the user would type it
 */
export async function readScript(file: string, shown: string): Promise<ReadScript> {
  let handle: FileHandle | undefined;
  try {
    // Without O_NONBLOCK the open of a named pipe waits for a writer.
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await handle.stat();
    if (!stat.isFile()) return refused(shown, 'it is not a regular file');
    if (stat.size > MAX_BYTES)
      return refused(shown, `it has ${stat.size} bytes; at most ${MAX_BYTES} are read`);
    const bytes = await handle.readFile();
    return { kind: 'read', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    if (error instanceof TypeError) return refused(shown, 'it is not UTF-8 text');
    return refused(shown, REASONS[systemCode(error) ?? ''] ?? errorText(error));
  } finally {
    await handle?.close();
  }
}

function refused(shown: string, reason: string): ReadScript {
  return {
    kind: 'refused',
    finding: {
      code: 'unreadable-file',
      severity: 'error',
      path: shown,
      message: `the script cannot be read: ${reason}`,
      remedy: 'name a readable YAML file as script/<file>',
    },
  };
}
