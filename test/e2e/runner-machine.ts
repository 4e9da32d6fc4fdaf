/** Machines with runners for teams on Redis: each with a home, a work folder and a key of its own. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyFolder } from '../../src/delegate/keys/key-folder.js';
import { openIdentity } from '../../src/delegate/runner/identity.js';
import { systemClock } from '../../src/shared/clock.js';
import type { PublicKey } from '../../src/shared/signature.js';
import { type BnerdPlace, bnerdPlace, type RunningBnerd, startBnerd } from '../helpers/bnerd.js';
import { engine } from '../helpers/engines.js';
import { commitsBeside } from './commits-engineer.js';

/** The other side: who starts the teams. */
export interface TeamSide {
  readonly place: BnerdPlace;
  readonly workspace: string;
  /** What says where the teams are. */
  readonly env: Readonly<Record<string, string>>;
}

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
  readonly #team: TeamSide;
  readonly #said: RunnerWords;

  constructor(
    team: TeamSide,
    place: BnerdPlace,
    said: RunnerWords,
    identity: { readonly name: string; readonly pair: PublicKey },
  ) {
    this.#team = team;
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
    const { env: place, workspace } = this.#team;
    const all = ['runner', '--workdir', this.workdir, '--repos', workspace];
    const some = [
      ...(pool === undefined ? [] : ['--pool', pool]),
      ...labels.flatMap((label) => ['--labels', label]),
    ];
    return startBnerd([...all, ...some, ...words], {
      place: this.place,
      cwd: this.place.work,
      env: { ...place, BNERD_RUNNER_MIN_FREE: '0', BNERD_RUNNER_SAME_USER: 'yes', ...env },
    });
  }
}

/** The keys that count where teams are started. */
export function keysOf({ place }: TeamSide): KeyFolder {
  return new KeyFolder(place.state, systemClock);
}

/** A machine of its own, which nobody has started: each side has accepted the key of the other, unless it was said otherwise. */
export async function runnerMachine(team: TeamSide, said: RunnerWords = {}): Promise<RunnerMachine> {
  const place = await bnerdPlace();
  const workdir = join(place.root, 'runner');
  await mkdir(workdir, { mode: 0o700 });
  const settings = { runner: { engineers: commitsBeside(team.workspace) } };
  await writeFile(join(place.home, '.bnerd.yaml'), JSON.stringify(settings));
  const opened = await openIdentity(workdir, said.name ?? 'vm');
  if (opened.kind === 'refused') throw new Error(opened.message);
  const machine = new RunnerMachine(team, place, said, opened.identity);
  const keys = keysOf(team);
  const own = (await keys.list()).keys.find(({ kind, role }) => kind === 'own' && role === 'worker');
  if (own === undefined) throw new Error('the team has no worker key');
  const accepted = await new KeyFolder(place.state, systemClock).accept(own.key, 'team', 'worker');
  if (accepted.kind === 'refused') throw new Error(accepted.message);
  if (said.stranger !== true) {
    const known = await keys.accept(machine.key.key, machine.id, 'runner');
    if (known.kind === 'refused') throw new Error(known.message);
  }
  return machine;
}

/** What the briefs of a place need: nothing where its teams start runners by themselves, else one that takes two at once. */
export async function runnersFor(place: BnerdPlace, workspace: string): Promise<void> {
  if (engine().traits.has('runners')) return;
  const team = { place, workspace, env: place.env };
  const made = await keysOf(team).init('worker');
  if (made.kind === 'refused') throw new Error(made.message);
  await (await runnerMachine(team, { words: ['--concurrency', '2'] })).start();
}
