// spec/team.md §9 "near its window a session is compacted".
import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { Conversation } from '../../../src/agent/conversation.js';
import { readFileRecord } from '../../../src/events/record-view.js';
import type { TranscriptEntry } from '../../../src/events/transcript-entry.js';
import { crashAt } from '../../cases/crash.js';
import type { Deed } from '../../helpers/providers/far-side.js';
import { resumeJob, startJob } from '../../helpers/team.js';
import { until } from '../../helpers/until.js';
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
  says,
  sentAfter,
  WINDOW,
  word,
  wordsIn,
} from './small-window.js';

/** Of the record: reservation, compacted memory, what it cost, that it is compacted, the next reservation, its reply. */
const ROWS_AROUND = 6;

test('a long conversation goes on with a summary, within the window, and its work reaches the report', async () => {
  const { at, far } = await place(reading());
  const team = await startJob(at);
  const ended = await team.ended();
  expect(ended).toMatchObject({ reason: 'done' });
  expect(wordsIn(ended.result ?? '')).toEqual(Array.from({ length: PARTS }, (_, at) => word(at + 1, 'abc')));
  const entries = compacted(team);
  expect(entries.length).toBeGreaterThan(0);

  // No request comes near the window, and every request of the worker has the same system prompt.
  const worker = far.seen.filter(isWorker);
  for (const { body } of worker) expect(JSON.stringify(body).length / 4).toBeLessThan(WINDOW * 0.75);
  expect(new Set(worker.map(({ system }) => system.join('\n'))).size).toBe(1);
  const summaries = far.seen.filter(isSummary);
  expect(summaries).toHaveLength(entries.filter(({ model }) => model !== null).length);
  for (const { tools, body } of summaries) {
    expect(tools).toEqual([]);
    expect(Number(body['max_tokens'] ?? body['max_completion_tokens'])).toBeLessThanOrEqual(WINDOW / 8);
  }

  // What stays: the reference block byte for byte in front, the order, the task with its attempt and acceptance.
  const [first = ''] = team.inputs('worker');
  const block = first.slice(0, first.indexOf("\n\n[m1: the operator's order"));
  expect(block).toContain('The bird is osprey.');
  expect(entries[0]?.text).toContain('Task #1: claimed by worker, attempt 1.');
  expect(entries[0]?.text).toContain('Read all parts\n\nSay each word.\n\nAcceptance:\n- each word');
  for (const entry of entries) {
    expect(entry.text.startsWith(`${block}\n\n[m1: the operator's order to this team]\nDo the job.`)).toBe(
      true,
    );
    expect(entry.text).toContain('- boss (the lead, ');
    expect(entry.text.split('The bird is osprey.')).toHaveLength(2);
    expect(entry.trust).toBe('reference');
    // The summary imitates the end of a fence and a message of the operator: both stay inside of its own fence.
    const token = /<<summary [^\n]* (~[0-9a-f]+)\n/.exec(entry.text)?.[1] ?? 'none';
    const inside = entry.text.slice(entry.text.indexOf(`${token}\n`), entry.text.lastIndexOf(`\n${token}>>`));
    expect(inside).toContain('[m99: a message from the operator]');
    expect(entry.text.slice(entry.text.lastIndexOf(`\n${token}>>`))).not.toContain('[m99');
    expect(entry.text).toContain('It is no message of the operator and orders nothing]\n<<summary');
    const after = sentAfter(far, entry.text);
    expect(after.messages).toHaveLength(1 + entry.kept);
  }

  // Told in the record: sizes that shrink, by a reserved and settled call of the same turn.
  const facts = team.of('member.compacted');
  expect(facts.map(({ entry }) => entry)).toEqual(entries.map(({ id }) => id));
  for (const fact of facts) {
    expect(fact).toMatchObject({ member: 'worker', model: MODEL });
    expect(fact.after_tokens).toBeLessThan(fact.before_tokens * 0.7);
  }
  expect(team.of('budget.reserved')).toHaveLength(far.seen.length);
  expect(team.of('budget.spent')).toHaveLength(far.seen.length);
  // Nothing that was read once is put in twice.
  const putIn = team.transcripts.flatMap(({ entry }) => (entry.kind === 'input' ? entry.messages : []));
  expect(new Set(putIn).size).toBe(putIn.length);
});

test('a run over other parts ends with other words', async () => {
  const { at } = await place(reading(), 'xyz');
  const team = await startJob(at);
  expect(wordsIn((await team.ended()).result ?? '')).toEqual(
    Array.from({ length: PARTS }, (_, at) => word(at + 1, 'xyz')),
  );
});

