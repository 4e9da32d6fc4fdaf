import { describe, expect, test } from 'vitest';
import { lineAt } from '../../../src/catalog/files/written-mapping.js';
import { DEFAULT_LIMITS } from '../../../src/catalog/recipes/limits.js';
import { parseRecipe } from '../../../src/catalog/recipes/parse-recipe.js';
import type { Recipe } from '../../../src/catalog/recipes/recipe.js';
import type { Tier } from '../../../src/catalog/tiers.js';
import type { Finding } from '../../../src/shared/findings.js';
import { recipeText } from '../places.js';

const PATH = 'recipes/demo/team.md';

function load(more: string, tier: Tier = 'builtin'): { recipe: Recipe; findings: readonly Finding[] } {
  const result = parseRecipe({ path: PATH, tier, text: recipeText('demo', more) }, 'demo');
  if (result.kind === 'refused') throw new Error(JSON.stringify(result.findings));
  return result;
}

describe('a recipe', () => {
  test('with the required fields alone has every default set', () => {
    const { recipe, findings } = load('');
    expect(findings).toEqual([]);
    const { lines: _lines, digest, ...rest } = recipe;
    expect(digest).toMatch(/^1:[0-9a-f]{64}$/);
    expect(rest).toEqual({
      asked: null,
      slug: 'demo',
      path: PATH,
      tier: 'builtin',
      name: 'demo',
      description: 'What demo does',
      lead: 'captain',
      roles: ['captain', 'scribe'],
      onDemand: [],
      size: null,
      repos: [],
      whenToUse: null,
      mode: null,
      safety: 'read-only',
      planApproval: false,
      workspace: { kind: 'working-directory' },
      reads: [],
      pathBase: 'working-directory',
      model: null,
      tasks: [],
      permissions: [],
      process: null,
      page: null,
      limits: DEFAULT_LIMITS,
      engineer: null,
      editsAgents: false,
      variables: [],
      contract: 'Work well.',
      contractLine: 7,
    });
  });

  test.each<[string, Partial<Recipe>]>([
    ['size: 2', { size: 2 }],
    ['size: "2"', { size: 2 }],
    ['size: two or three', { size: 'two or three' }],
    ['repos: web', { repos: ['web'] }],
    ['repos: [web, api]', { repos: ['web', 'api'] }],
    ['when_to_use: on Mondays', { whenToUse: 'on Mondays' }],
    ['mode: queue', { mode: 'queue' }],
    ['safety: full', { safety: 'full' }],
    ['plan_approval: true', { planApproval: true }],
    ['workspace: temp', { workspace: { kind: 'temp' } }],
    ['workspace: ./docs//api/', { workspace: { kind: 'inner', path: 'docs/api' } }],
    ['workspace: .', { workspace: { kind: 'inner', path: '.' } }],
    ['reads: [., ./a/, a]', { reads: ['.', 'a'] }],
    ['model: script/demo.yaml', { model: 'script/demo.yaml' }],
    ['on_demand: [Scribe]', { onDemand: ['scribe'] }],
    ['process: careful', { process: 'careful' }],
    ['page: https://docs.example/page', { page: 'https://docs.example/page' }],
    ['page: docs/page.md', { page: 'docs/page.md' }],
    ['edits_agents: true', { editsAgents: true }],
    ['x-owner: me\nx-more: {a: [1]}', {}],
    [
      'permissions:\n  - {tool: shell_exec, match: "git *", decision: allow}\n  - {tool: fs_delete, decision: deny}',
      {
        permissions: [
          { tool: 'shell_exec', match: 'git *', decision: 'allow' },
          { tool: 'fs_delete', match: null, decision: 'deny' },
        ],
      },
    ],
    [
      'limits: {turns: 9, turn_minutes: 0.5, cost_usd: 1.25, review_rounds: 0}',
      { limits: { ...DEFAULT_LIMITS, turns: 9, turnMinutes: 0.5, costUsd: 1.25, reviewRounds: 0 } },
    ],
    ['limits: {cost_usd: null}', { limits: DEFAULT_LIMITS }],
    [
      'variables:\n  pr: {description: Which one}\n  depth: {default: 3}\n  note: {required: false}\n  both: {default: x, required: true}',
      {
        variables: [
          { name: 'pr', description: 'Which one', default: null, required: true },
          { name: 'depth', description: '', default: '3', required: false },
          { name: 'note', description: '', default: null, required: false },
          { name: 'both', description: '', default: 'x', required: true },
        ],
      },
    ],
    [
      'engineer: {pool: vm, labels: [gpu], kind: claude-code, model: m, verify: {test: [npm, test]}, skills: "a, b", protect: [test/**], policy: complete_on_verified, offers: 3}',
      {
        engineer: {
          pool: 'vm',
          labels: ['gpu'],
          kind: 'claude-code',
          model: 'm',
          verify: new Map([['test', ['npm', 'test']]]),
          skills: ['a', 'b'],
          protect: ['test/**'],
          policy: 'complete_on_verified',
          offers: 3,
        },
      },
    ],
    [
      'engineer: {}',
      {
        engineer: {
          pool: null,
          labels: [],
          kind: null,
          model: null,
          verify: new Map(),
          skills: [],
          protect: null,
          policy: 'review',
          offers: 2,
        },
      },
    ],
    [
      'tasks:\n  - {id: read, subject: Read it}\n  - id: write\n    subject: Write it\n    description: |\n      At length.\n    role: Scribe\n    blocked_by: [read, read]\n    gates: [CAPTAIN]\n    acceptance: [it reads well]\n    artifacts: [./out//report.md]\n    required: true\n    skills: a, b\n    upstream: fail',
      {
        tasks: [
          {
            id: 'read',
            subject: 'Read it',
            description: '',
            role: null,
            blockedBy: [],
            gates: [],
            acceptance: [],
            artifacts: [],
            required: false,
            skills: [],
            upstream: 'wait',
          },
          {
            id: 'write',
            subject: 'Write it',
            description: 'At length.',
            role: 'scribe',
            blockedBy: ['read'],
            gates: ['captain'],
            acceptance: ['it reads well'],
            artifacts: ['out/report.md'],
            required: true,
            skills: ['a', 'b'],
            upstream: 'fail',
          },
        ],
      },
    ],
  ])('that says %j is read', (more, expected) => {
    const { recipe, findings } = load(more);
    expect(findings).toEqual([]);
    expect(recipe).toMatchObject(expected);
  });

  test('of the mission tier takes its paths from the mission repository', () => {
    expect(load('workspace: docs', 'mission').recipe.pathBase).toBe('mission-repository');
  });

  test('has one digest whatever the line ends and byte order mark, and another when a byte differs', () => {
    const text = recipeText('demo');
    const digest = (other: string): string | undefined => {
      const result = parseRecipe({ path: PATH, tier: 'builtin', text: other }, 'demo');
      return result.kind === 'loaded' ? result.recipe.digest : undefined;
    };
    expect(digest(`\uFEFF${text.replaceAll('\n', '\r\n')}`)).toBe(digest(text));
    expect(digest(`${text} `)).not.toBe(digest(text));
  });

  test('tells the lines of what it says, and of its contract', () => {
    const body = '\nFirst.\n';
    const text = recipeText('demo', 'on_demand:\n  - scribe', body);
    const result = parseRecipe({ path: PATH, tier: 'builtin', text }, 'demo');
    if (result.kind === 'refused') throw new Error('refused');
    expect(lineAt(result.recipe.lines, ['on_demand', 0])).toBe(7);
    expect(result.recipe).toMatchObject({ contract: 'First.', contractLine: 10 });
  });

  test('whose name differs from its folder, or that has no body, says so and loads', () => {
    const text = recipeText('demo', '', '').replace('name: demo', 'name: Demo team');
    const result = parseRecipe({ path: PATH, tier: 'builtin', text }, 'demo');
    expect(result).toMatchObject({
      kind: 'loaded',
      findings: [
        { code: 'name-differs', severity: 'info', line: 2, message: expect.stringContaining('"Demo team"') },
        {
          code: 'empty-body',
          severity: 'warning',
          line: 7,
          remedy: expect.stringContaining('how the team works'),
        },
      ],
    });
  });
});
