/** How a run ends: the named reasons, their exit codes and the last fact (spec/team.md §7). */

import type { Fact, FactOf } from '../events/event.js';
import type { EndReason, FailureCause } from '../events/facts/run.js';
import { oneLine } from '../shared/terminal-text.js';
import type { Budget } from './budget.js';
import type { MissingArtifact } from './command.js';
import { unanswered, withUsage } from './ledger.js';
import { isOpen, type Task, type TeamState } from './state.js';

/** Exit code by reason; `cancelled` depends on the signal. */
const EXIT: Readonly<Record<Exclude<EndReason, 'cancelled'>, number>> = {
  done: 0,
  failed: 1,
  partial: 3,
  needs_human: 4,
  budget: 5,
  deadline: 6,
  stalled: 7,
  unverified: 8,
};

const CANCELLED_EXIT: Readonly<Record<FactOf<'run.stopping'>['cause'], number>> = {
  hangup: 129,
  interrupt: 130,
  stop: 130,
  terminate: 143,
};

/** The exit code of a run that ends for this reason. */
export function exitCode(reason: EndReason, cause: FactOf<'run.stopping'>['cause'] = 'stop'): number {
  return reason === 'cancelled' ? CANCELLED_EXIT[cause] : EXIT[reason];
}

/**
 * Whether a resume would bring the team further. Limits stand for the life of a team: one that has reached a limit of
 * the run is taken up like another, and meets the limit again; so it does an approval that is still revoked.
 */
export function resumeHelps(reason: EndReason, cause: FailureCause | null, openTasks = 0): boolean {
  if (reason === 'unverified') return openTasks > 0;
  return isResumable(reason, cause) && !isOverLimit(reason) && cause !== 'approval_revoked';
}

/** Whether a run gives the answers of a recorded one again. Such a run is played whole: no resume takes it up. */
export function isReplay({ seats }: Pick<FactOf<'run.started'>, 'seats'>): boolean {
  return seats.some(({ model }) => model.startsWith('replay/'));
}

/** Whether a limit of the run has ended it. */
export function isOverLimit(reason: EndReason): boolean {
  return reason === 'budget' || reason === 'deadline';
}

/**
 * Reasons after which `resume` takes the team up again; after the others nothing is left to do. One that is unverified
 * ends so again, unless tasks are open or somebody has put back what was missing.
 */
export function isResumable(reason: EndReason, cause: FailureCause | null): boolean {
  switch (reason) {
    case 'done':
    case 'partial':
      return false;
    case 'failed':
      return cause !== 'lead';
    case 'needs_human':
    case 'budget':
    case 'deadline':
    case 'unverified':
    case 'stalled':
    case 'cancelled':
      return true;
  }
}

export interface Ending {
  readonly reason: EndReason;
  readonly cause: FailureCause | null;
  readonly detail: string | null;
  readonly closedBy: 'lead' | 'runtime' | 'operator';
  readonly result: string | null;
}

/** Reasons that come after `unverified` where both hold (spec/team.md §7). */
const AFTER_UNVERIFIED: ReadonlySet<EndReason> = new Set(['stalled', 'partial', 'done']);

/**
 * The last facts of a run. Mail that nobody will read any more expires when the reason is final; tasks that must
 * have a result, and artifacts of it that are gone, turn a good ending, or one that stalled, into `unverified`: then the result says what is
 * missing, and what the lead had to say of its success stays in the record alone.
 * @param gone artifacts of completed tasks that were looked for just before and are not there
 */
