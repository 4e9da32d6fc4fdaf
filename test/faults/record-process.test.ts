// The record under real faults: processes that are killed, a disk that is full, many that want one team.
// They run the compiled program; `npm test` builds it first.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openFileRecord } from '../../src/events/file-record.js';
import { acquireLock } from '../../src/events/lock.js';
import type { TeamRecord } from '../../src/events/record.js';
import { sha256 } from '../../src/shared/digest.js';
import { processIdentity } from '../../src/shared/process-identity.js';
import { ids } from '../contracts/record-samples.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';

const DIST = process.env['BNERD_TEST_DIST'] ?? fileURLToPath(new URL('../../dist', import.meta.url));
const fixture = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/record/${name}`, import.meta.url));
const clock = { wallMs: () => 0 };

interface Program {
  readonly child: ChildProcess;
  /** Lines of its standard output so far. */
  readonly lines: string[];
  readonly ended: Promise<unknown>;
}

function start(program: string, args: readonly string[]): Program {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, lines, ended };
}

const node = (script: string, ...args: readonly string[]): Program =>
  start(process.execPath, [fixture(script), DIST, ...args]);

/** Numbers that the program said were acknowledged. */
const acknowledged = ({ lines }: Program): number[] =>
  lines.flatMap((line) => /^acknowledged (\d+)$/.exec(line)?.[1] ?? []).map(Number);

/** Everything acknowledged is there, and so is every transcript entry and text that an entry names. */
async function expectNothingLost(record: TeamRecord, said: readonly number[]): Promise<void> {
  const entries = await record.log.read();
  const first = entries.map((entry) => entry.first);
  expect(first).toEqual(Array.from({ length: first.length }, (_, place) => place + 1));
  expect(first).toEqual(expect.arrayContaining([...said]));
  const written = new Set(ids(await record.transcripts.read('m')));
  for (const { facts } of entries) {
    for (const fact of facts) {
      const [, id = '', text = ''] =
        /^needs (\S+) (.*)$/s.exec('body' in fact ? (fact.body ?? '') : '') ?? [];
      expect(written).toContain(id);
      expect(await record.blobs.get(sha256(text))).toBe(text);
    }
  }
}

test('killed at any moment, a process leaves all it acknowledged, and all that its entries name', async () => {
  for (let round = 0; round < 8; round++) {
    const folder = join(await tempDir('kill'), 'run-a');
    const program = node('append-until-stopped.js', folder, '3000');
    await until(() => acknowledged(program).length > round * 4, { what: 'some entries are acknowledged' });
    program.child.kill('SIGKILL');
    await program.ended;
    const record = await openFileRecord(folder, { clock, mode: 'open' });
    await expectNothingLost(record, acknowledged(program));
    await record.close();
  }
});

describe('a full disk', async () => {
  /** What a stopped writer must have left, on a disk that takes bytes again. */
  async function expectCleanStop(program: Program, folder: string): Promise<void> {
    await program.ended;
    expect(program.lines).toContain('stopped FatalError disk-full');
    expect(program.lines.at(-1)).toBe('again same');
    const said = acknowledged(program);
    expect(said.length).toBeGreaterThan(0);
    const record = await openFileRecord(folder, { clock, mode: 'open' });
    // It was cut back, so there is no torn tail, and nothing that was refused.
    expect(record.findings).toEqual([]);
    await expectNothingLost(record, said);
    expect(await record.log.read()).toHaveLength(said.length);
    await record.close();
  }

  test('a file that may not grow stops the team by name, and loses nothing acknowledged', async () => {
    const folder = join(await tempDir('full'), 'run-a');
    const script = 'ulimit -f 64; exec "$@"';
    const args = [process.execPath, fixture('append-until-stopped.js'), DIST, folder, '700'];
    await expectCleanStop(start('bash', ['-c', script, 'bash', ...args]), folder);
  });

  // Only the superuser may mount a small disk; without that the limit above stands for it.
  if (process.getuid?.() === 0 && (await mayMount())) {
    test('a disk without space stops the team by name, and loses nothing acknowledged', async () => {
      const folder = join(await smallDisk(), 'run-a');
      await expectCleanStop(node('append-until-stopped.js', folder, '5000'), folder);
    });
  }
});

describe('Q46', () => {
  const self = processIdentity();

  test('10 starts of one team at once: 1 gets the lock, 9 are told its holder', async () => {
    const folder = join(await tempDir('lock'), 'run-a');
    const programs = Array.from({ length: 10 }, () => node('take-lock.js', folder));
    await until(() => programs.every(({ lines }) => lines.length === 1), {
      what: 'all 10 stand ready',
      ms: 60_000,
    });
    for (const { child } of programs) child.stdin?.write('go\n');
    await until(() => programs.every(({ lines }) => lines.length === 2), {
      what: 'all 10 have tried',
      ms: 60_000,
    });
    const answers = programs.map(({ lines }) => JSON.parse(lines[1] ?? '{}'));
    const holder = programs.find((_, place) => answers[place].kind === 'acquired');
    expect(answers.filter(({ kind }) => kind === 'acquired')).toHaveLength(1);
    const told = answers.filter(({ kind }) => kind === 'held');
    expect(told).toHaveLength(9);
    for (const answer of told)
      expect(answer).toMatchObject({ verdict: 'alive', holder: { pid: holder?.child.pid } });
    for (const { child } of programs) child.stdin?.end();
    await Promise.all(programs.map(({ ended }) => ended));
    const next = await acquireLock(folder, { identity: await self, clock, mode: 'open' });
    expect(next.kind).toBe('acquired');
    if (next.kind === 'acquired') await next.lock.release();
  });

  test('F131 the team of a process that was killed is free for the next, who is told of the dead one', async () => {
    const folder = join(await tempDir('lock'), 'run-a');
    const { child, lines, ended } = node('take-lock.js', folder);
    child.stdin?.write('go\n');
    await until(() => lines.length === 2, { what: 'it has the lock' });
    const options = { identity: await self, clock, mode: 'open' as const };
    expect(await acquireLock(folder, options)).toMatchObject({
      kind: 'held',
      verdict: 'alive',
      holder: { pid: child.pid },
    });
    child.kill('SIGKILL');
    await ended;
    const next = await acquireLock(folder, options);
    expect(next).toMatchObject({ kind: 'acquired', follows: { how: 'dead', holder: { pid: child.pid } } });
    if (next.kind === 'acquired') await next.lock.release();
  });
});

/** A disk of 200 KiB in memory, taken down with the test. */
async function smallDisk(): Promise<string> {
  const path = join(await tempDir('disk'), 'small');
  await mkdir(path);
  expect(await exitOf('mount', mountArgs(path))).toBe(0);
  onTestFinished(async () => {
    await exitOf('umount', ['-l', path]);
  });
  return path;
}

/** Tried in a mount namespace of its own, which ends with the attempt. */
async function mayMount(): Promise<boolean> {
  return (await exitOf('unshare', ['-m', 'mount', ...mountArgs('/mnt')])) === 0;
}

function mountArgs(path: string): string[] {
  return ['-t', 'tmpfs', '-o', 'size=200k,mode=0700', 'tmpfs', path];
}

/** Exit code of a program, null when it cannot be started. */
function exitOf(program: string, args: readonly string[]): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore' });
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
}
