// `bnerd team watch` on records that grow, end, or are left by their process (spec/team.md §7).
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Watched, watchTeam } from '../../../src/cli/live/watch-team.js';
import { openFileRecord } from '../../../src/events/file-record.js';
import { acquireLock } from '../../../src/events/lock.js';
import type { LogEntry } from '../../../src/events/log-entry.js';
import { FileEngine } from '../../../src/runtime/engine/files.js';
import { processIdentity } from '../../../src/shared/process-identity.js';
import { Team } from '../../helpers/build-state.js';
import { writeMission } from '../../helpers/team.js';
import { until } from '../../helpers/until.js';
import { JOB } from '../../runtime/job.js';
import { type TestProgram, testProgram } from '../streams.js';

const TEAM = 'run-test-01';
const CLOCK = { wallMs: () => 0 };

interface Setting {
  readonly folder: string;
  append(entries: readonly LogEntry[]): Promise<void>;
  /** Takes the lock, as the process does that runs the team; gives the way to let it go. */
  run(): Promise<() => Promise<void>>;
  watch(how?: Partial<Watched>): { seen: TestProgram; ended: Promise<number>; stop: () => void };
}

async function setting(): Promise<Setting> {
  const { house } = await writeMission(JOB);
  const engine = new FileEngine(house);
  const folder = engine.folder(TEAM);
  const record = await openFileRecord(folder, { clock: CLOCK, mode: 'create' });
  onTestFinished(() => record.close());
  return {
    folder,
    append: async (entries) => {
      for (const entry of entries) expect(await record.log.append(entry)).toEqual({ kind: 'appended' });
    },
    run: async () => {
      const attempt = await acquireLock(folder, {
        identity: await processIdentity(),
        clock: CLOCK,
        mode: 'open',
      });
      if (attempt.kind !== 'acquired') throw new Error('the lock is held');
      onTestFinished(() => attempt.lock.release());
      return () => attempt.lock.release();
    },
    watch: (how = {}) => {
      const seen = testProgram();
      const called = new AbortController();
      const ended = engine.look(TEAM, (look) =>
        watchTeam(seen.program, { id: TEAM, look, from: 1, json: false, ...how }, called.signal),
      );
      onTestFinished(() => called.abort());
      ended.catch(() => {}); // looked at where a test waits for it
      return { seen, ended, stop: () => called.abort() };
    },
  };
}

/** A team that has ended, its entries before the end apart from it. */
function told(): { team: Team; body: readonly LogEntry[]; end: readonly LogEntry[] } {
  const team = Team.start({ tasks: [{ role: 'worker', subject: 'the first' }] });
  team.awake('worker');
  team.claim('worker', '#1');
  team.ok(team.completion('worker', '#1'));
  team.end('worker');
  team.idles('lead', { text: 'all of it' });
  const body = [...team.entries];
  team.sweep();
  return { team, body, end: team.entries.slice(body.length) };
}

