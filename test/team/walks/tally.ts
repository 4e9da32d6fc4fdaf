/** Counts what walks have done: how often each command was accepted and refused, how often each fact was made. */

import { FACT_TYPES, type FactType } from '../../../src/events/event.js';
import type { Command } from '../../../src/team/command.js';
import type { Decision } from '../../../src/team/decision.js';

export type CommandKind = Command['kind'];

/** Every kind of command; the compiler holds the list complete. */
const KINDS: Readonly<Record<CommandKind, true>> = {
  'run.start': true,
  'run.resume': true,
  'run.stop': true,
  'run.kill': true,
  'run.sweep': true,
  'run.fail': true,
  'run.archive': true,
  'turn.start': true,
  'turn.end': true,
  'turn.wait': true,
  'turn.fail': true,
  'turn.lose': true,
  'turn.defer_reclaim': true,
  'workspace.bind': true,
  'workspace.lose': true,
  'budget.reserve': true,
  'limit.meet': true,
  'reply.settle': true,
  'memory.compact': true,
  'mail.recover': true,
  'tool.start': true,
  'task.create': true,
  'task.update': true,
  'task.claim': true,
  'task.release': true,
  'task.block': true,
  'task.complete': true,
  'task.review': true,
  'mail.send': true,
  'request.open': true,
  'request.decide': true,
  'member.spawn': true,
  'member.stop': true,
  'member.unheeded': true,
  'member.withdraw': true,
  'run.finish': true,
  'brief.send': true,
  'brief.accept': true,
  'brief.progress': true,
  'brief.cancel': true,
  'brief.end': true,
  'brief.adopt': true,
  'brief.lose': true,
  'brief.unserved': true,
  'brief.witness': true,
};

export const COMMAND_KINDS = Object.keys(KINDS) as readonly CommandKind[];

export class Tally {
  readonly #accepted = new Map<CommandKind, number>();
  readonly #refused = new Map<CommandKind, number>();
  readonly #facts = new Map<FactType, number>();
  #steps = 0;
  #crashes = 0;

  /** Commands that were given, crashes included. */
  get steps(): number {
    return this.#steps;
  }

  given(kind: CommandKind, decision: Decision): void {
    this.#steps++;
    add(decision.kind === 'accepted' ? this.#accepted : this.#refused, kind);
  }

  made(type: FactType): void {
    add(this.#facts, type);
  }

  crashed(): void {
    this.#steps++;
    this.#crashes++;
  }

  /** What never happened, as `command accepted`, `command refused` or the name of a fact. */
  never(): string[] {
    return [
      ...COMMAND_KINDS.filter((kind) => !this.#accepted.has(kind)).map((kind) => `${kind} accepted`),
      ...COMMAND_KINDS.filter((kind) => !this.#refused.has(kind)).map((kind) => `${kind} refused`),
      ...FACT_TYPES.filter((type) => !this.#facts.has(type)),
    ];
  }

  /** For people: one line per command and per fact. */
  table(): string {
    const line = (name: string, ...counts: readonly number[]): string =>
      `${name.padEnd(22)}${counts.map((count) => String(count).padStart(10)).join('')}`;
    return [
      `${this.#steps} steps, ${this.#crashes} of them crashes`,
      `${'command'.padEnd(22)}${'accepted'.padStart(10)}${'refused'.padStart(10)}`,
      ...COMMAND_KINDS.map((kind) => line(kind, this.#accepted.get(kind) ?? 0, this.#refused.get(kind) ?? 0)),
      `${'fact'.padEnd(22)}${'made'.padStart(10)}`,
      ...FACT_TYPES.map((type) => line(type, this.#facts.get(type) ?? 0)),
    ].join('\n');
  }
}

function add<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
