/**
 * The system's process table, as far as ending processes needs it: who is whose child, who is in which group,
 * and what a process was started with.
 *
 * A zombie is never listed: it holds nothing any more, and in a container without an init nobody buries it.
 */

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  /** Process group id. */
  readonly group: number;
  /** As `process-identity.ts` has it: ticks after boot on Linux, a UTC date elsewhere. */
  readonly startedAt: string;
}

/** Replaceable, so that a test can show a table of its own. */
export interface ProcessTable {
  /** Every living process that this user may see. */
  rows(): Promise<readonly ProcessRow[]>;
  /** `NAME=value` pairs the process was started with; empty when the system does not tell. */
  environment(pid: number): Promise<readonly string[]>;
}

/** The table of one moment, taken without giving way to anything: for a process that may be ended in the next. */
export interface ProcessSnapshot {
  readonly rows: readonly ProcessRow[];
  environment(pid: number): readonly string[];
}

/** @returns an empty one where the system has no `/proc`: groups are then all that is known */
export function processSnapshot(): ProcessSnapshot {
  if (process.platform !== 'linux') return { rows: [], environment: () => [] };
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return {
    rows: pids.flatMap((pid) => rowOf(pid, textNow(`/proc/${pid}/stat`, 'utf8')) ?? []),
    environment: (pid) => (textNow(`/proc/${pid}/environ`, 'latin1') ?? '').split('\0'),
  };
}

function textNow(path: string, encoding: 'utf8' | 'latin1'): string | undefined {
  try {
    return readFileSync(path, encoding);
  } catch {
    return undefined; // It ended meanwhile, or is another user's.
  }
}

/** Open files at a time while reading `/proc`: far below the usual limit of 1,024 of a process. */
const READ_AT_ONCE = 64;

/** The table of this system: `/proc` on Linux, `ps` elsewhere (which shows no environments to rely on). */
export function systemProcessTable(): ProcessTable {
  return process.platform === 'linux'
    ? { rows: procRows, environment: procEnvironment }
    : { rows: psRows, environment: async () => [] };
}

async function procRows(): Promise<ProcessRow[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const rows: ProcessRow[] = [];
  for (let at = 0; at < pids.length; at += READ_AT_ONCE) {
    const part = await Promise.all(pids.slice(at, at + READ_AT_ONCE).map(procRow));
    for (const row of part) if (row !== undefined) rows.push(row);
  }
  return rows;
}

async function procRow(pid: string): Promise<ProcessRow | undefined> {
  return rowOf(pid, await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)); // it ended meanwhile
}

/** The name in parentheses may hold blanks and parentheses, so fields are counted after the last one. */
function rowOf(pid: string, stat: string | undefined): ProcessRow | undefined {
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return {
    pid: Number(pid),
    parent: Number(fields[1]),
    group: Number(fields[2]),
    startedAt: fields[19] ?? '',
  };
}

async function procEnvironment(pid: number): Promise<string[]> {
  // Another user's process, or one that ended meanwhile, tells nothing.
  const text = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  return text.split('\0');
}

/** A fixed environment: `lstart` is written in the local zone and language. */
function psRows(): Promise<ProcessRow[]> {
  return new Promise((resolve, reject) => {
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC0' };
    const args = ['-axo', 'pid=,ppid=,pgid=,stat=,lstart='];
    execFile('/bin/ps', args, { env, timeout: 5_000, maxBuffer: 16 << 20 }, (error, stdout) => {
      if (error === null) resolve(stdout.split('\n').flatMap(psRow));
      else reject(error);
    });
  });
}

function psRow(line: string): ProcessRow[] {
  const [pid = '', parent, group, state = 'Z', ...started] = line.trim().split(/\s+/);
  if (pid === '' || state.startsWith('Z')) return [];
  return [{ pid: Number(pid), parent: Number(parent), group: Number(group), startedAt: started.join(' ') }];
}
