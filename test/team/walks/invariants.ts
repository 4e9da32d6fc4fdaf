/**
 * What is always true (spec/invariants.md), as checks on a state and on the facts that led to it. Numbers are
 * those of that page; the letters are promises of the rules themselves: nobody is forgotten.
 */

import type { Fact, FactOf } from '../../../src/events/event.js';
import { findCycle, waitingOn } from '../../../src/team/board.js';
import { dueMembers, memberCause } from '../../../src/team/due.js';
import { exitCode, isResumable } from '../../../src/team/end.js';
import { isFree } from '../../../src/team/ledger.js';
import { nextTimer } from '../../../src/team/next-jobs.js';
import { admits } from '../../../src/team/policy/policy.js';
import type { Member, Message, Task, TeamState } from '../../../src/team/state.js';

/** Facts that may stand after the end of a run that can be resumed: words of the operator, also too late ones, and the resume. */
const AFTER_THE_END: ReadonlySet<Fact['type']> = new Set([
  'run.resumed',
  'run.archived',
  'mail.expired',
  'mail.sent',
  'mail.dead',
  'request.decided',
  'request.expired',
  'request.withdrawn',
  'permission.granted',
  'plan.decided',
  'member.spawned',
  'member.restarted',
  'member.stopped',
  'task.created',
  'task.updated',
  'task.released',
  'task.blocked',
  'task.completed',
  'task.failed',
  'task.cancelled',
  'task.reopened',
  'brief.cancel_requested',
  'brief.evidence',
  'brief.adopted',
  'brief.delivered',
  'task.submitted',
  'brief.ended',
]);

/** What a member that is to stop does not do any more. */
const BEGINNINGS: ReadonlySet<Fact['type']> = new Set([
  'turn.started',
  'tool.started',
  'budget.reserved',
  'request.opened',
  'task.claimed',
  'brief.sent',
]);

/** Sees every fact once, in order, and remembers what a state alone cannot show. */
export class Watch {
  /** How each message ended for each addressee, by `id/addressee`. */
  readonly #mail = new Map<string, string>();
  readonly #requests = new Map<string, string>();
  readonly #principals = new Map<string, readonly string[]>();
  readonly #attempts = new Map<string, number>();
  readonly #liveTurns = new Map<string, number>();
  /** What the run froze of each seat: a member has nothing else, from its first turn to its last. */
  readonly #seats = new Map<string, string>();
  /** Members that may not act before their plan is approved. */
  readonly #unplanned = new Set<string>();
  readonly #approvals = new Map<string, string>();
  #safety: FactOf<'run.started'>['safety'] | undefined;
  readonly #stopping = new Set<string>();
  #end: Extract<Fact, { type: 'run.ended' }> | undefined;
  #number = 1;
  readonly broken: string[] = [];

  /** Takes the facts of one entry; what breaks a promise is added to `broken`. */
  see(facts: readonly Fact[]): void {
    for (const fact of facts) {
      this.#see(fact);
      this.#number++;
    }
  }

