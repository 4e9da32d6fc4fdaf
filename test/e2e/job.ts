/** A mission repository with the recipe `job`, and the built program beside it: what the tests of this folder start from. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fact, FactOf, FactType } from '../../src/events/event.js';
import type { LogEntry } from '../../src/events/log-entry.js';
import type { RecordView } from '../../src/events/record-view.js';
import type { TranscriptEntry } from '../../src/events/transcript-entry.js';
import {
  type BnerdOptions,
  type BnerdPlace,
  type BnerdRun,
  bnerdPlace,
  type RunningBnerd,
  startBnerd,
} from '../helpers/bnerd.js';
import { bnerdHere, type HereOptions } from '../helpers/bnerd-here.js';
import { engine } from '../helpers/engines.js';
import { type Mission, writeMission } from '../helpers/team.js';
import { until } from '../helpers/until.js';

export class Job {
  readonly place: BnerdPlace;
  readonly mission: string;
  readonly workspace: string;

  constructor(place: BnerdPlace, mission: string, workspace: string) {
    this.place = place;
    this.mission = mission;
    this.workspace = workspace;
  }

  /** `bnerd team run job` to its end. */
  run(words: readonly string[] = [], options: BnerdOptions = {}): Promise<BnerdRun> {
    return this.bnerd(['team', 'run', 'job', ...words], options);
  }

  /** `bnerd team run job`, left running. */
  start(words: readonly string[] = [], options: BnerdOptions = {}): Promise<RunningBnerd> {
    return this.startBnerd(['team', 'run', 'job', ...words], options);
  }

  /** Any command of this operator. */
  async bnerd(words: readonly string[], options: BnerdOptions = {}): Promise<BnerdRun> {
    return (await this.startBnerd(words, options)).ended;
  }

  /** Any command of this operator in the process of the test, for what stands around what the test is about. */
  here(words: readonly string[], { env, stop }: Pick<HereOptions, 'env' | 'stop'> = {}): Promise<BnerdRun> {
    const { place, workspace: cwd, mission } = this;
    const told = stop === undefined ? {} : { stop };
    return bnerdHere(words, { place, cwd, env: { BNERD_MISSION_REPO: mission, ...env }, ...told });
  }

  startBnerd(words: readonly string[], { env, ...options }: BnerdOptions = {}): Promise<RunningBnerd> {
    return startBnerd(words, {
      place: this.place,
      cwd: this.workspace,
      env: { BNERD_MISSION_REPO: this.mission, ...env },
      ...options,
    });
  }

  /** A file of the workspace; undefined while there is none. */
  file(name: string): Promise<string | undefined> {
    return readFile(join(this.workspace, name), 'utf8').catch(() => undefined);
  }

  /** Waits until the files of the workspace are there and not empty. */
  async files(...names: readonly string[]): Promise<string[]> {
    return Promise.all(
      names.map((name) =>
        until(async () => (await this.file(name)) || null, {
          ms: 60_000,
          what: `a tool has written ${name}`,
        }),
      ),
    );
  }

  /** Ids of all teams, oldest first. */
  async ids(): Promise<string[]> {
    return engine().ids(this.place);
  }

  /** The id of the only team. */
  async id(): Promise<string> {
    const [id, ...others] = await this.ids();
    if (id === undefined || others.length > 0) throw new Error(`not one team: ${[id, ...others].join(', ')}`);
    return id;
  }

  /** The run folder of the only team, where it has one. */
  async folder(): Promise<string> {
    return join(this.place.state, 'runs', await this.id());
  }

  /** A look at what is recorded of the only team. */
  async record(): Promise<RecordView> {
    return engine().record(this.place, await this.id());
  }

  /** The log as it is recorded now. */
  async log(): Promise<readonly LogEntry[]> {
    return (await (await this.record()).log()).entries;
  }

  async facts(): Promise<Fact[]> {
    return (await this.log()).flatMap((entry) => [...entry.facts]);
  }

  async of<Type extends FactType>(type: Type): Promise<FactOf<Type>[]> {
    return (await this.facts()).filter((fact): fact is FactOf<Type> => fact.type === type);
  }

  /** Waits until a fact that fits is on disk. */
  async fact<Type extends FactType>(
    type: Type,
    fits: (fact: FactOf<Type>) => boolean = () => true,
  ): Promise<FactOf<Type>> {
    return until(
      async () => (await this.ids()).length > 0 && (await this.of(type).catch(() => [])).find(fits),
      { ms: 60_000, what: `a fact ${type} is recorded` },
    );
  }

  /** Waits until nobody runs the only team. */
  async letGo(): Promise<void> {
    const id = await this.id();
    await until(async () => (await this.here(['team', 'status', id])).stdout.includes('process: none'), {
      ms: 60_000,
      what: 'nobody runs it any more',
    });
  }

  /** Where the lock of the only team says who holds it. */
  async lockPath(): Promise<string> {
    const folder = join(await this.folder(), 'lock');
    const newest = (await readdir(folder))
      .filter((name) => !name.startsWith('.'))
      .sort()
      .at(-1);
    return join(folder, newest ?? '');
  }

  /** What the lock says. */
  async lock(): Promise<Record<string, unknown>> {
    return JSON.parse(await readFile(await this.lockPath(), 'utf8'));
  }

  /** The memory of a member. */
  async transcript(member: string): Promise<readonly TranscriptEntry[]> {
    return (await (await this.record()).transcript(member)).entries;
  }

  /** The results a member's calls had, oldest first. */
  async results(member: string): Promise<string[]> {
    return (await this.transcript(member)).flatMap((entry) => (entry.kind === 'result' ? [entry.text] : []));
  }
}

/** Writes the mission; BNERD_HOME does not exist yet. */
export async function job(mission: Mission): Promise<Job> {
  const { mission: repository, workspace } = await writeMission(mission);
  return new Job(await bnerdPlace(), repository, workspace);
}
