/** What a lock's file says: who holds the team, since when, where to reach them. */

import { z } from 'zod';
import type { ProcessIdentity } from '../shared/process-identity.js';

/** Within v 1 fields are only added; unknown ones are ignored. */
const lockFile = z.object({
  v: z.literal(1),
  pid: z.number().int(),
  started: z.string(),
  boot: z.string(),
  machine: z.string(),
  namespace: z.string(),
  host: z.string(),
  /** Wall clock, ISO 8601. */
  since: z.string(),
  /** Path of the control socket, null until it listens. */
  socket: z.string().nullable(),
  released: z.boolean(),
});
export type LockFile = z.infer<typeof lockFile>;

/** The file of a fresh lock of this process. */
export function lockFileOf(identity: ProcessIdentity, since: string): LockFile {
  return {
    v: 1,
    pid: identity.pid,
    started: identity.startedAt,
    boot: identity.bootId,
    machine: identity.machineId,
    namespace: identity.pidNamespace,
    host: identity.host,
    since,
    socket: null,
    released: false,
  };
}

/** The process a lock's file names. */
export function identityOf(file: LockFile): ProcessIdentity {
  return {
    pid: file.pid,
    startedAt: file.started,
    bootId: file.boot,
    machineId: file.machine,
    pidNamespace: file.namespace,
    host: file.host,
  };
}

/** Undefined for a text that is no lock's file: damaged, or written by a newer program. */
export function parseLockFile(text: string): LockFile | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // The caller treats an unreadable lock as held by somebody unknown.
  }
  const parsed = lockFile.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}
