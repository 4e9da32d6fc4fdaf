/**
 * The operator's own trust file, changed: one writer at a time, the new text put in place whole (spec/team.md §1).
 *
 * Always true: a change is made to what stands in the file at that moment, so of two at once none is lost; the file
 * is 0600 in a folder that is 0700 when it is made; a file that cannot be used is not touched.
 */

import { randomBytes } from 'node:crypto';
import { rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ownTrustFile } from '../../catalog/tiers.js';
import { editTrustFile, type TrustChange } from '../../catalog/trust/edit-trust-file.js';
import { MAX_TRUST_BYTES, readOwnTrust, unfitFolder } from '../../catalog/trust/read-trust-files.js';
import { acquireLock, describeHolder, type TeamLock } from '../../events/lock.js';
import { ensureFolder } from '../../events/own-folder.js';
import { deadlineAfter, sleep } from '../../shared/abort.js';
import { syncFolder, writeNewFile } from '../../shared/durable-file.js';
import { systemCode } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import { processIdentity } from '../../shared/process-identity.js';
import type { House } from '../house.js';

export type TrustChanged =
  | { readonly kind: 'changed'; readonly path: string }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** Where the lock and the approved texts lie. */
export function trustFolder({ home }: Pick<House, 'home'>): string {
  return join(home, 'trust');
}

/** Makes a change of the operator's own trust file. */
export async function changeOwnTrust(
  house: Pick<House, 'home' | 'clock'>,
  change: TrustChange,
): Promise<TrustChanged> {
  const path = ownTrustFile(house.home);
  try {
    await ensureFolder(house.home);
    const unfit = await unfitFolder(path);
    if (unfit !== null) return { kind: 'refused', findings: [unfit] };
    const lock = await lockOf(house);
    if ('findings' in lock) return { kind: 'refused', findings: lock.findings };
    try {
      return await changed(house.home, path, change);
    } finally {
      await lock.release();
    }
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return { kind: 'refused', findings: [notWritten(path, `could not be written: ${code}`)] };
  }
}

async function changed(folder: string, path: string, change: TrustChange): Promise<TrustChanged> {
  const { text, findings } = await readOwnTrust(path);
  if (findings.length > 0) return { kind: 'refused', findings };
  const edit = editTrustFile(text, change, path);
  if (edit.kind === 'refused') return edit;
  const bytes = Buffer.byteLength(edit.text);
  if (bytes > MAX_TRUST_BYTES) {
    const found = `would have ${bytes} bytes, and at most ${MAX_TRUST_BYTES} are read`;
    return { kind: 'refused', findings: [notWritten(path, found)] };
  }
  await replaceFile(folder, path, edit.text);
  return { kind: 'changed', path };
}

function notWritten(path: string, what: string): Finding {
  const message = `the trust file ${what}; nothing was changed`;
  const remedy = 'make room, or see to it that you may write there; old approvals may be taken out of it';
  return { code: 'trust-file-not-written', severity: 'error', path, message, remedy };
}

/** How long another process may take for its change; each takes milliseconds. */
const LOCK_MS = 30_000;
const LOOK_AGAIN_MS = 20;

async function lockOf(
  house: Pick<House, 'home' | 'clock'>,
): Promise<TeamLock | { readonly findings: readonly Finding[] }> {
  const { clock } = house;
  const folder = trustFolder(house);
  const identity = await processIdentity();
  const until = clock.monotonicMs() + LOCK_MS;
  for (;;) {
    const attempt = await acquireLock(folder, { identity, clock, mode: 'create' });
    if (attempt.kind === 'acquired') return attempt.lock;
    if (clock.monotonicMs() >= until) {
      const message = `the trust file is being changed by another process: ${describeHolder(attempt.holder)}`;
      const remedy = `try again; when that process is gone, remove ${join(folder, 'lock')}`;
      return { findings: [{ code: 'trust-file-held', severity: 'error', path: folder, message, remedy }] };
    }
    await sleep(LOOK_AGAIN_MS, deadlineAfter(LOCK_MS));
  }
}

async function replaceFile(folder: string, path: string, text: string): Promise<void> {
  const part = `${path}.${process.pid}-${randomBytes(6).toString('hex')}`;
  try {
    await writeNewFile(part, text, 0o600);
    await rename(part, path);
  } catch (error) {
    await unlink(part).catch(() => undefined); // the first error is the one to report
    throw error;
  }
  await syncFolder(folder);
}
