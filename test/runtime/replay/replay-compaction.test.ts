// spec/team.md §9: a recorded run in which a memory was compacted is played again as any other.
import { expect, test } from 'vitest';
import { prepareRun } from '../../../src/runtime/plan/prepare-run.js';
import type { Deed, Seen } from '../../helpers/providers/far-side.js';
import { ORDER, startJob } from '../../helpers/team.js';
import {
  calls,
  compacted,
  everything,
  isSummary,
  isWorker,
  MODEL,
  PARTS,
  place,
  reading,
  summaryOf,
} from '../turns/small-window.js';
import { shape } from './shape.js';

/** Knows which parts were read by the calls alone, which an extract names as well. */
function byCalls(seen: Seen): Deed {
  const all = `${everything(seen)}\n${JSON.stringify(seen.messages)}`;
  if (!isWorker(seen) || !/attempt 1/.test(all) || /#1 is completed|completed #1/.test(all))
    return reading()(seen);
  const read = new Set([...all.matchAll(/part-(\d)\.txt/g)].map(([, part]) => part)).size;
  if (read < PARTS) return calls('fs_read_file', { path: `part-${read + 1}.txt` });
  const evidence = [{ item: 'each word', text: 'read' }];
  return calls('team_task_complete', { task: '#1', summary: `read ${read}`, evidence });
}

test.each<[string, (seen: Seen) => Deed, (seen: Seen) => Deed]>([
  ['by its model', summaryOf, reading()],
  [
    'by an extract, for the answer was cut',
    () => ({ kind: 'reply', text: 'word-1-abc', stop: 'length' }) as Deed,
    byCalls,
  ],
])('a memory that was compacted %s: same facts, numbers and digests', async (_, summary, others) => {
  const { at, far } = await place((seen) => (isSummary(seen) ? summary(seen) : others(seen)));
  const first = await startJob(at, { models: [`record/${MODEL}`] });
  const ended = await first.ended();
  expect(ended.reason).toBe('done');
  expect(compacted(first).length).toBeGreaterThan(0);
  expect(far.seen.some(isSummary)).toBe(true);
  const asked = far.seen.length;
  const again = await startJob(at, { models: [`replay/${first.live.id}`] });
  expect(await again.ended()).toMatchObject({ reason: 'done', result: ended.result });
  expect(far.seen).toHaveLength(asked);
  expect(shape(again)).toEqual(shape(first));
  expect(compacted(again).map(({ text }) => text)).toEqual(compacted(first).map(({ text }) => text));
});

test('a run in which a model refused a call, a summary too, is refused before it is played', async () => {
  const refusal: Deed = { kind: 'status', status: 400, message: 'no' };
  const { at } = await place((seen) => (isSummary(seen) ? refusal : byCalls(seen)));
  const first = await startJob(at, { models: [`record/${MODEL}`] });
  expect(await first.ended()).toMatchObject({ reason: 'done' });
  expect(compacted(first)[0]).toMatchObject({ model: null });
  const prepared = await prepareRun(at.house, { ...ORDER, models: [`replay/${first.live.id}`] });
  expect(prepared).toMatchObject({
    kind: 'refused',
    findings: expect.arrayContaining([
      expect.objectContaining({
        code: 'not-replayable',
        message: expect.stringContaining('a call of worker had no answer'),
      }),
    ]),
  });
});
