import { describe, expect, test } from 'vitest';
import type { LogEntry } from '../../src/events/log-entry.js';
import { RECORD_VERSION } from '../../src/events/log-entry.js';
import { withOneCopy } from '../../src/state/one-copy.js';
import { fold } from '../../src/state/team-store.js';
import { started } from '../helpers/build-start.js';

/** The start of a run as it is read: as text. */
function start(): LogEntry {
  const run = started();
  const facts = [run, ...run.seats.map((seat) => ({ type: 'member.spawned', by: 'runtime', seat }) as const)];
  const commands = [{ id: 'start', facts: facts.length }];
  const entry = { v: RECORD_VERSION, first: 1, at: 0, wall: '2026-01-01T00:00:00.000Z', commands, facts };
  return JSON.parse(JSON.stringify(entry)) as LogEntry;
}

describe('withOneCopy', () => {
  test('gives an equal entry, in the same words', () => {
    expect(JSON.stringify(withOneCopy(start(), null))).toBe(JSON.stringify(start()));
  });

  test('members whose tools are equal have one list of them', () => {
    const { run } = fold([start()]);
    const tools = (run?.seats ?? []).map((seat) => seat.tools);
    const texts = new Set(tools.map((list) => JSON.stringify(list)));
    expect(tools.length).toBeGreaterThan(texts.size);
    expect(new Set(tools).size).toBe(texts.size);
  });

  test('a member has the seat of the run, also one that is spawned later', () => {
    const { facts, ...entry } = start();
    const first = { ...entry, facts: facts.slice(0, 1), commands: [{ id: 'start', facts: 1 }] };
    const later = {
      ...entry,
      first: 2,
      facts: facts.slice(1),
      commands: [{ id: 'spawn', facts: facts.length - 1 }],
    };
    for (const entries of [[start()], [first, later]]) {
      const { run, members } = fold(entries);
      expect([...members.values()].map(({ seat }) => seat)).toEqual(run?.seats);
      for (const seat of run?.seats ?? []) expect(members.get(seat.member)?.seat).toBe(seat);
    }
  });

  test('a seat that differs from that of the run stays what it is', () => {
    const { facts, ...entry } = start();
    const changed = facts.map((fact) =>
      fact.type === 'member.spawned' ? { ...fact, seat: { ...fact.seat, max_turns: 77 } } : fact,
    );
    const { members } = fold([{ ...entry, facts: changed }]);
    for (const { seat } of members.values()) expect(seat.max_turns).toBe(77);
  });

  test('an entry that speaks of no seat is given back as it is', () => {
    const entry: LogEntry = { ...start(), facts: [], commands: [] };
    expect(withOneCopy(entry, null)).toBe(entry);
  });
});
