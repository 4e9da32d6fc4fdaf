/**
 * The order in which a recorded run is played again: each command, each look for mail and each call comes at the number
 * of facts at which it came then, so that everybody sees what was seen then (spec/team.md §9).
 *
 *  P1 a command that was recorded is decided when the next fact has the number that its first fact had, and not before
 *     every call that was run at that number or an earlier one has come and has looked at what there was;
 *  P2 a command that was not recorded had no facts, and is not waited with; when it has facts now, the replay is broken;
 *  P3 who waits and nothing moves for as long as the longest tool may take, breaks the replay;
 *  P4 a broken replay holds nobody any more, and says why once;
 *  P5 one that the operator stops, where the recorded one was not, is not broken: it holds nobody, and ends as stopped.
 */

import type { LogEntry } from '../../events/log-entry.js';
import type { StorePace } from '../../state/team-store.js';
import type { TurnPace } from '../turns/turn-house.js';

/** A command of the recorded run that had facts. */
export interface RecordedCommand {
  readonly id: string;
  /** Number of its first fact. */
  readonly first: number;
  /** Types of its facts. */
  readonly facts: readonly string[];
}

/** Longer than the deadline of any tool. */
const STUCK_MS = 15 * 60_000;

interface Waiting {
  readonly at: number;
  readonly what: string;
  /** Who only looks goes first: a decision changes what there is to see. */
  readonly does: 'look' | 'decide';
  readonly go: () => void;
}

export class ReplayPace implements StorePace, TurnPace {
  /** By key, in order; what has come is taken out. */
  readonly #due = new Map<string, RecordedCommand[]>();
  readonly #byFirst: ReadonlyMap<number, RecordedCommand>;
  /** By member and place: the number of facts at which a call was run. */
  readonly #seen: ReadonlyMap<string, number>;
  /** Those of `#seen` that have not looked yet, the earliest last. */
  readonly #looks: [key: string, at: number][];
  /** Of those at the end of `#looks`, which have looked: they are taken out from the end on. */
  readonly #looked = new Set<string>();
  readonly #stuckMs: number;
  readonly #onBroken: (why: string) => void;
  #next = 1;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #broken = false;
  #stopped = false;

  constructor(
    commands: readonly RecordedCommand[],
    seen: ReadonlyMap<string, number>,
    onBroken: (why: string) => void,
    stuckMs = STUCK_MS,
  ) {
    this.#byFirst = new Map(commands.map((command) => [command.first, command]));
    for (const command of commands) {
      const key = keyOf(command.id);
      this.#due.set(key, [...(this.#due.get(key) ?? []), command]);
    }
    this.#seen = seen;
    this.#looks = [...seen].sort(([, one], [, other]) => other - one);
    this.#onBroken = onBroken;
    this.#stuckMs = stuckMs;
  }

  /** Whether it was stopped where the recorded run went on: what differs from there on is no fault. */
  get stopped(): boolean {
    return this.#stopped;
  }

