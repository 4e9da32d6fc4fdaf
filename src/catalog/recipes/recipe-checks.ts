/**
 * What has to agree inside one recipe, known from its file alone: names, reserved words, dependencies, variables.
 * What needs the role files is in `lint-recipe.ts`.
 */

import { nameRemedy } from '../../shared/did-you-mean.js';
import { type Finding, placeAt, type Severity } from '../../shared/findings.js';
import { roleIdentity, sameRole, spellingIn } from '../../shared/role-identity.js';
import { RESERVED_NAMES } from '../files/names.js';
import { placeIn } from '../files/written-mapping.js';
import type { Recipe, RecipeTask } from './recipe.js';
import { findCycles } from './task-graph.js';
import { variablesIn } from './variables.js';

/** Every disagreement in a recipe, errors and remarks. */
export function checkRecipe(recipe: Recipe): Finding[] {
  const findings: Finding[] = [];
  const report: Report = (code, at, message, remedy, severity = 'error') => {
    const place = typeof at === 'number' ? placeAt(recipe.path, at) : placeIn(recipe, at);
    findings.push({ code, severity, ...place, message, remedy });
  };
  checkNames(recipe, report);
  checkTasks(recipe, report);
  checkVariables(recipe, report);
  if (recipe.contract === '') {
    const remedy = 'write below the frontmatter how the team works together';
    report(
      'empty-body',
      recipe.contractLine,
      'the recipe has no working contract for its lead',
      remedy,
      'warning',
    );
  }
  return findings;
}

type Report = (
  code: string,
  at: readonly PropertyKey[] | number,
  message: string,
  remedy: string,
  severity?: Severity,
) => void;

function checkNames(recipe: Recipe, report: Report): void {
  const { name, slug, lead, roles } = recipe;
  if (name !== slug) {
    const message = `the name "${name}" differs from the folder "${slug}", which is what people type`;
    report('name-differs', ['name'], message, 'give both the same name', 'info');
  }
  for (const [at, role] of roles.entries()) {
    const first = roles.findIndex((other) => sameRole(other, role));
    if (first < at) {
      const message = `the role "${role}" is listed twice (first as "${roles[first]}")`;
      report('duplicate-role', ['roles', at], message, 'remove one of them');
    }
    const isLead = sameRole(role, lead);
    if (RESERVED_NAMES.includes(roleIdentity(role)) || (roleIdentity(role) === 'lead' && !isLead)) {
      const message = `"${role}" cannot name a member: mail and records use it for something else`;
      report('reserved-name', ['roles', at], message, 'give the role another name');
    }
  }
  const knows = (role: string, at: readonly PropertyKey[], what: string): void => {
    if (spellingIn(role, roles) !== undefined) return;
    const message = `${what} "${role}" is not in \`roles\``;
    report('unknown-role', at, message, nameRemedy(role, roles));
  };
  knows(lead, ['lead'], 'the lead');
  for (const [at, role] of recipe.onDemand.entries()) {
    knows(role, ['on_demand', at], 'the on-demand role');
    if (sameRole(role, lead)) {
      const message = `the lead "${lead}" cannot be on demand: nobody else could ask for it`;
      report('lead-on-demand', ['on_demand', at], message, 'remove it from `on_demand`');
    }
  }
  for (const [at, task] of recipe.tasks.entries()) {
    if (task.role !== null) knows(task.role, ['tasks', at, 'role'], `task ${task.id}: the role`);
    for (const gate of task.gates) knows(gate, ['tasks', at, 'gates'], `task ${task.id}: the gate`);
  }
}

function checkTasks(recipe: Recipe, report: Report): void {
  const { tasks } = recipe;
  const ids = tasks.map((task) => task.id);
  const place = (id: string): number => ids.indexOf(id);
  for (const [at, task] of tasks.entries()) {
    if (place(task.id) < at) {
      const message = `the task id "${task.id}" is used twice`;
      report('duplicate-task', ['tasks', at, 'id'], message, 'give each task an id of its own');
    }
    for (const [which, artifact] of task.artifacts.entries()) {
      const written = ['tasks', at, 'artifacts', which];
      if (artifact === '.') {
        const message = `task ${task.id}: an artifact is a file in the workspace, not the workspace itself`;
        report('bad-value', written, message, 'name the file');
      } else if (/[*?]/.test(artifact)) {
        const message = `task ${task.id}: "${artifact}" is taken as the name of one file: an artifact is a path, not a glob`;
        report('glob-artifact', written, message, 'name each file', 'warning');
      }
    }
    for (const other of task.blockedBy.filter((id) => !ids.includes(id))) {
      const message = `task ${task.id} waits for "${other}", which is no task`;
      report('unknown-task', ['tasks', at, 'blocked_by'], message, nameRemedy(other, ids));
    }
  }
  for (const cycle of findCycles(new Map(tasks.map((task) => [task.id, task.blockedBy])))) {
    const [first = '', next] = cycle;
    const message =
      first === next
        ? `task ${first} waits for itself: ${cycle.join(' → ')}`
        : `these tasks wait for each other and none could start: ${cycle.join(' → ')}`;
    const remedy = `remove "${cycle.at(-1)}" from \`blocked_by\` of ${cycle.at(-2)}`;
    report('task-cycle', ['tasks', place(cycle.at(-2) ?? first), 'blocked_by'], message, remedy);
  }
}

function checkVariables(recipe: Recipe, report: Report): void {
  const declared = recipe.variables.map((variable) => variable.name);
  const check = (text: string, at: (offset: number) => readonly PropertyKey[] | number): void => {
    for (const { name, offset } of variablesIn(text)) {
      if (declared.includes(name)) continue;
      const message = `{{${name}}} is not declared in \`variables\``;
      const known = declared.length === 0 ? 'declare it under `variables`' : nameRemedy(name, declared);
      report('unknown-variable', at(offset), message, known);
    }
  };
  if (recipe.model !== null) check(recipe.model, () => ['model']);
  for (const [place, task] of recipe.tasks.entries()) {
    for (const [field, text] of textsOf(task)) check(text, () => ['tasks', place, field]);
  }
  const { contract, contractLine } = recipe;
  check(contract, (offset) => contractLine + contract.slice(0, offset).split('\n').length - 1);
}

function textsOf(task: RecipeTask): (readonly [field: string, text: string])[] {
  return [
    ['subject', task.subject],
    ['description', task.description],
    ...task.acceptance.map((text) => ['acceptance', text] as const),
    ...task.artifacts.map((text) => ['artifacts', text] as const),
  ];
}
