/**
 * Who may say what, and about what: invariant 4 on requests and gates, seen fact by fact beside `invariants.ts`.
 * It keeps its own books and asks nothing of the code that it judges.
 */

import type { Fact, FactOf } from '../../../src/events/event.js';
import type { Command } from '../../../src/team/command.js';
import type { Decision } from '../../../src/team/decision.js';

interface HandedIn {
  readonly owner: string;
  readonly digest: string;
  /** Roles that have approved this evidence. */
  readonly approved: Set<string>;
}

/** Sees every fact once, in order, and every command with its answer. */
export class Judges {
  readonly #opened = new Map<string, FactOf<'request.opened'>>();
  readonly #gates = new Map<string, readonly string[]>();
  readonly #inReview = new Map<string, HandedIn>();
  /** Tasks whose gate the operator has opened. */
  readonly #accepted = new Set<string>();
  readonly broken: string[] = [];

  /** @param at team time of the fact's entry, milliseconds */
  see(fact: Fact, at: number): void {
    switch (fact.type) {
      case 'request.opened':
        this.#opened.set(fact.request, fact);
        break;
      case 'request.decided':
        this.#decided(fact);
        break;
      case 'request.expired': {
        const until = this.#opened.get(fact.request)?.expires_ms ?? null;
        if (until === null || at < until)
          this.broken.push(`4: ${fact.request} expired at ${at}, its time is ${until}`);
        break;
      }
      case 'tool.started':
        if (fact.request !== null && this.#opened.get(fact.request)?.digest !== fact.digest)
          this.broken.push(`4: ${fact.request} is about another call than the one that started`);
        break;
      case 'permission.granted':
        if (this.#opened.get(fact.request)?.member !== fact.member)
          this.broken.push(`4: ${fact.request} allows ${fact.member}, who did not ask`);
        break;
      case 'task.created':
        this.#gates.set(fact.task, fact.spec.gates);
        break;
      case 'task.submitted':
        this.#inReview.set(fact.task, {
          owner: fact.member,
          digest: fact.evidence_digest,
          approved: new Set(),
        });
        break;
      case 'task.reviewed':
        this.#reviewed(fact);
        break;
      case 'task.completed':
        this.#completed(fact);
        break;
      case 'task.released':
      case 'task.failed':
      case 'task.cancelled':
        this.#inReview.delete(fact.task);
        break;
      default:
        break;
    }
  }

  /** A decision that names what its giver saw counts for that and for nothing else. */
  heard(command: Command, decision: Decision): void {
    if (command.kind !== 'request.decide' || decision.kind === 'refused' || command.digest === null) return;
    const about = this.#opened.get(command.request)?.digest;
    if (about !== command.digest)
      this.broken.push(
        `4: a decision on ${command.digest} counted for ${command.request}, which is about ${about}`,
      );
  }

  #decided(fact: FactOf<'request.decided'>): void {
    const opened = this.#opened.get(fact.request);
    if (fact.by.kind === 'policy' && fact.decision !== 'approve' && fact.decision !== 'skip')
      this.broken.push(`4: no person has decided ${fact.request}: ${fact.decision} by ${fact.by.name}`);
    if (opened?.kind === 'gate' && fact.decision === 'approve' && opened.task !== null)
      this.#accepted.add(opened.task);
  }

  #reviewed(fact: FactOf<'task.reviewed'>): void {
    const handedIn = this.#inReview.get(fact.task);
    if (handedIn === undefined) {
      this.broken.push(`4: a verdict on ${fact.task}, which is not in review`);
      return;
    }
    if (handedIn.owner === fact.member) this.broken.push(`4: ${fact.member} has judged its own ${fact.task}`);
    if (this.#gates.get(fact.task)?.includes(fact.role) !== true)
      this.broken.push(`4: ${fact.role} is no gate of ${fact.task} and has judged it`);
    if (handedIn.digest !== fact.evidence_digest)
      this.broken.push(`4: a verdict on other evidence than that of ${fact.task}`);
    if (fact.verdict === 'approve') handedIn.approved.add(fact.role);
    if (fact.verdict === 'request_changes') this.#inReview.delete(fact.task);
  }

  #completed({ task }: FactOf<'task.completed'>): void {
    const approved = this.#inReview.get(task)?.approved;
    const missing = (this.#gates.get(task) ?? []).filter((gate) => approved?.has(gate) !== true);
    if (missing.length > 0 && !this.#accepted.has(task))
      this.broken.push(`4: ${task} is completed without the word of ${missing.join(', ')}`);
    this.#inReview.delete(task);
    this.#accepted.delete(task);
  }
}
