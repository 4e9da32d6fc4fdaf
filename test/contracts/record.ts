/**
 * What every record keeps (R1 to R5 of `src/events/record.ts`). Run it on an implementation with a factory
 * that gives a fresh place to record in.
 */

import { expect, test } from 'vitest';
import type { AppendOutcome, TeamRecord } from '../../src/events/record.js';
import { sha256 } from '../../src/shared/digest.js';
import { CodedError } from '../../src/shared/errors.js';
import { entryAt, ids, input, MULTI_BYTE, numbers, opened } from './record-samples.js';

/** One place that outlives the records opened over it. Created inside a test, so it may register clean-up. */
export interface RecordPlace {
  /** Opens a record, as one process after the other would; the one before need not have been closed. */
  open(): Promise<TeamRecord>;
  /** Makes the next write of the open record fail, by a fault of the place itself. */
  fail(): Promise<void>;
  /** The code that the failure of `fail` must have. */
  readonly failCode: 'disk-full' | 'log-failed' | 'redis-full';
}

/** Declares the tests of the contract. */
export function recordContract(implementation: string, makePlace: () => Promise<RecordPlace>): void {
  const it = (title: string, run: (place: RecordPlace) => Promise<void>): void => {
    test(`${implementation}: ${title}`, async () => run(await makePlace()));
  };

  it('a fresh record is empty', async (place) => {
    const record = await place.open();
    expect(await record.log.read()).toEqual([]);
    expect(await record.transcripts.read('writer')).toEqual([]);
    expect(await record.blobs.get(sha256('nothing'))).toBeUndefined();
    expect(record.findings).toEqual([]);
    await record.close();
  });

  it('R1 what was acknowledged is there for the next process, byte for byte', async (place) => {
    const record = await place.open();
    const entries = [entryAt(1, MULTI_BYTE, 'two'), entryAt(3, '\u0000 \ud800 "quoted" \\ \r\n')];
    for (const entry of entries) expect(await record.log.append(entry)).toEqual({ kind: 'appended' });
    const turn = [opened(1), input(1, 1, MULTI_BYTE)];
    expect(await record.transcripts.append('writer', turn)).toEqual({ kind: 'appended' });
    const digest = await record.blobs.put(MULTI_BYTE);
    expect(digest).toBe(sha256(MULTI_BYTE));
    // Not closed: acknowledged means that the process may die now.
    const next = await place.open();
    expect(await next.log.read()).toEqual(entries);
    expect(await next.transcripts.read('writer')).toEqual(turn);
    expect(await next.blobs.get(digest)).toBe(MULTI_BYTE);
    await next.close();
    await record.close();
  });

  it('knows how large it is, each text once, whoever wrote it', async (place) => {
    const record = await place.open();
    const sizes = [record.bytes()];
    await record.log.append(entryAt(1, 'one'));
    sizes.push(record.bytes());
    await record.transcripts.append('writer', [opened(1), input(1, 1, MULTI_BYTE)]);
    sizes.push(record.bytes());
    await record.blobs.put(MULTI_BYTE.repeat(9));
    sizes.push(record.bytes());
    expect(sizes[0]).toBe(0);
    for (const [index, size] of sizes.slice(1).entries()) expect(size).toBeGreaterThan(sizes[index] ?? 0);
    await record.blobs.put(MULTI_BYTE.repeat(9));
    expect(record.bytes()).toBe(sizes.at(-1));
    await record.close();
    const next = await place.open();
    expect(next.bytes()).toBe(sizes.at(-1));
    await next.blobs.put(MULTI_BYTE.repeat(9));
    expect(next.bytes(), 'it was there').toBe(sizes.at(-1));
    await next.close();
  });

  it('reads from a number on, by the first fact of an entry', async (place) => {
    const record = await place.open();
    await record.log.append(entryAt(1, 'a', 'b', 'c'));
    await record.log.append(entryAt(4, 'd'));
    await record.log.append(entryAt(5, 'e', 'f'));
    expect(numbers(await record.log.read(1))).toEqual([1, 4, 5]);
    expect(numbers(await record.log.read(2))).toEqual([4, 5]);
    expect(numbers(await record.log.read(4))).toEqual([4, 5]);
    expect(numbers(await record.log.read(5))).toEqual([5]);
    expect(numbers(await record.log.read(7))).toEqual([]);
    await record.close();
    const next = await place.open();
    expect(numbers(await next.log.read(4))).toEqual([4, 5]);
    expect(numbers(await next.log.read())).toEqual([1, 4, 5]);
    await next.log.append(entryAt(7));
    expect(numbers(await next.log.read(5))).toEqual([5, 7]);
    await next.close();
  });

  it('R1 keeps what was handed in, whatever the caller does to it afterwards', async (place) => {
    const record = await place.open();
    const entry = entryAt(1, 'before');
    const facts = [...entry.facts];
    const written = record.log.append({ ...entry, facts });
    facts.length = 0;
    await written;
    expect(await record.log.read()).toEqual([entryAt(1, 'before')]);
    await record.close();
  });

  it('R2 a wrong position is a conflict that names the right one, and adds nothing', async (place) => {
    const record = await place.open();
    expect(await record.log.append(entryAt(2))).toEqual({ kind: 'conflict', next: 1 });
    expect(numbers(await record.log.read())).toEqual([]);
    await record.log.append(entryAt(1, 'a', 'b'));
    for (const wrong of [1, 2, 4]) {
      expect(await record.log.append(entryAt(wrong))).toEqual({ kind: 'conflict', next: 3 });
      expect(numbers(await record.log.read())).toEqual([1]);
    }
    expect(await record.log.append(entryAt(3))).toEqual({ kind: 'appended' });
    await record.close();
  });

  it('R2 of many that want one position at once one gets it, and the others can read what it wrote', async (place) => {
    const record = await place.open();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, rival): Promise<AppendOutcome> => {
        const outcome = await record.log.append(entryAt(1, `rival ${rival}`));
        if (outcome.kind === 'conflict') {
          expect(outcome.next).toBe(2);
          expect(await record.log.read(1)).toHaveLength(1);
        }
        return outcome;
      }),
    );
    expect(answers.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
    await record.close();
  });

  it('R6 behind a conflict a number that fits by accident is refused until the log was read, where others write', async (place) => {
    const record = await place.open();
    const { writers } = record.log;
    await record.log.append(entryAt(1));
    // Two decisions on a state that never was: somebody else has written fact 2 before the first of them.
    const rival = writers === 'many' ? await place.open() : record;
    await rival.log.read();
    await rival.log.append(entryAt(2, 'rival'));
    const late = [entryAt(2, 'late'), entryAt(3, 'later')];
    const answers = await Promise.all(late.map((entry) => record.log.append(entry)));
    const [first, second] = answers.map(({ kind }) => kind);
    expect([first, second]).toEqual(['conflict', writers === 'many' ? 'conflict' : 'appended']);
    if (writers === 'many') {
      expect(await record.log.append(entryAt(3, 'still'))).toMatchObject({ kind: 'conflict' });
      expect(numbers(await record.log.read(2))).toEqual([2]);
      expect(await record.log.append(entryAt(3, 'anew'))).toEqual({ kind: 'appended' });
    }
    await rival.close();
    await record.close();
  });

  it('appends may follow each other without waiting, and stand in that order', async (place) => {
    const record = await place.open();
    const many = Array.from({ length: 200 }, (_, place) => entryAt(place + 1, `fact ${place}`));
    const answers = await Promise.all(many.map((entry) => record.log.append(entry)));
    expect(answers.every(({ kind }) => kind === 'appended')).toBe(true);
    expect(await record.log.read()).toEqual(many);
    await record.close();
    const next = await place.open();
    expect(await next.log.read()).toEqual(many);
    await next.close();
  });

  it('R3 what was handed in before an entry is there when the entry is acknowledged', async (place) => {
    const record = await place.open();
    const blob = record.blobs.put('prompt text');
    const turn = record.transcripts.append('writer', [opened(1)]);
    await record.log.append(entryAt(1));
    const next = await place.open();
    expect(await next.blobs.get(sha256('prompt text'))).toBe('prompt text');
    expect(ids(await next.transcripts.read('writer'))).toEqual(['1-0']);
    await Promise.all([blob, turn]);
    await next.close();
    await record.close();
  });

  it('R4 a turn that a newer one has followed may write nothing more', async (place) => {
    const record = await place.open();
    await record.transcripts.append('writer', [opened(3), input(3, 1)]);
    await record.transcripts.append('writer', [opened(9)]);
    const late = await record.transcripts.append('writer', [input(3, 2)]);
    expect(late).toEqual({ kind: 'fenced', newest: 9 });
    expect(await record.transcripts.append('writer', [opened(8)])).toEqual({ kind: 'fenced', newest: 9 });
    expect(ids(await record.transcripts.read('writer'))).toEqual(['3-0', '3-1', '9-0']);
    await record.close();
    const next = await place.open();
    expect(await next.transcripts.append('writer', [input(3, 2)])).toEqual({ kind: 'fenced', newest: 9 });
    expect(await next.transcripts.append('writer', [input(9, 1)])).toEqual({ kind: 'appended' });
    await next.close();
  });

  it('R4 the fence stands as soon as the newer turn was handed in, and for that member alone', async (place) => {
    const record = await place.open();
    await record.transcripts.append('writer', [opened(1)]);
    const [newer, late, other] = await Promise.all([
      record.transcripts.append('writer', [opened(2)]),
      record.transcripts.append('writer', [input(1, 1)]),
      record.transcripts.append('lead', [opened(1, 'lead')]),
    ]);
    expect(newer).toEqual({ kind: 'appended' });
    expect(late).toEqual({ kind: 'fenced', newest: 2 });
    expect(other).toEqual({ kind: 'appended' });
    await record.close();
  });

  it('a transcript takes no entry twice, none out of order, and none of a turn that was not opened', async (place) => {
    const record = await place.open();
    const refused = { code: 'transcript-order' };
    const { transcripts } = record;
    await expect(transcripts.append('writer', [input(1, 0)])).rejects.toMatchObject(refused);
    await transcripts.append('writer', [opened(1), input(1, 1)]);
    await expect(transcripts.append('writer', [input(1, 1)])).rejects.toMatchObject(refused);
    await expect(transcripts.append('writer', [input(1, 3)])).rejects.toMatchObject(refused);
    await expect(transcripts.append('writer', [opened(1)])).rejects.toMatchObject(refused);
    await expect(transcripts.append('writer', [input(2, 0)])).rejects.toMatchObject(refused);
    await expect(transcripts.append('writer', [input(1, 2), opened(2)])).rejects.toMatchObject(refused);
    expect(ids(await transcripts.read('writer'))).toEqual(['1-0', '1-1']);
    await record.close();
  });

  it('an entry that could not be loaded again is not written', async (place) => {
    const record = await place.open();
    const entry = entryAt(1);
    const refused = { code: 'bad-entry' };
    await expect(record.log.append({ ...entry, facts: [] })).rejects.toMatchObject(refused);
    await expect(record.log.append({ ...entry, v: entry.v + 1 })).rejects.toMatchObject(refused);
    await expect(record.log.append({ ...entry, commands: [] })).rejects.toMatchObject(refused);
    expect(await record.log.append(entry)).toEqual({ kind: 'appended' });
    await record.close();
  });

  it('a text stored twice is stored once', async (place) => {
    const record = await place.open();
    const digests = await Promise.all([record.blobs.put('same'), record.blobs.put('same')]);
    expect(digests).toEqual([sha256('same'), sha256('same')]);
    const next = await place.open();
    expect(await next.blobs.put('same')).toBe(sha256('same'));
    expect(await next.blobs.get('../log.jsonl')).toBeUndefined();
    await next.close();
    await record.close();
  });

  it('R5 after a failed write everything is refused with the same named error, and nothing of it is there', async (place) => {
    const record = await place.open();
    await record.transcripts.append('writer', [opened(1)]);
    await record.log.append(entryAt(1));
    await place.fail();
    // One pass: the transcript's own file may be fine, but it belongs to the commit that fails.
    const [transcript, entry] = await Promise.allSettled([
      record.transcripts.append('writer', [input(1, 1)]),
      record.log.append(entryAt(2)),
    ]);
    const error: unknown = entry.status === 'rejected' ? entry.reason : undefined;
    expect(error).toBeInstanceOf(CodedError);
    expect(error).toMatchObject({ code: place.failCode, name: 'FatalError' });
    expect(transcript).toEqual({ status: 'rejected', reason: error });
    await expect(record.log.append(entryAt(2))).rejects.toBe(error);
    await expect(record.log.append(entryAt(1))).rejects.toBe(error);
    await expect(record.transcripts.append('writer', [opened(2)])).rejects.toBe(error);
    await expect(record.blobs.put('late')).rejects.toBe(error);
    expect(numbers(await record.log.read())).toEqual([1]);
    expect(ids(await record.transcripts.read('writer'))).toEqual(['1-0']);
    await record.close();
    const next = await place.open();
    expect(numbers(await next.log.read())).toEqual([1]);
    expect(ids(await next.transcripts.read('writer'))).toEqual(['1-0']);
    await next.close();
  });

  it('closing waits for what was handed in, may be repeated, and ends writing', async (place) => {
    const record = await place.open();
    const written = record.log.append(entryAt(1));
    await record.close();
    expect(await written).toEqual({ kind: 'appended' });
    await record.close();
    await expect(record.log.append(entryAt(2))).rejects.toMatchObject({ code: 'record-closed' });
    await expect(record.transcripts.append('writer', [opened(1)])).rejects.toMatchObject({
      code: 'record-closed',
    });
  });
}
