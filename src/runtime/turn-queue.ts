/** Who the turns of a team are asked of: this process, or all that serve the team. */

import type { TurnJob } from '../dispatch/job.js';
import type { TeamTurns } from './turns/team-turns.js';

export interface TurnQueue {
  /** Begins to look after what was asked for. */
  go(): void;
  /** Sees to it that these turns come to be: all that should exist now. What was asked for before may be asked again. */
  ask(jobs: readonly TurnJob[]): void;
  /** Where several processes serve the team: whether a person looks on at it from another one, and can answer. */
  isAttended?(): Promise<boolean>;
  /** Asks for no more; settles within the deadline. */
  close(deadlineMs: number): Promise<unknown>;
}

/** The turns that run in this process, as whoever takes jobs from a queue runs them. */
export type LocalTurns = Pick<TeamTurns, 'run' | 'callOff' | 'kill'>;

export interface QueueHooks {
  /** The team cannot go on in this process. */
  failed(error: unknown): void;
  /** Hears one line for people; must not throw. */
  trouble(text: string): void;
  /** Each beat, when what others wrote was taken in. */
  beat(): Promise<void>;
  /** Hears one line that people should know now and that ends nothing; must not throw. Absent where nobody looks on. */
  readonly tell?: (text: string) => void;
}
