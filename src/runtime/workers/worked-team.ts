/** A team as a worker takes turns of it, and what has to be so before one begins, whoever has opened the team. */

import type { TurnJob } from '../../dispatch/job.js';
import type { TeamStore } from '../../state/team-store.js';
import type { Command } from '../../team/command.js';
import { placeOf, workspaceUse } from '../../team/workspace.js';
import type { KeyRing } from '../key-ring.js';
import type { LocalWorkspace } from './local-workspace.js';

export interface WorkedTeam {
  /** Its state and its workspace on this machine. */
  readonly place: WorkedPlace;
  /** Whether nothing of it runs here, so that it may be closed. */
  readonly idle: boolean;
  /** Why it is to be served here no more for who has signed it, by the keys that count here now; undefined: it is. */
  strange(ring: KeyRing): string | undefined;
  /** Runs a job; what it was asked for may be done already. */
  run(job: TurnJob, signal: AbortSignal): Promise<void>;
  /** Looks at the team once: whoever is told by the agenda does. */
  look(): Promise<void>;
  /** Calls off what runs here: it gets its grace, and others take it up. */
  callOff(): void;
  /** Kills at once what its tools have started here. */
  kill(): void;
  /** Ends what runs here, and leaves the team to others. */
  close(graceMs: number): Promise<void>;
}

/** The state of a team and its workspace on this machine, as they were opened here, and what they say of turns to come. */
export class WorkedPlace {
  readonly #store: Pick<TeamStore, 'state' | 'failure'>;
  readonly #files: LocalWorkspace | null;
  /** How often its workspace was lost when it was opened here. */
  readonly #losses: number;

  /** @param files the workspace on this machine; null where it has none */
  constructor(store: Pick<TeamStore, 'state' | 'failure'>, files: LocalWorkspace | null) {
    this.#store = store;
    this.#files = files;
    this.#losses = store.state.workspace.losses;
  }

  /** Whether the run has ended: nothing comes for it here before it is taken up again. */
  get over(): boolean {
    const { kind } = this.#store.state.phase;
    return kind === 'ended' || kind === 'archived';
  }

  /** Whether its record takes nothing more in this process. */
  get broken(): boolean {
    return this.#store.failure !== undefined;
  }

  /** Whether its workspace was lost and is to be made anew: what was opened here belongs to the old one. */
  get isOutdated(): boolean {
    return this.#store.state.workspace.losses !== this.#losses;
  }

  /**
   * Why a member's turn cannot be run here though others may: the workspace is not here and cannot be made, where its member
   * uses it. Makes it. Undefined: it can.
   */
  async lacks(name: string, signal: AbortSignal): Promise<string | undefined> {
    const { run, members } = this.#store.state;
    const member = members.get(name);
    if (run === null || member === undefined || workspaceUse(member.seat, run.safety) === 'none')
      return undefined;
    if (this.isOutdated) return 'its workspace was lost and is made anew';
    return this.#files?.ready(signal);
  }

  /**
   * The command by which the first turn that may write the workspace says on which machine it is from then on; undefined
   * where the member's turn says nothing of it. Where another was first, its turns go there and this one is refused.
   */
  binding(name: string, host: string): Command | undefined {
    const { state } = this.#store;
    const member = state.members.get(name);
    if (member === undefined || placeOf(state, member.seat) !== 'binds') return undefined;
    return { kind: 'workspace.bind', host, commit: state.workspace.commit };
  }
}
