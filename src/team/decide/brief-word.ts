/**
 * What a runner, or the process that keeps it, says of a brief while it is out: taken, a step, lost (spec/runner.md §3).
 * Each word was checked before it came here. One about a brief that is unknown or has ended, or from another runner than
 * has it, is refused and kept as evidence: nobody's model is told of it.
 */

import type { Fact, FactOf } from '../../events/event.js';
import { briefWord, isLiveBrief, type LiveBrief } from '../brief.js';
import type { BriefOffer, Command } from '../command.js';
import { accepted, type Decision, type Refusal, refused } from '../decision.js';
import { roomForBrief, withoutBrief, withUsage } from '../ledger.js';
import { type Numbering, reportToLead } from '../mail.js';
import {
  addressee,
  endReport,
  type Fate,
  progressMail,
  stalledReport,
  unservedReport,
} from '../notices/brief-reports.js';
import type { Task, TeamState } from '../state.js';
import { notPreparedForThis, offersOf, unknownBrief } from './brief.js';
import { endedWithout, lostFact } from './brief-over.js';
import { endedByWord, taskFailed, upstreamFacts } from './upstream.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

/** A runner has taken a brief. Refused, it must not begin: the brief is to end, has ended, or is another's. */
export function acceptBrief(
  state: TeamState,
  { accepted: word }: Of<'brief.accept'>,
  ids: Numbering,
): Decision {
  const brief = outBrief(state, word.brief, `accepted by ${word.runner}`);
  if ('code' in brief) return brief;
  const { status, sent } = brief;
  if (status.kind === 'cancelling') {
    const text = `brief ${sent.brief} is being cancelled: do not begin`;
    return refused('cancelling', text, [evidence(sent.brief, 'cancelling', `accepted by ${word.runner}`)]);
  }
  if (status.kind === 'running') {
    if (status.runner === word.runner) return accepted();
    const text = `brief ${sent.brief} is taken by ${status.runner}`;
    return refused('taken', text, [evidence(sent.brief, 'taken', `accepted by ${word.runner} as well`)]);
  }
  if (word.sent_block !== sent.sent_block) {
    const detail = `runner ${word.runner} has made block ${word.sent_block} of the skills, not ${sent.sent_block}`;
    const ended = endedWithout(brief, { status: 'failed', cause: 'block_mismatch', detail });
    const task = state.tasks.get(sent.task);
    const told = task === undefined ? [] : [endReport(state, ids, brief, task, ended, { kind: 'kept' })];
    return refused('block_mismatch', `brief ${sent.brief}: ${detail}`, [ended, ...told]);
  }
  return accepted({ type: 'brief.accepted', ...word });
}

/** A step has begun, or the engineer is silent; said again it is no step. */
export function progressBrief(state: TeamState, command: Of<'brief.progress'>, ids: Numbering): Decision {
  const brief = outBrief(state, command.brief, `step ${command.step}`);
  if ('code' in brief) return brief;
  const { status } = brief;
  const { brief: id, step, detail } = command;
  if (status.kind === 'sent') {
    const text = `brief ${id} was accepted by nobody: step ${step} is of none`;
    return refused('not_accepted', text, [evidence(id, 'not_accepted', `step ${step}`)]);
  }
  // What one that is to end still does, its end tells.
  if (status.kind === 'cancelling' || status.step === step) return accepted();
  const told =
    step === 'stalled'
      ? brief.stalled
        ? []
        : [stalledReport(state, ids, brief)]
      : progressMail(state, ids, brief, step);
  return accepted({ type: 'brief.progress', brief: id, step, detail }, ...told);
}

/**
 * No runner has it any more: it is offered again while its attempt may have another, else the attempt fails. One that was
 * to end has ended.
 */
export function loseBrief(state: TeamState, command: Of<'brief.lose'>, ids: Numbering): Decision {
  const brief = state.briefs.get(command.brief);
  if (brief === undefined) return unknownBrief(state, command.brief);
  const task = state.tasks.get(brief.sent.task);
  if (!isLiveBrief(brief) || task === undefined) return accepted();
  const lost = lostFact(brief, command.detail);
  const { status, sent } = brief;
  if (status.kind === 'cancelling') return accepted(lost, ...afterCancel(state, ids, brief, task, lost));
  // One that is to stop begins nothing more: with it the task goes back to the board.
  if ((state.members.get(sent.member)?.stopping ?? null) !== null)
    return accepted(lost, endReport(state, ids, brief, task, lost, { kind: 'kept' }));
  const { again } = command;
  const why = again === null ? 'it is offered no more' : notAgain(state, brief, lost, again);
  if (again !== null && why === null) {
    const other = notOfferedAgain(sent, again) ?? notPreparedForThis(state, task, again);
    if (other !== undefined) return other;
    return accepted(lost, { type: 'brief.sent', member: sent.member, ...again });
  }
  const detail = `brief ${sent.brief} was lost, and ${why}`;
  const fate: Fate = { kind: 'failed' };
  const text = `${task.id} has failed: ${detail}. Reopen it with team_task_update, or do without it.`;
  return accepted(
    lost,
    taskFailed(task, 'runtime', 'lost', detail),
    ...upstreamFacts(state, new Map([[task.id, 'failed']])),
    endReport(state, ids, brief, task, lost, fate),
    ...reportToLead(state, ids, addressee(state, sent.member), text, task.id),
  );
}

