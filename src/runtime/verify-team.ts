/**
 * Checks a record whole: every line against its schema, the numbers without gap or repeat, the texts against their
 * digests, the fold against the transcripts and, of a team that runs, against the live state (spec/team.md §7 `verify`).
 */

import { type LogEntry, logEntry, nextNumber } from '../events/log-entry.js';
import type { RecordView } from '../events/record-view.js';
import { transcriptEntry, turnOf } from '../events/transcript-entry.js';
import { FatalError } from '../shared/errors.js';
import { formatFinding } from '../shared/findings.js';
import { fold } from '../state/team-store.js';
import { statusView } from '../team/show/status.js';
import type { TeamState } from '../team/show/view.js';
import { goneBranches } from './delivered-branches.js';
import type { Found } from './find-team.js';
import type { House } from './house.js';
import { foreignLog, foreignMemory } from './record-owner.js';
import { withTeam } from './teams.js';
import { verifyBriefs } from './verify-briefs.js';
import { liveDifferences } from './verify-live.js';
import { verifyTexts } from './verify-texts.js';

export interface Verification {
  readonly ok: boolean;
  /** One line per note, one per difference, then one that counts what was looked at. */
  readonly lines: readonly string[];
}

/**
 * Verifies one team's record. A line that cannot be used is a difference like any other, named with its file; only
 * what this version cannot judge (`record-too-new`) is refused.
 */
export function verifyTeam(house: House, typed: string): Promise<Found<Verification>> {
  return withTeam(house, typed, async ({ id, look }) => {
    const view = look.view('tolerant');
    const { entries, findings } = await view.log();
    const tooNew = findings.find(({ code }) => code === 'record-too-new');
    if (tooNew !== undefined) throw new FatalError(tooNew.code, `${tooNew.path}: ${tooNew.message}`);
    // Behind a hole nothing folds; what comes later says nothing about the rest.
    if (findings.length > 0)
      return differing(
        findings.map(formatFinding),
        `${entries.length} entries can be read, not folded: the log is damaged`,
      );
    // What does not fit its schema may not fold either: the rest is worth looking at when this is mended.
    const unfit = unfitEntries(entries);
    if (unfit.length > 0) return differing(unfit, `${entries.length} entries, not folded: they differ`);
    const problems: string[] = [];
    const state = fold(entries);
    const log = foreignLog(id, state);
    if (log !== undefined) problems.push(log.message);
    if (JSON.stringify(statusView(state, id)) !== JSON.stringify(statusView(fold(entries), id))) {
      problems.push('two folds of the log differ');
    }
    problems.push(...(await liveDifferences(house.version, look, async () => (await view.log()).entries)));
    const texts = await verifyTexts(view, state);
    problems.push(...texts.problems);
    const facts = entries.flatMap((entry) => entry.facts);
    const briefs = await verifyBriefs(view, facts);
    problems.push(...briefs.problems);
    const notes = [...briefs.notes, ...(await goneBranches(facts, house.toolEnvironment['PATH'] ?? ''))];
    const memories = await verifyMemories(view, id, state);
    problems.push(...memories.problems);
    const counted = `${entries.length} entries, ${state.next - 1} facts, ${texts.count + briefs.count} texts, ${memories.count} transcript entries`;
    return {
      ok: problems.length === 0,
      lines: [
        ...notes.map((note) => `note: ${note}`),
        ...problems,
        `${counted}: ${problems.length === 0 ? 'they agree' : 'they differ'}`,
      ],
    };
  });
}

function differing(problems: readonly string[], counted: string): Verification {
  return { ok: false, lines: [...problems, counted] };
}

/** Entries of the log that are not as one is, or not in their place. */
function unfitEntries(entries: readonly LogEntry[]): string[] {
  const problems: string[] = [];
  let expected = 1;
  for (const [index, entry] of entries.entries()) {
    const parsed = logEntry.safeParse(entry);
    if (!parsed.success)
      problems.push(`log entry ${index + 1}: ${parsed.error.issues[0]?.message ?? 'does not fit'}`);
    if (entry.first !== expected)
      problems.push(`log entry ${index + 1}: number ${entry.first}, expected ${expected}`);
    const counted = entry.commands.reduce((sum, command) => sum + command.facts, 0);
    if (counted !== entry.facts.length)
      problems.push(`log entry ${index + 1}: commands name ${counted} facts, it holds ${entry.facts.length}`);
    expected = nextNumber(entry);
  }
  return problems;
}

/** The transcripts against the fold: whose they are, how far they go, and no turn that the log does not know. */
async function verifyMemories(
  view: RecordView,
  id: string,
  state: TeamState,
): Promise<{ readonly count: number; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  const newest = new Map<string, number>();
  let count = 0;
  for (const member of state.members.values()) {
    const { entries: memory, findings: damages } = await view.transcript(member.name);
    problems.push(...damages.map(formatFinding));
    count += memory.length;
    const other = foreignMemory(id, member.name, memory);
    if (other !== undefined) problems.push(other.message);
    for (const entry of memory) {
      if (!transcriptEntry.safeParse(entry).success)
        problems.push(`transcript of ${member.name}: ${entry.id} does not fit its schema`);
    }
    newest.set(member.name, Math.max(0, ...memory.slice(-1).map((entry) => turnOf(entry.id))));
    if (member.upto !== '' && !memory.some((entry) => entry.id === member.upto)) {
      problems.push(`transcript of ${member.name} ends before ${member.upto}`);
    }
  }
  // A team that runs goes on meanwhile: the log is read again before a turn is said to be missing from it.
  const ahead = [...newest].filter(([, turn]) => turn >= state.next);
  const { next } = ahead.length === 0 ? state : fold((await view.log()).entries);
  for (const [name, turn] of ahead) {
    if (turn >= next) problems.push(`transcript of ${name}: turn ${turn} is not in the log`);
  }
  return { count, problems };
}
