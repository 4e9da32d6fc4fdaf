import { describe, expect, test } from 'vitest';
import { recipePlaces, rolePlaces, skillPlaces, TIERS } from '../../src/catalog/tiers.js';

const named = { packageRoot: '/pkg', mission: { path: '/mission' } };
const alone = { packageRoot: '/pkg', mission: null };

describe('the places of the tiers', () => {
  test('the order of the tiers is builtin, global, project, mission', () => {
    expect(TIERS).toEqual(['builtin', 'global', 'project', 'mission']);
  });

  test('recipes lie in recipes/ of the package and orchestrator/teams/ of the mission, which comes last', () => {
    expect(recipePlaces(named)).toEqual([
      { tier: 'builtin', root: '/pkg', folder: '/pkg/recipes' },
      { tier: 'mission', root: '/mission', folder: '/mission/orchestrator/teams' },
    ]);
  });

  test('roles lie in roles/ of the package and orchestrator/roles/ of the mission, which comes last', () => {
    expect(rolePlaces(named)).toEqual([
      { tier: 'builtin', root: '/pkg', folder: '/pkg/roles' },
      { tier: 'mission', root: '/mission', folder: '/mission/orchestrator/roles' },
    ]);
  });

  test('entries lie in both layouts, and inside a tier the directory layout comes after the flat one', () => {
    expect(skillPlaces(named).map(({ tier, kind, layout, folder }) => [tier, kind, layout, folder])).toEqual([
      ['builtin', 'rule', 'flat', '/pkg/skills/rules'],
      ['builtin', 'skill', 'directory', '/pkg/skills'],
      ['mission', 'rule', 'flat', '/mission/orchestrator/rules'],
      ['mission', 'skill', 'flat', '/mission/orchestrator/skills'],
      ['mission', 'skill', 'directory', '/mission/orchestrator/skills'],
    ]);
  });

  test('without a mission repository only the builtin tier is left', () => {
    const places = [...recipePlaces(alone), ...rolePlaces(alone), ...skillPlaces(alone)];
    expect(new Set(places.map((place) => place.tier))).toEqual(new Set(['builtin']));
  });
});
