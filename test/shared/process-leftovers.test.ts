import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { expect, onTestFinished, test } from 'vitest';
import type { ProcessIdentity } from '../../src/shared/process-identity.js';
import { processIdentity } from '../../src/shared/process-identity.js';
import { endLeftovers } from '../../src/shared/process-leftovers.js';
import type { GroupRecord } from '../../src/shared/process-record.js';
import { writeGroupRecord } from '../../src/shared/process-record.js';
import { systemProcessTable } from '../../src/shared/process-table.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';

const table = systemProcessTable();
const OWNER = new URL('../fixtures/processes/owner.ts', import.meta.url).pathname;

/** A child in the group, a grandchild in a session of its own, and one whose parent is gone. */
const FAMILY = [
  'sleep 60 & echo $! > child',
  "setsid sh -c 'echo $$ > grandchild; exec sleep 60' &",
  "setsid sh -c 'sleep 60 & echo $! > orphan'",
  'until [ -s grandchild ]; do sleep 0.02; done',
  'echo up; wait',
].join('\n');

/** The owner as a program of its own: Node 20 reads no TypeScript. */
async function ownerProgram(outDir: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: OWNER,
      outDir,
      emptyOutDir: false,
      rollupOptions: { output: { entryFileNames: 'owner.mjs' } },
    },
    ssr: { noExternal: true },
  });
  return join(outDir, 'owner.mjs');
}

async function startOwner(program: string, folder: string, ending: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, folder, FAMILY, ending], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

async function family(folder: string): Promise<number[]> {
  const names = ['child', 'grandchild', 'orphan'];
  return Promise.all(names.map(async (name) => Number(await readFile(join(folder, name), 'utf8'))));
}

async function alive(pids: readonly number[]): Promise<number[]> {
  return (await table.rows()).map((row) => row.pid).filter((pid) => pids.includes(pid));
}

async function marked(marker: string): Promise<number[]> {
  const found: number[] = [];
  for (const { pid } of await table.rows()) {
    if ((await table.environment(pid)).includes(marker)) found.push(pid);
  }
  return found;
}

test('Q36, Q41 the owner ends by KILL, by TERM and by a normal exit: none of its processes is alive after the next start', {
  timeout: 30_000,
}, async () => {
  const root = await tempDir();
  const program = await ownerProgram(join(root, 'program'));
  for (const [ending, signal] of [
    ['wait', 'SIGKILL'],
    ['wait', 'SIGTERM'],
    ['exit', null],
  ] as const) {
    const folder = join(root, `${signal}`);
    await mkdir(folder);
    const owner = await startOwner(program, folder, ending);
    const gone = once(owner, 'exit');
    if (signal !== null) owner.kill(signal);
    await gone;
    const pids = await family(folder);
    const [record = ''] = (await readdir(folder)).filter((name) => name.endsWith('.json'));
    const { marker } = JSON.parse(await readFile(join(folder, record), 'utf8'));
    expect(await alive(pids)).toHaveLength(3); // they outlive the owner: that is the case

    const leftovers = await endLeftovers(folder);

    expect(leftovers.kept).toEqual([]);
    expect(leftovers.ended).toMatchObject([
      { group: Number.parseInt(record, 10), marker, signal: 'SIGTERM', left: [] },
    ]);
    expect(await alive(pids)).toEqual([]);
    expect(await marked(marker)).toEqual([]);
    expect((await table.rows()).filter((row) => row.group === Number.parseInt(record, 10))).toEqual([]);
    expect((await readdir(folder)).filter((name) => name.endsWith('.json'))).toEqual([]);
    expect(await endLeftovers(folder)).toEqual({ ended: [], kept: [] }); // and a second start has nothing to do
  }
});

/** A stranger's process that must never be ended, in a group of its own. */
async function stranger(env: Record<string, string> = {}): Promise<ProcessIdentity> {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env: { ...process.env, ...env } });
  const self = await processIdentity();
  const pid = child.pid ?? 0;
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const row = await until(async () => (await table.rows()).find((each) => each.pid === pid), {
    what: 'the stranger runs',
  });
  return { ...self, pid, startedAt: row.startedAt };
}

/** This machine, this boot, a process that has ended. */
async function deadOwner(): Promise<ProcessIdentity> {
  const child = spawn('true', { stdio: 'ignore' });
  await once(child, 'exit');
  return { ...(await processIdentity()), pid: child.pid ?? 0, startedAt: '1' };
}

