/** Reading what a watched team has recorded: who was told what, and when. */

import { setImmediate as pass } from 'node:timers/promises';
import type { FactOf } from '../../src/events/event.js';
import type { TranscriptEntry } from '../../src/events/transcript-entry.js';
import type { WatchedTeam } from '../helpers/team.js';
import type { Call } from './play.js';

/** A task of the recipe for each role, in order: `#1`, `#2`, … */
export function taskOf(...roles: readonly string[]): Record<string, unknown>[] {
  return roles.map((role) => ({ id: `of-${role}`, subject: `The task of ${role}`, role }));
}

/** The lead's last call. */
export function finish(outcome: 'done' | 'partial' | 'failed', result: string): Call {
  return { tool: 'team_finish', args: { outcome, result } };
}

/** The first mail that a member has sent. */
export function mailFrom(team: WatchedTeam, from: string): FactOf<'mail.sent'> {
  const sent = team.of('mail.sent').find((fact) => fact.kind === 'mail' && fact.from === from);
  if (sent === undefined) throw new Error(`${from} has sent no mail`);
  return sent;
}

/** Every fact that says a message was delivered. */
export function deliveriesOf(team: WatchedTeam, id: string | undefined): FactOf<'mail.delivered'>[] {
  return team.of('mail.delivered').filter((fact) => fact.messages.some((message) => message.id === id));
}

/** A member's memory as far as this team has written it. */
export function transcriptOf(team: WatchedTeam, member: string): TranscriptEntry[] {
  return team.transcripts.flatMap((row) => (row.member === member ? [row.entry] : []));
}

/** The number that a fact has in the log. */
export function numberOf(team: WatchedTeam, fact: unknown): number {
  for (const row of team.journal) if (row.kind === 'fact' && row.fact === fact) return row.number;
  throw new Error('the fact is not in the record');
}

/** Team time of the entry that holds a fact, in milliseconds. */
export function timeOf(team: WatchedTeam, fact: unknown): number {
  const entry = team.entries.find(({ facts }) => facts.some((found) => found === fact));
  if (entry === undefined) throw new Error('the fact is not in the record');
  return entry.at;
}

/** The turns of a member, by their `turn.started`. */
export function turnsOf(team: WatchedTeam, member: string): FactOf<'turn.started'>[] {
  return team.of('turn.started').filter((fact) => fact.member === member);
}

/** Brings an on-demand or errored member to work. */
export function spawn(role: string): Call {
  return { tool: 'team_spawn', args: { role } };
}

/** Lets everything that is ready to run do so, many times over. */
export async function passes(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await pass();
}
