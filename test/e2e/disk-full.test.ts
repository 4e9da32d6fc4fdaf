// Issue 2, spec/engine.md §1 through the program: a full disk loses nothing that was acknowledged.
import { execFileSync } from 'node:child_process';
import { mkdir, open, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { does, shell } from '../cases/play.js';
import type { BnerdRun } from '../helpers/bnerd.js';
import { gate, waitAt } from '../helpers/gate.js';
import { type EventSchema, eventSchema } from './event-lines.js';
import { type Job, job } from './job.js';
import { oneTask } from './missions.js';

const RUN = ['--auto-approve', 'all'];
const EVENTS = [...RUN, '--json-events=all'];

/** Held after a first call; then many, each of which is recorded. */
const GROWS = oneTask([
  does(shell('echo first')),
  does(waitAt('hold')),
  ...Array.from({ length: 30 }, (_, call) => does(shell(`seq 1 800; echo ${call}`))),
]);

/** Whether this process may mount a file system of its own. */
function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    execFileSync('mount', ['--help'], { stdio: 'ignore' });
    execFileSync('unshare', ['--mount', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A small disk of its own where the operator's teams are kept. */
async function smallDisk(at: Job, kilobytes: number): Promise<void> {
  const path = at.place.state;
  await mkdir(path, { mode: 0o700 });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k,mode=700`, 'tmpfs', path]);
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', path]);
  });
}

/** Takes all the space that is left but for some; gives it back when the returned function is called. */
async function fill(at: Job, leaveBytes = 0): Promise<() => Promise<void>> {
  const path = join(at.place.state, 'filler');
  const file = await open(path, 'w');
  const piece = Buffer.alloc(4096);
  try {
    for (;;) {
      const { bavail, bsize } = await statfs(at.place.state);
      if (bavail * bsize <= leaveBytes) break;
      await file.write(piece);
    }
  } finally {
    await file.close();
  }
  return () => rm(path);
}

/** Every line that stdout has shown stands in the record, as it was shown. */
async function expectNothingLost(at: Job, run: BnerdRun): Promise<void> {
  const recorded = await at.facts();
  const told = run.lines.filter((line) => 'n' in line);
  expect(told.length).toBeGreaterThan(10);
  for (const line of told) {
    const { v, seq, n, at: when, team } = line;
    expect({ v, seq, n, at: when, team, ...recorded[Number(n) - 1] }).toEqual(line);
  }
  const memories = run.lines.filter((line) => line['type'] === 'transcript.appended');
  for (const member of new Set(memories.map((line) => String(line['member'])))) {
    const entries = await at.transcript(member);
    const shown = memories.filter((line) => line['member'] === member).map((line) => line['entry']);
    expect(entries).toEqual(expect.arrayContaining(shown));
  }
}

async function expectFailedFull(run: BnerdRun, schema: EventSchema): Promise<void> {
  expect(run.exit).toBe(1);
  expect(run.stderr).toMatch(/^failed \(exit 1\): disk_full/m);
  expect(run.stderr).toMatch(/^resume: bnerd team resume run-job-/m);
  expect(run.lines.flatMap((line) => schema.problems(line))).toEqual([]);
  expect(run.lines.map((line) => line['seq'])).toEqual(run.lines.map((_, place) => place + 1));
  expect(run.lines.at(-1)).toMatchObject({
    type: 'run.ended',
    reason: 'failed',
    cause: 'disk_full',
    exit: 1,
  });
}

async function expectResumes(at: Job): Promise<void> {
  const id = await at.id();
  expect(await at.here(['team', 'verify', id])).toMatchObject({ exit: 0 });
  const status = await at.bnerd(['team', 'status', id]);
  expect(status.stdout).toMatch(/^process: none$/m);
  const resumed = await at.bnerd(['team', 'resume', id]);
  expect(resumed.stderr).toMatch(/^done \(exit 0\)/m);
  expect(resumed).toMatchObject({ exit: 0, stdout: 'All is said.\n' });
  expect(await at.of('task.completed')).toHaveLength(1);
  expect(await at.bnerd(['team', 'verify', id])).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('they agree'),
  });
}

describe('a limited file size', () => {
  test('the run ends failed, disk_full, exit 1; what was told is recorded, and it goes on when the limit is gone', async () => {
    const schema = await eventSchema();
    const at = await job(GROWS);
    const hold = await gate(at.workspace, 'hold');
    await hold.open();
    // In blocks of 512 bytes: more than the start takes, less than the whole run.
    const run = await at.run(EVENTS, { sh: 'ulimit -f 60; exec "$@"' });
    await expectFailedFull(run, schema);
    await expectNothingLost(at, run);
    await hold.open();
    await expectResumes(at);
  });
});

if (canMount()) {
  describe('a full disk', () => {
    test('while a team runs: it ends failed, disk_full, exit 1; nothing that was told is lost; with space again it goes on', async () => {
      const schema = await eventSchema();
      const at = await job(GROWS);
      await smallDisk(at, 4096);
      const hold = await gate(at.workspace, 'hold');
      const program = await at.start(EVENTS);
      await at.fact('tool.started', (fact) => fact.request === 'r2');
      const free = await fill(at);
      await hold.open();
      const run = await program.ended;
      await expectFailedFull(run, schema);
      await expectNothingLost(at, run);
      // Whoever looks is told, also on a full disk.
      const status = await at.bnerd(['team', 'status', await at.id()]);
      expect(status.exit).toBe(0);
      // A resume on the full disk loses nothing either.
      const early = await at.bnerd(['team', 'resume', await at.id()]);
      expect(early.exit).toBe(1);
      expect(early.stderr).toMatch(/disk[-_ ]full|no space/i);
      await expectNothingLost(at, run);
      await free();
      await hold.open();
      await expectResumes(at);
    });

    test('before a team starts: it is said, and nothing of it is left', async () => {
      const at = await job(oneTask([]));
      await smallDisk(at, 1024);
      const free = await fill(at);
      const before = await readdir(at.place.state);
      const text = await at.run(RUN);
      expect(text.exit).toBe(1);
      expect(text.stdout).toBe('');
      expect(text.stderr).toMatch(/^bnerd team: error disk-full .*no space/);
      expect(text.stderr.trimEnd().split('\n')).toHaveLength(1);
      const events = await at.run(EVENTS);
      expect(events).toMatchObject({ exit: 1, stderr: '' });
      expect(events.lines).toMatchObject([
        {
          type: 'run.refused',
          exit: 1,
          findings: [{ code: 'disk-full', message: expect.stringContaining('no space') }],
        },
      ]);
      expect(await at.ids()).toEqual([]);
      expect((await readdir(at.place.state)).filter((name) => name !== 'runs')).toEqual(before);
      await free();
      expect(await at.run(RUN)).toMatchObject({ exit: 0 });
    });

    test('while nobody runs the team: an answer that cannot be recorded is not taken, and can be given again', async () => {
      const at = await job(oneTask([does({ tool: 'ask_question', args: { question: 'Which?' } })]));
      await smallDisk(at, 1024);
      expect((await at.run(RUN)).exit).toBe(4);
      const id = await at.id();
      const free = await fill(at);
      const refused = await at.bnerd(['team', 'answer', id, 'r1', 'x'.repeat(20_000)]);
      expect(refused.exit).not.toBe(0);
      expect(refused.stderr).toMatch(/disk[-_ ]full|no space/i);
      expect(await at.of('request.decided')).toEqual([]);
      await free();
      expect(await at.bnerd(['team', 'answer', id, 'r1', 'the first'])).toMatchObject({ exit: 0 });
      expect(await at.bnerd(['team', 'resume', id])).toMatchObject({ exit: 0 });
    });
  });
}
