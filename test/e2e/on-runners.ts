/** Runners over Redis: processes with a home and a work folder of their own, and a team whose operator has accepted them. */

import { KeyFolder } from '../../src/delegate/keys/key-folder.js';
import { systemClock } from '../../src/shared/clock.js';
import type { RunningBnerd } from '../helpers/bnerd.js';
import type { TestRedis } from '../helpers/redis.js';
import type { Mission } from '../helpers/team.js';
import { delegatingJob, type HeldEngineer, heldEngineer, oneBrief } from './delegation.js';
import { OnRedis } from './on-redis.js';
import {
  keysOf,
  type RunnerMachine,
  type RunnerWords,
  runnerMachine,
  type TeamSide,
} from './runner-machine.js';

export class OnRunners {
  readonly at: OnRedis;

  private constructor(at: OnRedis) {
    this.at = at;
  }

  /** A team that delegates, on Redis, with a worker key of its operator. */
  static async make(
    mission: Mission,
    redis: TestRedis,
    env: Readonly<Record<string, string>> = {},
  ): Promise<OnRunners> {
    const job = await delegatingJob(mission);
    await new KeyFolder(job.place.state, systemClock).init('worker');
    const at = new OnRedis(job, redis);
    Object.assign(at.env, env);
    return new OnRunners(at);
  }

  get keys(): KeyFolder {
    return keysOf(this.#team);
  }

  get #team(): TeamSide {
    const { at, env } = this.at;
    return { place: at.place, workspace: at.workspace, env };
  }

  /** A machine that knows the team, and that nobody of the team knows. */
  stranger(said: RunnerWords = {}): Promise<RunnerMachine> {
    return this.machine({ ...said, stranger: true });
  }

  /** A machine of its own: each side has accepted the key of the other. */
  machine(said: RunnerWords = {}): Promise<RunnerMachine> {
    return runnerMachine(this.#team, said);
  }

  /** A machine whose runner takes briefs. */
  async runner(
    said: RunnerWords = {},
  ): Promise<{ readonly machine: RunnerMachine; readonly process: RunningBnerd }> {
    const machine = await this.machine(said);
    return { machine, process: await machine.start() };
  }
}

/** A runner whose engineer is at work on the only brief of a team, and waits for the word to go on. */
export interface AtWork {
  readonly on: OnRunners;
  readonly machine: RunnerMachine;
  readonly runner: RunningBnerd;
  /** The team's own process. */
  readonly team: RunningBnerd;
  /** The process of the engineer. */
  readonly pid: number;
  readonly engineer: HeldEngineer;
}

/** Makes one. @param env of the team and the runner */
export async function atWork(
  redis: TestRedis,
  env: Readonly<Record<string, string>> = {},
  said: RunnerWords = {},
): Promise<AtWork> {
  const engineer = await heldEngineer();
  const on = await OnRunners.make(oneBrief(engineer.deeds), redis, env);
  const { machine, process: runner } = await on.runner(said);
  const team = await on.at.run();
  return { on, machine, runner, team, engineer, pid: await engineer.atWork() };
}
