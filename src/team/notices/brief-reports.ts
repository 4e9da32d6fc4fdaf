/**
 * What members are told of a brief: that it has ended, what came of it and what that means for the task; once, that its
 * engineer has said nothing for long; and how far it is, for whoever reads its mail anyhow. That wakes nobody, and of each
 * brief one such word at most is unread.
 *
 * An engineer's words, the names of its files, what its runner says of it and why somebody has called it off are not our
 * words: they stand in a fence.
 */

import type { FactOf } from '../../events/event.js';
import type { BriefStep } from '../../events/facts/briefs.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { Brief, LiveBrief } from '../brief.js';
import type { BriefResult, Command, Delivery } from '../command.js';
import { message, type Numbering, reportToLead } from '../mail.js';
import type { Message, Task, TeamState } from '../state.js';
import { quote } from './notices.js';

/** Names of files that a message shows of each list. */
const FILES_SHOWN = 50;

/** Longest text of an engineer that stands in a report of its work; the whole stays in its result. */
const SUMMARY = 8_000;

/** What the end of a brief means for its task. */
export type Fate =
  | { readonly kind: 'submitted' }
  | { readonly kind: 'completed' }
  /** It is still with its member. */
  | { readonly kind: 'kept' }
  /** So it is, and files that it must have lie in the delivered branch alone. */
  | { readonly kind: 'unmerged'; readonly missing: readonly string[] }
  | { readonly kind: 'failed' }
  /** Nothing of it counts: it was called off. */
  | { readonly kind: 'called_off'; readonly by: string; readonly reason: string }
  | { readonly kind: 'ended_with_it'; readonly by: string; readonly becomes: 'cancelled' | 'failed' };

/** What a brief has brought, as far as there is a result. */
export interface Brought {
  readonly result: BriefResult;
  readonly delivery: Delivery;
}

/** Tells the delegating member, or the lead where that is gone, how a brief ended. */
export function endReport(
  state: TeamState,
  ids: Numbering,
  { sent }: LiveBrief,
  task: Task,
  ended: FactOf<'brief.ended'>,
  fate: Fate,
  brought: Brought | null = null,
): FactOf<'mail.sent'> {
  const to = addressee(state, sent.member);
  const holder = to === sent.member ? 'you' : sent.member;
  const cause = ended.cause === null ? '' : ` (${ended.cause})`;
  const lines = [
    `Brief ${sent.brief} of ${sent.task}, attempt ${sent.attempt}, has ended: ${ended.status}${cause}. ${fateText(task, fate, holder)}`,
  ];
  if (fate.kind === 'called_off' && fate.reason.trim() !== '')
    lines.push(quote(`why ${fate.by} has called off ${sent.brief}`, fate.reason));
  lines.push(...quotedResult(sent, brought, ended.detail === null ? [] : [ended.detail]));
  return message(ids, 'report', 'runtime', [to], lines.join('\n'), sent.task);
}

/** What an engineer and its runner have said and made, as quotations. */
function quotedResult(sent: Brief['sent'], brought: Brought | null, before: readonly string[]): string[] {
  const found = brought === null ? [] : broughtLines(sent, brought);
  const said = [...before, ...found].join('\n');
  const words = brought?.result.message ?? '';
  return [
    ...(said === '' ? [] : [quote(`what came of ${sent.brief}`, said)]),
    ...(words.trim() === '' ? [] : [quote(`last words of the engineer of ${sent.brief}`, words)]),
  ];
}

/** To the lead: a good result has come too late, and what may be done. Nothing that stands in it is said. */
export function lateReport(state: TeamState, ids: Numbering, { sent }: Brief): FactOf<'mail.sent'>[] {
  const text =
    `A result of brief ${sent.brief} of ${sent.task}, attempt ${sent.attempt}, has come after the brief was lost. It counts ` +
    `for nothing by itself. While no newer attempt of ${sent.task} has started you may adopt it: ` +
    `delegate_adopt {"brief":"${sent.brief}"}.`;
  return reportToLead(state, ids, null, text, sent.task);
}

/** To the delegating member: a late result counts after all, what came of it and what that means for the task. */
export function adoptedReport({ sent }: Brief, task: Task, by: string, fate: Fate, brought: Brought): string {
  const head =
    `The late result of brief ${sent.brief} of ${sent.task}, attempt ${sent.attempt}, was adopted by ${by}: the attempt ` +
    `goes on. ${fateText(task, fate, 'you')}`;
  return [head, ...quotedResult(sent, brought, [])].join('\n');
}

/** Said once a brief: its engineer is alive and silent. */
export function stalledReport(state: TeamState, ids: Numbering, { sent }: LiveBrief): FactOf<'mail.sent'> {
  const text =
    `The engineer of brief ${sent.brief} (${sent.task}) has said nothing for minutes. It may still come to its end by ` +
    `itself, at the latest after ${sent.wall_minutes} minutes; call it off with delegate_cancel {"brief":"${sent.brief}"} ` +
    'if you do not want to wait.';
  return message(ids, 'report', 'runtime', [addressee(state, sent.member)], text, sent.task);
}

