/**
 * What a lock says of the entries of its folder as they lie there now, and the lock that agrees with them
 * (spec/skills.md §9). Pure.
 *
 * Always true: a text that has changed under its version is never agreed to; that an entry came by import is taken
 * over from the lock only for the very text and pin that were imported, and never made up.
 */

import { dirname } from 'node:path';
import gt from 'semver/functions/gt.js';
import type { Finding } from '../../shared/findings.js';
import type { Entry } from '../entry.js';
import { isSemanticVersion } from '../parse/version.js';
import { quoted } from '../remark.js';
import { lockCommand } from './lock-command.js';
import type { LockedEntry } from './lock-text.js';

/** What a lock looks at. */
export type LockableEntry = Pick<Entry, 'name' | 'version' | 'digest' | 'origin' | 'upstream' | 'path'>;

/** The value of `origin` of an entry that others wrote. */
const THIRD_PARTY = 'third-party';

export interface LockComparison {
  /** The lock that agrees with the entries; not to be written while a finding is an error. */
  readonly entries: readonly LockedEntry[];
  /**
   * `version-not-bumped`, an error: the text changed and the version did not grow. `not-imported`, a warning, an error
   * for an audit: a third-party entry that is not, or no longer, what came by import. `not-locked`, `lock-stale`: info.
   */
  readonly findings: readonly Finding[];
}

/**
 * Compares the entries of a folder with its lock.
 * @param lockPath the lock, as findings name it
 */
export function compareWithLock(
  entries: readonly LockableEntry[],
  locked: readonly LockedEntry[],
  lockPath: string,
): LockComparison {
  const lines = new Map(locked.map((line) => [line.name, line]));
  const there = new Set(entries.map(({ name }) => name));
  const command = lockCommand(dirname(lockPath));
  const stale = locked
    .filter(({ name }) => !there.has(name))
    .map(({ name }) => lockStale(lockPath, name, command));
  return {
    entries: entries.map((entry) => lineOf(entry, lines.get(entry.name))),
    findings: [...entries.flatMap((entry) => remarksOn(entry, lines.get(entry.name), command)), ...stale],
  };
}

/** Whether a version may stand for a changed text: greater where both are semantic (build data does not count). */
export function isBump(version: string | null, over: string | null): boolean {
  if (version === null || over === null) return version !== over;
  if (isSemanticVersion(version) && isSemanticVersion(over)) return gt(version, over);
  return version !== over;
}

function lineOf(entry: LockableEntry, line: LockedEntry | undefined): LockedEntry {
  const { name, version, digest } = entry;
  return { name, version, digest, import: isAsImported(entry, line) ? (line?.import ?? null) : null };
}

/** Whether the lock says that this text came by import, from the pin it declares. */
function isAsImported(entry: LockableEntry, line: LockedEntry | undefined): boolean {
  if (line?.import == null || entry.origin !== THIRD_PARTY) return false;
  return line.digest === entry.digest && line.import.upstream === entry.upstream;
}

/** @param command writes the lock anew */
function remarksOn(entry: LockableEntry, line: LockedEntry | undefined, command: string): Finding[] {
  const remarks: Finding[] = [];
  if (line === undefined) remarks.push(notLocked(entry, command));
  else if (line.digest !== entry.digest && !isBump(entry.version, line.version)) {
    remarks.push(notBumped(entry, line, command));
  }
  if (entry.origin === THIRD_PARTY && !isAsImported(entry, line)) remarks.push(notImported(entry, line));
  return remarks;
}

function notLocked({ name, path }: LockableEntry, command: string): Finding {
  const message = `${quoted(name)} stands in no skills.lock`;
  return { code: 'not-locked', severity: 'info', path, message, remedy: `run ${command}` };
}

function notBumped({ name, version, path }: LockableEntry, line: LockedEntry, command: string): Finding {
  const was = line.version === null ? 'no version' : `version ${quoted(line.version)}`;
  const now = version === null ? 'no version' : `version ${quoted(version)}`;
  return {
    code: 'version-not-bumped',
    severity: 'error',
    path,
    message: `the text of ${quoted(name)} changed since it was locked with ${was}, and it has ${now} now`,
    remedy: `undo the change; or give it a greater version, then run ${command}`,
  };
}

function notImported({ name, path }: LockableEntry, line: LockedEntry | undefined): Finding {
  const [message, remedy] =
    line?.import == null
      ? [
          `${quoted(name)} is third-party and did not come by import`,
          'remove it, and bring it in with bnerd skills import',
        ]
      : [
          `${quoted(name)} is no longer what was imported from ${quoted(line.import.upstream)}`,
          'undo the change, or bring in a greater version with bnerd skills import',
        ];
  return { code: 'not-imported', severity: 'warning', path, message, remedy };
}

function lockStale(path: string, name: string, command: string): Finding {
  const message = `${quoted(name)} is locked and does not lie here any more`;
  return { code: 'lock-stale', severity: 'info', path, message, remedy: `run ${command}` };
}
