// Cases K: the record under whole teams: torn tails and broken lines.
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { logEntry } from '../../src/events/log-entry.js';
import { transcriptEntry } from '../../src/events/transcript-entry.js';
import { resumeTeam } from '../../src/runtime/resume-team.js';
import { teamTranscript } from '../../src/runtime/teams.js';
import { verifyTeam } from '../../src/runtime/verify-team.js';
import {
  type JournalRow,
  type Mission,
  resumeJob,
  startJob,
  type TestHouse,
  type WatchedTeam,
  writeMission,
} from '../helpers/team.js';
import { type Crashed, crashAt } from './crash.js';
import { ask, claim, complete, does, expectInvariants, finish, says, when, works } from './play.js';

const NOBODY = { operatorPresent: false, onEntry: () => {}, takeOver: false };

/** Two tasks one after the other; what is said of the first has characters of one to four bytes. */
const JOB: Mission = {
  recipe: {
    tasks: [
      { id: 'one', subject: 'Do one', role: 'worker' },
      { id: 'two', subject: 'Do two', role: 'worker', blocked_by: ['one'] },
    ],
  },
  roles: { boss: {}, worker: {} },
  script: {
    boss: { idle: 'Waiting.', turns: [when('has completed #2', finish())] },
    worker: {
      idle: 'Ready.',
      turns: [
        when('Task #1 is ready', does(claim('#1')), does(complete('#1', { summary: 'aé€😀' })), says('One.')),
        works('#2'),
      ],
    },
  },
};

/** One task, whose worker asks before it does it. */
const ASKING: Mission = {
  recipe: { tasks: [{ id: 'job', subject: 'Do it', role: 'worker' }] },
  roles: { boss: {}, worker: {} },
  script: {
    boss: { idle: 'Waiting.', turns: [when('has completed #1', finish())] },
    worker: { idle: 'Ready.', turns: [works('#1', does(ask('Which one?')))] },
  },
};

const completes =
  (task: string) =>
  (row: JournalRow): boolean =>
    row.kind === 'fact' && row.fact.type === 'task.completed' && row.fact.task === task;

/** A team killed when its first task was completed: that is the last line of its log. */
async function crashed(): Promise<{ at: TestHouse; crash: Crashed; log: string; bytes: Buffer }> {
  const at = await writeMission(JOB);
  const crash = await crashAt(at, await startJob(at), completes('#1'));
  const log = join(crash.folder, 'log.jsonl');
  // What was decided ahead may be on disk behind it, and nothing has come of that yet.
  const bytes = upTo(await readFile(log), '"task.completed"');
  await writeFile(log, bytes);
  const place = crash.entries.findIndex((entry) =>
    entry.facts.some((fact) => fact.type === 'task.completed'),
  );
  return { at, crash: { ...crash, entries: crash.entries.slice(0, place + 1) }, log, bytes };
}

/** These bytes up to and with the first line that holds a text. */
function upTo(bytes: Buffer, text: string): Buffer {
  return bytes.subarray(0, bytes.indexOf(10, bytes.indexOf(text)) + 1);
}

/** Where the last line of these bytes begins. */
function lastLine(bytes: Buffer): number {
  return bytes.lastIndexOf(10, bytes.length - 2) + 1;
}

/** Resumes to the end; then every line of log and transcripts is a whole entry, and the record agrees with itself. */
async function resumeWhole(at: TestHouse, crash: Crashed): Promise<WatchedTeam> {
  const team = await resumeJob(at, crash.id);
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  for (const [file, schema] of [
    ['log.jsonl', logEntry],
    ['transcripts/worker.jsonl', transcriptEntry],
    ['transcripts/boss.jsonl', transcriptEntry],
  ] as const) {
    const lines = (await readFile(join(crash.folder, file), 'utf8')).split('\n');
    expect(lines.pop()).toBe('');
    for (const [place, line] of lines.entries()) {
      const parsed = schema.safeParse(JSON.parse(line));
      expect(parsed.success, `${file} line ${place + 1}`).toBe(true);
    }
  }
  expect(await verifyTeam(at.house, crash.id)).toMatchObject({ kind: 'found', value: { ok: true } });
  return team;
}