/** Said once a brief: no runner that lives can take it. What a runner lacks is its words, not ours. */
export function unservedReport(
  state: TeamState,
  ids: Numbering,
  { sent }: LiveBrief,
  { pool, why, detail }: Omit<Extract<Command, { kind: 'brief.unserved' }>, 'kind' | 'brief'>,
): FactOf<'mail.sent'> {
  const what =
    why === 'no_runner' ? `no runner of pool ${pool} lives` : `no runner of pool ${pool} can take it`;
  const text =
    `Brief ${sent.brief} (${sent.task}) waits: ${what} (${why}). It is taken as soon as one comes that can; call it off with ` +
    `delegate_cancel {"brief":"${sent.brief}"} if you do not want to wait, or have the operator start one.`;
  const lines = detail === null ? [text] : [text, quote(`what is missing for ${sent.brief}`, detail)];
  return message(ids, 'report', 'runtime', [addressee(state, sent.member)], lines.join('\n'), sent.task);
}

/** Steps that are told, as what the engineer's side does. The others pass at once, or are its end. */
const TOLD_STEPS: Readonly<Partial<Record<BriefStep, string>>> = {
  engineer: 'the engineer is at work',
  verifying: 'the engineer has ended, and its commit is being verified',
};

/**
 * The word that a step has begun (spec/runner.md §4). Where the one before is still unread it takes its place; a member in a
 * turn may have that one in front of it already, so it stays the only one until it is read.
 */
export function progressMail(
  state: TeamState,
  ids: Numbering,
  { sent, status }: LiveBrief,
  step: BriefStep,
): FactOf<'mail.sent' | 'mail.expired'>[] {
  const told = TOLD_STEPS[step];
  const to = state.members.get(addressee(state, sent.member));
  if (told === undefined || to === undefined) return [];
  const unread = to.unread.filter((id) => isProgressOf(state.messages.get(id), sent.task));
  const quiet = (to.life.kind === 'idle' || to.life.kind === 'parked') && to.lost === 0;
  if (unread.length > 0 && !quiet) return [];
  const again = status.kind === 'running' && status.step === 'stalled' ? ' again' : '';
  const text = `Brief ${sent.brief} of ${sent.task}: ${told}${again}. Nothing is to be done; a message tells you of its end.`;
  const expired = { type: 'mail.expired' as const, member: to.name, ids: unread };
  return [
    ...(unread.length === 0 ? [] : [expired]),
    message(ids, 'progress', 'runtime', [to.name], text, sent.task),
  ];
}

function isProgressOf(message: Message | undefined, task: string): boolean {
  return message?.kind === 'progress' && message.task === task;
}

/** Who is told: the member, while it reads mail in this run; else the lead. */
export function addressee(state: TeamState, name: string): string {
  const member = state.members.get(name);
  const reads = member !== undefined && member.life.kind !== 'stopped' && member.life.kind !== 'errored';
  return reads && member.stopping === null ? name : state.lead;
}

function fateText({ id, spec }: Task, fate: Fate, holder: string): string {
  switch (fate.kind) {
    case 'submitted':
      return `${id} is handed in for review by ${spec.gates.join(', ')}, with what was delivered as its evidence.`;
    case 'completed':
      return `${id} is completed with it.`;
    case 'kept':
      return (
        `${id} is still with ${holder}: go on from there, delegate it again, or use team_task_complete, team_task_block or ` +
        'team_task_release.'
      );
    case 'unmerged':
      return (
        `${id} is still with ${holder}: ${fate.missing.map((path) => oneLine(path)).join(', ')} must be in the workspace before it ` +
        'is done. Bring the branch in, then call team_task_complete.'
      );
    case 'failed':
      return `${id} has failed.`;
    case 'called_off':
      return `Nothing of it counts: it was called off by ${fate.by}.`;
    case 'ended_with_it':
      return `With it ${id} is ${fate.becomes}, by the word of ${fate.by}. Stop working on it.`;
  }
}

/** What a gate judges and a member reads: where the work lies, how large it is, how it was verified. */
export function deliveredLines({ base, branch }: Brief['sent'], { result, delivery }: Brought): string[] {
  const { files, insertions, deletions } = result.diffstat;
  const where =
    delivery.kind === 'delivered'
      ? [
          `branch ${branch}, ${base}..${delivery.head}: ${delivery.commits} commits, ${files} files, +${insertions} −${deletions}`,
        ]
      : [];
  const outcomes = result.verify.map(({ key, outcome }) => `${key} ${outcome}`).join(', ');
  const checked =
    outcomes === '' ? `not verified: ${result.not_verified ?? 'no command'}` : `verify: ${outcomes}`;
  return [
    ...(where.length === 0 ? ['nothing was delivered'] : where),
    checked,
    ...listed('protected files changed', result.protected),
    ...listed('changed and not committed', result.uncommitted),
  ];
}

/** The words of a report that is made of a brief; untrusted, as those of a member are. */
export function deliveredSummary({ sent }: Pick<Brief, 'sent'>, { message: said }: BriefResult): string {
  const text = said.length <= SUMMARY ? said : `${said.slice(0, SUMMARY)}\n[cut: ${said.length} characters]`;
  const head = `Delivered by brief ${sent.brief} (${sent.engineer.kind}).`;
  return text.trim() === '' ? head : `${head}\n${text}`;
}

function broughtLines(sent: Brief['sent'], brought: Brought): string[] {
  const { delivery, result } = brought;
  return [
    ...deliveredLines(sent, brought),
    ...(delivery.kind === 'failed' ? [`not delivered: ${delivery.detail}`] : []),
    ...listed('changed in the workspace of the team meanwhile', result.workspace_changes),
  ];
}

function listed(what: string, files: readonly string[]): string[] {
  if (files.length === 0) return [];
  const shown = files.slice(0, FILES_SHOWN).map((file) => oneLine(file));
  const more = files.length > shown.length ? ` and ${files.length - shown.length} more` : '';
  return [`${what}: ${shown.join(', ')}${more}`];
}
