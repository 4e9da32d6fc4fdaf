/** What a log says of a fact: its type, and of what it holds ids, numbers and words of fixed lists. No text of anybody. */

import type { Fact } from '../../events/event.js';
import type { Log, LogFields } from '../../shared/log.js';

/** Fields of facts that are ids or words of a list, whatever the fact. */
const TOLD = [
  'member',
  'task',
  'attempt',
  'turn',
  'outcome',
  'brief',
  'request',
  'tool',
  'kind',
  'host',
] as const;

/** Of these the cause or the reason is a word of a list. */
const LISTED: Readonly<Record<string, readonly string[]>> = {
  'run.ended': ['reason', 'cause', 'closed_by'],
  'run.stopping': ['cause'],
  'turn.started': ['cause'],
  'task.failed': ['cause'],
  'task.released': ['reason'],
  'task.blocked': ['reason'],
  'brief.ended': ['status', 'cause'],
  'entry.rejected': ['reason'],
  'entry.omitted': ['reason'],
  'mail.dead': ['reason'],
};

/** What an operator who reads logs wants to see of a run; the rest is told where everything is asked for. */
const INFO: ReadonlySet<string> = new Set([
  ...['run.started', 'run.resumed', 'run.stopping', 'run.killing', 'run.ended', 'run.archived'],
  ...['turn.started', 'turn.ended', 'limit.reached', 'member.spawned', 'workspace.bound'],
  ...['brief.sent', 'brief.accepted', 'brief.cancel_requested', 'brief.delivered', 'brief.ended'],
]);

/** What somebody should look at. */
const WARN: ReadonlySet<string> = new Set(['turn.lost', 'member.failed', 'task.failed', 'workspace.lost']);

/** The longest id of ours. */
const MOST = 256;

/** @param number of the fact */
export function logFact(log: Log, team: string, number: number, fact: Fact): void {
  const say = WARN.has(fact.type) ? log.warn : INFO.has(fact.type) ? log.info : log.debug;
  say.call(log, { team, fact: number, ...fieldsOf(fact) }, fact.type);
}

function fieldsOf(fact: Fact): LogFields {
  const names = [...TOLD, ...(LISTED[fact.type] ?? [])];
  return Object.fromEntries(
    Object.entries(fact).filter(
      (entry): entry is [string, string | number] =>
        names.includes(entry[0]) &&
        (typeof entry[1] === 'number' || (typeof entry[1] === 'string' && entry[1].length <= MOST)),
    ),
  );
}
