import { describe, expect, test } from 'vitest';
import type { LogEntry } from '../../src/events/log-entry.js';
import { MemoryDisk, memoryRecord } from '../../src/events/memory-record.js';
import type { Clock } from '../../src/shared/clock.js';
import { BugError, FatalError } from '../../src/shared/errors.js';
import { fold, TeamStore } from '../../src/state/team-store.js';
import type { Command } from '../../src/team/command.js';
import { picture, started } from '../helpers/build-state.js';
import { HeldLog, settle } from './held-log.js';

class HandClock implements Clock {
  wall = 1_700_000_000_000;
  monotonic = 0;
  wallMs(): number {
    return this.wall;
  }
  monotonicMs(): number {
    return this.monotonic;
  }
}

const START: Command = { kind: 'run.start', started: started(), tasks: [], entries: [] };
const mail = (to: string, body = 'hello'): Command => ({
  kind: 'mail.send',
  by: { kind: 'operator', name: 'op' },
  to,
  body,
  task: null,
});

const bug = (error: unknown): void => {
  throw error;
};

async function opened(disk = new MemoryDisk(), clock: Clock = new HandClock()): Promise<TeamStore> {
  return TeamStore.open(memoryRecord(disk).log, clock);
}

/** Whether a promise has settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  await settle();
  return (await Promise.race([promise.catch(() => undefined), Promise.resolve(pending)])) !== pending;
}

describe('S1 an outcome is given only when its entry is durable', () => {
  test('an accepted command waits for its append, and so do settled and a repetition of it', async () => {
    const log = new HeldLog();
    const store = await TeamStore.open(log, new HandClock());
    const sent = store.send('start', START);
    const again = store.send('start', START);
    const all = store.settled();
    expect(store.state.phase.kind).toBe('running');
    expect(await isSettled(sent)).toBe(false);
    expect(await isSettled(again)).toBe(false);
    expect(await isSettled(all)).toBe(false);
    log.release();
    expect(await sent).toMatchObject({ kind: 'accepted', first: 1 });
    expect(await again).toMatchObject({ kind: 'accepted', first: null });
    await all;
    expect(await log.read()).toHaveLength(1);
  });

  test('settled waits for what was decided before it was asked, not for what comes later', async () => {
    const log = new HeldLog();
    const store = await TeamStore.open(log, new HandClock());
    const first = store.send('start', START);
    const all = store.settled();
    const later = store.send('later', mail('boss'));
    log.release([0]);
    await all;
    expect(await isSettled(later)).toBe(false);
    log.release();
    await Promise.all([first, later]);
  });

  test('the wall clocks of its first and its newest entry are those of the log, whoever wrote it', async () => {
    const disk = new MemoryDisk();
    const clock = new HandClock();
    const store = await opened(disk, clock);
    expect(store.walls).toBeUndefined();
    await store.send('start', START);
    clock.wall += 60_000;
    await (await opened(disk, clock)).send('theirs', mail('boss'));
    clock.wall += 60_000;
    await store.send('ours', mail('boss'));
    const entries = await memoryRecord(disk).log.read();
    expect(store.walls).toEqual({ first: entries[0]?.wall, newest: entries[2]?.wall });
    expect((await opened(disk, clock)).walls).toEqual(store.walls);
  });

  test('a refusal that leaves evidence waits for it; one without evidence is given at once', async () => {
    const log = new HeldLog();
    const store = await TeamStore.open(log, new HandClock());
    const start = store.send('start', START);
    log.release();
    await start;
    const dead = store.send('dead', mail('nobody'));
    expect(await isSettled(dead)).toBe(false);
    log.release();
    expect(await dead).toMatchObject({ kind: 'refused', code: 'unknown_member' });
    expect(await store.send('empty', mail('worker', ' '))).toMatchObject({
      kind: 'refused',
      code: 'mail_empty',
    });
    expect(log.waiting).toBe(0);
  });
});

describe('S2 listeners', () => {
  test('hear of durable entries only, in the order of the log, even when the disk answers in another', async () => {
    const log = new HeldLog();
    const store = await TeamStore.open(log, new HandClock());
    const heard: number[] = [];
    store.onEntry((entry) => heard.push(entry.first), bug);
    const sent = [store.send('start', START), store.send('a', mail('lead')), store.send('b', mail('lead'))];
    await settle();
    expect(heard).toEqual([]);
    log.release([2, 1]);
    await settle();
    expect(heard).toEqual([]);
    log.release();
    await Promise.all(sent);
    expect(heard).toEqual((await log.read()).map((entry) => entry.first));
  });

  test('one that throws is taken off and said; the others, the command and the store go on', async () => {
    const store = await opened();
    const heard: string[] = [];
    const threw: unknown[] = [];
    store.onEntry(
      () => {
        heard.push('bad');
        throw new BugError('bad-listener', 'no');
      },
      (error) => threw.push(error),
    );
    store.onEntry(() => heard.push('good'), bug);
    expect(await store.send('start', START)).toMatchObject({ kind: 'accepted' });
    expect(await store.send('a', mail('lead'))).toMatchObject({ kind: 'accepted' });
    expect(heard).toEqual(['bad', 'good', 'good']);
    expect(threw).toMatchObject([{ code: 'bad-listener' }]);
    expect(store.failure).toBeUndefined();
  });

  test('one that has stopped hears nothing more', async () => {
    const store = await opened();
    const heard: number[] = [];
    const stop = store.onEntry((entry) => heard.push(entry.first), bug);
    await store.send('start', START);
    stop();
    await store.send('a', mail('lead'));
    expect(heard).toEqual([1]);
  });
});

describe('S3 a record that cannot be written', () => {
  test('poisons the store: everything in flight and everything later fails with the same error', async () => {
    const log = new HeldLog();
    const store = await TeamStore.open(log, new HandClock());
    const start = store.send('start', START);
    const after = store.send('a', mail('lead'));
    const settled = store.settled();
    const full = new FatalError('disk-full', 'no space');
    await settle();
    log.fail(full);
    await expect(start).rejects.toBe(full);
    await expect(after).rejects.toBe(full);
    await expect(settled).rejects.toBe(full);
    await expect(store.send('b', mail('lead'))).rejects.toBe(full);
    await expect(store.settled()).rejects.toBe(full);
    expect(store.failure).toBe(full);
  });

  test('keeps what it acknowledged and tells listeners of nothing else', async () => {
    const disk = new MemoryDisk(20_000);
    const store = await opened(disk);
    const heard: LogEntry[] = [];
    store.onEntry((entry) => heard.push(entry), bug);
    const acknowledged: string[] = [];
    await expect(
      (async () => {
        await store.send('start', START);
        for (let index = 0; ; index++) {
          await store.send(`m${index}`, mail('lead', 'x'.repeat(1000)));
          acknowledged.push(`m${index}`);
        }
      })(),
    ).rejects.toMatchObject({ code: 'disk-full' });
    expect(acknowledged.length).toBeGreaterThan(5);
    expect(disk.entries.flatMap((entry) => entry.commands.map(({ id }) => id))).toEqual([
      'start',
      ...acknowledged,
    ]);
    expect(heard).toEqual(disk.entries);
  });
});

describe('S4 somebody else wrote first', () => {
  test('the log is folded again, the command decided again, and listeners hear of both in order', async () => {
    const disk = new MemoryDisk();
    const one = await opened(disk);
    await one.send('start', START);
    const two = await opened(disk);
    const heard: string[] = [];
    two.onEntry((entry) => heard.push(entry.commands[0]?.id ?? ''), bug);
    await one.send('one', mail('lead', 'from one'));
    expect(await two.send('two', mail('lead', 'from two'))).toMatchObject({ kind: 'accepted' });
    expect(heard).toEqual(['one', 'two']);
    const bodies = [...two.state.messages.values()].map((message) => [message.id, message.body]);
    expect(bodies.slice(1)).toEqual([
      ['m2', 'from one'],
      ['m3', 'from two'],
    ]);
    expect(picture(two.state)).toBe(picture(fold(disk.entries)));
  });

  test('what the other wrote may make the command a refusal', async () => {
    const disk = new MemoryDisk();
    const one = await opened(disk);
    await one.send('start', START);
    const two = await opened(disk);
    await one.send('stop', { kind: 'run.stop', by: 'op', cause: 'stop' });
    await one.send('end', { kind: 'run.sweep', operatorPresent: false, missingArtifacts: [] });
    expect(two.state.phase.kind).toBe('running');
    expect(await two.send('turn', { kind: 'turn.start', member: 'lead', cause: 1 })).toMatchObject({
      kind: 'refused',
      code: 'not_running',
    });
    expect(two.state.phase.kind).toBe('ended');
  });

  test('the same command of two writers has its effect once', async () => {
    const disk = new MemoryDisk();
    const one = await opened(disk);
    await one.send('start', START);
    const two = await opened(disk);
    await one.send('word', mail('lead'));
    expect(await two.send('word', mail('lead'))).toMatchObject({ kind: 'accepted', first: null });
    expect([...two.state.messages.keys()]).toEqual(['m1', 'm2']);
  });

  test('several commands in flight that all come too late are all decided again, none twice', async () => {
    const disk = new MemoryDisk();
    const one = await opened(disk);
    await one.send('start', START);
    const two = await opened(disk);
    const heard: string[] = [];
    two.onEntry((entry) => heard.push(entry.commands[0]?.id ?? ''), bug);
    const foreign = ['one', 'two', 'three', 'four', 'five'];
    for (const id of foreign) await one.send(id, mail('lead', id));
    const sent = ['a', 'b', 'c', 'd'].map((id) => two.send(id, mail('lead', id)));
    expect((await Promise.all(sent)).map((outcome) => outcome.kind)).toEqual(Array(4).fill('accepted'));
    expect(heard).toEqual([...foreign, ...heard.slice(foreign.length)]);
    expect([...heard.slice(foreign.length)].sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(two.state.messages.size).toBe(1 + foreign.length + 4);
    expect(picture(two.state)).toBe(picture(fold(disk.entries)));
  });

  test('a team time of another writer is never gone back behind', async () => {
    const disk = new MemoryDisk();
    const [fast, slow] = [new HandClock(), new HandClock()];
    const one = await opened(disk, fast);
    await one.send('start', START);
    const two = await opened(disk, slow);
    fast.monotonic = 90_000;
    await one.send('one', mail('lead'));
    await two.send('two', mail('lead'));
    expect(two.now()).toBe(90_000);
    expect(disk.entries.map((entry) => entry.at)).toEqual([0, 90_000, 90_000]);
  });
});

describe('commands are idempotent by id', () => {
  test('the same id gives the same facts and writes once', async () => {
    const disk = new MemoryDisk();
    const store = await opened(disk);
    await store.send('start', START);
    const first = await store.send('word', mail('lead'));
    const second = await store.send('word', mail('lead'));
    expect(second).toEqual({ ...first, first: null });
    expect(disk.entries).toHaveLength(2);
  });

  test('also across processes', async () => {
    const disk = new MemoryDisk();
    await (await opened(disk)).send('start', START);
    const reopened = await opened(disk);
    expect(await reopened.send('start', START)).toMatchObject({ kind: 'accepted', first: null });
    expect(disk.entries).toHaveLength(1);
  });
});

describe('team time', () => {
  test('does not follow a wall clock that jumps an hour, back or forth', async () => {
    const clock = new HandClock();
    const disk = new MemoryDisk();
    const store = await opened(disk, clock);
    await store.send('start', START);
    for (const jump of [3_600_000, -7_200_000]) {
      clock.wall += jump;
      clock.monotonic += 10;
      await store.send(`jump ${jump}`, mail('lead'));
    }
    expect(disk.entries.map((entry) => entry.at)).toEqual([0, 10, 20]);
    expect(disk.entries.map((entry) => Date.parse(entry.wall) - 1_700_000_000_000)).toEqual([
      0, 3_600_000, -3_600_000,
    ]);
  });

  test('goes on from the newest entry in the next process, whatever its monotonic clock says', async () => {
    const disk = new MemoryDisk();
    const clock = new HandClock();
    const store = await opened(disk, clock);
    clock.monotonic = 5_000;
    await store.send('start', START);
    const other = new HandClock();
    other.monotonic = 1_000_000;
    const reopened = await opened(disk, other);
    expect(reopened.now()).toBe(5_000);
    other.monotonic += 1.9;
    expect(reopened.now()).toBe(5_001);
  });
});
