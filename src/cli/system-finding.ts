/** What the system does not allow (no room, no right, no such folder), told like a refusal. Pure. */

import { errorText, systemCode } from '../shared/errors.js';
import type { Finding } from '../shared/findings.js';

const FULL: readonly string[] = ['ENOSPC', 'EDQUOT'];
const CLOSED: readonly string[] = ['EACCES', 'EPERM', 'EROFS'];
const TOO_MANY: readonly string[] = ['EMFILE', 'ENFILE'];

/**
 * The finding for an error of a call to the system; undefined for one that no such call has given, which is a bug.
 * @param path what it is told of: the command
 */
export function systemFinding(error: unknown, path: string): Finding | undefined {
  if (!(error instanceof Error && 'syscall' in error)) return undefined;
  const code = FULL.includes(systemCode(error) ?? '') ? 'disk-full' : 'system-error';
  return { code, severity: 'error', path, message: errorText(error), remedy: remedyOf(error) };
}

function remedyOf(error: Error & { readonly syscall: unknown }): string {
  const code = systemCode(error) ?? '';
  if (FULL.includes(code)) return 'make room and try again';
  if (CLOSED.includes(code))
    return 'see to it that you may do that there; BNERD_HOME moves what this program keeps';
  if (TOO_MANY.includes(code)) return 'let it open more files (ulimit -n) and try again';
  if (code === 'ENOENT' && error.syscall === 'mkdtemp')
    return 'make that folder, or let TMPDIR name one that is there';
  return 'mend it and try again';
}
