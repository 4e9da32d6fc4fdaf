/**
 * Sets a torn tail aside: its bytes go to a file of their own, durably, and only then off the file they stood
 * in. A crash in between leaves them in both, and the next opening does it once more.
 */

import { open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isoStamp } from '../shared/clock.js';
import { syncFolder } from '../shared/durable-file.js';
import type { Finding } from '../shared/findings.js';
import { jsonLine } from '../shared/jsonl.js';

export interface TornTail {
  readonly path: string;
  /** Where the bytes are kept, behind a line that says when and from where, and ended by LF. */
  readonly asidePath: string;
  readonly goodBytes: number;
  readonly line: number;
  readonly bytes: Uint8Array;
}

/** Cuts the tail and returns the finding for people. Does it again harmlessly after a crash. */
export async function setAside(tail: TornTail, code: string, wallMs: number): Promise<Finding> {
  const { path, asidePath, goodBytes, line, bytes } = tail;
  const head = { at: isoStamp(wallMs), file: basename(path), line, offset: goodBytes, bytes: bytes.length };
  const aside = await open(asidePath, 'a', 0o600);
  try {
    await aside.appendFile(Buffer.concat([Buffer.from(jsonLine(head)), bytes, Buffer.from('\n')]));
    await aside.datasync();
  } finally {
    await aside.close();
  }
  await syncFolder(dirname(asidePath));
  const file = await open(path, 'r+');
  try {
    await file.truncate(goodBytes);
    await file.datasync();
  } finally {
    await file.close();
  }
  return {
    code,
    severity: 'warning',
    path,
    line,
    message: `the last line was torn by a crash before it was acknowledged; its ${bytes.length} bytes were set aside`,
    remedy: `nothing needs doing; what was cut is in ${asidePath}`,
  };
}
