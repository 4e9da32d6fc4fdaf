/** Runners over Redis: processes with a home and a work folder of their own, and a team whose operator has accepted them. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyFolder } from '../../src/delegate/keys/key-folder.js';
import { openIdentity } from '../../src/delegate/runner/identity.js';
import { systemClock } from '../../src/shared/clock.js';
import type { PublicKey } from '../../src/shared/signature.js';
import { type BnerdPlace, bnerdPlace, type RunningBnerd, startBnerd } from '../helpers/bnerd.js';
import type { TestRedis } from '../helpers/redis.js';
import type { Mission } from '../helpers/team.js';
import { COMMITS, delegatingJob, type HeldEngineer, heldEngineer, oneBrief } from './delegation.js';
import { OnRedis } from './on-redis.js';

/** What is said to a runner when it is started. */
export interface RunnerWords {
  readonly name?: string;
  readonly pool?: string;
  readonly labels?: readonly string[];
  /** Further words of its command line. */
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Nobody of the team has accepted its key. */
  readonly stranger?: true;
}

/** A machine with a runner, which may be killed and started again. */
export class RunnerMachine {
  readonly place: BnerdPlace;
  readonly workdir: string;
  readonly key: PublicKey;
  /** As it is registered, and named in the record. */
  readonly id: string;
  readonly #scene: OnRunners;
  readonly #said: RunnerWords;

  constructor(
    scene: OnRunners,
    place: BnerdPlace,
    said: RunnerWords,
    identity: { readonly name: string; readonly pair: PublicKey },
  ) {
    this.#scene = scene;
    this.#said = said;
    this.place = place;
    this.workdir = join(place.root, 'runner');
    this.key = identity.pair;
    this.id = `${identity.name}.${identity.pair.id.slice(0, 8)}`;
  }

  /** Starts its process; resolves when it takes briefs. */
  async start(): Promise<RunningBnerd> {
    const running = await this.spawn();
    await running.says(/takes briefs/);
    return running;
  }

  /** Starts its process. */
  spawn(): Promise<RunningBnerd> {
    const { pool, labels = [], words = [], env = {} } = this.#said;
    const { at } = this.#scene;
    const all = ['runner', '--workdir', this.workdir, '--repos', at.at.workspace];
    const some = [
      ...(pool === undefined ? [] : ['--pool', pool]),
      ...labels.flatMap((label) => ['--labels', label]),
    ];
    return startBnerd([...all, ...some, ...words], {
      place: this.place,
      cwd: this.place.work,
      env: { ...at.env, BNERD_RUNNER_MIN_FREE: '0', BNERD_RUNNER_SAME_USER: 'yes', ...env },
    });
  }
}

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
    return new KeyFolder(this.at.at.place.state, systemClock);
  }

  /** A machine that knows the team, and that nobody of the team knows. */
  stranger(said: RunnerWords = {}): Promise<RunnerMachine> {
    return this.machine({ ...said, stranger: true });
  }

  /** A machine of its own: each side has accepted the key of the other. */
  async machine(said: RunnerWords = {}): Promise<RunnerMachine> {
    const place = await bnerdPlace();
    const workdir = join(place.root, 'runner');
    await mkdir(workdir, { mode: 0o700 });
    await mkdir(place.home, { recursive: true });
    const command = { ...COMMITS.command, args: [...COMMITS.command.args, this.at.at.workspace] };
    await writeFile(join(place.home, '.bnerd.yaml'), JSON.stringify({ runner: { engineers: { command } } }));
    const opened = await openIdentity(workdir, said.name ?? 'vm');
    if (opened.kind === 'refused') throw new Error(opened.message);
    const machine = new RunnerMachine(this, place, said, opened.identity);
    const team = (await this.keys.list()).keys.find(({ kind, role }) => kind === 'own' && role === 'worker');
    if (team === undefined) throw new Error('the team has no worker key');
    const accepted = await new KeyFolder(place.state, systemClock).accept(team.key, 'team', 'worker');
    if (accepted.kind === 'refused') throw new Error(accepted.message);
    if (said.stranger !== true) {
      const known = await this.keys.accept(machine.key.key, machine.id, 'runner');
      if (known.kind === 'refused') throw new Error(known.message);
    }
    return machine;
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