  before(id: string): Promise<void> | undefined {
    if (this.#broken) return undefined;
    const command = this.#due.get(keyOf(id))?.shift();
    return command === undefined ? undefined : this.#reach(command.first, id, 'decide');
  }

  decided({ first, commands, facts }: LogEntry): void {
    this.#next = first + facts.length;
    const [command] = commands;
    const recorded = this.#byFirst.get(first);
    const types = facts.map(({ type }) => type);
    const same = command === undefined || isSame(recorded, command.id, types);
    if (!same && types.includes('run.stopping')) {
      this.#stopped = true;
      this.close();
    }
    if (!this.#broken && command !== undefined && !same) {
      const then = recorded === undefined ? 'nothing more' : `${recorded.facts.join(', ')} (${recorded.id})`;
      this.break(`fact ${first} is ${types.join(', ')} (${command.id}), and was ${then}`);
    }
    this.#move();
  }

  async comes(member: string): Promise<void> {
    const command = this.#nextOf(`turn/${member}/`);
    if (command !== undefined) await this.#reach(command.first, `the next step of ${member}`, 'look');
  }

  async calls(member: string, place: string): Promise<void> {
    const key = seenKey(member, place);
    const own = this.#nextOf(`turn/${member}/${place}/`)?.first ?? Number.POSITIVE_INFINITY;
    // One that was parked ran twice, and the later number is known; its own command was decided in the earlier run.
    const at = Math.min(this.#seen.get(key) ?? own, own);
    if (at !== Number.POSITIVE_INFINITY) await this.#reach(at, `call ${place} of ${member}`, 'look');
    // It looks as soon as this is resolved, and before anything else of the loop of events comes.
    setImmediate(() => {
      this.#looked.add(key);
      this.#move();
    });
  }

  /** Nothing is held from here on. */
  break(why: string): void {
    if (this.#broken) return;
    this.#broken = true;
    this.close();
    this.#onBroken(why);
  }

  /** Lets everybody go: the run has ended, or the replay is broken. */
  close(): void {
    this.#broken = true;
    clearTimeout(this.#timer);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { go } of waiting) go();
  }

  #nextOf(prefix: string): RecordedCommand | undefined {
    let first: RecordedCommand | undefined;
    for (const [key, [command]] of this.#due) {
      if (command === undefined || !key.startsWith(prefix)) continue;
      if (first === undefined || command.first < first.first) first = command;
    }
    return first;
  }

  #reach(at: number, what: string, does: Waiting['does']): Promise<void> {
    const isFree = this.#broken || this.#mayGo({ at, does }, this.#firstLook());
    if (isFree) return Promise.resolve();
    return new Promise((go) => {
      this.#waiting.push({ at, what, does, go });
      this.#watch();
    });
  }

  #mayGo({ at, does }: Pick<Waiting, 'at' | 'does'>, firstLook: number): boolean {
    return at <= this.#next && (does === 'look' || at < firstLook);
  }

  /** The number of the earliest call that has not looked yet. */
  #firstLook(): number {
    for (let last = this.#looks.at(-1); last !== undefined; last = this.#looks.at(-1)) {
      if (!this.#looked.has(last[0])) return last[1];
      this.#looks.pop();
    }
    return Number.POSITIVE_INFINITY;
  }

  #move(): void {
    const firstLook = this.#firstLook();
    const [come, held] = [[], []] as [Waiting[], Waiting[]];
    for (const each of this.#waiting) (this.#mayGo(each, firstLook) ? come : held).push(each);
    this.#waiting = held;
    for (const { go } of come) go();
    this.#watch();
  }

  /** From each movement on anew. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#waiting.length === 0 || this.#broken) return;
    this.#timer = setTimeout(() => {
      const due = this.#byFirst.get(this.#next);
      const look = this.#firstLook() <= this.#next ? `, after call ${this.#looks.at(-1)?.[0]}` : '';
      const missing = due === undefined ? 'nothing' : `${due.facts.join(', ')} (${due.id})${look}`;
      const held = this.#waiting.map(({ what }) => what).join(', ');
      this.break(
        `nothing has moved for ${this.#stuckMs} ms: fact ${this.#next} should be ${missing}; held: ${held}`,
      );
    }, this.#stuckMs);
  }
}

/** The name under which the number of a call is kept. */
export function seenKey(member: string, place: string): string {
  return `${member} ${place}`;
}

function isSame(recorded: RecordedCommand | undefined, id: string, types: readonly string[]): boolean {
  if (recorded === undefined || keyOf(recorded.id) !== keyOf(id)) return false;
  return recorded.facts.join(' ') === types.join(' ');
}

/** What stays of a command's id from run to run. */
function keyOf(id: string): string {
  const [kind = '', member = ''] = id.split('/');
  if (kind === 'operator') return 'operator';
  if (kind === 'start' && member !== '') return `start/${member}`;
  return id;
}
