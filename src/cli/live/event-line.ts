/**
 * A line of `--json-events`: what every line has, and what each kind adds (spec/team.md §8). The schemas here are
 * those that `bnerd schema events` publishes; within v1 fields are only added.
 */

import { z } from 'zod';
import { type Fact, fact } from '../../events/event.js';
import { finding } from '../../events/facts/frozen.js';
import { type TranscriptEntry, transcriptEntry } from '../../events/transcript-entry.js';

/** Where a line stands in its stream. */
export interface LinePlace {
  /** Counts lines from 1, without gap or repeat. */
  readonly seq: number;
  /** ISO 8601, when it was recorded. */
  readonly at: string;
  readonly team: string;
}

/** @param n number of the fact; null for an end that could not be recorded */
export function factLine(
  { seq, at, team }: LinePlace,
  n: number | null,
  fact: Fact | { readonly type: string },
): object {
  return { v: 1, seq, ...(n === null ? {} : { n }), at, team, ...fact };
}

export function transcriptLine({ seq, at, team }: LinePlace, member: string, entry: TranscriptEntry): object {
  return { v: 1, seq, at, team, type: 'transcript.appended', member, entry };
}

/** The JSON Schema of a line, as a plain value. */
export function eventLineSchema(): object {
  // `input`: unknown fields are allowed, since later versions of v1 may add some.
  const { $schema, ...rest } = z.toJSONSchema(eventLine(), { io: 'input' });
  return { $schema, $id: 'urn:bnerd:schema:event-line:1', ...rest };
}

function eventLine(): z.ZodType {
  const common = { v: z.literal(1), seq: z.int().min(1), at: z.iso.datetime() };
  const ofTeam = { ...common, team: z.string() };
  const number = z.int().min(1);
  const facts = fact.options.map((option) =>
    z.object({
      ...ofTeam,
      n: option.shape.type.value === 'run.ended' ? number.optional() : number,
      ...option.shape,
    }),
  );
  const refused = z.object({
    ...common,
    type: z.literal('run.refused'),
    exit: z.int(),
    findings: z.array(finding),
  });
  const appended = z.object({
    ...ofTeam,
    type: z.literal('transcript.appended'),
    member: z.string(),
    entry: transcriptEntry,
  });
  return z.union([...facts, appended, refused]).meta({
    title: 'bnerd event line',
    description: 'One line of stdout of "bnerd team run --json-events".',
  });
}
