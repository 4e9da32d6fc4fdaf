/**
 * Which ready task is offered to which idle member (spec/team.md §4).
 *
 * A task is offered to one member at a time, so nobody is woken to lose a race; a member gets one offer at a time
 * and none while it works on a task; one that it has handed in for review, or delegated, does not keep it. A task without a role
 * goes to anyone who is not its only judge, the lead last.
 */

import { isReady, readySince } from './board.js';
import { isLive, type Member, type Message, type Task, type TeamState } from './state.js';

export interface Offer {
  readonly task: string;
  /** Number of the fact that made the task ready. */
  readonly cause: number;
}

/** The offers that should be made now, by member. Same state, same answer. */
export function readyOffers(state: TeamState): Map<string, Offer> {
  const offers = new Map<string, Offer>();
  if (state.pending.size === 0) return offers;
  const free = [...state.members.values()].filter((member) => isFree(state, member));
  if (free.length === 0) return offers;
  const roles = new Set(free.map((member) => member.seat.role));
  const order = [...free.filter((member) => !member.seat.lead), ...free.filter((member) => member.seat.lead)];
  for (const id of state.pending) {
    if (offers.size === order.length) break;
    const task = state.tasks.get(id);
    if (task === undefined || task.offer !== null) continue;
    // Of a role that nobody free has: a board of thousands may wait for one.
    if (task.spec.role !== null && !roles.has(task.spec.role)) continue;
    if (!isReady(state, task)) continue;
    const taker = order.find((member) => !offers.has(member.name) && wouldTake(state, task, member));
    if (taker !== undefined) offers.set(taker.name, { task: task.id, cause: readySince(state, task) });
  }
  return offers;
}

/** Whether a member may do a task: by its role, and by leaving somebody to judge it. */
export function fits(state: TeamState, task: Task, { seat }: Member): boolean {
  const { role } = task.spec;
  return (role === null || role === seat.role) && !isOnlyJudge(state, task, seat.role);
}

/** Whether a role is to judge a task and has one seat only: nobody's verdict on their own work counts. */
export function isOnlyJudge({ run }: TeamState, { spec }: Pick<Task, 'spec'>, role: string): boolean {
  return spec.gates.includes(role) && run?.seats.filter((seat) => seat.role === role).length === 1;
}

/** Members that may do a task and have not let it pass, whatever they are doing now. */
export function possibleTakers(state: TeamState, task: Task): Member[] {
  return [...state.members.values()].filter(
    (member) => isLive(member) && member.stopping === null && wouldTake(state, task, member),
  );
}

/** Whether the member has an offer of this task that it has not read yet. */
export function isUnreadOffer(
  { messages }: TeamState,
  { unread }: Pick<Member, 'unread'>,
  id: string,
): boolean {
  return unread.some((message) => {
    const about = messages.get(message);
    return about?.kind === 'offer' && about.task === id;
  });
}

/** Whether a message offers a task that the member is offered no more: it was cancelled, changed, or is another's. */
export function isOverOffer({ kind, task }: Message, { offers }: Pick<Member, 'offers'>): boolean {
  return kind === 'offer' && task !== null && !offers.has(task);
}

function wouldTake(state: TeamState, task: Task, member: Member): boolean {
  return fits(state, task, member) && !task.offeredTo.has(member.name);
}

function isFree(state: TeamState, member: Member): boolean {
  if (member.life.kind !== 'idle' || member.offers.size > 0) return false;
  return [...member.claims].every((id) => {
    const task = state.tasks.get(id);
    return task?.state.kind === 'in_review' || (task?.brief ?? null) !== null;
  });
}
