/**
 * Several stores over one log that all of them write (spec/engine.md §1 "On conflict read on and decide again"): whatever
 * the order in which their appends arrive, the log is one story, each wish has one outcome, and every store tells it alike.
 */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LogEntry } from '../../src/events/log-entry.js';
import { MemoryDisk, memoryRecord } from '../../src/events/memory-record.js';
import type { AppendOutcome, EventLog } from '../../src/events/record.js';
import { systemClock } from '../../src/shared/clock.js';
import { sha256 } from '../../src/shared/digest.js';
import { FatalError } from '../../src/shared/errors.js';
import { fold, type Outcome, TeamStore } from '../../src/state/team-store.js';
import type { Command } from '../../src/team/command.js';
import { taskSpec } from '../helpers/build-start.js';
import { picture, started } from '../helpers/build-state.js';
import { settle } from './held-log.js';

const START: Command = { kind: 'run.start', started: started(), tasks: [], entries: [] };
const mail = (body: string): Command => ({
  kind: 'mail.send',
  by: { kind: 'operator', name: 'op' },
  to: 'lead',
  body,
  task: null,
});

/** A log as one that lies behind a network: appends of one process arrive in order, each after its delay. */
class FarLog implements EventLog {
  readonly writers = 'many';
  readonly #inner: EventLog;
  readonly #delays: () => number;
  #last: Promise<unknown> = Promise.resolve();
  reads = 0;
  entriesRead = 0;
  broken: Error | undefined;

  constructor(disk: MemoryDisk, delays: () => number = () => 0) {
    this.#inner = memoryRecord(disk, 'many').log;
    this.#delays = delays;
  }

  async read(from?: number): Promise<readonly LogEntry[]> {
    await this.#wait();
    if (this.broken !== undefined) throw this.broken;
    const entries = await this.#inner.read(from);
    this.reads++;
    this.entriesRead += entries.length;
    await this.#wait();
    return entries;
  }

  append(entry: LogEntry): Promise<AppendOutcome> {
    const appended = this.#last.then(async () => {
      await this.#wait();
      const outcome = await this.#inner.append(entry);
      await this.#wait();
      return outcome;
    });
    this.#last = appended.catch(() => {});
    return appended;
  }

  async #wait(): Promise<void> {
    for (let left = this.#delays(); left > 0; left--) await settle();
  }
}

async function opened(disk: MemoryDisk): Promise<{ store: TeamStore; log: FarLog }> {
  const log = new FarLog(disk);
  return { store: await TeamStore.open(log, systemClock), log };
}

async function two(): Promise<{
  disk: MemoryDisk;
  one: TeamStore;
  two: TeamStore;
  log: FarLog;
}> {
  const disk = new MemoryDisk();
  const { store: one } = await opened(disk);
  await one.send('start', START);
  const other = await opened(disk);
  return { disk, one, two: other.store, log: other.log };
}

