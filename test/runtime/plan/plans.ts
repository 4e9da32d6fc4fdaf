/** Plans of runs for tests of rules and skills: missions, settings, and what a plan says of a member. */

import type { Seat } from '../../../src/events/facts/frozen.js';
import { joinPrompt } from '../../../src/runtime/plan/compose-prompt.js';
import { prepareRun } from '../../../src/runtime/plan/prepare-run.js';
import type { RunOrder, RunPlan } from '../../../src/runtime/plan/run-order.js';
import { sha256 } from '../../../src/shared/digest.js';
import type { Finding } from '../../../src/shared/findings.js';
import { DEFAULT_SKILL_SETTINGS, type SkillSettings } from '../../../src/skills/settings.js';
import { skillText } from '../../helpers/heard.js';
import { type Mission, ORDER, type TestHouse } from '../../helpers/team.js';
import { JOB } from '../job.js';

export const A = skillText('a', 'The word is kestrel.');
export const B = skillText('b', 'The word is osprey.');
export const THEIRS = { '.bnerd/skills/t/SKILL.md': skillText('t', 'The word is merlin.') };

export function mission(more: Partial<Mission> = {}): Mission {
  return {
    ...JOB,
    ...more,
    recipe: { ...JOB.recipe, ...more.recipe },
    roles: { ...JOB.roles, ...more.roles },
  };
}

export function settled(at: TestHouse, skills: Partial<SkillSettings>): TestHouse {
  return { ...at, house: { ...at.house, skills: { ...DEFAULT_SKILL_SETTINGS, ...skills } } };
}

export async function planOf(at: TestHouse, order: Partial<RunOrder> = {}): Promise<RunPlan> {
  const prepared = await prepareRun(at.house, { ...ORDER, ...order });
  if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings, null, 2));
  return prepared.plan;
}

export async function errorsOf(at: TestHouse, order: Partial<RunOrder> = {}): Promise<readonly Finding[]> {
  const prepared = await prepareRun(at.house, { ...ORDER, ...order });
  if (prepared.kind === 'ready') throw new Error('it was not refused');
  return prepared.findings.filter(({ severity }) => severity === 'error');
}

export const promptOf = (plan: RunPlan, member: string): string => joinPrompt(plan.prompts.get(member) ?? []);
export const seatOf = (plan: RunPlan, member: string): Seat => {
  const seat = plan.started.seats.find((one) => one.member === member);
  if (seat === undefined) throw new Error(`no seat ${member}`);
  return seat;
};
export const textOf = (plan: RunPlan, digest: string): string =>
  plan.inputTexts.find((text) => sha256(text) === digest) ?? 'no such text';