export function endFacts(
  state: TeamState,
  ending: Ending,
  now: number,
  gone: readonly MissingArtifact[] = [],
): Fact[] {
  const missing = unverifiedTasks(state, gone);
  const unverified = AFTER_UNVERIFIED.has(ending.reason) && missing.length > 0;
  const reason = unverified ? 'unverified' : ending.reason;
  const without = `no result of ${missing.map(briefly).join(', ')}`;
  const stalled = ending.reason === 'stalled' ? `; ${ending.detail}` : '';
  const detail = unverified ? `${without}${stalled}` : ending.detail;
  const facts: Fact[] = [];
  if (!isResumable(reason, ending.cause)) {
    for (const member of state.members.values()) {
      if (member.unread.length > 0)
        facts.push({ type: 'mail.expired', member: member.name, ids: [...member.unread] });
    }
  }
  const tasks = [...state.tasks.values()];
  // Who still asks is not waited for any more: what its call may use is booked, or nobody ever would.
  const open = [...state.members.values()].flatMap(unanswered);
  facts.push(...open);
  const budget = open.reduce(withUsage, state.budget);
  facts.push({
    type: 'run.ended',
    reason,
    exit: exitCode(reason, state.phase.kind === 'stopping' ? state.phase.cause : 'stop'),
    cause: ending.cause,
    detail,
    closed_by: ending.closedBy,
    result: unverified ? unverifiedText(missing) : ending.result,
    artifacts: tasks.flatMap((task) => present(task, gone)),
    open_requests: [...state.requests.values()]
      .filter((request) => request.status.kind === 'open')
      .map((request) => request.id),
    open_tasks: tasks.filter(isOpen).map((task) => task.id),
    totals: runTotals(state, now, budget),
  });
  return facts;
}

/**
 * What a run has used, as its last fact says it.
 * @param now team time in milliseconds
 * @param budget where it is not that of the state
 */
export function runTotals(
  state: TeamState,
  now: number,
  budget: Budget = state.budget,
): FactOf<'run.ended'>['totals'] {
  return {
    turns: budget.turns,
    model_calls: budget.modelCalls,
    input_tokens: budget.inputTokens,
    output_tokens: budget.outputTokens,
    cost_usd: budget.costUsd,
    estimated_tokens: budget.estimatedTokens,
    estimated_cost_usd: budget.estimatedUsd,
    messages: state.messages.size,
    tasks_completed: [...state.tasks.values()].filter((task) => task.state.kind === 'completed').length,
    briefs: state.briefs.size,
    elapsed_ms: Math.round(now),
  };
}

/** A task that must have a result and has none, or not all of it. */
interface Unverified {
  readonly task: Task;
  /** Empty where it was not completed. */
  readonly paths: readonly string[];
}

/** Whether a run may end well without this task's result (spec/team.md §7 `unverified`). */
function mustHaveResult({ spec }: Task): boolean {
  return spec.required || spec.artifacts.length > 0;
}

function unverifiedTasks(state: TeamState, gone: readonly MissingArtifact[]): Unverified[] {
  return [...state.tasks.values()].filter(mustHaveResult).flatMap((task) => {
    if (task.state.kind !== 'completed') return [{ task, paths: [] }];
    const paths = gone.filter((missing) => missing.task === task.id).map(({ path }) => path);
    return paths.length === 0 ? [] : [{ task, paths }];
  });
}

function briefly({ task, paths }: Unverified): string {
  const named = paths.map((path) => oneLine(path)).join(', ');
  return named === '' ? task.id : `${task.id} (${named} is missing)`;
}

/** What stands in place of the result: our words, with subjects and paths on one line each. */
function unverifiedText(missing: readonly Unverified[]): string {
  const lines = missing.flatMap(({ task, paths }) => {
    const subject = `${task.id} (${oneLine(task.spec.subject)})`;
    return paths.length === 0
      ? [`- ${subject} was not completed: ${task.state.kind}`]
      : paths.map((path) => `- ${subject}: ${oneLine(path)} is missing in the workspace`);
  });
  return ['Unverified: results that this run must have are missing.', ...lines].join('\n');
}

/** The artifacts of a completed task that are there. */
function present(task: Task, gone: readonly MissingArtifact[]): string[] {
  if (task.state.kind !== 'completed') return [];
  const missing = new Set(gone.filter((one) => one.task === task.id).map(({ path }) => path));
  return task.state.artifacts.filter((path) => !missing.has(path));
}