const recordOf = (leader: ProcessIdentity, owner: ProcessIdentity): GroupRecord => ({
  v: 1,
  leader,
  owner,
  marker: 'BNERD_GROUP=test-marker',
});

test('a process that took the number of an ended group is not touched, and its record goes', async () => {
  const folder = await tempDir();
  const other = await stranger();
  await writeGroupRecord(folder, recordOf({ ...other, startedAt: '12' }, await deadOwner()));
  expect(await endLeftovers(folder)).toEqual({ ended: [], kept: [] });
  expect(await alive([other.pid])).toEqual([other.pid]);
  expect(await readdir(folder)).toEqual([]);
});

test('what is left of a group whose first process is gone is found by its marker', async () => {
  const folder = await tempDir();
  const other = await stranger();
  const rest = await stranger({ BNERD_GROUP: 'test-marker' });
  const leader = { ...rest, pid: (await deadOwner()).pid };
  await writeGroupRecord(folder, recordOf(leader, await deadOwner()));
  const { ended } = await endLeftovers(folder);
  expect(ended).toMatchObject([{ group: null, found: 1, left: [] }]);
  expect(await alive([other.pid, rest.pid])).toEqual([other.pid]);
});

test('the record of another boot is forgotten without a look at today’s processes', async () => {
  const folder = await tempDir();
  const other = await stranger({ BNERD_GROUP: 'test-marker' });
  const before = { ...other, bootId: 'another-boot' };
  await writeGroupRecord(folder, recordOf(before, { ...(await deadOwner()), bootId: 'another-boot' }));
  expect(await endLeftovers(folder)).toEqual({ ended: [], kept: [] });
  expect(await alive([other.pid])).toEqual([other.pid]);
  expect(await readdir(folder)).toEqual([]);
});

test('a group whose owner lives, or may live, is kept, and so is a file that is no record; each is reported', async () => {
  const folder = await tempDir();
  const [first, second] = [await stranger(), await stranger()];
  const owner = await stranger();
  await writeGroupRecord(folder, recordOf(first, owner));
  await writeGroupRecord(folder, recordOf(second, { ...owner, pidNamespace: 'pid:[1]' }));
  await writeFile(join(folder, '7.json'), '{"v":1');
  const { ended, kept } = await endLeftovers(folder);
  expect(ended).toEqual([]);
  expect(new Map(kept.map((each) => [each.file, each.reason]))).toEqual(
    new Map([
      [join(folder, `${first.pid}.json`), expect.stringContaining('is alive')],
      [join(folder, `${second.pid}.json`), expect.stringContaining('cannot be seen from here')],
      [join(folder, '7.json'), expect.stringContaining('not a process record')],
    ]),
  );
  expect(await alive([first.pid, second.pid])).toHaveLength(2);
  expect(await readdir(folder)).toHaveLength(3);
});

test('what carries the marker of the team is ended without a record, another team’s is not', async () => {
  const folder = await tempDir();
  const lost = await stranger({ BNERD_TEAM: 'run-marker-test' });
  const other = await stranger({ BNERD_TEAM: 'run-marker-test-2' });
  const { ended } = await endLeftovers(folder, { teamMarker: 'BNERD_TEAM=run-marker-test' });
  expect(ended).toMatchObject([{ group: null, found: 1, left: [] }]);
  expect(await alive([lost.pid, other.pid])).toEqual([other.pid]);
});

test('the asker and its ancestors are never ended, though they carry the marker themselves', async () => {
  // A member's own shell may run `bnerd team resume`: the asker then descends from what it is to end.
  const marker = 'BNERD_TEAM=run-of-the-asker';
  const rows = (await table.rows()).filter((row) => row.pid === process.pid || row.pid === process.ppid);
  expect(rows).toHaveLength(2);
  const marks = { rows: async () => rows, environment: async () => [marker] };
  const options = { teamMarker: marker, table: marks };
  expect(await endLeftovers(await tempDir(), options)).toEqual({ ended: [], kept: [] });
});

test('a folder that does not exist has no leftovers', async () => {
  expect(await endLeftovers(join(await tempDir(), 'none'))).toEqual({ ended: [], kept: [] });
});
