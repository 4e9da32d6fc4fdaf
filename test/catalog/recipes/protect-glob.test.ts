import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { parseRecipe } from '../../../src/catalog/recipes/parse-recipe.js';
import { isProtectGlob } from '../../../src/catalog/recipes/protect-glob.js';
import { PROTECTED } from '../../../src/runtime/plan/delegation.js';
import { recipeText } from '../places.js';

test.each([
  ...PROTECTED,
  '**',
  '*',
  '/package.json',
  './src/**',
  'test/',
  '{a,b}.yml',
  'a[0-9].txt',
  '[!a]*',
  '[{]x',
  '+(a|b)/*.ts',
  'Ünïcode/*',
])('a glob that can match is one: %s', (glob) => {
  expect(isProtectGlob(glob)).toBe(true);
  const path = glob.replace(/^(\.?\/)+/, '').replace(/\/+$/, '');
  expect(picomatch.makeRe(path, { dot: true, nonegate: true }).source).not.toBe('$^');
});

test('an artifact with a star is remarked on: it is the name of one file', () => {
  const text = recipeText('demo', 'tasks: [{id: a, subject: b, artifacts: ["reports/*.md"]}]');
  const result = parseRecipe({ path: 'recipes/demo/team.md', tier: 'builtin', text }, 'demo');
  expect(result.findings).toContainEqual(
    expect.objectContaining({ code: 'glob-artifact', severity: 'warning', remedy: 'name each file' }),
  );
});
