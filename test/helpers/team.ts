/**
 * Runs whole teams in this process: a mission repository and a home in fresh directories, real files and records,
 * a scripted model on the far side. What a test does not say has a default that ends a run quickly.
 */

import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { NO_APPROVALS } from '../../src/catalog/trust.js';
import type { Fact, FactOf, FactType } from '../../src/events/event.js';
import type { LogEntry } from '../../src/events/log-entry.js';
import type { TranscriptEntry } from '../../src/events/transcript-entry.js';
import { Gates } from '../../src/models/pacing-gates.js';
import { NO_MODEL_SETTINGS } from '../../src/models/settings.js';
import { type House, NO_DELEGATION } from '../../src/runtime/house.js';
import type { Ended, LiveTeam, TeamOptions } from '../../src/runtime/live-team.js';
import { prepareRun, type RunOrder, type RunPlan } from '../../src/runtime/plan/prepare-run.js';
import { resumeTeam } from '../../src/runtime/resume-team.js';
import { seenToItsEnd } from '../../src/runtime/seen-to-its-end.js';
import { startTeam } from '../../src/runtime/start-team.js';
import { systemClock } from '../../src/shared/clock.js';
import { formatFinding } from '../../src/shared/findings.js';
import { NO_SECRETS } from '../../src/shared/secrets/redactor.js';
import { DEFAULT_SKILL_SETTINGS } from '../../src/skills/settings.js';
import { NO_WEB_SETTINGS } from '../../src/tools/web/settings.js';
import { tempDir } from './temp-dir.js';
import { until } from './until.js';

/** A recipe's frontmatter, its roles by name and the script of each role. */
export interface Mission {
  readonly recipe?: Readonly<Record<string, unknown>>;
  readonly contract?: string;
  /** Frontmatter of a role beside its name and description; `prompt` is its body. */
  readonly roles: Readonly<Record<string, Readonly<Record<string, unknown>> & { readonly prompt?: string }>>;
  /** As `roles:` of a script file. */
  readonly script: Readonly<Record<string, unknown>>;
  /** Files of the workspace. */
  readonly files?: Readonly<Record<string, string>>;
  /** Skills by name: whole files. */
  readonly skills?: Readonly<Record<string, string>>;
  /** The mission repository says that its skills are governed. */
  readonly governed?: boolean;
}

export interface TestHouse {
  readonly house: House;
  readonly mission: string;
  readonly workspace: string;
}

/** Writes a mission repository with one recipe `job`; the first role is the lead. */
export async function writeMission(mission: Mission): Promise<TestHouse> {
  const root = await realpath(await tempDir());
  const repository = join(root, 'mission');
  const workspace = join(repository, 'work');
  const roles = Object.keys(mission.roles);
  const frontmatter = {
    name: 'job',
    description: 'A job for tests',
    lead: roles[0],
    roles,
    safety: 'non-destructive',
    workspace: 'work',
    model: 'script/script.yaml',
    ...mission.recipe,
  };
  const files: Record<string, string> = {
    'orchestrator/teams/job/team.md': `---\n${stringify(frontmatter)}---\n${mission.contract ?? 'Work together.'}\n`,
    'orchestrator/teams/job/script.yaml': stringify({ script: 1, roles: mission.script }),
  };
  for (const [name, { prompt, ...rest }] of Object.entries(mission.roles)) {
    const head = stringify({ name, description: `The ${name}`, ...rest });
    files[`orchestrator/roles/${name}.md`] = `---\n${head}---\n${prompt ?? `You are ${name}.`}\n`;
  }
  for (const [name, text] of Object.entries(mission.skills ?? {}))
    files[`orchestrator/skills/${name}/SKILL.md`] = text;
  if (mission.governed === true) files['.bnerd/context.md'] = '---\nskills: governed\n---\n';
  await mkdir(join(root, 'home'), { recursive: true });
  await mkdir(workspace, { recursive: true });
  for (const [path, text] of Object.entries(files)) await put(join(repository, path), text);
  for (const [path, text] of Object.entries(mission.files ?? {})) await put(join(workspace, path), text);
  const house: House = {
    clock: systemClock,
    version: '0.0.0-test',
    packageRoot: await realpath(new URL('../..', import.meta.url).pathname),
    home: join(root, 'home'),
    workingDirectory: workspace,
    temporaryDirectory: root,
    global: null,
    project: null,
    mission: { path: repository, named: true, commit: null },
    trust: NO_APPROVALS,
    trustFiles: [],
    agentSkills: '',
    skills: DEFAULT_SKILL_SETTINGS,
    configModel: null,
    models: NO_MODEL_SETTINGS,
    gates: new Gates(),
    permissions: [],
    web: NO_WEB_SETTINGS,
    shellWrap: [],
    delegation: NO_DELEGATION,
    toolEnvironment: { PATH: '/usr/bin:/bin', HOME: join(root, 'home'), LANG: 'C.UTF-8' },
    secrets: NO_SECRETS,
    redis: null,
    hostname: 'test-host',
    user: 'tester',
  };
  return { house, mission: repository, workspace };
}

export const ORDER: RunOrder = {
  slug: 'job',
  prompt: 'Do the job.',
  variables: new Map(),
  safety: null,
  autoApprove: 'all',
  autoSkipQuestions: false,
  requestTimeoutMs: null,
  graceMs: 500,
  page: null,
  models: [],
  limits: new Map(),
};

