import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { eventLineSchema } from '../../../src/cli/live/event-line.js';
import { EventStream } from '../../../src/cli/live/event-stream.js';
import { Sink } from '../../../src/cli/output.js';
import { openFileRecord } from '../../../src/events/file-record.js';
import { growingFiles } from '../../../src/events/growing-record.js';
import type { LogEntry } from '../../../src/events/log-entry.js';
import type { TeamRecord } from '../../../src/events/record.js';
import type { TranscriptEntry } from '../../../src/events/transcript-entry.js';
import { Team } from '../../helpers/build-state.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { Reader } from '../streams.js';

const TEAM = 'run-test-01';

interface Setting {
  readonly record: TeamRecord;
  readonly reader: Reader;
  readonly sink: Sink;
  readonly folder: string;
  readonly stream: (from?: number) => EventStream;
}

async function setting(): Promise<Setting> {
  const folder = join(await tempDir('events'), 'run');
  const record = await openFileRecord(folder, { clock: { wallMs: () => 0 }, mode: 'create' });
  onTestFinished(() => record.close());
  const reader = new Reader();
  const sink = new Sink(reader);
  return {
    record,
    reader,
    sink,
    folder,
    stream: (from = 1) => new EventStream({ sink, team: TEAM, lines: growingFiles(folder), from }),
  };
}

/** A team with some mail, as entries. */
function entries(messages: number): readonly LogEntry[] {
  const team = Team.start({ tasks: [{ subject: 'one' }] });
  for (let count = 0; count < messages; count++) team.mail('operator', 'worker', `message ${count}`);
  return team.entries;
}

async function append({ record }: Setting, all: readonly LogEntry[]): Promise<void> {
  for (const entry of all) expect(await record.log.append(entry)).toEqual({ kind: 'appended' });
}

function numbers(reader: Reader, field: 'seq' | 'n'): unknown[] {
  return reader.lines.map((line) => line[field]);
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, place) => place + 1);

