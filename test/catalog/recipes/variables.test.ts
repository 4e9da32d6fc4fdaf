import { describe, expect, test } from 'vitest';
import { parseRecipe } from '../../../src/catalog/recipes/parse-recipe.js';
import type { Recipe, RecipeVariable } from '../../../src/catalog/recipes/recipe.js';
import {
  fillRecipe,
  resolveValues,
  substitute,
  variablesIn,
} from '../../../src/catalog/recipes/variables.js';
import { recipeText } from '../places.js';

const values = (entries: Record<string, string>): ReadonlyMap<string, string> =>
  new Map(Object.entries(entries));

describe('putting values into a text', () => {
  test.each([
    ['a {{x}} b {{ y }} c', 'a 1 b 2 c', []],
    ['{{x}}{{x}}', '11', []],
    ['{{z}} and {{z}} and {{q}}', '{{z}} and {{z}} and {{q}}', ['z', 'q']],
    [`$${'{{ x }}'} {{ a.b }} {{}} {x} {{x`, `$${'{{ x }}'} {{ a.b }} {{}} {x} {{x`, []],
    ['{{{x}}}', '{1}', []],
  ])('%j becomes %j', (text, expected, unknown) => {
    expect(substitute(text, values({ x: '1', y: '2' }))).toEqual({ text: expected, unknown });
  });

  test('a value is put in as it is: no variable of its own, no replacement pattern', () => {
    expect(substitute('{{x}}', values({ x: '{{y}} $& $1', y: 'no' })).text).toBe('{{y}} $& $1');
  });

  test('names of the prototype are names like any other', () => {
    expect(substitute('{{constructor}}', values({}))).toEqual({
      text: '{{constructor}}',
      unknown: ['constructor'],
    });
  });

  test('the places of variables are told', () => {
    expect(variablesIn('a {{x}} {{ y }}')).toEqual([
      { name: 'x', offset: 2 },
      { name: 'y', offset: 8 },
    ]);
  });
});

describe('the values of a run', () => {
  const declared: RecipeVariable[] = [
    { name: 'pr', description: 'Which pull request', default: null, required: true },
    { name: 'depth', description: '', default: '3', required: false },
    { name: 'note', description: '', default: null, required: false },
  ];

  test('are the given ones, else the defaults, else empty text', () => {
    expect(resolveValues(declared, values({ pr: '7' }))).toEqual({
      kind: 'resolved',
      values: values({ pr: '7', depth: '3', note: '' }),
    });
    expect(resolveValues(declared, values({ pr: '', depth: '1', note: 'x' }))).toEqual({
      kind: 'resolved',
      values: values({ pr: '', depth: '1', note: 'x' }),
    });
  });

  test('are refused when one is missing or unknown, each with what to type', () => {
    expect(resolveValues(declared, values({ dept: '1' }))).toEqual({
      kind: 'refused',
      findings: [
        {
          code: 'unknown-variable',
          severity: 'error',
          path: '--var',
          message: 'the recipe declares no variable "dept"',
          remedy: 'did you mean "depth"?',
        },
        {
          code: 'missing-variable',
          severity: 'error',
          path: '--var',
          message: 'the recipe needs a value for "pr" (Which pull request)',
          remedy: 'add --var pr=<value>',
        },
      ],
    });
  });

  test('a required variable has to be given even when it has a default', () => {
    const both: RecipeVariable[] = [{ name: 'a', description: '', default: 'x', required: true }];
    expect(resolveValues(both, values({}))).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'missing-variable' }],
    });
  });
});

describe('a filled recipe', () => {
  const frontmatter = [
    'model: "script/{{pr}}.yaml"',
    'variables: {pr: {}}',
    'tasks:',
    '  - {id: a, subject: "Review {{pr}}", description: "{{pr}} {{pr}}", acceptance: ["{{pr}} read"], artifacts: ["out/{{pr}}.md"]}',
  ].join('\n');

  function recipe(): Recipe {
    const text = recipeText('demo', frontmatter, 'All about {{pr}}.');
    const load = parseRecipe({ path: 'team.md', tier: 'builtin', text }, 'demo');
    if (load.kind === 'refused') throw new Error(JSON.stringify(load.findings));
    return load.recipe;
  }

  test('has the values in contract, model and tasks, and nothing else changed', () => {
    const before = recipe();
    expect(fillRecipe(before, values({ pr: '7' }))).toEqual({
      kind: 'filled',
      recipe: {
        ...before,
        contract: 'All about 7.',
        model: 'script/7.yaml',
        tasks: [
          {
            ...before.tasks[0],
            subject: 'Review 7',
            description: '7 7',
            acceptance: ['7 read'],
            artifacts: ['out/7.md'],
          },
        ],
      },
    });
  });

  test('is refused when a value leads an artifact out', () => {
    expect(fillRecipe(recipe(), values({ pr: '../../x' }))).toMatchObject({
      kind: 'refused',
      findings: [
        {
          code: 'path-leads-out',
          path: '--var',
          message: expect.stringContaining('the artifact "out/{{pr}}.md" of task a becomes "out/../../x.md"'),
          remedy: 'give another value',
        },
      ],
    });
  });
});
