/**
 * The turns that run in this process, and the ways to end them: called off, which they obey, or cut off, which needs no
 * obedience: nobody waits for them any more. A stale job may run beside a member's live turn.
 */

import type { TurnJob } from '../../dispatch/job.js';
import { passOn } from '../../shared/abort.js';
import type { CancelledError } from '../../shared/errors.js';

interface Running {
  readonly member: string;
  readonly control: AbortController;
  /** Ends the waiting for it; nothing while nobody waits. */
  cut: () => void;
  /** Takes it off what it was called off by. */
  readonly release: () => void;
}

export class RunningTurns {
  /** By job: two jobs of one member have nothing of each other's. */
  readonly #turns = new Map<string, Running>();

  /** Registers a job's turn; the signal fires when it is called off, and when the given one does. */
  begin(job: TurnJob, signal: AbortSignal): AbortSignal {
    const control = new AbortController();
    const release = passOn(signal, control);
    this.#turns.set(job.id, { member: job.member, control, cut: () => {}, release });
    return control.signal;
  }

  /** What a turn gives, or true when it is cut off: then it may go on for ever, and what it throws is no news. */
  untilCut(job: TurnJob, run: Promise<boolean>): Promise<boolean> {
    const turn = this.#turns.get(job.id);
    return new Promise((resolve, reject) => {
      if (turn !== undefined) turn.cut = () => resolve(true);
      run.then(resolve, reject);
    });
  }

  ended(job: TurnJob): void {
    this.#turns.get(job.id)?.release();
    this.#turns.delete(job.id);
  }

  /** Calls off the turns of one member, or of all. */
  callOff(reason: CancelledError, of?: string): void {
    for (const { member, control } of this.#turns.values()) {
      if (of === undefined || member === of) control.abort(reason);
    }
  }

  /** Whoever waits for the turns of this member waits no longer. */
  cutOff(of: string): void {
    for (const { member, cut } of this.#turns.values()) if (member === of) cut();
  }
}