/** One thing that has become durable. */
export type JournalRow =
  | { readonly kind: 'fact'; readonly number: number; readonly fact: Fact }
  | { readonly kind: 'transcript'; readonly member: string; readonly entry: TranscriptEntry };

/** A team that runs, with everything it has recorded so far. */
export class WatchedTeam {
  readonly entries: LogEntry[] = [];
  readonly transcripts: { member: string; entry: TranscriptEntry }[] = [];
  /** Facts and transcript entries in the order in which they became durable. */
  readonly journal: JournalRow[] = [];
  /** Called for every row as it comes, before the team goes on: what a test does here happens at that very point. */
  onRow: (row: JournalRow) => void = () => {};
  live!: LiveTeam;

  /** Takes an entry of the log. */
  addEntry(entry: LogEntry): void {
    this.entries.push(entry);
    for (const [index, fact] of entry.facts.entries()) {
      this.#addRow({ kind: 'fact', number: entry.first + index, fact });
    }
  }

  /** Takes an entry of a member's transcript. */
  addTranscript(member: string, entry: TranscriptEntry): void {
    this.transcripts.push({ member, entry });
    this.#addRow({ kind: 'transcript', member, entry });
  }

  #addRow(row: JournalRow): void {
    this.journal.push(row);
    this.onRow(row);
  }

  get facts(): readonly Fact[] {
    return this.entries.flatMap((entry) => entry.facts);
  }

  of<Type extends FactType>(type: Type): FactOf<Type>[] {
    return this.facts.filter((fact): fact is FactOf<Type> => fact.type === type);
  }

  /** Number of the first fact that fits; -1 when there is none. */
  numberOf(fits: (fact: Fact) => boolean): number {
    let number = 1;
    for (const fact of this.facts) {
      if (fits(fact)) return number;
      number++;
    }
    return -1;
  }

  /** The inputs a member's model was sent, oldest first. */
  inputs(member: string): string[] {
    return this.transcripts.flatMap((row) =>
      row.member === member && row.entry.kind === 'input' ? [row.entry.text] : [],
    );
  }

  /** The results a member's calls had, oldest first. */
  results(member: string): string[] {
    return this.transcripts.flatMap((row) =>
      row.member === member && row.entry.kind === 'result' ? [row.entry.text] : [],
    );
  }

  /** Waits for a fact; fails after the bound with what was recorded. */
  async fact<Type extends FactType>(
    type: Type,
    fits: (fact: FactOf<Type>) => boolean = () => true,
  ): Promise<FactOf<Type>> {
    return until(() => this.of(type).find(fits), {
      what: `a fact ${type}; recorded: ${this.facts.map((f) => f.type).join(' ')}`,
    });
  }

  ended(): Promise<Ended> {
    return this.live.ended;
  }
}

/**
 * Starts the recipe `job`; the team is stopped when the test ends.
 * @param change what the test puts in place of parts of the plan, such as its models
 */
export async function startJob(
  at: TestHouse,
  order: Partial<RunOrder> = {},
  operatorPresent = false,
  change: (plan: RunPlan) => RunPlan = (plan) => plan,
): Promise<WatchedTeam> {
  const prepared = await prepareRun(at.house, { ...ORDER, ...order });
  if (prepared.kind === 'refused') throw new Error(prepared.findings.map(formatFinding).join('\n'));
  const watched = new WatchedTeam();
  watched.live = await startTeam(at.house, change(prepared.plan), listeners(watched, operatorPresent));
  return stopAfterwards(watched);
}

/** Resumes a team of this house. */
export async function resumeJob(at: TestHouse, id: string, operatorPresent = false): Promise<WatchedTeam> {
  const watched = new WatchedTeam();
  const resumed = await resumeTeam(at.house, id, { ...listeners(watched, operatorPresent), takeOver: false });
  if (resumed.kind !== 'live') throw new Error(JSON.stringify(resumed));
  watched.live = resumed.team;
  return stopAfterwards(watched);
}

/** Writes a mission, runs it to its end. */
export async function runMission(mission: Mission, order: Partial<RunOrder> = {}): Promise<WatchedTeam> {
  const team = await startJob(await writeMission(mission), order);
  await team.ended();
  return team;
}

/** Sees a team to its end, whatever its server loses meanwhile; `live` is what it was taken up as. */
export async function seenThrough(
  at: TestHouse,
  watched: WatchedTeam,
  operatorPresent = false,
): Promise<Ended> {
  return (await seenToItsEnd(at.house, watched.live, listeners(watched, operatorPresent))).ended;
}

function listeners(watched: WatchedTeam, operatorPresent: boolean): TeamOptions {
  return {
    operatorPresent,
    onEntry: (entry, team) => {
      watched.live = team;
      watched.addEntry(entry);
    },
    onTranscript: (member: string, entry: TranscriptEntry) => watched.addTranscript(member, entry),
  };
}

function stopAfterwards(watched: WatchedTeam): WatchedTeam {
  onTestFinished(async () => {
    await watched.live.stop('stop');
    watched.live.kill();
    await watched.live.ended;
  });
  return watched;
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
