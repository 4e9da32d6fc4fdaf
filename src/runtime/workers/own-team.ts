/**
 * The team that this process coordinates, as its own worker takes turns of it: over the record, the state and the seats that
 * the process has of it already. A second opening of the same team would read, check and fold every entry once more, and
 * ask for every turn a second time.
 *
 * Always true: who coordinates asks for the turns and sees to the end; nothing of that is done here. When the workspace was
 * lost the seats belong to the old one, and the worker opens the team anew, like any other.
 */

import type { TurnJob } from '../../dispatch/job.js';
import { CancelledError } from '../../shared/errors.js';
import { ulid } from '../../shared/ids.js';
import { gentleLadder } from '../../shared/process-ending.js';
import type { HeldTeam } from '../engine/redis-open.js';
import type { LocalTurns } from '../turn-queue.js';
import type { LocalWorkspace } from './local-workspace.js';
import { WorkedPlace, type WorkedTeam } from './worked-team.js';

export class OwnTeam implements WorkedTeam {
  readonly id: string;
  readonly place: WorkedPlace;
  readonly #team: Pick<HeldTeam, 'store' | 'groups' | 'link'>;
  readonly #turns: LocalTurns;
  #running = 0;

  /** @param turns as whoever coordinates runs them in this process */
  constructor(
    team: Pick<HeldTeam, 'id' | 'store' | 'groups' | 'link'>,
    turns: LocalTurns,
    files: LocalWorkspace | null,
  ) {
    this.id = team.id;
    this.#team = team;
    this.#turns = turns;
    this.place = new WorkedPlace(team.store, files);
  }

  get idle(): boolean {
    return this.#running === 0;
  }

  /** Who coordinates a run has taken it up, and was asked then. */
  strange(): undefined {
    return undefined;
  }

  async run(job: TurnJob, signal: AbortSignal): Promise<void> {
    const { store, link } = this.#team;
    this.#running++;
    try {
      const binding = this.place.binding(job.member, link.holder.host);
      if (binding !== undefined) await store.send(`worker/${ulid(link.clock.wallMs())}`, binding);
      await this.#turns.run(job, signal);
    } finally {
      this.#running--;
    }
  }

  /** Who coordinates looks by itself. */
  async look(): Promise<void> {}

  callOff(): void {
    this.#turns.callOff(new CancelledError('stopped', 'this worker stops'));
  }

  kill(): void {
    this.#turns.kill();
  }

  /** The record stays open: it is the coordinator's. */
  async close(graceMs: number): Promise<void> {
    this.callOff();
    await this.#team.groups.endAll(gentleLadder(graceMs));
  }
}
