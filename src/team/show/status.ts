/**
 * The one projection of the state that every view is made from: `status`, `ps`, `requests`, the control socket
 * (spec/team.md §7 "status"). snake_case, JSON-serialisable, fields only added within v1.
 */

import type { FactOf } from '../../events/event.js';
import { assertNever } from '../../shared/assert-never.js';
import { dueMembers } from '../due.js';
import { diagnosis } from '../notices/notices.js';
import type { DeadLetter, Member, Request, TeamState, WaitReason } from '../state.js';
import { leftOf, secondsText, type Waiting, waitedFor, waitingMembers } from '../waits.js';
import { type BriefView, briefView } from './status-briefs.js';
import {
  type ProcessesSeen,
  processLines,
  type TurnView,
  turnDetail,
  turnView,
  type WorkspaceView,
  workspaceView,
} from './status-processes.js';
import { type TaskView, taskView } from './status-tasks.js';

export interface RequestView {
  readonly id: string;
  readonly kind: Request['kind'];
  readonly member: string;
  readonly state: 'open' | 'decided' | 'expired' | 'withdrawn';
  readonly principals: readonly string[];
  readonly tool: string;
  readonly class: string | null;
  readonly summary: string;
  readonly arguments: string;
  readonly context: string | null;
  readonly policy: string;
  readonly digest: string;
  /** The pattern that `always` would allow; null: it may not be said. */
  readonly always: string | null;
  /** The task that a gate is about. */
  readonly task: string | null;
  /** Team time in milliseconds, as is `expires_ms`; null: it waits for as long as it takes. */
  readonly opened_ms: number;
  readonly expires_ms: number | null;
  /** Milliseconds of team time until it expires; 0 of one that is overdue; null where it does not expire or is over. */
  readonly left_ms: number | null;
  readonly decision: string | null;
  readonly by: string | null;
}

export interface StatusView {
  readonly v: 1;
  readonly team: string;
  readonly recipe: string;
  readonly phase: 'absent' | 'running' | 'finishing' | 'stopping' | 'ended' | 'archived';
  readonly reason: string | null;
  readonly exit: number | null;
  /** Why nothing moves, one line per cause; empty while something does. */
  readonly waiting: readonly string[];
  readonly members: readonly {
    readonly name: string;
    readonly role: string;
    readonly state: Member['life']['kind'];
    readonly detail: string | null;
    /** What a member in the state `waiting` waits for, and how much longer; null for every other. */
    readonly wait: {
      readonly provider: string;
      readonly why: WaitReason;
      readonly left_ms: number;
      readonly detail: string;
    } | null;
    /** The turn that runs, and who has it; null where none does. */
    readonly turn: TurnView | null;
    readonly model: string;
    readonly turns: number;
    readonly unread: number;
    readonly tasks: readonly string[];
  }[];
  /** The machine with the workspace, where several serve the team. */
  readonly workspace: WorkspaceView | null;
  readonly tasks: readonly TaskView[];
  readonly requests: readonly RequestView[];
  /** Every brief that was sent, oldest first. */
  readonly briefs: readonly BriefView[];
  readonly mail: {
    readonly sent: number;
    readonly unread: number;
    readonly delivered: number;
    readonly dead: number;
    readonly expired: number;
    readonly redeliveries_suppressed: number;
  };
  /** The newest messages that nobody will ever read, oldest first: who wrote to whom, why it was lost, its head. */
  readonly dead_letters: readonly DeadLetter[];
  readonly budget: {
    readonly turns: number;
    readonly model_calls: number;
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cost_usd: number | null;
    /** The part of tokens and cost that was booked as reserved, since nobody said what was used. */
    readonly estimated_tokens: number;
    readonly estimated_cost_usd: number;
    /** Of calls under way, and of briefs that are out. */
    readonly reserved_tokens: number;
    readonly reserved_cost_usd: number;
    readonly elapsed_ms: number;
    readonly limits: FactOf<'run.started'>['limits'] | null;
  };
}

/**
 * Projects the state as it stands.
 * @param now team time in milliseconds; without it, that of the newest entry
 * @param processes what was seen of the processes that serve the team; without it nobody has looked
 */
