/** Recipes and teams as lines for people (spec/team.md §8). Pure; controls stripped. */

import type { RecipeListing } from '../../catalog/recipes/recipe-index.js';
import type { RecipeDescription } from '../../runtime/describe.js';
import type { TeamSummary } from '../../runtime/teams.js';
import { oneLine } from '../../shared/terminal-text.js';

const SLUG_COLUMNS = 21;
const MEMBER_COLUMNS = 27;

/** Slug and description of every recipe that is used: of one slug the file that wins, if any counts. */
export function listText(recipes: readonly RecipeListing[]): string {
  return text(
    recipes
      .filter(({ trust, shadowedBy }) => trust === 'trusted' && shadowedBy === null)
      .map(({ slug, description }) => `${padded(slug, SLUG_COLUMNS)}${description ?? '(no description)'}`),
  );
}

/** What a recipe is made of. */
export function descriptionText(recipe: RecipeDescription): string {
  const { slug, description, lead, safety, members, workspace, reads, whenToUse, tasks, permissions } =
    recipe;
  const { engineer } = recipe;
  return text([
    `${slug} — ${description}`,
    `lead:   ${lead}`,
    `safety: ${safety}`,
    members.length === 0 ? 'members: none beside the lead' : 'members:',
    ...members.map(
      ({ name, onDemand }) => `  - ${padded(name, MEMBER_COLUMNS)}(${onDemand ? 'on-demand' : 'always-on'})`,
    ),
    ...(workspace === null ? [] : [`workspace: ${workspace}`]),
    ...(whenToUse === null ? [] : [`when to use: ${whenToUse}`]),
    ...(reads.length === 0 ? [] : [`reads: ${reads.join(', ')}`]),
    ...(engineer === null ? [] : [engineerLine(engineer)]),
    ...titled(
      'tasks:',
      tasks,
      ({ id, subject, role }) => `${id}: ${subject}${role === null ? '' : ` (${role})`}`,
    ),
    ...titled('permissions:', permissions, ({ decision, tool, match }) =>
      [decision, tool, ...(match === null ? [] : [match])].join(' '),
    ),
  ]);
}

/** `engineer: codex in pool vm; verify test, lint; policy review; offered again 2 times`. */
function engineerLine(engineer: NonNullable<RecipeDescription['engineer']>): string {
  const { kind, pool, model, verify, policy, offers } = engineer;
  const parts = [
    `${kind ?? 'the first that is set up here'}${model === null ? '' : ` with ${model}`}${pool === null ? '' : ` in pool ${pool}`}`,
    `verify ${verify.length === 0 ? 'nothing' : verify.join(', ')}`,
    `policy ${policy}`,
    `offered again ${offers} times`,
  ];
  return `engineer: ${parts.join('; ')}`;
}

/** A team a line, oldest first. */
export function teamsText(teams: readonly TeamSummary[]): string {
  if (teams.length === 0) return text(['no teams yet: start one with bnerd team run']);
  const width = Math.max(...teams.map(({ id }) => id.length)) + 2;
  return text(
    teams.map((team) => {
      const state = team.reason === null ? team.phase : `${team.phase} (${team.reason})`;
      const open = `open: ${team.open_tasks} tasks, ${team.open_requests} requests`;
      const waits = team.waiting.map((line) => `; ${line}`).join('');
      const known =
        team.phase === 'unreadable'
          ? `bnerd team verify ${team.id} says why`
          : `${open}${waits}; started ${team.started}`;
      return `${team.id.padEnd(width)}${padded(state, 22)}${padded(team.live ? 'live' : 'stopped', 9)}${known}`;
    }),
  );
}

function titled<T>(title: string, rows: readonly T[], row: (one: T) => string): string[] {
  return rows.length === 0 ? [] : [title, ...rows.map((one) => `  ${row(one)}`)];
}

/** At least one blank behind it, however long it is. */
function padded(word: string, columns: number): string {
  return word.length < columns ? word.padEnd(columns) : `${word} `;
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${oneLine(line, Number.MAX_SAFE_INTEGER)}\n`).join('');
}
