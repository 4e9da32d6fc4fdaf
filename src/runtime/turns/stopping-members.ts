/**
 * Sees to it that a member which is to stop does stop, in the process that runs its turn (spec/team.md §5, case B25).
 *
 * Steps: its turn is called off, and its tools get the grace of the run → the processes of its tools are killed → the turn
 * is cut off: nobody waits for it, nothing of it is recorded any more, its slot is free. The record decides each step;
 * this file only tells it when one was not heeded in time, and does what it says.
 */

import type { FactOf } from '../../events/event.js';
import { CancelledError } from '../../shared/errors.js';
import { gentleLadder } from '../../shared/process-ending.js';
import type { ProcessGroups } from '../../shared/processes.js';
import type { Command } from '../../team/command.js';
import type { RunningTurns } from './running-turns.js';
import type { TurnRunner } from './turn-runner.js';

export interface StoppingParts {
  readonly turns: RunningTurns;
  readonly runner: Pick<TurnRunner, 'cutOff'>;
  readonly groups: Pick<ProcessGroups, 'endAll'>;
  /** The grace of the run, in milliseconds. */
  graceMs(): number;
  send(command: Command): Promise<unknown>;
  /** What must be done before the team has ended, and what went wrong at it. */
  closing(work: Promise<unknown>): void;
}

/** Beyond a grace, how long a turn may take to come to its end when it is called off, in milliseconds. */
export const SLACK_MS = 2_000;

/** Between TERM and KILL of a member that is stopped by force, in milliseconds. */
const FORCED_GRACE_MS = 500;
const FORCED_LADDER = gentleLadder(FORCED_GRACE_MS);
const FORCED_MS = FORCED_LADDER.reduce((sum, { graceMs }) => sum + graceMs, 0);

export class StoppingMembers {
  readonly #parts: StoppingParts;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(parts: StoppingParts) {
    this.#parts = parts;
  }

  /** The record says that a member is to stop. */
  stopping({ member, forced }: FactOf<'member.stopping'>): void {
    const { turns, groups, closing, graceMs } = this.#parts;
    turns.callOff(new CancelledError('stopped', 'the member is being stopped'), member);
    if (!forced) {
      this.#later(member, graceMs() + SLACK_MS, 'force');
      return;
    }
    closing(groups.endAll(FORCED_LADDER, member));
    this.#later(member, FORCED_MS + SLACK_MS, 'cut');
  }

  /** The record says that a member has stopped. */
  stopped(member: string): void {
    clearTimeout(this.#timers.get(member));
    this.#timers.delete(member);
  }

  /** Nothing is said any more: the team has ended. */
  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #later(member: string, ms: number, step: 'force' | 'cut'): void {
    clearTimeout(this.#timers.get(member));
    this.#timers.set(
      member,
      setTimeout(() => this.#parts.closing(this.#unheeded(member, step)), ms),
    );
  }

  async #unheeded(member: string, step: 'force' | 'cut'): Promise<void> {
    const { send, turns, runner } = this.#parts;
    await send({ kind: 'member.unheeded', member, step });
    if (step === 'force') return;
    turns.cutOff(member);
    await runner.cutOff(member);
  }
}
