/**
 * What every door of the runtime is given: the machine, the operator and the places, read once by whoever starts
 * the program. Nothing below reads the environment again. This is the map of the folder.
 *
 *   plan/        from an order to a plan: seats, models, loadouts, bounds; nothing is written
 *   start-team, resume-team, open-team   from a plan, or from what is on disk, to a team that lives
 *   live-team, coordinator               what moves it on, and its end
 *   replay/      a recorded run that is played again: read, compared, paced
 *   turns/       one turn of one member: what it is given, what it does, what is recorded of it
 *   briefs/      the team's side of delegated work: briefs sent, a runner kept for each, results taken in
 *   standing/    whether a member may go on with what it was given: approvals asked again, stored texts looked at
 *   engine/      where teams are recorded, in files or on Redis, and how a word reaches them
 *   workers/     a team that several processes serve, as one of them sees it
 *   doctor/      whether teams can run here: this machine, the Redis that is named
 *   control/     the socket by which other processes speak to a running team
 *   operator, operator-words             the operator's word to a team, whoever runs it
 *   teams, verify-team, cleanup-team     what a record says, whether it is sound, putting it away
 *   describe, describe-prompt, describe-policy, lint, new-team   about recipes, without a run
 *   skills/      rules and skills without a run: listed, shown, linted, audited
 *   trust/       the operator's word on files and places, given and taken back
 */

import { join } from 'node:path';
import type { CataloguePlaces, GlobalFolders, MissionFolder, ProjectFolders } from '../catalog/tiers.js';
import type { Trust } from '../catalog/trust.js';
import type { EngineerSettings } from '../delegate/engineers/engineer.js';
import type { LeaseTiming } from '../dispatch/lease-keeper.js';
import type { RedisAddress } from '../events/redis/redis-address.js';
import type { Durability } from '../events/redis/redis-record.js';
import type { Gates } from '../models/pacing-gates.js';
import type { ModelSettings } from '../models/settings.js';
import type { Clock } from '../shared/clock.js';
import type { RedisNames } from '../shared/redis-names.js';
import type { Redactor } from '../shared/secrets/redactor.js';
import type { SkillSettings } from '../skills/settings.js';
import type { WebSettings } from '../tools/web/settings.js';
import type { Operations } from './operations/operations.js';

export interface Delegation {
  /** Kinds of engineers that the operator has set up for the runners of this machine, in the order of the settings. */
  readonly kinds: readonly string[];
  /** Runners are processes of their own, here or on other machines: which engineers they have is not known here. */
  readonly elsewhere: boolean;
  /** What the settings say of them, as far as it decides what they can be held to; of others nothing is said. */
  readonly engineers: ReadonlyMap<string, EngineerSettings>;
  /** How a runner is started as a child of a team, and all the variables that it sees. */
  readonly runner: {
    readonly program: string;
    readonly args: readonly string[];
    readonly environment: Readonly<Record<string, string>>;
  };
  /** How long a runner is waited for. */
  readonly bounds: DelegationBounds;
}

/** In milliseconds. */
export interface DelegationBounds {
  /** For work on a brief to begin, from when it was made: of one that nobody has taken by then nothing is to be expected. */
  readonly beginMs: number;
  /** For a runner to look at the brief and the engineer before it takes one. */
  readonly acceptMs: number;
  /** Behind the minutes of a brief: to end the engineer, verify what it made, and report. */
  readonly afterMs: number;
  /** Beyond the grace of the run, for a runner that was told to cancel. */
  readonly cancelMs: number;
  /** Before each further try to take the commits of a result into the workspace. */
  readonly deliverAgainMs: readonly number[];
}

export const DELEGATION_BOUNDS: DelegationBounds = {
  beginMs: 60 * 60_000,
  acceptMs: 3 * 60_000,
  afterMs: 60 * 60_000,
  cancelMs: 15_000,
  deliverAgainMs: [1_000, 5_000, 20_000],
};

/** No engineer is set up. */
export const NO_DELEGATION: Delegation = {
  kinds: [],
  elsewhere: false,
  engineers: new Map(),
  runner: { program: '', args: [], environment: {} },
  bounds: DELEGATION_BOUNDS,
};

