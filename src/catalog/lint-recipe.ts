/**
 * What is odd or cannot work in a recipe together with its roles, as far as shape goes (spec/team.md §1). What
 * needs tools, skills or models is judged where those are known.
 */

import type { Finding, Severity } from '../shared/findings.js';
import { sameRole } from '../shared/role-identity.js';
import { placeIn } from './files/written-mapping.js';
import type { Recipe } from './recipes/recipe.js';
import type { Roster } from './roster.js';

/** Remarks and errors on a recipe whose roster could be built. */
export function lintRoster(roster: Roster): Finding[] {
  return [...lintRecipe(roster.recipe), ...roster.members.flatMap((member) => lintSeat(roster, member))];
}

/** Remarks and errors on a recipe alone. */
export function lintRecipe(recipe: Recipe): Finding[] {
  return [...lintSize(recipe), ...lintLimits(recipe), ...lintTasks(recipe)];
}

function lintSize(recipe: Recipe): Finding[] {
  const seats = alwaysOn(recipe);
  if (typeof recipe.size !== 'number' || recipe.size === seats) return [];
  const message = `\`size\` is ${recipe.size}, but ${seats} seats are always on, the lead included`;
  return [remark(recipe, ['size'], 'size-mismatch', 'warning', message, `write \`size: ${seats}\``)];
}

function lintLimits(recipe: Recipe): Finding[] {
  const { limits } = recipe;
  const findings: Finding[] = [];
  const short = (name: string, has: number, needs: number, why: string): void => {
    if (has >= needs) return;
    const message = `\`limits.${name}\` is ${has}, but ${why} ${needs}`;
    const remedy = `raise it to at least ${needs}`;
    findings.push(remark(recipe, ['limits', name], 'limit-too-low', 'error', message, remedy));
  };
  short('members', limits.members, alwaysOn(recipe), 'the seats that are always on are');
  short('tasks', limits.tasks, recipe.tasks.length, 'the tasks of the recipe are');
  short('unread_bytes', limits.unreadBytes, limits.mailBytes, 'one message may have a `mail_bytes` of');
  return findings;
}

function lintTasks(recipe: Recipe): Finding[] {
  const findings: Finding[] = [];
  const isOnDemand = (role: string): boolean => recipe.onDemand.some((other) => sameRole(other, role));
  for (const [at, task] of recipe.tasks.entries()) {
    const { role } = task;
    if (role !== null && isOnDemand(role)) {
      const message = `task ${task.id} is for "${role}", which is on demand: it waits until the lead spawns one`;
      const remedy = 'say so in the working contract, or take the role off `on_demand`';
      findings.push(remark(recipe, ['tasks', at, 'role'], 'task-role-on-demand', 'info', message, remedy));
    }
    for (const gate of task.gates) {
      if (role !== null && sameRole(gate, role)) {
        const message = `task ${task.id} is done and judged by "${gate}": nobody's verdict on their own work counts`;
        const remedy = 'name another role in `gates`';
        findings.push(remark(recipe, ['tasks', at, 'gates'], 'gate-by-owner', 'error', message, remedy));
      } else if (isOnDemand(gate)) {
        const message = `task ${task.id} is judged by "${gate}", which is on demand: it waits until the lead spawns one`;
        const remedy = 'say so in the working contract, or take the role off `on_demand`';
        findings.push(remark(recipe, ['tasks', at, 'gates'], 'gate-role-on-demand', 'info', message, remedy));
      }
    }
  }
  return findings;
}

function lintSeat(roster: Roster, member: Roster['lead']): Finding[] {
  const { recipe } = roster;
  const { role, name } = member;
  const findings: Finding[] = [];
  const report = (key: string, code: string, message: string, remedy: string): void => {
    findings.push({ code, severity: 'warning', ...placeIn(role, [key]), message, remedy });
  };
  if (role.permissionMode === 'plan' && !recipe.planApproval) {
    const message = `"${name}" asks for plan mode, which recipe ${recipe.slug} does not turn on`;
    report(
      'permissionMode',
      'plan-without-approval',
      message,
      `add \`plan_approval: true\` to ${recipe.path}`,
    );
  }
  if (member.lead && role.approver === 'lead') {
    const message = `"${name}" is the lead of recipe ${recipe.slug} and cannot approve for itself: the operator does`;
    report('approver', 'unreachable-approver', message, 'write `approver: operator` or remove it');
  }
  return findings;
}

/** The seats that are spawned at the start, the lead included. */
function alwaysOn(recipe: Recipe): number {
  return recipe.roles.length - recipe.onDemand.length;
}

function remark(
  recipe: Recipe,
  at: readonly PropertyKey[],
  code: string,
  severity: Severity,
  message: string,
  remedy: string,
): Finding {
  return { code, severity, ...placeIn(recipe, at), message, remedy };
}
