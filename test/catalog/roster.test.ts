import { describe, expect, test } from 'vitest';
import { parseRecipe } from '../../src/catalog/recipes/parse-recipe.js';
import type { Recipe } from '../../src/catalog/recipes/recipe.js';
import type { LoadedRoles } from '../../src/catalog/roles/load-roles.js';
import { parseRole } from '../../src/catalog/roles/parse-role.js';
import { buildRoster, type Roster } from '../../src/catalog/roster.js';
import { roleIdentity } from '../../src/shared/role-identity.js';
import { recipeText, roleText } from './places.js';

function recipe(more = '', roles = '[captain, scribe]'): Recipe {
  const text = recipeText('demo', more).replace('[captain, scribe]', roles);
  const load = parseRecipe({ path: 'demo/team.md', tier: 'builtin', text }, 'demo');
  if (load.kind === 'refused') throw new Error(JSON.stringify(load.findings));
  return load.recipe;
}

/** Role files by their stem, with further lines of frontmatter. */
function roles(files: Readonly<Record<string, string>>): LoadedRoles {
  const loads = Object.entries(files).map(
    ([name, more]) =>
      [
        roleIdentity(name),
        parseRole({ path: `roles/${name}.md`, tier: 'builtin', text: roleText(name, more) }),
      ] as const,
  );
  return { byIdentity: new Map(loads), known: Object.keys(files), unused: [] };
}

function built(of: Recipe, files: Readonly<Record<string, string>>): Roster {
  const load = buildRoster(of, roles(files));
  if (load.kind === 'refused') throw new Error(JSON.stringify(load.findings));
  return load.roster;
}

describe('a roster', () => {
  test('seats the lead first and the others in the order of `roles`, in the spelling of the recipe', () => {
    const roster = built(recipe('on_demand: [Scribe]', '[Scribe, painter, captain]'), {
      captain: '',
      scribe: '',
      painter: '',
    });
    expect(roster.members.map(({ name, role, lead, onDemand }) => [name, role.name, lead, onDemand])).toEqual(
      [
        ['captain', 'captain', true, false],
        ['Scribe', 'scribe', false, true],
        ['painter', 'painter', false, false],
      ],
    );
    expect(roster.lead).toBe(roster.members[0]);
  });

  test('takes the model of the role, else of the recipe, and `inherit` means the recipe', () => {
    const files = { captain: 'model: opus', scribe: 'model: inherit' };
    expect(built(recipe('model: sonnet'), files).members.map(({ model }) => model)).toEqual([
      'opus',
      'sonnet',
    ]);
    expect(built(recipe(), files).members.map(({ model }) => model)).toEqual(['opus', null]);
    expect(built(recipe('model: sonnet'), { captain: '', scribe: '' }).lead.model).toBe('sonnet');
  });

  test('has a member in plan mode when both recipe and role say so', () => {
    const files = { captain: '', scribe: 'permissionMode: plan' };
    const modes = (more: string): boolean[] =>
      built(recipe(more), files).members.map(({ planMode }) => planMode);
    expect(modes('plan_approval: true')).toEqual([false, true]);
    expect(modes('')).toEqual([false, false]);
  });

  test('lets the lead decide plans, but for its own and where a role wants the operator', () => {
    const approvers = (captain: string, scribe: string): string[] =>
      built(recipe(), { captain, scribe }).members.map(({ planApprover }) => planApprover);
    expect(approvers('', '')).toEqual(['operator', 'lead']);
    expect(approvers('approver: lead', 'approver: lead')).toEqual(['operator', 'lead']);
    expect(approvers('', 'approver: operator')).toEqual(['operator', 'operator']);
  });

  test('carries exclusive workspaces and turn limits', () => {
    const roster = built(recipe(), { captain: 'maxTurns: 3', scribe: 'workspace: exclusive' });
    expect(roster.members.map(({ maxTurns, exclusiveWorkspace }) => [maxTurns, exclusiveWorkspace])).toEqual([
      [3, false],
      [null, true],
    ]);
  });

  test('is refused when a role has no file, with its line and the one that was probably meant', () => {
    expect(buildRoster(recipe('', '[captain, scribbe]'), roles({ captain: '', scribe: '' }))).toEqual({
      kind: 'refused',
      findings: [
        {
          code: 'unknown-role',
          severity: 'error',
          path: 'demo/team.md',
          line: 5,
          message: 'no role file is called "scribbe"',
          remedy: 'did you mean "scribe"?',
        },
      ],
    });
  });

  test('is refused with the findings of every role that could not be loaded', () => {
    const load = buildRoster(recipe(), roles({ captain: 'base: 1', scribe: 'tools: 2' }));
    expect(load).toMatchObject({
      kind: 'refused',
      findings: [
        { path: 'roles/captain.md', line: 4 },
        { path: 'roles/scribe.md', line: 4 },
      ],
    });
  });
});