/** The Redis that teams are kept on, and what this process does there. */
export interface RedisPlace {
  readonly address: RedisAddress;
  readonly names: RedisNames;
  readonly timing: LeaseTiming;
  /** Left out: `server`. */
  readonly durability?: Durability;
  /** Whether a process that runs a team takes turns as well; others do in any case. */
  readonly takesTurns: boolean;
  /** What has said so: a flag beats what a recipe says, a variable does not. */
  readonly saidBy: 'flag' | 'variable';
  /** What this machine may fetch for teams whose workspace was made on another. */
  readonly repositories: RepositoryAccess;
  /** Whether a team has to be signed to be served: always, or only where its operator has a key. */
  readonly signed: 'always' | 'with a key';
}

/** Which repositories a worker checks out, and with what (the settings of a runner on the same machine). */
export interface RepositoryAccess {
  /** Patterns of addresses (`runner.repos`); none: every one by https or ssh. */
  readonly allowed: readonly string[];
  /** Variables for this git alone (`runner.git-env`); no tool gets them. */
  readonly env: Readonly<Record<string, string>>;
}

export interface House {
  readonly clock: Clock;
  /** Of this package. */
  readonly version: string;
  /** Where the built-in catalogue lies. */
  readonly packageRoot: string;
  /** State of the operator: `~/.bnerd`, or `BNERD_HOME`. */
  readonly home: string;
  /** Real path of the directory the program was started in. */
  readonly workingDirectory: string;
  readonly temporaryDirectory: string;
  /** The operator's folders of the global tier. */
  readonly global: GlobalFolders | null;
  /** The repository around the working directory, for the project tier. */
  readonly project: ProjectFolders | null;
  /**
   * The mission repository that was named or found. `commit`: what it stood on at the start of a run, where its trust
   * file is read; null without git, and for commands that record none.
   */
  readonly mission: (MissionFolder & { readonly commit: string | null }) | null;
  /** The operator's word on files that came with somebody else's tree. */
  readonly trust: Trust;
  /** Trust files that were named, absolute: `--trust`, `BNERD_TRUST`. */
  readonly trustFiles: readonly string[];
  /** Text of `BNERD_AGENT_SKILLS`. */
  readonly agentSkills: string;
  /** What the operator says of rules and skills in general. */
  readonly skills: SkillSettings;
  /** `model:` of the settings file. */
  readonly configModel: string | null;
  /** Doors to language models: keys, addresses, aliases, prices. Holds secrets: never recorded or printed. */
  readonly models: ModelSettings;
  /** Gates before providers: one per provider and key, for every team of this process. */
  readonly gates: Gates;
  /** `permissions:` of the settings file. */
  readonly permissions: readonly {
    readonly tool: string;
    readonly match: string | null;
    readonly decision: 'allow' | 'ask' | 'deny';
  }[];
  /** What the operator says of the network that `web_fetch` may reach. */
  readonly web: WebSettings;
  /** `shell.wrap` of the settings file: an argv prefix, empty for none. */
  readonly shellWrap: readonly string[];
  /** The variables that tools may see: an allow-list, made by the configuration. */
  readonly toolEnvironment: Readonly<Record<string, string>>;
  /** Engineers that members may delegate to from here (spec/runner.md). */
  readonly delegation: Delegation;
  /** Takes what is secret here out of everything that is recorded, sent to a model or shown (invariant 8). */
  readonly secrets: Redactor;
  /** Null: teams are kept in files. */
  readonly redis: RedisPlace | null;
  readonly hostname: string;
  readonly user: string;
  /** What operators see of this process; left out: they have not asked. */
  readonly operations?: Operations;
}

/** A house without the places around it: the machine and the operator. */
export type Household = Omit<House, keyof CataloguePlaces>;

/**
 * The house at its places.
 * @param commit what the mission repository stands on, for the record of a run; null without one, or where none is kept
 */
export function houseAt(
  { mission, ...places }: CataloguePlaces,
  commit: string | null,
  household: Household,
): House {
  return { ...places, ...household, mission: mission === null ? null : { ...mission, commit } };
}

/** Where recipes, roles and entries come from. */
export function placesOf(house: House): CataloguePlaces {
  const { packageRoot, global, project, mission, trust } = house;
  return { packageRoot, global, project, mission, trust };
}

/** The folder of all teams. */
export function runsFolder(house: House): string {
  return join(house.home, 'runs');
}

/** The folder of archived teams. */
export function archiveFolder(house: House): string {
  return join(house.home, 'archive');
}