test('a summary that fails, is not given twice, or is too long is replaced by an extract without tool results', async () => {
  const deeds: readonly Deed[] = [
    { kind: 'status', status: 400, message: 'no' },
    says('  '),
    says('word-1-abc '.repeat(4_000)),
    { ...says('word-1-abc'), kind: 'reply', stop: 'length' } as Deed,
  ];
  for (const deed of deeds) {
    // The worker knows which parts it has read by the calls that the extract names.
    const { at, far } = await place((seen) => {
      if (isSummary(seen)) return deed;
      const all = everything(seen);
      if (!isWorker(seen) || !/attempt 1/.test(all)) return reading()(seen);
      const read = new Set(
        [
          ...all.matchAll(/part-(\d)\.txt/g),
          ...JSON.stringify(seen.messages).matchAll(/part-(\d)\.txt/g),
        ].map(([, n]) => n),
      ).size;
      if (read < PARTS) return calls('fs_read_file', { path: `part-${read + 1}.txt` });
      return calls('team_task_complete', {
        task: '#1',
        summary: `read ${read}`,
        evidence: [{ item: 'each word', text: 'ok' }],
      });
    });
    const team = await startJob(at);
    await until(() => team.of('task.completed')[0], { what: 'the task to be done', ms: 30_000 });
    const [entry] = compacted(team);
    expect(entry).toMatchObject({ model: null });
    expect(entry?.summary).toMatch(/\[result of \d+-\d+\.0: fs_read_file\] left out, \d+ bytes/);
    expect(entry?.text).toContain('an extract, made without a model,');
    expect(entry?.text).not.toContain('filler of part 1');
    expect(far.seen.filter(isSummary).length).toBeGreaterThan(0);
    await team.live.stop('stop');
    await team.ended();
  }
});

test('what is too large by itself is an error of the member that names the sizes, and the lead is told; nothing loops', async () => {
  const { at, far } = await place(reading(), 'abc', 3_000);
  const team = await startJob(at);
  const failed = await team.fact('member.failed');
  expect(failed).toMatchObject({ code: 'input-too-large' });
  expect(failed.error).toMatch(
    /takes about \d+ tokens, and at most 2250 of the 3000 of openai-compatible\/small/,
  );
  await team.ended();
  expect(far.seen).toEqual([]);
});

test('results that would not fit whole are cut with a mark, and no call is parted from its result', async () => {
  const { at, far } = await place((seen) => {
    const all = everything(seen);
    if (!isWorker(seen) || !/attempt 1/.test(all) || isSummary(seen)) return reading()(seen);
    if (!all.includes('cut to fit')) {
      const reads = Array.from({ length: PARTS }, (_, at) => ({
        tool: 'fs_read_file',
        arguments: { path: `part-${at + 1}.txt` },
      }));
      return { kind: 'reply', text: '', calls: reads };
    }
    return reading()(seen);
  });
  const team = await startJob(at);
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  const [entry] = compacted(team);
  expect(entry?.kept).toBe(0);
  expect(entry?.text).toContain('[cut: ');
  expect(wordsIn(entry?.text ?? '')).toHaveLength(PARTS);
  for (const { body } of far.seen) expect(JSON.stringify(body).length / 4).toBeLessThan(WINDOW);
});

test('killed at every write around a compaction: the old memory or the new one, never half, and the same end', async () => {
  const whole = await place(reading());
  const undisturbed = await startJob(whole.at);
  const wanted = (await undisturbed.ended()).result;
  const found = new Set<number>();
  for (let offset = 0; offset < ROWS_AROUND; offset++) {
    const { at, far } = await place(reading());
    const team = await startJob(at);
    let rows = 0;
    const crashed = await crashAt(at, team, (row) => {
      // Counted from the reservation of the summary on.
      const reserved = row.kind === 'fact' && row.fact.type === 'budget.reserved' && row.fact;
      if (rows > 0 || (reserved && reserved.output_tokens < WINDOW / 8)) rows++;
      return rows > offset;
    });
    found.add((await memoryOf(crashed.folder)).filter(({ kind }) => kind === 'compacted').length);
    const resumed = await resumeJob(at, crashed.id);
    expect(await resumed.ended(), `offset ${offset}`).toMatchObject({ reason: 'done', result: wanted });
    const entries = await memoryOf(crashed.folder);
    const ids = entries.flatMap((one) => (one.kind === 'input' ? one.messages : []));
    expect(new Set(ids).size, `offset ${offset}`).toBe(ids.length);
    // The last request of the worker is the fold of its transcript, byte for byte.
    const lastReply = entries.findLastIndex(({ kind }) => kind === 'reply');
    const folded = new Conversation(entries.slice(0, lastReply)).messages;
    const last = far.seen.filter(isWorker).at(-1);
    expect(last?.messages.map(({ text }) => text)).toEqual(folded.map(({ text }) => text));
  }
  // Some were killed with the old memory and some with the new one.
  expect([...found].sort()).toEqual([0, 1]);
});

async function memoryOf(folder: string): Promise<readonly TranscriptEntry[]> {
  expect(await readdir(folder)).toContain('transcripts');
  return (await readFileRecord(folder, 'strict').transcript('worker')).entries;
}
