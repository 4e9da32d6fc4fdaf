/**
 * Who a process is, so that another process can tell whether it still lives (spec/engine.md §1 "Lock").
 *
 * A process number alone says nothing: it is used again, and means something else after a reboot, in another
 * container and on another machine. So an identity is number + start of the process + boot + machine + pid
 * namespace, and the process table answers only for the boot and namespace it belongs to.
 */

import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { sha256 } from './digest.js';

export interface ProcessIdentity {
  readonly pid: number;
  /** When the process started, as its system counts: ticks after boot on Linux, a UTC date on macOS. */
  readonly startedAt: string;
  /** Different after every boot; empty when the system does not tell. */
  readonly bootId: string;
  /** Hash of the machine's id, or of its host name where it has none. */
  readonly machineId: string;
  /** `pid:[4026531836]` on Linux, empty on systems that have one process table only. */
  readonly pidNamespace: string;
  /** For people; never compared. */
  readonly host: string;
}

/** What one look into the process table shows. `unknown`: something is there, or may be; its start is hidden. */
export type ProcessLook =
  | { readonly kind: 'running'; readonly startedAt: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown' };

/** Whether the process of an identity lives; `unknown` is not dead. */
export type Liveness = 'alive' | 'dead' | 'unknown';

/** The few questions to the system, replaceable so that a test can be another boot, machine or namespace. */
export interface ProcessSource {
  readonly pid: number;
  readonly platform: string;
  readonly host: string;
  /** Text of a file, undefined when it cannot be read. */
  text(path: string): Promise<string | undefined>;
  /** Target of a symbolic link, undefined when it cannot be read. */
  link(path: string): Promise<string | undefined>;
  /** Standard output of a program of the system, undefined when it fails. */
  output(program: string, args: readonly string[]): Promise<string | undefined>;
  /** Whether a process of that number exists, whoever owns it. */
  exists(pid: number): boolean;
}

/** This process's own system. */
export function systemProcessSource(): ProcessSource {
  return {
    pid: process.pid,
    platform: process.platform,
    host: hostname(),
    text: (path) => readFile(path, 'utf8').catch(() => undefined),
    link: (path) => readlink(path).catch(() => undefined),
    output: programOutput,
    exists: processExists,
  };
}

/** The identity of the process that asks. */
export async function processIdentity(
  source: ProcessSource = systemProcessSource(),
): Promise<ProcessIdentity> {
  const look = await lookAtProcess(source.pid, source);
  return {
    pid: source.pid,
    startedAt: look.kind === 'running' ? look.startedAt : '',
    bootId: await bootId(source),
    machineId: await machineId(source),
    pidNamespace: (await source.link('/proc/self/ns/pid')) ?? '',
    host: source.host,
  };
}

/**
 * Looks a process up in this system's table. A zombie is `gone`: it holds nothing any more, and in a container
 * without an init nobody may ever bury it.
 */
export async function lookAtProcess(
  pid: number,
  source: ProcessSource = systemProcessSource(),
): Promise<ProcessLook> {
  const found = source.platform === 'linux' ? await linuxProcess(pid, source) : await psProcess(pid, source);
  if (found !== undefined) return found;
  return source.exists(pid) ? { kind: 'unknown' } : { kind: 'gone' };
}

/**
 * Whether the process of an identity lives, as far as `self` can tell: same namespace and boot, the process
 * table decides; same machine and another boot, dead; anything else is unknown.
 */
export async function liveness(
  other: ProcessIdentity,
  self: ProcessIdentity,
  source: ProcessSource = systemProcessSource(),
): Promise<Liveness> {
  if (other.bootId === '' || self.bootId === '') return 'unknown';
  if (other.bootId !== self.bootId) return other.machineId === self.machineId ? 'dead' : 'unknown';
  if (other.pidNamespace !== self.pidNamespace) return 'unknown';
  const look = await lookAtProcess(other.pid, source);
  if (look.kind === 'gone') return 'dead';
  if (look.kind === 'unknown' || other.startedAt === '') return 'unknown';
  return look.startedAt === other.startedAt ? 'alive' : 'dead';
}

/** `/proc/<pid>/stat`: the name in parentheses may hold blanks and parentheses, so count after the last one. */
async function linuxProcess(pid: number, source: ProcessSource): Promise<ProcessLook | undefined> {
  const stat = await source.text(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const startedAt = fields[19]; // field 22 of the file, the first after the name being field 3
  if (state === 'Z' || state === 'X') return { kind: 'gone' };
  return startedAt === undefined ? { kind: 'unknown' } : { kind: 'running', startedAt };
}

async function psProcess(pid: number, source: ProcessSource): Promise<ProcessLook | undefined> {
  const line = (await source.output('/bin/ps', ['-o', 'stat=,lstart=', '-p', String(pid)]))?.trim();
  if (line === undefined || line === '') return undefined;
  const [state = '', ...started] = line.split(/\s+/);
  return state.startsWith('Z') ? { kind: 'gone' } : { kind: 'running', startedAt: started.join(' ') };
}

/** On macOS the boot session, not `kern.boottime`: that one moves with every correction of the clock. */
async function bootId(source: ProcessSource): Promise<string> {
  const id =
    source.platform === 'linux'
      ? await source.text('/proc/sys/kernel/random/boot_id')
      : await source.output('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']);
  return id?.trim() ?? '';
}

/** Hashed, because systemd asks that a machine's id is not handed on as it is. */
async function machineId(source: ProcessSource): Promise<string> {
  const own = (
    source.platform === 'linux'
      ? ((await source.text('/etc/machine-id')) ?? (await source.text('/var/lib/dbus/machine-id')))
      : await source.output('/usr/sbin/sysctl', ['-n', 'kern.uuid'])
  )?.trim();
  const known = own !== undefined && own !== '' && own !== 'uninitialized';
  return sha256(`bnerd-teams machine\n${known ? `id ${own}` : `host ${source.host}`}`).slice(0, 32);
}

/** A fixed environment: `lstart` is written in the local zone and language. */
function programOutput(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC0' };
    execFile(program, [...args], { env, timeout: 5_000 }, (error, stdout) => {
      resolve(error === null ? stdout : undefined);
    });
  });
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: there is one, of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