  #see(fact: Fact): void {
    if (this.#end !== undefined) {
      const final = !isResumable(this.#end.reason, this.#end.cause);
      const admitted = final
        ? fact.type === 'run.archived' || fact.type === 'mail.expired'
        : AFTER_THE_END.has(fact.type);
      if (!admitted) this.#break(6, `${fact.type} after the run ended as ${this.#end.reason}`);
    }
    if (BEGINNINGS.has(fact.type) && 'member' in fact && this.#stopping.has(String(fact.member)))
      this.#break(2, `${fact.type} of ${fact.member}, which is to stop`);
    switch (fact.type) {
      case 'run.started':
        this.#safety = fact.safety;
        for (const seat of fact.seats) this.#seats.set(seat.member, JSON.stringify(seat));
        break;
      case 'member.spawned':
        if (this.#seats.get(fact.seat.member) !== JSON.stringify(fact.seat))
          this.#break(11, `${fact.seat.member} was spawned with another seat than the run froze`);
        if (fact.seat.plan_mode) this.#unplanned.add(fact.seat.member);
        break;
      case 'plan.submitted':
        this.#unplanned.add(fact.member);
        break;
      case 'plan.decided':
        if (fact.decision === 'approve') this.#unplanned.delete(fact.member);
        break;
      case 'tool.started':
        this.#toolStarted(fact);
        break;
      case 'run.ended':
        if (this.#end !== undefined) this.#break(6, 'the run ended twice');
        this.#end = fact;
        if (fact.reason !== 'cancelled' && fact.exit !== exitCode(fact.reason))
          this.#break(6, `exit ${fact.exit} for ${fact.reason}`);
        break;
      case 'run.resumed':
        this.#end = undefined;
        for (const [member, turn] of [...this.#liveTurns])
          if (fact.kept?.includes(turn) !== true) this.#liveTurns.delete(member);
        break;
      case 'member.stopping':
        this.#stopping.add(fact.member);
        break;
      case 'turn.started':
        if (this.#liveTurns.has(fact.member)) this.#break(2, `a second live turn of ${fact.member}`);
        this.#liveTurns.set(fact.member, this.#number);
        break;
      case 'turn.lost':
      case 'turn.ended':
        if (this.#liveTurns.get(fact.member) !== fact.turn)
          this.#break(2, `turn ${fact.turn} of ${fact.member} ended and was not live`);
        this.#liveTurns.delete(fact.member);
        break;
      case 'member.stopped':
        this.#liveTurns.delete(fact.member);
        this.#stopping.delete(fact.member);
        break;
      case 'task.claimed':
        if (fact.attempt !== (this.#attempts.get(fact.task) ?? 0) + 1)
          this.#break(2, `attempt ${fact.attempt} of ${fact.task} is not the next`);
        this.#attempts.set(fact.task, fact.attempt);
        break;
      case 'task.completed':
        if (fact.attempt !== this.#attempts.get(fact.task))
          this.#break(2, `${fact.task} completed under the old attempt ${fact.attempt}`);
        break;
      case 'mail.sent':
        for (const name of fact.to) this.#mail.set(`${fact.id}/${name}`, 'unread');
        break;
      case 'mail.delivered':
        for (const { id } of fact.messages) this.#endMail(id, fact.member, 'consumed');
        break;
      case 'mail.dead':
        if (fact.body === null) this.#endMail(fact.id, fact.to, 'dead');
        break;
      case 'mail.expired':
        for (const id of fact.ids) this.#endMail(id, fact.member, 'expired');
        break;
      case 'request.opened':
        this.#requests.set(fact.request, 'open');
        this.#principals.set(fact.request, fact.principals);
        break;
      case 'request.decided':
        this.#endRequest(fact.request, 'decided');
        if (fact.decision === 'approve') this.#approvals.set(fact.request, 'given');
        if (fact.by.kind !== 'policy' && this.#principals.get(fact.request)?.includes(fact.by.kind) !== true)
          this.#break(4, `${fact.request} was decided by ${fact.by.kind}`);
        break;
      case 'request.expired':
      case 'request.withdrawn':
        this.#endRequest(fact.request, fact.type);
        break;
      default:
        break;
    }
  }

  /** Invariant 3: every message is unread or has ended once, and the state says the same. */
  mailbox(state: TeamState): string[] {
    const broken: string[] = [];
    for (const [key, end] of this.#mail) {
      const [id = '', name = ''] = key.split('/');
      const unread = state.members.get(name)?.unread.includes(id) === true;
      const pending = state.messages.get(id)?.pending.has(name) === true;
      if (unread !== (end === 'unread') || pending !== unread) broken.push(`3: ${key} is ${end}`);
    }
    return broken;
  }

  /** Invariants 4 and 14: a class that the safety mode admits, an approved plan, an approval that is used once. */
  #toolStarted(fact: FactOf<'tool.started'>): void {
    if (this.#safety !== undefined && !admits(this.#safety, fact.class))
      this.#break(14, `a ${fact.class} tool of ${fact.member} started under ${this.#safety}`);
    if (fact.class !== 'read' && this.#unplanned.has(fact.member))
      this.#break(14, `a ${fact.class} tool of ${fact.member} started before its plan was approved`);
    if (fact.request === null) return;
    if (this.#approvals.get(fact.request) !== 'given')
      this.#break(
        4,
        `${fact.tool} started by ${fact.request}, whose approval is ${this.#approvals.get(fact.request)}`,
      );
    this.#approvals.set(fact.request, 'used');
  }

  #endMail(id: string, name: string, how: string): void {
    const before = this.#mail.get(`${id}/${name}`);
    if (before !== 'unread') this.#break(3, `${id} for ${name} is ${how} and was ${before}`);
    this.#mail.set(`${id}/${name}`, how);
  }

  #endRequest(id: string, how: string): void {
    const before = this.#requests.get(id);
    if (before !== 'open') this.#break(4, `${id} is ${how} and was ${before}`);
    this.#requests.set(id, how);
  }

  #break(invariant: number, what: string): void {
    this.broken.push(`${invariant}: ${what} (fact ${this.#number})`);
  }
}

/** Invariant 3 at the end of a run that is final: no message is left that nobody will read and nobody was told of. */
export function leftAtTheEnd(state: TeamState): string[] {
  const { phase } = state;
  if (phase.kind !== 'ended' || isResumable(phase.reason, phase.cause)) return [];
  return [...state.members.values()]
    .filter((member) => member.unread.length > 0)
    .map((member) => `3: the run has ended and ${member.name} has ${member.unread.join(', ')} unread`);
}

/**
 * Everything that does not hold in a state; empty when all is well.
 * @param now team time in milliseconds
 */
export function brokenIn(state: TeamState, now: number): string[] {
  const due = new Set(dueMembers(state, now).map((job) => job.member));
  return [
    ...leftAtTheEnd(state),
    ...brokenLedger(state),
    ...[...state.tasks.values()].flatMap((task) => brokenTask(state, task, due)),
    ...[...state.members.values()].flatMap((member) => brokenMember(state, member, due, now)),
    ...brokenBoard(state),
  ];
}

/** Tokens that are reserved are those of members; only one that works has a call, and nobody when the run has ended. */
function brokenLedger({ budget, members, phase }: TeamState): string[] {
  const holders = [...members.values()].filter(({ reserved }) => reserved !== null);
  const tokens = holders.reduce((sum, { reserved }) => sum + (reserved?.tokens ?? 0), 0);
  const broken = holders
    .filter(({ life }) => life.kind !== 'working' || phase.kind === 'ended')
    .map(
      ({ name, life }) =>
        `L: ${name} is ${life.kind} in a run that is ${phase.kind}, and has a call reserved`,
    );
  if (budget.reservedTokens !== tokens)
    broken.push(`L: ${budget.reservedTokens} tokens are reserved, by members ${tokens}`);
  return broken;
}

function brokenTask(state: TeamState, task: Task, due: ReadonlySet<string>): string[] {
  const broken: string[] = [];
  const holders = [...state.members.values()].filter((member) => member.claims.has(task.id));
  const held = task.state.kind === 'claimed' || task.state.kind === 'in_review';
  if (holders.length !== (held ? 1 : 0))
    broken.push(`1: ${task.id} ${task.state.kind}, ${holders.length} hold it`);
  if (task.state.kind === 'claimed' || task.state.kind === 'in_review') {
    if (holders[0]?.name !== task.state.member) broken.push(`2: ${task.id} is not held by its owner`);
    if (task.state.attempt !== task.attempts) broken.push(`2: ${task.id} runs under an old attempt`);
  }
  for (const id of task.blockedBy)
    if (!state.tasks.has(id)) broken.push(`5: ${task.id} waits on missing ${id}`);
  const atWork = task.brief === null && state.phase.kind === 'running' && !leadFailed(state);
  if (task.state.kind === 'claimed' && atWork) {
    const life = state.members.get(task.state.member)?.life.kind;
    const moves = life === 'working' || life === 'parked' || life === 'waiting' || life === 'errored';
    if (!moves && !due.has(task.state.member))
      broken.push(`A: ${task.id} is claimed by an idle member, not due`);
  }
  const ended = ['completed', 'failed', 'cancelled'].includes(task.state.kind);
  for (const { id, kind, task: about, status } of state.requests.values()) {
    if (kind !== 'gate' || about !== task.id || status.kind !== 'open') continue;
    if (ended) broken.push(`1: ${task.id} is ${task.state.kind} and ${id} is open`);
    if (task.state.kind !== 'in_review' || task.gate !== id)
      broken.push(`G: ${id} asks about ${task.id}, which is ${task.state.kind}`);
  }
  if (task.offer !== null) {
    if (task.state.kind !== 'pending') broken.push(`B: ${task.id} is ${task.state.kind} and on offer`);
    if (state.members.get(task.offer)?.offers.has(task.id) !== true)
      broken.push(`B: offer of ${task.id} is lost`);
  }
  return broken;
}

function brokenMember(state: TeamState, member: Member, due: ReadonlySet<string>, now: number): string[] {
  const { name, life } = member;
  const broken: string[] = [];
  for (const id of member.offers)
    if (state.tasks.get(id)?.offer !== name)
      broken.push(`B: ${name} holds an offer of ${id} that is not made to it`);
  const requests = [...state.requests.values()].filter((request) => request.member === name);
  if (life.kind === 'stopped' || life.kind === 'errored') {
    if (member.offers.size > 0) broken.push(`B: ${name} is ${life.kind} and holds offers`);
    if (requests.some((request) => request.status.kind === 'open' && request.kind !== 'gate'))
      broken.push(`4: ${name} is ${life.kind} and asks`);
  }
  if (life.kind === 'stopped' && (member.unread.length > 0 || member.claims.size > 0))
    broken.push(`1: ${name} is stopped and keeps mail or claims`);
  if (state.phase.kind !== 'running' || leadFailed(state)) return broken;
  if (life.kind === 'parked') {
    const open = state.requests.get(life.request)?.status.kind === 'open';
    if (!open && !due.has(name))
      broken.push(`4: ${name} waits for ${life.request}, which is over, and is not due`);
    if (open && memberCause(state, member, now) !== undefined)
      broken.push(`4: ${name} is woken before ${life.request} is over`);
  }
  if (life.kind === 'waiting') {
    const over =
      life.need === null ? life.until <= now : state.budget.underWay === 0 || isFree(state, life.need);
    if (due.has(name) !== over) broken.push(`W: ${name} waits until ${life.until}, at ${now}`);
    const look = nextTimer(state, now);
    if (life.until > now && !(look !== undefined && look <= life.until))
      broken.push(`W: ${name} waits until ${life.until}, and nobody looks before ${look}`);
    if (member.reserved !== null) broken.push(`W: ${name} waits and has a call reserved`);
  }
  if (life.kind === 'idle' && due.has(name) && life.due === null && !isWanted(state, member))
    broken.push(`9: ${name} is idle, nothing wants it, and it is due`);
  if (life.kind === 'idle' && !due.has(name)) {
    if (member.offers.size > 0) broken.push(`C: ${name} is idle with an offer and not due`);
    const waking = member.unread.filter((id) => {
      const message = state.messages.get(id);
      const isNoOffer = message?.kind !== 'offer' || member.offers.has(message.task ?? '');
      return isNoOffer && message !== undefined && mayWake(message, member);
    });
    if (waking.length > 0) broken.push(`C: ${name} is idle with unread mail and not due`);
  }
  return broken;
}

/** Whether there is mail that wakes an idle member, or a task that it could be offered. */
function isWanted(state: TeamState, member: Member): boolean {
  const unread = member.unread.flatMap((id) => state.messages.get(id) ?? []);
  if (unread.some((message) => mayWake(message, member))) return true;
  return [...state.tasks.values()].some(
    ({ spec, blockedBy, ...task }) =>
      task.state.kind === 'pending' &&
      (spec.role === null || spec.role === member.seat.role) &&
      [...blockedBy].every((id) =>
        ['completed', 'failed', 'cancelled'].includes(state.tasks.get(id)?.state.kind ?? ''),
      ),
  );
}

function brokenBoard(state: TeamState): string[] {
  const edges = new Map([...state.tasks.values()].map((task) => [task.id, task.blockedBy]));
  const cycle = findCycle(edges);
  const broken = cycle === undefined ? [] : [`5: cycle ${cycle.join(' → ')}`];
  for (const task of state.tasks.values())
    for (const id of waitingOn(state, task))
      if (state.tasks.get(id)?.state.kind === 'completed')
        broken.push(`5: ${task.id} waits on completed ${id}`);
  return broken;
}

function leadFailed(state: TeamState): boolean {
  return state.members.get(state.lead)?.life.kind === 'errored';
}

/** Idle notices are for the lead to act on; how far a brief is is for nobody to act on. */
function mayWake({ kind }: Message, { seat }: Member): boolean {
  return kind !== 'progress' && (seat.lead || kind !== 'idle');
}
