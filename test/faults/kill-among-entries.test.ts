// spec/skills.md §4, §6 and the death of the process: what is shown to a member and what rides with its tasks reaches it
// once, and the tool of an entry runs once, whatever moment of the run the kill falls on.
import { describe, expect, test } from 'vitest';
import { readFileRecord } from '../../src/events/record-view.js';
import type { TranscriptEntry } from '../../src/events/transcript-entry.js';
import { verifyTeam } from '../../src/runtime/verify-team.js';
import { sha256 } from '../../src/shared/digest.js';
import { expectInvariants } from '../cases/play.js';
import { type Cut, WrittenRecord } from '../helpers/cut-record.js';
import { doubles, factsOf, outcomeOf } from '../helpers/outcome.js';
import { resumeJob, startJob } from '../helpers/team.js';
import { skilledTeam, WORDS } from './skilled-team.js';

/** One cut in so many is tried: each takes some hundred milliseconds. */
const EVERY = 3;

describe('a team with entries of every kind, killed and resumed', () => {
  test('is told each text once, with the same bytes, and comes to the same end', {
    timeout: 120_000,
  }, async () => {
    const at = await skilledTeam();
    const team = await startJob(at);
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    const record = await WrittenRecord.of(at, team.live.id, {}, ['say']);
    const wanted = outcomeOf(record.entries);
    const told = inputsOf(record.transcripts.get('worker') ?? []);
    for (const word of [WORDS.block, WORDS.rider, WORDS.shown]) expect(told.split(word)).toHaveLength(2);
    const seat = team.of('run.started')[0]?.seats.find(({ member }) => member === 'worker');
    const block = told.slice(0, told.indexOf('\n\nPage of this run: '));
    expect(sha256(block)).toBe(seat?.reference?.sha256);

    const cuts = record.everyCut();
    const tried = cuts.filter((_, index) => index % EVERY === 0 || index === cuts.length - 1);
    expect(tried.length).toBeGreaterThan(10);
    for (const cut of tried) await expectSame(cut);

    async function expectSame(cut: Cut): Promise<void> {
      const what = JSON.stringify(cut);
      const copy = await record.cut(cut);
      const resumed = await resumeJob(copy, copy.id);
      expect(await resumed.ended(), what).toMatchObject({ reason: 'done' });
      const view = readFileRecord(copy.folder, 'strict');
      const { entries } = await view.log();
      expect(outcomeOf(entries), what).toEqual(wanted);
      expect(doubles(entries), what).toEqual([]);
      expectInvariants({ entries });
      const { entries: worker } = await view.transcript('worker');
      const inputs = inputsOf(worker);
      for (const word of [WORDS.block, WORDS.rider, WORDS.shown])
        expect(inputs.split(word), `${what}: ${word}`).toHaveLength(2);
      expect(inputs.startsWith(`${block}\n\nPage of this run: https://example.org/page\n\n`), what).toBe(
        true,
      );
      expect(inputs.split('Page of this run: '), what).toHaveLength(2);
      expect(inputs, what).not.toContain(WORDS.prompt);
      // A call that had begun says so; else it has run, and once.
      const results = worker.flatMap((entry) => (entry.kind === 'result' ? [entry] : []));
      const interrupted = results.filter(({ outcome }) => outcome === 'interrupted');
      const said = results.filter(({ text }) => text === 'exit 0\n{"word":"harrier"}');
      const started = factsOf(entries).filter((fact) => fact.type === 'tool.started');
      expect(said.length + interrupted.length, what).toBe(started.length);
      expect(started.length, what).toBe(1);
      expect(await verifyTeam(copy.house, copy.id), what).toMatchObject({ value: { ok: true } });
    }
  });
});

function inputsOf(entries: readonly TranscriptEntry[]): string {
  return entries.flatMap((entry) => (entry.kind === 'input' ? [entry.text] : [])).join('\n\n');
}