describe('S4 where others write the log as well', () => {
  test('any wishes of any stores in any order of arrival: one story, each accepted wish in it once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 4 }),
        fc.array(fc.record({ store: fc.nat(3), kind: fc.nat(5), who: fc.nat(3) }), { maxLength: 30 }),
        fc.infiniteStream(fc.nat(3)),
        async (stores, wishes, delays) => {
          const disk = new MemoryDisk();
          await (await TeamStore.open(memoryRecord(disk).log, systemClock)).send('start', START);
          const opened = await Promise.all(
            Array.from({ length: stores }, async () => {
              const log = new FarLog(disk, () => delays.next().value);
              const store = await TeamStore.open(log, systemClock);
              const heard: LogEntry[] = [];
              store.onEntry(
                (entry) => heard.push(entry),
                (error) => {
                  throw error;
                },
              );
              return { store, heard };
            }),
          );
          const sent: { id: string; outcome: Promise<Outcome> }[] = [];
          for (const [index, wish] of wishes.entries()) {
            const { store } = opened[wish.store % stores] ?? opened[0] ?? { store: undefined };
            if (store === undefined) throw new Error('no store');
            // Some ids are said by several processes, as two that take up the same turn would.
            const id = wish.kind === 0 ? `said ${wish.who}` : `wish ${index}`;
            const command: Command =
              wish.kind === 1
                ? {
                    kind: 'turn.start',
                    member: ['boss', 'worker', 'lead', 'nobody'][wish.who] ?? '',
                    cause: 1,
                  }
                : wish.kind === 2
                  ? ({ ...mail('x'), kind: 'mail.send', to: 'nobody' } as Command)
                  : wish.kind === 3 && wish.who === 0
                    ? { kind: 'run.stop', by: 'op', cause: 'stop' }
                    : mail(id);
            sent.push({ id, outcome: store.send(id, command) });
            if (wish.kind === 4) await store.catchUp();
            if (wish.kind === 5) await settle();
          }
          const outcomes = await Promise.all(
            sent.map(async ({ id, outcome }) => ({ id, outcome: await outcome })),
          );
          const ids = disk.entries.flatMap(({ commands }) => commands.map((command) => command.id));
          expect(new Set(ids).size).toBe(ids.length);
          for (const { id, outcome } of outcomes) {
            if (outcome.kind === 'accepted' && outcome.facts.length > 0) expect(ids).toContain(id);
          }
          const story = picture(fold(disk.entries));
          for (const { store, heard } of opened) {
            await store.catchUp();
            expect(sha256(picture(store.state))).toBe(sha256(story));
            expect(heard).toEqual(disk.entries.slice(1));
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  test('a conflict reads what is new, not the whole log', async () => {
    const { one, two: late, log } = await two();
    for (let index = 0; index < 50; index++) await one.send(`before ${index}`, mail('x'));
    await late.catchUp();
    await one.send('theirs', mail('theirs'));
    const [reads, before] = [log.reads, log.entriesRead];
    expect(await late.send('ours', mail('ours'))).toMatchObject({ kind: 'accepted' });
    expect([log.reads - reads, log.entriesRead - before]).toEqual([1, 1]);
  });

  test('nothing is refused by what others have changed since', async () => {
    const { one, two: late } = await two();
    const by = { kind: 'operator', name: 'op' } as const;
    await one.send('new', {
      kind: 'task.create',
      by,
      tasks: [taskSpec({ subject: 'late news' })],
    });
    const ended: Command = {
      kind: 'task.update',
      by,
      task: '#1',
      subject: null,
      description: null,
      role: null,
      addBlockedBy: [],
      removeBlockedBy: [],
      addBlocks: [],
      status: 'cancelled',
      detail: 'not needed',
    };
    expect(late.state.tasks.size).toBe(0);
    expect(await late.send('over', ended)).toMatchObject({ kind: 'accepted' });
    expect([...late.state.tasks.values()].map(({ state }) => state.kind)).toEqual(['cancelled']);
    expect(await one.send('over', ended)).toMatchObject({ kind: 'accepted', first: null });
  });

  test('a wish that repeats one which is lost on its way is decided again', async () => {
    const { disk, one, two: late } = await two();
    await one.send('stop', { kind: 'run.stop', by: 'op', cause: 'stop' });
    await one.send('end', { kind: 'run.sweep', operatorPresent: false, missingArtifacts: [] });
    const turn: Command = { kind: 'turn.start', member: 'lead', cause: 1 };
    const said = await Promise.all([late.send('turn', turn), late.send('turn', turn)]);
    expect(said).toMatchObject([
      { kind: 'refused', code: 'not_running' },
      { kind: 'refused', code: 'not_running' },
    ]);
    expect(disk.entries.flatMap(({ facts }) => facts).map(({ type }) => type)).not.toContain('turn.started');
  });

  test('catching up tells listeners what others wrote, and says whether there was something', async () => {
    const { one, two: late } = await two();
    const heard: string[] = [];
    late.onEntry(
      ({ commands }) => heard.push(commands[0]?.id ?? ''),
      (error) => {
        throw error;
      },
    );
    expect(await late.catchUp()).toBe(false);
    await one.send('a', mail('a'));
    await one.send('b', mail('b'));
    expect(await late.catchUp()).toBe(true);
    expect(heard).toEqual(['a', 'b']);
    expect(await late.catchUp()).toBe(false);
    expect(await one.catchUp()).toBe(false);
  });

  test('a log that cannot be read poisons the store, and nobody waits for ever', async () => {
    const { one, two: late, log } = await two();
    await one.send('theirs', mail('x'));
    const gone = new FatalError('log-gone', 'the log is not there any more');
    log.broken = gone;
    const ours = [late.send('ours', mail('y')), late.send('more', mail('z')), late.catchUp()];
    for (const one of ours) await expect(one).rejects.toBe(gone);
    await expect(late.settled()).rejects.toBe(gone);
    await expect(late.send('later', mail('y'))).rejects.toBe(gone);
  });
});

describe('team time where several processes run a team', () => {
  test('goes on from the newest entry by the clock that they share, where some of them ran it since', async () => {
    const disk = new MemoryDisk();
    const shared = { wall: 1_700_000_000_000, monotonic: 0 };
    const clock = { wallMs: () => shared.wall, monotonicMs: () => shared.monotonic };
    const one = await TeamStore.open(memoryRecord(disk, 'many').log, clock);
    shared.monotonic = 2_000;
    await one.send('start', START);
    shared.wall += 30_000;
    const opened = (time: 'went on' | 'stood still'): Promise<TeamStore> =>
      TeamStore.open(memoryRecord(disk, 'many').log, clock, undefined, time);
    expect((await opened('went on')).now()).toBe(32_000);
    expect((await opened('stood still')).now()).toBe(2_000);
    shared.wall -= 3_600_000;
    expect((await opened('went on')).now(), 'never before the newest entry').toBe(2_000);
  });
});
