/**
 * Two processes write one log over lines that break, in any order of writes and breaks: what was acknowledged is there
 * once, what was answered `conflict` is not, also when a late command arrives at the very end.
 */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LogEntry, nextNumber } from '../../src/events/log-entry.js';
import type { TeamRecord } from '../../src/events/record.js';
import { entryAt, numbers } from '../contracts/record-samples.js';
import { type Fate, LoopbackProxy } from '../helpers/loopback-proxy.js';
import { describePrivateRedis, privateRedis, redisAt } from '../helpers/redis.js';
import { openRecordOn } from '../helpers/redis-record.js';

type Line = Fate | 'holds' | 'cut';

interface Step {
  readonly writer: 0 | 1;
  /** Entries that are handed in at once, ahead of each other. */
  readonly ahead: number;
  readonly line: Line;
}

const step: fc.Arbitrary<Step> = fc.record({
  writer: fc.constantFrom(0, 1),
  ahead: fc.integer({ min: 1, max: 3 }),
  line: fc.constantFrom<Line>('holds', 'holds', 'cut', 'lose-reply', 'lose-command', 'hold-command'),
});

interface Writer {
  readonly record: TeamRecord;
  readonly proxy: LoopbackProxy;
  /** The number that its next entry has, as far as it knows. */
  next: number;
}

/** What the two were told about each of their entries. */
interface Told {
  readonly appended: LogEntry[];
  readonly lost: LogEntry[];
}

async function take({ ahead, line }: Step, writer: Writer, name: string, told: Told): Promise<void> {
  const { proxy, record } = writer;
  if (line === 'cut') proxy.cut();
  const met = line === 'cut' || line === 'holds' ? undefined : proxy.next(line);
  const entries = Array.from({ length: ahead }, (_, place) =>
    entryAt(writer.next + place, `${name}.${place}`),
  );
  const outcomes = await Promise.all(entries.map((entry) => record.log.append(entry)));
  await met;
  for (const [place, entry] of entries.entries()) {
    const list = outcomes[place]?.kind === 'appended' ? told.appended : told.lost;
    list.push(entry);
  }
  if (outcomes.some(({ kind }) => kind === 'conflict')) {
    const newest = (await record.log.read(writer.next)).at(-1);
    if (newest !== undefined) writer.next = nextNumber(newest);
  } else {
    writer.next += ahead;
  }
}

describePrivateRedis('any order of writes and broken lines', () => {
  test('what was acknowledged is there once, what was lost is not', async () => {
    const server = await privateRedis();
    const proxies = await Promise.all([
      LoopbackProxy.start(server.socket),
      LoopbackProxy.start(server.socket),
    ]);
    const at = redisAt(server.url);
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        runs += 1;
        const team = `run-any-${runs}`;
        const open = async (proxy: LoopbackProxy, mode: 'create' | 'open'): Promise<TeamRecord> =>
          (await openRecordOn(at, { team, mode, connection: at.connectBy(proxy.url) })).record;
        const first = await open(proxies[0], 'create');
        await first.log.append(entryAt(1));
        const writers: readonly [Writer, Writer] = [
          { record: first, proxy: proxies[0], next: 2 },
          { record: await open(proxies[1], 'open'), proxy: proxies[1], next: 2 },
        ];
        const told: Told = { appended: [], lost: [] };
        for (const [place, one] of steps.entries()) await take(one, writers[one.writer], String(place), told);
        for (const proxy of proxies) while (proxy.holds) await proxy.release();
        const log = (await writers[0].record.log.read()).slice(1);
        expect(log).toEqual(told.appended);
        expect(numbers(log)).toEqual(log.map((_, place) => place + 2));
        expect(log.filter((entry) => told.lost.some((other) => same(entry, other)))).toEqual([]);
        await Promise.all(writers.map(({ record }) => record.close()));
      }),
      { numRuns: 25 },
    );
  });
});

function same(one: LogEntry, other: LogEntry): boolean {
  return JSON.stringify(one.facts) === JSON.stringify(other.facts);
}