export function statusView(
  state: TeamState,
  team: string,
  now: number = state.at,
  processes: ProcessesSeen = {},
): StatusView {
  const members = [...state.members.values()];
  const requests = [...state.requests.values()].filter((request) => request.status.kind === 'open');
  return {
    v: 1,
    team,
    recipe: state.run?.recipe.slug ?? '',
    phase: state.phase.kind,
    reason: state.phase.kind === 'ended' ? state.phase.reason : null,
    exit: state.phase.kind === 'ended' ? state.phase.exit : null,
    waiting: [...processWaits(state, processes), ...waitingLines(state, requests, now)],
    members: members.map((member) => ({
      name: member.name,
      role: member.seat.role,
      state: member.life.kind,
      detail: lifeDetail(member, now, processes),
      wait: waitView(member, now),
      turn: turnView(member, now, processes),
      model: member.seat.model,
      turns: member.turns,
      unread: member.unread.length,
      tasks: [...member.claims],
    })),
    workspace: workspaceView(state),
    tasks: [...state.tasks.values()].map((task) => taskView(state, task)),
    requests: requests.map((request) => requestView(request, now)),
    briefs: [...state.briefs.values()].map((brief) =>
      briefView(brief, now, processes.engineerOf?.(brief.sent.brief)),
    ),
    mail: {
      sent: state.messages.size,
      unread: members.reduce((sum, member) => sum + member.unread.length, 0),
      delivered: state.counts.delivered,
      dead: state.counts.dead,
      expired: state.counts.expired,
      redeliveries_suppressed: state.counts.suppressed,
    },
    dead_letters: [...state.deadLetters],
    budget: {
      turns: state.budget.turns,
      model_calls: state.budget.modelCalls,
      input_tokens: state.budget.inputTokens,
      output_tokens: state.budget.outputTokens,
      cost_usd: state.budget.costUsd,
      estimated_tokens: state.budget.estimatedTokens,
      estimated_cost_usd: state.budget.estimatedUsd,
      reserved_tokens: state.budget.reservedTokens,
      reserved_cost_usd: state.budget.reservedUsd,
      elapsed_ms: Math.round(state.at),
      limits: state.run?.limits ?? null,
    },
  };
}

/**
 * One request, whatever its state, for listings and prompts.
 * @param now team time in milliseconds
 */
export function requestView(request: Request, now: number): RequestView {
  const decided = request.status.kind === 'decided' ? request.status : null;
  return {
    id: request.id,
    kind: request.kind,
    member: request.member,
    state: request.status.kind,
    principals: request.principals,
    tool: request.tool,
    class: request.class,
    summary: request.summary,
    arguments: request.arguments,
    context: request.context,
    policy: request.policy,
    digest: request.digest,
    always: request.always,
    task: request.task,
    opened_ms: request.openedAt,
    expires_ms: request.expiresAt,
    left_ms:
      request.expiresAt === null || request.status.kind !== 'open'
        ? null
        : Math.max(0, request.expiresAt - now),
    decision: decided?.decision ?? null,
    by: decided === null ? null : `${decided.by.kind} (${decided.by.name})`,
  };
}

function lifeDetail({ life, stopping }: Member, now: number, processes: ProcessesSeen): string | null {
  if (stopping !== null)
    return `stopping, by ${stopping.by}${stopping.forced ? ', its tools are killed' : ''}`;
  switch (life.kind) {
    case 'errored':
      return life.error;
    case 'parked':
      return life.request;
    case 'waiting':
      return waitDetail(life, now);
    case 'working':
      return turnDetail(life, processes);
    case 'idle':
    case 'stopped':
      return null;
    default:
      return assertNever(life, 'life of a member');
  }
}

function waitView({ life }: Member, now: number): StatusView['members'][number]['wait'] {
  if (life.kind !== 'waiting') return null;
  const { provider, why, said } = life;
  return { provider, why, left_ms: leftOf(life, now), detail: said };
}

function waitDetail(wait: Waiting, now: number): string {
  return wait.why === 'budget' ? waitedFor(wait) : `${waitedFor(wait)}, ${secondsText(leftOf(wait, now))}`;
}

/** One line per member that waits for its provider: `code-reviewer waits for anthropic (rate limited), 12 s`. */
function providerWaits(state: TeamState, now: number): string[] {
  if (state.phase.kind !== 'running') return [];
  return waitingMembers(state)
    .filter(({ wait }) => wait.until > now)
    .map(({ member, wait }) => `${member.name} waits for ${waitDetail(wait, now)}`);
}

/** A run that has ended is nobody's any more, whatever its last state says of who worked. */
function processWaits(state: TeamState, processes: ProcessesSeen): string[] {
  return state.phase.kind === 'ended' || state.phase.kind === 'archived'
    ? []
    : processLines(state, processes);
}

function waitingLines(state: TeamState, open: readonly Request[], now: number): string[] {
  if (state.phase.kind === 'absent' || state.phase.kind === 'archived') return [];
  const working = [...state.members.values()].some((member) => member.life.kind === 'working');
  if (working || dueMembers(state, now).length > 0) return [];
  const counts = new Map<string, number>();
  for (const request of open) counts.set(request.kind, (counts.get(request.kind) ?? 0) + 1);
  const lines = [...counts].map(([kind, count]) => `waiting: ${count} ${kind}${count === 1 ? '' : 's'}`);
  return [...providerWaits(state, now), ...lines, ...diagnosis(state)];
}