describe('the stream of events', () => {
  test('has a line a fact, with its number and stamp, first run.started', async () => {
    const at = await setting();
    const all = entries(2);
    const stream = at.stream();
    await append(at, all);
    for (const entry of all) stream.entry(entry);
    await stream.end();
    const count = all.reduce((sum, entry) => sum + entry.facts.length, 0);
    expect(numbers(at.reader, 'seq')).toEqual(upTo(count));
    expect(numbers(at.reader, 'n')).toEqual(upTo(count));
    expect(at.reader.lines[0]).toMatchObject({
      v: 1,
      at: '2026-01-01T00:00:00.000Z',
      type: 'run.started',
    });
    expect(at.reader.lines.at(-1)).toMatchObject({ team: TEAM, type: 'mail.sent', body: 'message 1' });
  });

  test('every line validates against the published schema', async () => {
    const at = await setting();
    const all = entries(1);
    await append(at, all);
    const reply: TranscriptEntry[] = [
      { id: '9-0', kind: 'opened', team: TEAM, member: 'worker' },
      { id: '9-1', kind: 'input', messages: ['m1'], text: 'hi' },
    ];
    await at.record.transcripts.append('worker', reply);
    const stream = at.stream();
    for (const entry of all) stream.entry(entry);
    for (const { id } of reply) stream.transcript('worker', id, '2026-01-01T00:00:00.000Z');
    await stream.end();
    const schema = z.fromJSONSchema(eventLineSchema() as Parameters<typeof z.fromJSONSchema>[0]);
    for (const line of at.reader.lines) expect(schema.safeParse(line)).toMatchObject({ success: true });
    expect(schema.safeParse({ ...at.reader.lines[0], added_later: 1 })).toMatchObject({ success: true });
    expect(schema.safeParse({ ...at.reader.lines[0], seq: 0 })).toMatchObject({ success: false });
    expect(schema.safeParse({ ...at.reader.lines[0], type: 'run.begun' })).toMatchObject({ success: false });
  });

  test('tells only what it was told is durable, although the file holds more', async () => {
    const at = await setting();
    const all = entries(3);
    await append(at, all);
    const stream = at.stream();
    const [first, second] = all;
    if (first === undefined || second === undefined) throw new Error('too few entries');
    stream.entry(first);
    await stream.end();
    expect(numbers(at.reader, 'n')).toEqual(upTo(first.facts.length));
  });

  test('begins where it is told to, as on a resume', async () => {
    const at = await setting();
    const all = entries(3);
    await append(at, all);
    const last = all.at(-1);
    if (last === undefined) throw new Error('no entry');
    const stream = at.stream(last.first);
    stream.entry(last);
    await stream.end();
    expect(numbers(at.reader, 'seq')).toEqual([1]);
    expect(numbers(at.reader, 'n')).toEqual([last.first]);
  });

  test('puts transcript entries among the facts in the order they were recorded', async () => {
    const at = await setting();
    const [first, ...rest] = entries(2);
    if (first === undefined) throw new Error('no entry');
    const stream = at.stream();
    const told = async (id: string, text: string): Promise<void> => {
      await at.record.transcripts.append('worker', [{ id, kind: 'input', messages: [], text }]);
      stream.transcript('worker', id, '2026-01-01T00:00:01.000Z');
    };
    await append(at, [first]);
    stream.entry(first);
    const opened = { id: '50-0', kind: 'opened', team: TEAM, member: 'worker' } as const;
    await at.record.transcripts.append('worker', [opened]);
    stream.transcript('worker', '50-0', '2026-01-01T00:00:01.000Z');
    for (const [place, entry] of rest.entries()) {
      await told(`50-${place + 1}`, 'before');
      await append(at, [entry]);
      stream.entry(entry);
    }
    await stream.end();
    const kinds = at.reader.lines.slice(first.facts.length).map((line) => line['type']);
    expect(kinds).toEqual([
      'transcript.appended',
      'transcript.appended',
      'mail.sent',
      'transcript.appended',
      'mail.sent',
    ]);
    expect(numbers(at.reader, 'seq')).toEqual(upTo(at.reader.lines.length));
    expect(at.reader.lines.find((line) => line['type'] === 'transcript.appended')).toMatchObject({
      team: TEAM,
      member: 'worker',
      entry: { id: '50-0', kind: 'opened' },
    });
  });

  test('a slow reader costs no memory and gets everything', async () => {
    const at = await setting();
    const all = entries(400);
    await append(at, all);
    const stream = at.stream();
    at.reader.hold();
    for (const entry of all) {
      stream.entry(entry);
      await Promise.resolve();
    }
    await new Promise(setImmediate);
    // One line may be on its way to a reader that takes none; the others wait in the record.
    expect(at.reader.writableLength).toBeLessThan(20_000);
    at.reader.go();
    await stream.end();
    expect(numbers(at.reader, 'n')).toEqual(upTo(numbers(at.reader, 'n').length));
    expect(at.reader.lines).toHaveLength(all.reduce((sum, entry) => sum + entry.facts.length, 0));
  });

  test('an entry longer than one read of the file is told whole', async () => {
    const at = await setting();
    const team = Team.start();
    team.mail('operator', 'worker', 'ß€😀'.repeat(3_000));
    await append(at, team.entries);
    const stream = at.stream();
    for (const entry of team.entries) stream.entry(entry);
    await stream.end();
    expect(at.reader.lines.at(-1)).toMatchObject({ body: 'ß€😀'.repeat(3_000) });
  });

  test('a reader that goes away ends the stream and nothing else', async () => {
    const at = await setting();
    const all = entries(5);
    await append(at, all);
    const stream = at.stream();
    at.sink.abandon();
    for (const entry of all) stream.entry(entry);
    await stream.end();
    expect(at.reader.text).toBe('');
    expect(stream.problem).toBeNull();
  });

  test('a record that is shorter than it was ends the stream and says so', async () => {
    const at = await setting();
    const all = entries(2);
    await append(at, all.slice(0, 1));
    const stream = at.stream();
    for (const entry of all) stream.entry(entry);
    await stream.end();
    expect(stream.problem).toMatch(/shorter than it was/);
  });

  test('a record that somebody has damaged ends the stream and says so', async () => {
    const at = await setting();
    const [first, second] = entries(2);
    if (first === undefined || second === undefined) throw new Error('too few entries');
    await append(at, [first]);
    await appendFile(join(at.folder, 'log.jsonl'), '{"v":1}\n');
    const stream = at.stream();
    stream.entry(first);
    stream.entry(second);
    await stream.end();
    expect(stream.problem).toMatch(/has no facts/);
    expect(at.reader.lines).toHaveLength(first.facts.length);
  });

  test('an end that no record could take is the last line, without a number', async () => {
    const at = await setting();
    const all = entries(1);
    await append(at, all);
    const stream = at.stream();
    for (const entry of all) stream.entry(entry);
    await stream.last((place) => ({ v: 1, ...place, type: 'run.ended' }));
    await stream.end();
    expect(at.reader.lines.at(-1)).toEqual({
      v: 1,
      seq: at.reader.lines.length,
      team: TEAM,
      type: 'run.ended',
    });
  });
});
