import { fstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { openFileRecord } from '../../src/events/file-record.js';
import type { TeamRecord } from '../../src/events/record.js';
import { sha256 } from '../../src/shared/digest.js';
import { jsonLine } from '../../src/shared/jsonl.js';
import { entryAt, ids, input, numbers, opened } from '../contracts/record-samples.js';
import { tempDir } from '../helpers/temp-dir.js';

const clock = { wallMs: () => 0 };
// Which file a handle belongs to is read from /proc.
const onLinux = test.runIf(process.platform === 'linux');

async function begin(): Promise<{ folder: string; record: TeamRecord }> {
  const folder = join(await tempDir('commit'), 'run-a');
  return { folder, record: await openFileRecord(folder, { clock, mode: 'create' }) };
}

/** What a power cut would leave: bytes behind the last sync of a file, and names not synced, may be gone. */
class DiskWatch {
  /** Synced length by inode. */
  readonly lengths = new Map<number, number>();
  /** Synced names by folder. */
  readonly names = new Map<string, readonly string[]>();
  readonly syncs = new Map<string, number>();
  /** Called with every text that is about to be written to a file of that name. */
  onWrite: (name: string, text: string) => void = () => undefined;

  /** The bytes of a file that a power cut would leave. */
  durable(folder: string, name: string): string {
    if (!(this.names.get(folder) ?? []).includes(name)) return '';
    const path = join(folder, name);
    return readFileSync(path)
      .subarray(0, this.lengths.get(statSync(path).ino) ?? 0)
      .toString('utf8');
  }
}

/** Watches Node's own file handles, whose calls are passed on unchanged. */
async function watchDisk(): Promise<DiskWatch> {
  const watch = new DiskWatch();
  const handle = await open('/dev/null');
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const { write, writeFile: writeAll, datasync, sync } = prototype;
  const syncing = (original: (this: FileHandle) => Promise<void>) =>
    async function (this: FileHandle): Promise<void> {
      const path = readlinkSync(`/proc/self/fd/${this.fd}`);
      const { ino, size } = fstatSync(this.fd);
      const names = fstatSync(this.fd).isDirectory() ? readdirSync(path) : undefined;
      await original.call(this);
      watch.syncs.set(path, (watch.syncs.get(path) ?? 0) + 1);
      if (names === undefined) watch.lengths.set(ino, size);
      else watch.names.set(path, names);
    };
  const writing = (original: (...args: never[]) => unknown) =>
    function (this: FileHandle, ...args: unknown[]): unknown {
      const text = args[0] instanceof Uint8Array ? Buffer.from(args[0]).toString('utf8') : '';
      watch.onWrite(basename(readlinkSync(`/proc/self/fd/${this.fd}`)), text);
      return Reflect.apply(original, this, args);
    };
  Object.assign(prototype, { datasync: syncing(datasync), sync: syncing(sync) });
  Object.assign(prototype, { write: writing(write), writeFile: writing(writeAll) });
  onTestFinished(() => {
    Object.assign(prototype, { write, writeFile: writeAll, datasync, sync });
  });
  return watch;
}

/** What members do at once: each step is a pass of the event loop with these members in it. */
const passes = fc.array(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 5,
});