/** Nobody who lives can take it: its member is told once, and may do something about it while it waits. */
export function unservedBrief(state: TeamState, command: Of<'brief.unserved'>, ids: Numbering): Decision {
  const { pool, why, detail } = command;
  const brief = outBrief(state, command.brief, `${why} in ${pool}`);
  if ('code' in brief) return brief;
  if (brief.status.kind !== 'sent' || brief.unserved) return accepted();
  const words = detail === null ? `pool ${pool}` : `pool ${pool}: ${detail}`;
  return accepted(
    evidence(command.brief, why, words),
    unservedReport(state, ids, brief, { pool, why, detail }),
  );
}

/** What anybody wants to have kept of a brief and nothing is decided by. */
export function witnessBrief({ brief, code, detail, result }: Of<'brief.witness'>): Decision {
  return accepted(evidence(brief, code, detail, result));
}

/** What follows when a brief that was to end has ended: the task goes with it where that was said, its member is told. */
export function afterCancel(
  state: TeamState,
  ids: Numbering,
  brief: LiveBrief,
  task: Task,
  ended: FactOf<'brief.ended'>,
): Fact[] {
  if (brief.status.kind !== 'cancelling') return [];
  const { by, reason, becomes, detail } = brief.status;
  if (becomes === null) {
    return [endReport(state, ids, brief, task, ended, { kind: 'called_off', by, reason })];
  }
  return [
    ...endedByWord(state, task, becomes, { by, detail: detail ?? reason }),
    endReport(state, ids, brief, task, ended, { kind: 'ended_with_it', by, becomes }),
  ];
}

/** A brief that is out, or the refusal of a word about one that is not, with the word as evidence. */
function outBrief(state: TeamState, id: string, word: string): LiveBrief | Refusal {
  const brief = state.briefs.get(id);
  if (brief === undefined) return unknownBrief(state, id, [evidence(id, 'unknown_brief', word)]);
  if (isLiveBrief(brief)) return brief;
  const text = `brief ${id} has ended: ${briefWord(brief)}; this changes nothing`;
  return refused('brief_over', text, [evidence(id, 'brief_over', word)]);
}

/** The fact that keeps a word. */
export function evidence(
  brief: string,
  code: string,
  detail: string,
  result: string | null = null,
): FactOf<'brief.evidence'> {
  return { type: 'brief.evidence', brief, code, detail, result };
}

/** What stays as it was from one offer of a brief to the next: nobody has allowed more. */
const OF_ALL_OFFERS = ['task', 'attempt', 'safety', 'base', 'branch', 'cost_usd', 'wall_minutes'] as const;

/** The refusal of another order in the place of one that was lost. */
function notOfferedAgain(sent: FactOf<'brief.sent'>, again: BriefOffer): Refusal | undefined {
  const other = OF_ALL_OFFERS.find((field) => sent[field] !== again[field]);
  if (other === undefined) return undefined;
  return refused(
    'prepare_again',
    `brief ${sent.brief} is offered again as it was: ${other} is ${again[other]}, and was ${sent[other]}`,
  );
}

/** Why a lost brief is not offered again; null: it is. */
function notAgain(
  state: TeamState,
  { sent }: LiveBrief,
  lost: FactOf<'brief.ended'>,
  again: BriefOffer,
): string | null {
  const offers = state.run?.engineer?.offers ?? 0;
  const before = offersOf(state, sent.task, sent.attempt).filter(
    ({ status }) => status.kind === 'ended' && status.status === 'lost',
  );
  if (before.length >= offers) return `it was offered again ${offers} times (engineer.offers)`;
  const budget = withUsage(withoutBrief(state.budget, sent), { ...lost, ...lost.usage });
  const room = roomForBrief({ ...state, budget });
  if (room === null || (again.cost_usd !== null && again.cost_usd <= room)) return null;
  return `what it costs to offer it again (${again.cost_usd} USD) is not left: ${room} of limits.cost_usd`;
}
