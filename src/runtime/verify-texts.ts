/** Whether the texts that a record names are in it and whole (spec/skills.md §4 "Integrity", invariant 12). */

import type { RecordView } from '../events/record-view.js';
import { errorText } from '../shared/errors.js';
import type { TeamState } from '../team/show/view.js';
import { brokenTexts } from './standing/broken-texts.js';
import { seatTexts } from './standing/member-texts.js';

export interface TextsVerified {
  /** How many were looked at. */
  readonly count: number;
  /** One line per text that is missing, changed, or no text of an entry, naming the entry and its members. */
  readonly problems: readonly string[];
}

/** Reads every text that the record names. */
export async function verifyTexts(
  view: Pick<RecordView, 'blob'>,
  { run, tasks }: Pick<TeamState, 'run' | 'tasks'>,
): Promise<TextsVerified> {
  if (run === null) return { count: 0, problems: [] };
  const named = new Map<string, Set<string>>();
  const name = (sha256: string, what: string): void => {
    named.set(sha256, (named.get(sha256) ?? new Set()).add(what));
  };
  for (const seat of run.seats) {
    for (const { sha256, what } of seatTexts(seat)) name(sha256, `${what} of ${seat.member}`);
  }
  for (const { id, spec } of tasks.values()) {
    for (const { sha256 } of spec.skills) name(sha256, `the rules and skills of task ${id}`);
  }
  const broken = await brokenTexts({ get: (sha256) => view.blob(sha256) }, run, tasks.values());
  const problems = [...broken].map(
    ([sha256, why]) => `text ${sha256} (${[...(named.get(sha256) ?? [])].join(', ')}) ${why}`,
  );
  const others = new Set(run.seats.flatMap(({ parts }) => parts.map((part) => part.sha256)));
  for (const sha256 of others) {
    if (named.has(sha256)) continue;
    try {
      if ((await view.blob(sha256)) === undefined) problems.push(`text ${sha256} is missing`);
    } catch (error) {
      problems.push(`text ${sha256}: ${errorText(error)}`);
    }
  }
  return { count: new Set([...named.keys(), ...others]).size, problems };
}
