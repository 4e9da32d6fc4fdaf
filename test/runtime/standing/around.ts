/** Teams that rest on somebody's word: a mission beside a project whose files are approved, and what stops its members. */

import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { catalogueDigest } from '../../../src/catalog/files/file-digest.js';
import { ownTrustFile } from '../../../src/catalog/tiers.js';
import { openTrust } from '../../../src/catalog/trust/open-trust.js';
import type { TrustQuestion } from '../../../src/catalog/trust.js';
import { loadEntries } from '../../../src/runtime/load-entries.js';
import type { RunOrder } from '../../../src/runtime/plan/run-order.js';
import { ask, claim, complete, does, finish, says, type Turn, update, when } from '../../cases/play.js';
import { skillText } from '../../helpers/heard.js';
import { putFiles } from '../../helpers/repository.js';
import {
  type Mission,
  startJob,
  type TestHouse,
  type WatchedTeam,
  writeMission,
} from '../../helpers/team.js';
import { writeTrust } from '../../helpers/trust-file.js';

export const ENTRY = '.bnerd/skills/harbour/SKILL.md';
export const ROLE = '.bnerd/roles/worker.md';
export const RECIPE = '.bnerd/teams/job/team.md';
export const HARBOUR = skillText('harbour', 'The word is anchor.');

/** The lead waits for what becomes of the task of a worker that asks in the middle of it. */
export function mission(hears: 'completed' | 'stopped', more: Partial<Mission> = {}): Mission {
  const boss: Turn[] = [
    when('', says('Go.')),
    hears === 'completed'
      ? when('completed #1', finish())
      : when('was stopped: (?<why>.+)', does(update('#1', { status: 'cancelled' })), finish('partial')),
  ];
  const worker = when(
    'Task #1 is ready',
    does(claim('#1')),
    does(ask('May I go on?')),
    does(complete('#1')),
    says('Done.'),
  );
  return {
    recipe: { tasks: [{ id: 'one', subject: 'Part one', role: 'worker' }], ...more.recipe },
    roles: { boss: {}, worker: {}, ...more.roles },
    script: {
      boss: { idle: 'Waiting.', turns: boss },
      worker: { idle: 'Ready.', turns: [worker] },
      ...more.script,
    },
  };
}

export interface Around extends TestHouse {
  readonly root: string;
  /** The operator's word on everything that lies in the project. */
  readonly approved: readonly TrustQuestion[];
  readonly order: Partial<RunOrder>;
}

/**
 * A mission beside a project whose files are approved.
 * @param files entries of the project
 * @param moved files of the mission that lie in the project instead, from and to
 */
export async function around(
  plan: Mission,
  files: Readonly<Record<string, string>>,
  moved: readonly (readonly [string, string])[] = [],
): Promise<Around> {
  const at = await writeMission(plan);
  const root = join(dirname(at.mission), 'project');
  await putFiles(root, { ...files, 'work/.keep': '' });
  const approved: TrustQuestion[] = [];
  for (const [from, to] of moved) {
    const file = join(at.mission, 'orchestrator', from);
    const text = await readFile(file, 'utf8');
    await putFiles(root, { [to]: text });
    await rm(file);
    const kind = to === RECIPE ? 'recipe' : 'role';
    approved.push({ kind, tier: 'project', root, path: to, digest: catalogueDigest(kind, text) });
  }
  const house = { ...at.house, workingDirectory: root, project: { root, folders: [root] } };
  const seen = await loadEntries({ ...house, trust: word(house.home, root) });
  for (const file of seen.files) {
    if (file.kind === 'loaded' && file.approval !== null) approved.push(file.approval.question);
  }
  await writeTrust(house.home, { approved });
  const script = join(at.mission, 'orchestrator/teams/job/script.yaml');
  const order = moved.some(([, to]) => to === RECIPE) ? { models: [`script/${script}`] } : {};
  return { ...at, house: { ...house, trust: word(house.home, root) }, root, approved, order };
}

export function word(home: string, root: string) {
  return openTrust({
    own: ownTrustFile(home),
    extra: [],
    mission: null,
    askedTrees: [root],
    gitPath: process.env['PATH'] ?? '',
  });
}

export async function revoke({ house, approved }: Around, path: string): Promise<void> {
  await writeTrust(house.home, { approved, revoked: [{ path }] });
}

/** Runs until the worker waits for an answer. */
export async function waiting(at: Around): Promise<WatchedTeam> {
  const team = await startJob(at, at.order, true);
  await team.fact('request.opened');
  await team.fact('turn.ended', ({ member, outcome }) => member === 'worker' && outcome === 'parked');
  return team;
}

/** How often a model was asked for a member. */
export function asked(team: WatchedTeam, member: string): number {
  return team.of('budget.reserved').filter((fact) => fact.member === member).length;
}

/** The member stopped for the reason, nothing more was asked in its name, the lead was told and has closed the team. */
export async function expectStopped(
  team: WatchedTeam,
  member: string,
  reason: string,
  before: number,
): Promise<void> {
  expect(await team.ended()).toMatchObject({ reason: 'partial' });
  expect(team.of('member.stopped')).toMatchObject([
    { member, by: 'runtime', reason: expect.stringContaining(reason) },
  ]);
  expect(asked(team, member)).toBe(before);
  const told = team.of('mail.sent').filter(({ to, body }) => to.includes('boss') && body.includes(reason));
  expect(told).toMatchObject([{ body: expect.stringContaining(`${member} was stopped: `) }]);
  expect(team.inputs('boss').join('\n')).toContain(reason);
}

export const byBob = (what: string): string => `the approval of ${what} was revoked by bob in `;
