/**
 * Teams whose models are listened to: what each member was sent, as its model got it. And houses with a project of
 * strangers beside the named mission repository, whose files nobody has approved.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Model, ModelRequest } from '../../src/models/model.js';
import { joinPrompt } from '../../src/runtime/plan/compose-prompt.js';
import type { RunOrder, RunPlan } from '../../src/runtime/plan/prepare-run.js';
import { type Mission, startJob, type TestHouse, type WatchedTeam, writeMission } from './team.js';

export interface HeardTeam {
  readonly team: WatchedTeam;
  readonly requests: readonly ModelRequest[];
  /** The system prompt of a member's first request. */
  firstPrompt(member: string): string;
  /** What stands in the messages of a member's last request, one after the other. */
  messages(member: string): string;
}

/** Starts the recipe `job`, its models listened to; does not wait for its end. */
export async function startHeard(at: TestHouse, order: Partial<RunOrder> = {}): Promise<HeardTeam> {
  const requests: ModelRequest[] = [];
  const team = await startJob(at, order, false, (plan) => listened(plan, requests));
  const of = (member: string): ModelRequest[] => requests.filter((request) => request.member === member);
  return {
    team,
    requests,
    firstPrompt(member) {
      const [first] = of(member);
      if (first === undefined) throw new Error(`no model was asked for ${member}`);
      return joinPrompt(first.system);
    },
    messages(member) {
      return (of(member).at(-1)?.messages ?? []).map((message) => JSON.stringify(message)).join('\n');
    },
  };
}

/** Runs the recipe `job` to its end. */
export async function runHeard(at: TestHouse, order: Partial<RunOrder> = {}): Promise<HeardTeam> {
  const heard = await startHeard(at, order);
  await heard.team.ended();
  return heard;
}

function listened(plan: RunPlan, requests: ModelRequest[]): RunPlan {
  const listening = (model: Model): Model => ({
    ...model,
    generate: (request, signal) => {
      requests.push({ ...request, messages: [...request.messages] });
      return model.generate(request, signal);
    },
    leftover: (member, role, messages) => model.leftover(member, role, messages),
  });
  return { ...plan, models: new Map([...plan.models].map(([role, model]) => [role, listening(model)])) };
}

/**
 * A mission repository that is named, and a project around the operator that is somebody else's.
 * @param project files of the project, by path
 */
export async function writeBesideProject(
  mission: Mission,
  project: Readonly<Record<string, string>>,
): Promise<TestHouse> {
  const at = await writeMission(mission);
  const root = join(at.house.temporaryDirectory, 'clone');
  await mkdir(root, { recursive: true });
  for (const [path, text] of Object.entries(project)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return { ...at, house: { ...at.house, project: { root, folders: [root] } } };
}

/** The file of a skill; `more` are further lines of its frontmatter. */
export function skillText(name: string, body: string, more: readonly string[] = []): string {
  return ['---', `name: ${name}`, `description: About ${name}.`, ...more, '---', body, ''].join('\n');
}
