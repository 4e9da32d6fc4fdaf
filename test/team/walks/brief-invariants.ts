/**
 * What is always true of briefs (F1 to F4 of `src/team/brief.ts`), seen fact by fact and in every state. Numbers are those
 * of spec/invariants.md, L is the ledger. It keeps its own books and asks nothing of the code that it judges.
 */

import type { Fact, FactOf } from '../../../src/events/event.js';
import type { Command } from '../../../src/team/command.js';
import type { Decision } from '../../../src/team/decision.js';
import { isResumable } from '../../../src/team/end.js';
import { admits } from '../../../src/team/policy/policy.js';
import type { TeamState } from '../../../src/team/state.js';

interface Out {
  readonly sent: FactOf<'brief.sent'>;
  runner: string | null;
  cancelling: boolean;
}

const CLASS = { 'read-only': 'read', 'non-destructive': 'write', full: 'destructive' } as const;

/** Ends of a run over which a brief may be left: the second word, and a process that can go on no more. */
const LEAVES: ReadonlySet<string> = new Set(['cancelled', 'failed']);

/** Sees every entry once, in order, and every command with its answer. */
export class BriefWatch {
  readonly #out = new Map<string, Out>();
  readonly #known = new Set<string>();
  /** The live attempt of each task that has one, and whose it is. */
  readonly #attempts = new Map<string, { readonly member: string; readonly attempt: number }>();
  #run: FactOf<'run.started'> | undefined;
  /** Null once something of unknown price was used. */
  #used: number | null = 0;
  /** Briefs that were lost and not adopted, and those that were adopted. */
  readonly #lost = new Map<string, FactOf<'brief.sent'>>();
  readonly #adopted = new Set<string>();
  /** The newest attempt of each task. */
  readonly #newest = new Map<string, number>();
  readonly broken: string[] = [];

  /** Takes the facts of one entry. */
  see(facts: readonly Fact[]): void {
    for (const fact of facts) this.#see(fact);
    for (const { sent, cancelling } of this.#out.values()) {
      const live = this.#attempts.get(sent.task);
      if (!cancelling && (live?.attempt !== sent.attempt || live.member !== sent.member))
        this.#break(2, `${sent.brief} goes on, and its attempt is over`);
    }
  }