const torn = (team: WatchedTeam): readonly string[] =>
  team.of('run.resumed').flatMap((fact) => fact.findings.map((finding) => finding.code));

test('K211 the last line is cut in the middle, the team resumed, and killed and cut again: every later line is valid', async () => {
  const { at, crash, log, bytes } = await crashed();
  const start = lastLine(bytes);
  const middle = start + Math.floor((bytes.length - start) / 2);
  await writeFile(log, bytes.subarray(0, middle));
  const second = await resumeJob(at, crash.id);
  const again = await crashAt(at, second, completes('#1'));
  expect(torn(second)).toEqual(['log-torn']);
  // The half line stands aside, not before the next one.
  expect((await readFile(join(crash.folder, 'log.torn'))).includes(bytes.subarray(start, middle))).toBe(true);
  const later = upTo(await readFile(log), '"task.completed"');
  await writeFile(log, later.subarray(0, lastLine(later) + 10));
  const third = await resumeWhole(at, again);
  expect(torn(third)).toEqual(['log-torn']);
  expect(third.of('task.completed').map((fact) => fact.task)).toEqual(['#1', '#2']);
});

describe('K213 tails of every kind are repaired by the resume, once', () => {
  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['in the middle of a character', (bytes) => bytes.subarray(0, bytes.lastIndexOf(Buffer.from('😀')) + 2)],
    ['in the middle of JSON', (bytes) => bytes.subarray(0, lastLine(bytes) + 40)],
    ['valid without a newline', (bytes) => bytes.subarray(0, bytes.length - 1)],
  ])('K213 %s', async (_what, cut) => {
    const { at, crash, log, bytes } = await crashed();
    await writeFile(log, cut(bytes));
    const team = await resumeWhole(at, crash);
    expect(torn(team)).toEqual(['log-torn']);
    expect(team.of('task.completed').map((fact) => fact.task)).toEqual(['#1', '#2']);
    // It is mended, not only passed over: the next to open it finds nothing.
    const next = await resumeTeam(at.house, crash.id, NOBODY);
    expect(next).toMatchObject({ kind: 'finished', reason: 'done' });
    expect((await readFile(join(crash.folder, 'log.torn'), 'utf8')).match(/"offset"/gu)).toHaveLength(1);
  });

  test('K213 a crash during the repair: the tail stands aside already and still in the log', async () => {
    const { at, crash, log, bytes } = await crashed();
    const cut = bytes.subarray(0, lastLine(bytes) + 40);
    await writeFile(log, cut);
    const aside = join(crash.folder, 'log.torn');
    await writeFile(
      aside,
      Buffer.concat([Buffer.from('{"at":"…"}\n'), cut.subarray(lastLine(bytes)), Buffer.from('\n')]),
    );
    const team = await resumeWhole(at, crash);
    expect(torn(team)).toEqual(['log-torn']);
    expect(team.of('task.completed').map((fact) => fact.task)).toEqual(['#1', '#2']);
  });

  test('K213 a bad row in the middle is no tail: the resume is refused with its line, and nothing is changed', async () => {
    const { at, crash, log, bytes } = await crashed();
    const lines = bytes.toString('utf8').split('\n');
    lines[4] = `${lines[4]?.slice(0, 30)}`;
    const broken = lines.join('\n');
    await writeFile(log, broken);
    const refused = await resumeTeam(at.house, crash.id, NOBODY);
    expect(refused).toMatchObject({ kind: 'refused', findings: [{ code: 'log-broken', severity: 'error' }] });
    if (refused.kind === 'refused') expect(refused.findings[0]?.message).toContain('line 5 is not JSON');
    expect(await readFile(log, 'utf8')).toBe(broken);
  });

  test('K213 an empty file is a team that never started', async () => {
    const { at, crash, log } = await crashed();
    await writeFile(log, '');
    const refused = await resumeTeam(at.house, crash.id, NOBODY);
    expect(refused).toMatchObject({ kind: 'refused', findings: [{ code: 'never-started' }] });
    expect(await readFile(log, 'utf8')).toBe('');
  });

  test('K213 the tail of a memory is repaired too', async () => {
    const { at, crash } = await crashed();
    const path = join(crash.folder, 'transcripts/worker.jsonl');
    await appendFile(path, Buffer.from('{"id":"99-0","kind":"opened","text":"€').subarray(0, -1));
    const team = await resumeWhole(at, crash);
    expect(torn(team)).toEqual(['transcript-torn']);
    expectInvariants(crash, team);
  });
});