onLinux(
  'R3 whatever runs at once, a power cut leaves no entry whose transcript or blob is not there',
  async () => {
    const watch = await watchDisk();
    await fc.assert(
      fc.asyncProperty(passes, async (steps) => {
        const { folder, record } = await begin();
        const missing: string[] = [];
        // The system may write bytes of the log before it is asked to sync them: at the write all must be there.
        watch.onWrite = (name, text) => {
          if (name !== 'log.jsonl') return;
          for (const [, member = '', id = '', digest = ''] of text.matchAll(
            /needs (\S+) (\S+) ([0-9a-f]{64})/g,
          )) {
            const transcript = watch.durable(join(folder, 'transcripts'), `${member}.jsonl`);
            if (!transcript.includes(`{"id":"${id}",`)) missing.push(`${member} ${id}`);
            if (watch.durable(join(folder, 'blobs'), digest) !== `text ${id}`) missing.push(`blob of ${id}`);
          }
        };
        let first = 0;
        const turns = new Map<string, number>();
        const work: Promise<unknown>[] = [];
        for (const step of steps) {
          for (const number of step) {
            const member = `m${number}`;
            const k = turns.get(member) ?? 0;
            turns.set(member, k + 1);
            const id = `${number}-${k}`;
            first++;
            work.push(record.blobs.put(`text ${id}`));
            work.push(
              record.transcripts.append(member, [k === 0 ? opened(number, member) : input(number, k)]),
            );
            work.push(record.log.append(entryAt(first, `needs ${member} ${id} ${sha256(`text ${id}`)}`)));
          }
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
        }
        await Promise.all(work);
        expect(missing).toEqual([]);
        expect(numbers(await record.log.read())).toHaveLength(first);
        await record.close();
      }),
      { numRuns: 25 },
    );
  },
);

onLinux('what is acknowledged is synced, and a pass costs one sync a file', async () => {
  const watch = await watchDisk();
  const { folder, record } = await begin();
  watch.syncs.clear();
  await Promise.all([
    ...Array.from({ length: 50 }, (_, place) => record.log.append(entryAt(place + 1))),
    record.transcripts.append('lead', [opened(1, 'lead')]),
    record.transcripts.append('lead', [input(1, 1)]),
    record.transcripts.append('writer', [opened(2)]),
  ]);
  expect(Object.fromEntries(watch.syncs)).toEqual({
    [join(folder, 'log.jsonl')]: 1,
    [join(folder, 'transcripts', 'lead.jsonl')]: 1,
    [join(folder, 'transcripts', 'writer.jsonl')]: 1,
    [join(folder, 'transcripts')]: 1,
  });
  expect(watch.durable(folder, 'log.jsonl')).toBe(await readFile(join(folder, 'log.jsonl'), 'utf8'));
  expect(watch.durable(join(folder, 'transcripts'), 'lead.jsonl')).toBe(
    jsonLine(opened(1, 'lead')) + jsonLine(input(1, 1)),
  );
  await record.close();
});

test('when a transcript cannot be written, neither is the log, and other transcripts are cut back', async () => {
  const { folder, record } = await begin();
  await record.transcripts.append('lead', [opened(1, 'lead')]);
  await record.log.append(entryAt(1));
  await mkdir(join(folder, 'transcripts', 'writer.jsonl'));
  const attempts = await Promise.allSettled([
    record.log.append(entryAt(2)),
    record.transcripts.append('lead', [input(1, 1)]),
    record.transcripts.append('writer', [opened(2)]),
  ]);
  expect(attempts.map((attempt) => attempt.status === 'rejected' && attempt.reason.code)).toEqual(
    Array.from({ length: 3 }, () => 'log-failed'),
  );
  await record.close();
  expect(await readFile(join(folder, 'log.jsonl'), 'utf8')).toBe(jsonLine(entryAt(1)));
  expect(await readFile(join(folder, 'transcripts', 'lead.jsonl'), 'utf8')).toBe(jsonLine(opened(1, 'lead')));
});

test('when a blob cannot be written, neither are transcripts nor the log', async () => {
  const { folder, record } = await begin();
  await rm(join(folder, 'blobs'), { recursive: true });
  await writeFile(join(folder, 'blobs'), 'not a folder');
  const attempts = await Promise.allSettled([
    record.log.append(entryAt(1)),
    record.transcripts.append('lead', [opened(1, 'lead')]),
    record.blobs.put('text'),
  ]);
  expect(attempts.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(numbers(await record.log.read())).toEqual([]);
  expect(ids(await record.transcripts.read('lead'))).toEqual([]);
  await record.close();
  expect(await readFile(join(folder, 'log.jsonl'), 'utf8')).toBe('');
});
