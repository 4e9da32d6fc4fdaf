/**
 * What must be equal when a run is interrupted and resumed: the state without times, ids, attempt numbers, costs and
 * the order of concurrent facts of different members (architecture "Tests").
 */

import type { Fact } from '../../src/events/event.js';
import type { LogEntry } from '../../src/events/log-entry.js';
import { fold } from '../../src/state/team-store.js';

export interface Outcome {
  readonly end: { readonly reason: string; readonly exit: number; readonly result: string | null };
  readonly tasks: Readonly<Record<string, unknown>>;
  readonly members: Readonly<Record<string, string>>;
  /** Distinct ones: a call that was interrupted may be asked for again. */
  readonly requests: readonly string[];
  /** Mail between members and from the operator, sorted; notices of the runtime depend on who was woken when. */
  readonly mail: readonly string[];
}

/** The outcome that a log tells. */
export function outcomeOf(entries: readonly LogEntry[]): Outcome {
  const state = fold(entries);
  const { phase } = state;
  return {
    end:
      phase.kind === 'ended'
        ? { reason: phase.reason, exit: phase.exit, result: phase.result }
        : { reason: phase.kind, exit: -1, result: null },
    tasks: Object.fromEntries(
      [...state.tasks.values()].map((task) => [
        task.id,
        {
          subject: task.spec.subject,
          blockedBy: [...task.blockedBy],
          state: task.state.kind,
          summary: 'summary' in task.state ? task.state.summary : null,
          owner: 'member' in task.state ? task.state.member : null,
        },
      ]),
    ),
    members: Object.fromEntries([...state.members.values()].map((member) => [member.name, member.life.kind])),
    requests: [
      ...new Set(
        [...state.requests.values()].map(({ kind, member, tool, arguments: args, status }) =>
          JSON.stringify([
            kind,
            member,
            tool,
            args,
            status.kind === 'decided' ? status.decision : status.kind,
          ]),
        ),
      ),
    ].sort(),
    mail: factsOf(entries)
      .flatMap((fact) =>
        fact.type === 'mail.sent' && (fact.kind === 'mail' || fact.kind === 'prompt')
          ? [JSON.stringify([fact.kind, fact.from, fact.to, fact.body])]
          : [],
      )
      .sort(),
  };
}

/** All facts of a log, in order. */
export function factsOf(entries: readonly LogEntry[]): Fact[] {
  return entries.flatMap((entry) => [...entry.facts]);
}

/** What must never happen to a log, whatever was killed when; empty when nothing of it did. */
export function doubles(entries: readonly LogEntry[]): string[] {
  const problems: string[] = [];
  const seen = new Map<string, number>();
  const count = (key: string): void => {
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    if (times === 2) problems.push(`${key} more than once`);
  };
  for (const fact of factsOf(entries)) {
    switch (fact.type) {
      case 'task.completed':
        count(`${fact.task} completed`);
        break;
      case 'mail.delivered':
        for (const { id } of fact.messages) count(`${id} consumed by ${fact.member}`);
        break;
      case 'request.decided':
        count(`${fact.request} decided`);
        break;
      case 'tool.started':
        count(`the call at ${fact.place} of ${fact.member} started`);
        break;
      default:
        break;
    }
  }
  return problems;
}