describe('K215 a bad line in the middle', () => {
  test('K215 of the log: later events are read, with a warning that names the line', async () => {
    const { at, crash, log, bytes } = await crashed();
    const lines = bytes.toString('utf8').split('\n');
    lines[2] = '{"v":1,"first":';
    await writeFile(log, lines.join('\n'));
    const shown = await teamTranscript(at.house, crash.id, 'worker');
    if (shown.kind === 'refused') throw new Error(JSON.stringify(shown.findings));
    expect(shown.value.entries.some((entry) => entry.kind === 'reply')).toBe(true);
    expect(shown.value.findings).toMatchObject([
      { code: 'log-broken', severity: 'warning', path: log, line: 3 },
    ]);
    expect(shown.value.findings[0]?.message).toContain('later lines were read');
    expect(await resumeTeam(at.house, crash.id, NOBODY)).toMatchObject({ kind: 'refused' });
  });

  test('K215 of a memory: later entries are shown with a warning, and the resume is refused with the line', async () => {
    const { at, crash } = await crashed();
    const path = join(crash.folder, 'transcripts/worker.jsonl');
    const lines = (await readFile(path, 'utf8')).split('\n');
    const whole = lines.length - 1;
    lines[1] = 'no JSON';
    const broken = lines.join('\n');
    await writeFile(path, broken);
    const shown = await teamTranscript(at.house, crash.id, 'worker');
    if (shown.kind === 'refused') throw new Error(JSON.stringify(shown.findings));
    expect(shown.value.entries).toHaveLength(whole - 1);
    expect(shown.value.findings).toMatchObject([
      { code: 'transcript-broken', severity: 'warning', path, line: 2 },
    ]);
    const refused = await resumeTeam(at.house, crash.id, NOBODY);
    expect(refused).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'transcript-broken', severity: 'error' }],
    });
    if (refused.kind === 'refused') expect(refused.findings[0]?.message).toContain('line 2 is not JSON');
    expect(await readFile(path, 'utf8')).toBe(broken);
  });
});

describe('K216 what is shown and what is gone by', () => {
  test('K216 a live team whose record on disk says something else than its process goes by is an error of verify', async () => {
    const at = await writeMission(ASKING);
    const team = await startJob(at, {}, true);
    const { request } = await team.fact('request.opened');
    const log = join(team.live.folder, 'log.jsonl');
    const whole = await readFile(log, 'utf8');
    expect(whole).toContain('"summary":"Which one?"');
    expect(await verifyTeam(at.house, team.live.id)).toMatchObject({ value: { ok: true } });

    await writeFile(log, whole.replace('"summary":"Which one?"', '"summary":"Which two?"'));
    const differs = await verifyTeam(at.house, team.live.id);
    if (differs.kind === 'refused') throw new Error(JSON.stringify(differs.findings));
    expect(differs.value.ok).toBe(false);
    expect(differs.value.lines.join('\n')).toMatch(/goes by another state than its record gives at fact \d+/);

    await writeFile(log, whole);
    expect(await verifyTeam(at.house, team.live.id)).toMatchObject({ value: { ok: true } });
    await team.live.answer(request, { kind: 'text', text: 'The first.' });
    expect(await team.live.ended).toMatchObject({ reason: 'done' });
    expect(await verifyTeam(at.house, team.live.id)).toMatchObject({ value: { ok: true } });
  });
});