  /** A word about a brief that is not out changes nothing: it is kept, or not even that. */
  heard(command: Command, decision: Decision): void {
    const brief = aboutBrief(command);
    if (brief === undefined || this.#out.has(brief)) return;
    const facts = decision.kind === 'accepted' ? decision.facts : decision.evidence;
    const other = facts.find((fact) => fact.type !== 'brief.evidence' && !isReport(fact));
    if (other !== undefined)
      this.#break(2, `${command.kind} about ${brief}, which is not out, made ${other.type}`);
  }

  /** What is reserved and booked is what the facts say. */
  money({ budget, members }: TeamState): string[] {
    const calls = [...members.values()].flatMap(({ reserved }) => reserved ?? []);
    const paid = [...this.#out.values()].flatMap(({ sent }) => sent.cost_usd ?? []);
    const reserved = calls.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0) + sum(paid);
    const broken: string[] = [];
    if (differ(budget.reservedUsd, reserved))
      broken.push(`L: ${budget.reservedUsd} USD are reserved, by calls and briefs ${reserved}`);
    if (budget.underWay !== calls.length + paid.length)
      broken.push(`L: ${budget.underWay} are under way, not ${calls.length} calls and ${paid.length} briefs`);
    if ((budget.costUsd === null) !== (this.#used === null) || differ(budget.costUsd ?? 0, this.#used ?? 0))
      broken.push(`L: ${budget.costUsd} USD are booked, and ${this.#used} were used`);
    return broken;
  }

  #see(fact: Fact): void {
    switch (fact.type) {
      case 'run.started':
        this.#run = fact;
        break;
      case 'budget.spent':
        this.#spend(fact.cost_usd);
        break;
      case 'task.claimed':
        this.#free(fact.task, 'claimed');
        this.#attempts.set(fact.task, { member: fact.member, attempt: fact.attempt });
        this.#newest.set(fact.task, fact.attempt);
        break;
      case 'task.released':
      case 'task.blocked':
        this.#attempts.delete(fact.task);
        break;
      case 'task.submitted':
        this.#free(fact.task, 'handed in');
        break;
      case 'task.completed':
      case 'task.failed':
      case 'task.cancelled':
        this.#free(fact.task, fact.type);
        this.#attempts.delete(fact.task);
        break;
      case 'brief.sent':
        this.#sent(fact);
        break;
      case 'brief.accepted':
        this.#accepted(fact);
        break;
      case 'brief.progress': {
        const out = this.#out.get(fact.brief);
        if (out === undefined || out.cancelling || out.runner === null)
          this.#break(2, `a step of ${fact.brief}, which nobody works on`);
        break;
      }
      case 'brief.cancel_requested': {
        const out = this.#out.get(fact.brief);
        if (out === undefined) this.#break(2, `${fact.brief} is to be cancelled and is not out`);
        else out.cancelling = true;
        break;
      }
      case 'brief.delivered':
        if (!this.#adopted.has(fact.brief) && this.#out.get(fact.brief)?.cancelling !== false)
          this.#break(2, `${fact.brief} has delivered, and nothing of it counts`);
        break;
      case 'brief.ended':
        this.#ended(fact);
        break;
      case 'brief.adopted':
        this.#adopt(fact);
        break;
      case 'run.ended':
        if (this.#out.size > 0 && !LEAVES.has(fact.reason))
          this.#break(6, `the run has ended as ${fact.reason} over ${[...this.#out.keys()].join(', ')}`);
        break;
      case 'run.archived':
        if (this.#out.size > 0) this.#break(6, 'the team is archived and a brief is out');
        break;
      default:
        break;
    }
  }

  #sent(fact: FactOf<'brief.sent'>): void {
    const { brief, task, member, attempt, safety } = fact;
    if (this.#known.has(brief)) this.#break(2, `${brief} was sent twice`);
    this.#free(task, 'delegated again');
    this.#known.add(brief);
    this.#out.set(brief, { sent: fact, runner: null, cancelling: false });
    const live = this.#attempts.get(task);
    if (live?.member !== member || live.attempt !== attempt)
      this.#break(2, `${brief} was sent for an attempt that is not live`);
    if (this.#run !== undefined && !admits(this.#run.safety, CLASS[safety]))
      this.#break(14, `${brief} of safety ${safety} was sent under ${this.#run.safety}`);
    const limit = this.#run?.limits.cost_usd ?? null;
    if (limit === null) return;
    const reserved = sum(
      [...this.#out.values()].map(({ sent }) => sent.cost_usd ?? Number.POSITIVE_INFINITY),
    );
    if (this.#used === null || this.#used + reserved > limit + 1e-9)
      this.#break('L', `${reserved} USD are reserved beside ${this.#used} that were used, of ${limit}`);
  }

  #accepted({ brief, runner }: FactOf<'brief.accepted'>): void {
    const out = this.#out.get(brief);
    if (out === undefined || out.cancelling) this.#break(2, `${brief} was accepted and is not to be had`);
    else if (out.runner !== null) this.#break(2, `${brief} was accepted by ${out.runner} and by ${runner}`);
    else out.runner = runner;
  }

  #ended({ brief, status, cost_usd: cost }: FactOf<'brief.ended'>): void {
    const out = this.#out.get(brief);
    if (out === undefined) this.#break(2, `${brief} has ended and was not out`);
    else if (out.cancelling && status !== 'cancelled')
      this.#break(2, `${brief} was called off first and has ended as ${status}`);
    if (out !== undefined && status === 'lost') this.#lost.set(brief, out.sent);
    this.#out.delete(brief);
    this.#spend(cost);
  }

  /** Once, of one that is lost, while its attempt is the newest and no brief of its task is out. */
  #adopt({ brief, revives }: FactOf<'brief.adopted'>): void {
    const sent = this.#lost.get(brief);
    if (sent === undefined) {
      this.#break(2, `${brief} was adopted and is not lost`);
      return;
    }
    if (this.#newest.get(sent.task) !== sent.attempt)
      this.#break(2, `${brief} was adopted and a newer attempt had started`);
    this.#free(sent.task, 'given a late result');
    if (revives) this.#attempts.set(sent.task, { member: sent.member, attempt: sent.attempt });
    this.#lost.delete(brief);
    this.#adopted.add(brief);
  }

  /** F1: no brief of the task is out. */
  #free(task: string, what: string): void {
    for (const { sent } of this.#out.values())
      if (sent.task === task) this.#break(1, `${task} is ${what}, and ${sent.brief} is out`);
  }

  #spend(usd: number | null): void {
    this.#used = usd === null || this.#used === null ? null : this.#used + usd;
  }

  #break(invariant: number | 'L', what: string): void {
    this.broken.push(`${invariant}: ${what}`);
  }
}

/** That a late result is there is told to the lead, in words of the runtime. */
function isReport(fact: Fact): boolean {
  return fact.type === 'mail.sent' && fact.kind === 'report' && fact.from === 'runtime';
}

/** What does not hold of briefs in a state. */
export function brokenBriefs({ briefs, tasks, phase, members, messages }: TeamState): string[] {
  const broken: string[] = [];
  for (const { name, unread } of members.values()) {
    const told = unread.flatMap((id) => messages.get(id) ?? []).filter(({ kind }) => kind === 'progress');
    if (new Set(told.map(({ task }) => task)).size !== told.length)
      broken.push(`3: ${name} has more than one unread word on how far a brief is`);
  }
  const out = [...briefs.values()].filter(({ status }) => status.kind !== 'ended');
  for (const task of tasks.values()) {
    const of = out.filter(({ sent }) => sent.task === task.id).map(({ sent }) => sent.brief);
    if (of.length > 1 || (of[0] ?? null) !== task.brief)
      broken.push(`1: ${task.id} has ${task.brief}, out are ${of.join(', ')}`);
    if (of.length > 0 && ['completed', 'failed', 'cancelled'].includes(task.state.kind))
      broken.push(`1: ${task.id} is ${task.state.kind} and ${of.join(', ')} is out`);
  }
  const final = phase.kind === 'ended' && !isResumable(phase.reason, phase.cause);
  if (out.length > 0 && (final || phase.kind === 'archived'))
    broken.push(`6: the run is over for good and ${out[0]?.sent.brief} is out`);
  return broken;
}

function aboutBrief(command: Command): string | undefined {
  switch (command.kind) {
    case 'brief.accept':
      return command.accepted.brief;
    case 'brief.progress':
    case 'brief.cancel':
    case 'brief.end':
    case 'brief.lose':
      return command.brief;
    default:
      return undefined;
  }
}

function sum(usd: readonly number[]): number {
  return usd.reduce((total, one) => total + one, 0);
}

/** Sums of cents differ by the order in which they are made. */
function differ(one: number, other: number): boolean {
  return Math.abs(one - other) > 1e-6;
}