describe('the watch of a team', () => {
  test('that has ended prints what is there, the last lines, and ends', async () => {
    const at = await setting();
    const { team } = told();
    await at.append(team.entries);
    const { seen, ended } = at.watch();
    expect(await ended).toBe(0);
    expect(seen.stdout.text).toContain('[worker] task #1: the first\n');
    expect(seen.stdout.text).toMatch(/\ndone \(exit 0\)\nopen tasks: none\n/);
    expect(seen.stderr.text).toBe('');
  });

  test('that runs goes on with it, entry by entry, and ends with the run', async () => {
    const at = await setting();
    const { body, end } = told();
    await at.run();
    const { seen, ended } = at.watch();
    await at.append(body.slice(0, 1));
    await at.append(body.slice(1));
    await until(() => seen.stdout.text.includes('[worker] task #1 completed'), { what: 'the progress' });
    await at.append(end);
    expect(await ended).toBe(0);
    expect(seen.stdout.text).toContain('\ndone (exit 0)\n');
  });

  test('whose process dies says so, with the way on', async () => {
    const at = await setting();
    const { body } = told();
    const release = await at.run();
    const { seen, ended } = at.watch();
    await at.append(body);
    await until(() => seen.stdout.text.includes('completed'), { what: 'the progress' });
    await release();
    expect(await ended).toBe(1);
    expect(seen.stderr.text).toBe(
      `no process runs ${TEAM}, and it has not ended; go on with: bnerd team resume ${TEAM}\n`,
    );
  });

  test('whose process dies sends nobody to a resume where it gave recorded answers again', async () => {
    const at = await setting();
    const { body } = told();
    const replayed = JSON.stringify(body).replaceAll(/"model":"[^"]*"/g, `"model":"replay/${TEAM}"`);
    const release = await at.run();
    const { seen, ended } = at.watch();
    await at.append(JSON.parse(replayed) as readonly LogEntry[]);
    await until(() => seen.stdout.text.includes('completed'), { what: 'the progress' });
    await release();
    expect(await ended).toBe(1);
    expect(seen.stderr.text).toContain('has not ended; it gives recorded answers again');
    expect(seen.stderr.text).not.toContain('resume');
  });

  test('is ended by its signal alone, with the team as it was', async () => {
    const at = await setting();
    await at.run();
    await at.append(told().body);
    const { seen, ended, stop } = at.watch();
    await until(() => seen.stdout.text.includes('completed'), { what: 'the progress' });
    stop();
    await expect(ended).rejects.toMatchObject({ name: 'CancelledError' });
  });

  test('as JSON has a line a fact, without gap or repeat, as the stream of events has them', async () => {
    const at = await setting();
    const { team } = told();
    await at.append(team.entries);
    const { seen, ended } = at.watch({ json: true });
    expect(await ended).toBe(0);
    const facts = team.entries.flatMap((entry) => entry.facts);
    const upTo = Array.from({ length: facts.length }, (_, place) => place + 1);
    expect(seen.stdout.lines.map(({ n }) => n)).toEqual(upTo);
    expect(seen.stdout.lines.map(({ seq }) => seq)).toEqual(upTo);
    expect(seen.stdout.lines[0]).toMatchObject({ v: 1, type: 'run.started' });
    expect(seen.stdout.lines[1]).toMatchObject({ v: 1, team: TEAM });
    expect(seen.stdout.lines.at(-1)).toMatchObject({ type: 'run.ended' });
  });

  test('from a number on tells what comes from there', async () => {
    const at = await setting();
    const { team } = told();
    await at.append(team.entries);
    const count = team.entries.flatMap((entry) => entry.facts).length;
    const { seen, ended } = at.watch({ json: true, from: count - 1 });
    expect(await ended).toBe(0);
    expect(seen.stdout.lines.map(({ n, seq }) => [seq, n])).toEqual([
      [1, count - 1],
      [2, count],
    ]);
  });

  test('from now tells of what is there only the requests that are open, and then all that comes', async () => {
    const at = await setting();
    const team = Team.start({ tasks: [{ role: 'worker' }] });
    await at.run();
    team.awake('worker');
    team.ok({
      kind: 'request.decide',
      by: { kind: 'operator', name: 'tester' },
      request: team.park('worker'),
      decision: 'deny',
      text: null,
      digest: null,
    });
    team.awake('worker');
    team.park('worker', { kind: 'question', place: '9-1.0' });
    await at.append(team.entries);
    const { seen } = at.watch({ from: 'now' });
    await until(() => seen.stdout.text.includes('answer:'), { what: 'the block' });
    expect(seen.stdout.text).toContain(`  answer: bnerd team answer ${TEAM} r2 <text>\n`);
    expect(seen.stdout.text).not.toContain('r1');
    expect(seen.stdout.text).not.toContain('[worker]');
    const before = team.entries.length;
    const by = { kind: 'operator', name: 'tester' } as const;
    const answer = { request: 'r2', decision: 'answer', text: 'this', digest: null } as const;
    team.ok({ kind: 'request.decide', by, ...answer });
    await at.append(team.entries.slice(before));
    await until(() => seen.stdout.text.includes('r2: answer by operator (tester)'), { what: 'the answer' });
  });

  test('a reader that goes away ends it, and nothing else', async () => {
    const at = await setting();
    await at.run();
    const { seen, ended } = at.watch();
    seen.stdout.destroy();
    await at.append(told().body);
    expect(await ended).toBe(0);
  });

  test('a slow reader gets everything, late', async () => {
    const at = await setting();
    const { team } = told();
    await at.append(team.entries);
    const { seen, ended } = at.watch({ json: true });
    seen.stdout.hold();
    await until(() => seen.stdout.lines.length > 0, { what: 'the first line' });
    seen.stdout.go();
    expect(await ended).toBe(0);
    expect(seen.stdout.lines).toHaveLength(team.entries.flatMap((entry) => entry.facts).length);
  });

  test('a line that cannot be read ends it with where', async () => {
    const at = await setting();
    await at.append(told().body);
    await rm(join(at.folder, 'log.jsonl'));
    await writeFile(join(at.folder, 'log.jsonl'), '{"v":1\n');
    await expect(at.watch().ended).rejects.toMatchObject({
      code: 'log-broken',
      message: expect.stringContaining('line 1 of the log'),
    });
  });
});
