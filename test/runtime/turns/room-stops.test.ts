// spec/team.md §9: a run that is stopped while a memory is compacted, and whose words a summary is.
import { expect, test } from 'vitest';
import { resumeJob, startJob } from '../../helpers/team.js';
import { until } from '../../helpers/until.js';
import {
  compacted,
  isSummary,
  mission,
  PARTS,
  place,
  reading,
  summaryOf,
  WINDOW,
  word,
  wordsIn,
} from './small-window.js';

test('stopped while its model sums up, a member keeps the old memory and goes on from it', async () => {
  let asked = 0;
  const { at, far } = await place(
    reading((seen) => {
      asked++;
      return asked === 1 ? { kind: 'silent', when: 'before' } : summaryOf(seen);
    }),
  );
  const team = await startJob(at);
  await until(() => far.seen.find(isSummary), { what: 'the question for a summary', ms: 30_000 });
  await team.live.stop('interrupt');
  expect(await team.ended()).toMatchObject({ reason: 'cancelled', exit: 130, resumable: true });
  expect(compacted(team)).toEqual([]);
  expect(team.of('member.failed')).toEqual([]);
  const resumed = await resumeJob(at, team.live.id);
  const ended = await resumed.ended();
  expect(ended.reason).toBe('done');
  expect(wordsIn(ended.result ?? '')).toEqual(Array.from({ length: PARTS }, (_, at) => word(at + 1, 'abc')));
  expect(compacted(resumed).length).toBeGreaterThan(0);
});

test('without text of strangers in it a summary is marked as what tools gave, and so is each that takes its place', async () => {
  const plain = mission('abc');
  const { at, far } = await place(reading(), 'abc', WINDOW / 2, {
    ...plain,
    roles: { boss: {}, worker: { base: 'read' } },
    files: Object.fromEntries(
      Object.entries(plain.files ?? {}).map(([path, text]) => [path, text.slice(0, text.length / 2)]),
    ),
  });
  const team = await startJob(at);
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  const entries = compacted(team);
  expect(entries.length).toBeGreaterThan(1);
  for (const { trust, text } of entries) {
    expect(trust).toBe('tools');
    expect(text).toContain('The least trusted text in it: output of tools: files, commands, pages.');
  }
  expect(far.seen.some(isSummary)).toBe(true);
});
