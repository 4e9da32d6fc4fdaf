import { describe, expect, test } from 'vitest';
import type { LogEntry } from '../../src/events/log-entry.js';
import { MemoryDisk, memoryRecord } from '../../src/events/memory-record.js';
import { systemClock } from '../../src/shared/clock.js';
import { DurableState } from '../../src/state/durable-state.js';
import { fold, TeamStore } from '../../src/state/team-store.js';
import { evolveEntry } from '../../src/team/evolve.js';
import { picture, started } from '../helpers/build-state.js';

/** The log of a run with some mail. */
async function log(mails: number): Promise<readonly LogEntry[]> {
  const disk = new MemoryDisk();
  const store = await TeamStore.open(memoryRecord(disk).log, systemClock);
  await store.send('start', { kind: 'run.start', started: started(), tasks: [], entries: [] });
  for (let at = 0; at < mails; at++) {
    const by = { kind: 'operator' as const, name: 'op' };
    await store.send(`mail ${at}`, { kind: 'mail.send', by, to: 'lead', body: `mail ${at}`, task: null });
  }
  return disk.entries;
}

describe('a state that runs ahead, and is lost', () => {
  test.each([1, 5, 40, 100])('%i durable entries later it is what the log gives', async (durable) => {
    const entries = await log(durable + 3);
    const known = entries.slice(0, 1 + durable);
    const state = fold(entries.slice(0, 1));
    const kept = new DurableState();
    // Two entries are always on their way while the ones before them become durable.
    kept.before(state);
    for (const entry of entries.slice(1, 3)) evolveEntry(state, entry);
    for (const [at, entry] of known.slice(1).entries()) {
      const next = entries[at + 3];
      if (next !== undefined) evolveEntry(state, next);
      kept.add(entry, state, true);
    }
    expect(picture(kept.back())).toBe(picture(fold(known)));
  });

  test('where nothing ran ahead for long it is let go, and taken anew before something does', async () => {
    const entries = await log(60);
    const state = fold(entries.slice(0, 1));
    const kept = new DurableState();
    for (const entry of entries.slice(1)) {
      kept.before(state);
      evolveEntry(state, entry);
      kept.add(entry, state, false);
    }
    kept.rest();
    const whole = picture(state);
    kept.before(state);
    const [, ahead] = await log(1);
    if (ahead !== undefined) evolveEntry(state, { ...ahead, first: state.next });
    expect(picture(state)).not.toBe(whole);
    expect(picture(kept.back())).toBe(whole);
  });

  test('without a copy there is no way back, and that is said', () => {
    expect(() => new DurableState().back()).toThrow('no copy');
  });
});
