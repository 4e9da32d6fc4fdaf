/** The turns that run in this process, and the way to call them off. A stale job may run beside a member's live turn. */

import type { Job } from '../../dispatch/dispatcher.js';
import type { CancelledError } from '../../shared/errors.js';

export class RunningTurns {
  /** By job: two jobs of one member have nothing of each other's. */
  readonly #turns = new Map<string, { readonly member: string; readonly control: AbortController }>();

  /** Registers a job's turn; the signal fires when it is called off. */
  begin(job: Job): AbortSignal {
    const control = new AbortController();
    this.#turns.set(job.id, { member: job.member, control });
    return control.signal;
  }

  ended(job: Job): void {
    this.#turns.delete(job.id);
  }

  /** Calls off the turns of one member, or of all. */
  callOff(reason: CancelledError, of?: string): void {
    for (const { member, control } of this.#turns.values()) {
      if (of === undefined || member === of) control.abort(reason);
    }
  }
}
