// What operators see of facts: their type, ids and words of fixed lists in the log, and counts (spec/engine.md §3 "Logs").
import { expect, test } from 'vitest';
import type { Fact } from '../../../src/events/event.js';
import { RECORD_VERSION } from '../../../src/events/log-entry.js';
import { memoryRecord } from '../../../src/events/memory-record.js';
import { observedRecord } from '../../../src/events/observed-record.js';
import { Operations } from '../../../src/runtime/operations/operations.js';
import { systemClock } from '../../../src/shared/clock.js';
import { type LogLevel, openLog } from '../../../src/shared/log.js';
import { NO_SECRETS } from '../../../src/shared/secrets/redactor.js';

async function operationsAt(level: LogLevel) {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => {
    lines.push(JSON.parse(line));
  };
  const log = await openLog({ level, write, secrets: NO_SECRETS, clock: systemClock, fields: {} });
  return { lines, operations: new Operations(log) };
}

const entryOf = (first: number, ...facts: readonly Fact[]) => ({
  v: RECORD_VERSION,
  first,
  at: 0,
  wall: '2026-01-01T00:00:00.000Z',
  commands: [{ id: `c${first}`, facts: facts.length }],
  facts,
});

const STARTED: Fact = {
  type: 'turn.started',
  member: 'lead',
  cause: 1,
  attempt: 1,
  coalesced: [],
  host: 'h1',
  worker: 'w1',
};
const ENDED: Fact = {
  type: 'turn.ended',
  turn: 1,
  member: 'lead',
  outcome: 'finished',
  request: null,
  wait: null,
  upto: '1-4',
  text: 'words of a model',
  calls: 1,
  detail: 'words about it',
  truncated: false,
};

test('a turn is told with its ids and its outcome, and with no word of anybody', async () => {
  const { lines, operations } = await operationsAt('info');
  operations.appended('one', entryOf(1, STARTED, ENDED), 2);
  expect(lines).toEqual([
    expect.objectContaining({
      msg: 'turn.started',
      level: 'info',
      team: 'one',
      fact: 1,
      member: 'lead',
      host: 'h1',
    }),
    expect.objectContaining({ msg: 'turn.ended', fact: 2, member: 'lead', turn: 1, outcome: 'finished' }),
  ]);
  expect(JSON.stringify(lines)).not.toContain('words');
  operations.appended('one', entryOf(3, { type: 'turn.lost', turn: 1, member: 'lead', detail: 'words' }), 2);
  expect(lines.at(-1)).toMatchObject({ msg: 'turn.lost', level: 'warn' });
});

test('what is appended is counted, and what another was faster with', async () => {
  const { operations } = await operationsAt('silent');
  const record = observedRecord(memoryRecord(), 'one', systemClock, operations);
  expect(await record.log.append(entryOf(1, STARTED, ENDED))).toEqual({ kind: 'appended' });
  expect(await record.log.append(entryOf(1, STARTED))).toMatchObject({ kind: 'conflict' });
  expect(await record.log.read()).toHaveLength(1);
  await record.close();
  const text = operations.meters.text();
  for (const line of [
    'bnerd_turns_started_total 1',
    'bnerd_turns_ended_total{outcome="finished"} 1',
    'bnerd_turns_lost_total 0',
    'bnerd_appends_total 1',
    'bnerd_append_facts_total 2',
    'bnerd_append_conflicts_total 1',
    'bnerd_append_seconds_count 1',
  ])
    expect(text.split('\n')).toContain(line);
});

test('what is done here again and again is asked of all who do it, and of nobody who has gone', async () => {
  const { operations } = await operationsAt('silent');
  expect(operations.progress()).toEqual([]);
  const gone = operations.watch(() => [{ what: 'look', silentMs: 5 }]);
  operations.watch(() => [
    { what: 'queue', silentMs: 1 },
    { what: 'coordination', silentMs: 2 },
  ]);
  expect(operations.progress().map(({ what }) => what)).toEqual(['look', 'queue', 'coordination']);
  gone();
  expect(operations.progress().map(({ what }) => what)).toEqual(['queue', 'coordination']);
});
