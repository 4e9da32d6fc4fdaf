// What is asked of a process that coordinates a run: its last look, what is due, what waits for an answer, outages.
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { Operations } from '../../../src/runtime/operations/operations.js';
import { type MeteredRun, meterRun } from '../../../src/runtime/workers/run-meters.js';
import { SILENT_LOG } from '../../../src/shared/log.js';
import { Team } from '../../helpers/build-state.js';

function metered(takesTurns: boolean) {
  const operations = new Operations(SILENT_LOG);
  const client = Object.assign(new EventEmitter(), { status: 'ready' });
  const turns = { asked: 2, lookedAt: undefined as number | undefined };
  const { state } = Team.start();
  const request = (kind: string) => [kind, { status: { kind } }] as const;
  const requests = new Map([request('open'), request('decided'), request('expired')]);
  const run = {
    link: { client, clock: { monotonicMs: () => 9_000 }, place: { takesTurns } },
    store: { state: { ...state, requests } },
    turns,
  } as unknown as MeteredRun;
  return { operations, client, turns, over: meterRun(operations, run) };
}

test('says what is due and what waits for an answer, and how long ago it looked, once it is to look', () => {
  const { operations, turns, over } = metered(false);
  expect(operations.progress()).toEqual([]);
  turns.lookedAt = 4_000;
  expect(operations.progress()).toEqual([{ what: 'coordination', silentMs: 5_000 }]);
  for (const line of [
    'bnerd_run_turns_due 2',
    'bnerd_run_requests_open 1',
    'bnerd_coordination_silence_seconds 5',
  ])
    expect(operations.meters.text()).toContain(`\n${line}\n`);
  over();
  expect(operations.progress()).toEqual([]);
});

test('counts a lost server once, where no worker of the process does, and its own end not at all', () => {
  const outages = (of: Operations) => /^bnerd_redis_outages_total (\d+)$/m.exec(of.meters.text())?.[1];
  const alone = metered(false);
  for (const event of ['close', 'close', 'ready', 'close', 'ready']) alone.client.emit(event);
  expect(outages(alone.operations)).toBe('2');
  alone.over();
  alone.client.emit('close');
  expect(outages(alone.operations)).toBe('2');
  const both = metered(true);
  both.client.emit('close');
  expect(outages(both.operations)).toBe('0');
});
