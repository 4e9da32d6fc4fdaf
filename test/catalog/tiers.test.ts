import { describe, expect, test } from 'vitest';
import {
  type CataloguePlaces,
  recipePlaces,
  rolePlaces,
  skillPlaces,
  TIERS,
} from '../../src/catalog/tiers.js';
import { NO_APPROVALS } from '../../src/catalog/trust.js';

const alone: CataloguePlaces = {
  packageRoot: '/pkg',
  global: null,
  project: null,
  mission: null,
  trust: NO_APPROVALS,
};
const whole: CataloguePlaces = {
  ...alone,
  global: { bnerd: '/home/me/.bnerd', claude: '/home/me/.claude', agents: '/home/me/.agents' },
  project: { root: '/repo', folders: ['/repo', '/repo/app'] },
  mission: { path: '/mission', named: true },
};
const folders = (places: readonly { folder: string }[]): string[] => places.map(({ folder }) => folder);

describe('the places of the tiers', () => {
  test('the order of the tiers is builtin, global, project, mission', () => {
    expect(TIERS).toEqual(['builtin', 'global', 'project', 'mission']);
  });

  test('recipes: the nearest project folder beats those above it, the mission beats all', () => {
    expect(folders(recipePlaces(whole))).toEqual([
      '/pkg/recipes',
      '/home/me/.bnerd/teams',
      '/repo/.bnerd/teams',
      '/repo/app/.bnerd/teams',
      '/mission/orchestrator/teams',
    ]);
  });

  test('roles: inside a tier .bnerd beats .claude', () => {
    expect(folders(rolePlaces(whole))).toEqual([
      '/pkg/roles',
      '/home/me/.claude/agents',
      '/home/me/.bnerd/roles',
      '/repo/.claude/agents',
      '/repo/.bnerd/roles',
      '/repo/app/.claude/agents',
      '/repo/app/.bnerd/roles',
      '/mission/orchestrator/roles',
    ]);
  });

  test('entries: the directory form beats the flat file of any tree, then .bnerd beats .claude beats .agents', () => {
    const shown = skillPlaces(whole).map(({ tier, kind, layout, folder }) => [tier, kind, layout, folder]);
    expect(shown.filter(([tier]) => tier !== 'project')).toEqual([
      ['builtin', 'rule', 'flat', '/pkg/skills/rules'],
      ['builtin', 'skill', 'directory', '/pkg/skills'],
      ['global', 'rule', 'flat', '/home/me/.bnerd/rules'],
      ['global', 'skill', 'flat', '/home/me/.bnerd/skills'],
      ['global', 'skill', 'directory', '/home/me/.agents/skills'],
      ['global', 'skill', 'directory', '/home/me/.claude/skills'],
      ['global', 'skill', 'directory', '/home/me/.bnerd/skills'],
      ['mission', 'rule', 'flat', '/mission/orchestrator/rules'],
      ['mission', 'skill', 'flat', '/mission/orchestrator/skills'],
      ['mission', 'rule', 'directory', '/mission/orchestrator/rules'],
      ['mission', 'skill', 'directory', '/mission/orchestrator/skills'],
    ]);
    expect(shown.filter(([tier]) => tier === 'project').map(([, , , folder]) => folder)).toEqual([
      '/repo/.bnerd/rules',
      '/repo/.bnerd/skills',
      '/repo/.agents/skills',
      '/repo/.claude/skills',
      '/repo/.bnerd/skills',
      '/repo/app/.bnerd/rules',
      '/repo/app/.bnerd/skills',
      '/repo/app/.agents/skills',
      '/repo/app/.claude/skills',
      '/repo/app/.bnerd/skills',
    ]);
  });

  test('without anything around it only the builtin tier is left', () => {
    const places = [...recipePlaces(alone), ...rolePlaces(alone), ...skillPlaces(alone)];
    expect(new Set(places.map((place) => place.tier))).toEqual(new Set(['builtin']));
  });

  test('files of the project, and of a mission that was only found, need an approval; links stay in the root', () => {
    const found = { ...whole, mission: { path: '/mission', named: false } };
    const asked = [...recipePlaces(found), ...rolePlaces(found), ...skillPlaces(found)];
    expect(new Set(asked.filter((place) => place.approval !== null).map((place) => place.tier))).toEqual(
      new Set(['project', 'mission']),
    );
    expect(asked.filter(({ tier }) => tier === 'project').map(({ root }) => root)).toContain('/repo');
  });

  test('project files inside a named mission repository have its trust', () => {
    const inside = { ...whole, mission: { path: '/repo', named: true } };
    expect(rolePlaces(inside).every((place) => place.approval === null)).toBe(true);
  });

  test("the operator's own folders are no project, also when the home directory is a repository", () => {
    const home = { ...whole, project: { root: '/home/me', folders: ['/home/me'] }, mission: null };
    expect(rolePlaces(home).map(({ tier }) => tier)).toEqual(['builtin', 'global', 'global']);
  });
});
