import { describe, expect, test } from 'vitest';
import { parseRecipe } from '../../../src/catalog/recipes/parse-recipe.js';
import type { Finding } from '../../../src/shared/findings.js';
import { recipeText } from '../places.js';

const PATH = 'recipes/demo/team.md';

function refusal(text: string): readonly Finding[] {
  const result = parseRecipe({ path: PATH, tier: 'builtin', text }, 'demo');
  if (result.kind === 'loaded') throw new Error('was loaded');
  return result.findings;
}

describe('a recipe is refused', () => {
  test.each<[more: string, code: string, line: number, message: string, remedy: string]>([
    [
      'saftey: full',
      'unknown-key',
      6,
      '`saftey` is no key of a recipe; keys of your own begin with "x-"',
      'did you mean "safety"?',
    ],
    [
      'zzzzzzzzzz: 1',
      'unknown-key',
      6,
      '`zzzzzzzzzz` is no key of a recipe',
      'remove it; known: description, edits_agents, engineer',
    ],
    ['limits:\n  turn: 3', 'unknown-key', 7, '`limits.turn` is no key', 'did you mean "turns"?'],
    [
      'tasks: [{id: a, subject: b, blockedby: []}]',
      'unknown-key',
      6,
      '`tasks[0].blockedby`',
      'did you mean "blocked_by"?',
    ],
    [
      'variables: {pr: {requierd: true}}',
      'unknown-key',
      6,
      '`variables.pr.requierd`',
      'did you mean "required"?',
    ],
    [
      'limits:\n  turns: many',
      'wrong-type',
      7,
      '`limits.turns` is the text "many"; expected a number',
      'change the value',
    ],
    [
      'limits:\n  turns: 1.5',
      'wrong-type',
      7,
      '`limits.turns` is the number 1.5; expected a whole number',
      'change the value',
    ],
    [
      'limits:\n  members: 3\n  turns: -1',
      'bad-value',
      8,
      '`limits.turns` is the number -1; expected a number of at least 1',
      'change the value',
    ],
    ['limits: {wall_minutes: 0}', 'bad-value', 6, 'expected a number greater than 0', 'change the value'],
    ['limits: {tokens: .inf}', 'wrong-type', 6, '`limits.tokens` is the number Infinity', 'change the value'],
    ['limits: {tokens:}', 'wrong-type', 6, '`limits.tokens` is empty', 'give it a value, or remove the key'],
    [
      'safety: readonly',
      'bad-value',
      6,
      '`safety` is the text "readonly"; expected one of read-only, non-destructive, full',
      'did you mean "read-only"?',
    ],
    ['mode: cluster', 'bad-value', 6, 'expected one of in-process, queue', 'known: in-process, queue'],
    [
      'plan_approval: yes',
      'wrong-type',
      6,
      '`plan_approval` is the text "yes"; expected true or false',
      'change the value',
    ],
    ['model: 4', 'wrong-type', 6, '`model` is the number 4; expected text', 'put the value in quotes'],
    [
      'workspace: ../other',
      'bad-value',
      6,
      '`workspace` is the text "../other"; expected a relative path that stays inside',
      'change the value',
    ],
    ['workspace: /tmp/x', 'bad-value', 6, 'expected a relative path', 'change the value'],
    ['reads: [a, a/../../b]', 'bad-value', 6, '`reads[1]` is the text "a/../../b"', 'change the value'],
    ['reads: docs', 'wrong-type', 6, '`reads` is the text "docs"; expected a list', 'write it as [a, b]'],
    ...[
      '..',
      '../x',
      'src/../x',
      '!src/**',
      '[a',
      '{a,b',
      'a)',
      '[]',
      '[z-a]',
      '/',
      './',
      'a//b',
      'a\\\\b',
      'x'.repeat(1_025),
    ].map((glob): [string, string, number, string, string] => [
      `engineer: {protect: ["src/**", "${glob}"]}`,
      'bad-value',
      6,
      '`engineer.protect[1]`',
      'change the value',
    ]),
    [
      'engineer: {verify: {test: ["a\\0b"]}}',
      'bad-value',
      6,
      '`engineer.verify.test[0]`',
      'change the value',
    ],
    [
      'tasks: [{id: a, subject: b, artifacts: [./]}]',
      'bad-value',
      6,
      'task a: an artifact is a file in the workspace',
      'name the file',
    ],
    ['tasks: [{subject: b}]', 'missing-field', 6, '`tasks[0].id` is missing; expected text', 'add `id`'],
    [
      'tasks: [{id: "#1", subject: b}]',
      'bad-value',
      6,
      'expected a task id: a-z, 0-9 and "-"',
      'change the value',
    ],
    [
      'tasks: [{id: a, subject: b, artifacts: [/etc/passwd]}]',
      'bad-value',
      6,
      '`tasks[0].artifacts[0]`',
      'change the value',
    ],
    [
      'tasks: [{id: a, subject: b, upstream: skip}]',
      'bad-value',
      6,
      'expected one of wait, continue_with_missing, fail',
      'known:',
    ],
    ['permissions: [{tool: x, decision: yes}]', 'bad-value', 6, 'expected one of allow, ask, deny', 'known:'],
    ['variables: {"a b": {}}', 'bad-value', 6, 'expected letters, digits, "_" and "-"', 'rename it'],
    [
      'variables: {a: {default: [1]}}',
      'wrong-type',
      6,
      'expected text, a number, true or false',
      'change the value',
    ],
    [
      'engineer: {verify: {test: npm test}}',
      'wrong-type',
      6,
      '`engineer.verify.test` is the text "npm test"; expected a list',
      'write it as [a, b]',
    ],
    [
      'on_demand: [scribbe]',
      'unknown-role',
      6,
      'the on-demand role "scribbe" is not in `roles`',
      'did you mean "scribe"?',
    ],
    [
      'on_demand: [Captain]',
      'lead-on-demand',
      6,
      'the lead "captain" cannot be on demand',
      'remove it from `on_demand`',
    ],
    [
      'tasks: [{id: a, subject: b, role: painter}]',
      'unknown-role',
      6,
      'task a: the role "painter" is not in `roles`',
      'known: captain, scribe',
    ],
    [
      'tasks: [{id: a, subject: b, gates: [auditor]}]',
      'unknown-role',
      6,
      'task a: the gate "auditor" is not in `roles`',
      'known: captain, scribe',
    ],
    [
      'tasks: [{id: a, subject: b}, {id: a, subject: c}]',
      'duplicate-task',
      6,
      'the task id "a" is used twice',
      'give each task an id of its own',
    ],
    [
      'tasks: [{id: a, subject: b, blocked_by: [bb]}, {id: bbb, subject: c}]',
      'unknown-task',
      6,
      'task a waits for "bb", which is no task',
      'did you mean "bbb"?',
    ],
    [
      'tasks: [{id: a, subject: "{{pr}}"}]',
      'unknown-variable',
      6,
      '{{pr}} is not declared in `variables`',
      'declare it under `variables`',
    ],
    [
      'model: "x/{{mod}}"\nvariables: {mode: {}}',
      'unknown-variable',
      6,
      '{{mod}} is not declared',
      'did you mean "mode"?',
    ],
  ])('for %j', (more, code, line, message, remedy) => {
    const found = refusal(recipeText('demo', more)).find((finding) => finding.code === code);
    expect(found).toMatchObject({ severity: 'error', path: PATH, line });
    expect(found?.message).toContain(message);
    expect(found?.remedy).toContain(remedy);
  });

  test.each(['name', 'description', 'lead', 'roles'])('when `%s` is missing', (field) => {
    const text = recipeText('demo').replace(new RegExp(`^${field}:.*\n`, 'm'), '');
    expect(refusal(text)).toEqual([
      {
        code: 'missing-field',
        severity: 'error',
        path: PATH,
        message: `\`${field}\` is missing; expected ${field === 'roles' ? 'a list' : 'text'}`,
        remedy: `add \`${field}\``,
      },
    ]);
  });

  test.each<[roles: string, code: string, message: string]>([
    ['[scribe]', 'unknown-role', 'the lead "captain" is not in `roles`'],
    [
      '[captain, scribe, Scribe_]',
      'duplicate-role',
      'the role "Scribe_" is listed twice (first as "scribe")',
    ],
    ['[captain, all]', 'reserved-name', '"all" cannot name a member'],
    ['[captain, Lead]', 'reserved-name', '"Lead" cannot name a member'],
    ['[]', 'bad-value', '`roles` is an empty list; expected a list of at least 1'],
    ['[captain, "a\\nb"]', 'bad-value', 'expected a name: letters'],
    ['captain', 'wrong-type', '`roles` is the text "captain"; expected a list'],
  ])('when its roles are %s', (roles, code, message) => {
    const text = recipeText('demo').replace('[captain, scribe]', roles);
    const found = refusal(text).find((finding) => finding.code === code);
    expect(found).toMatchObject({ severity: 'error', line: message.startsWith('the lead') ? 4 : 5 });
    expect(found?.message).toContain(message);
  });

  test('a role called lead may be the lead', () => {
    const text = recipeText('demo').replaceAll('captain', 'lead');
    expect(parseRecipe({ path: PATH, tier: 'builtin', text }, 'demo')).toMatchObject({ kind: 'loaded' });
  });

  test.each<[what: string, tasks: [string, string][], line: number, message: string, remedy: string]>([
    [
      'D78: a task that waits for itself',
      [['a', 'a']],
      7,
      'task a waits for itself: a → a',
      'remove "a" from `blocked_by` of a',
    ],
    [
      'D78: two tasks that wait for each other',
      [
        ['a', 'b'],
        ['b', 'a'],
      ],
      8,
      'these tasks wait for each other and none could start: a → b → a',
      'remove "a" from `blocked_by` of b',
    ],
    [
      'D78: a cycle of four behind a task that is fine',
      [
        ['x', 'a'],
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'd'],
        ['d', 'a'],
      ],
      11,
      'these tasks wait for each other and none could start: a → b → c → d → a',
      'remove "a" from `blocked_by` of d',
    ],
  ])('for %s, with the path of the cycle', (_what, tasks, line, message, remedy) => {
    const lines = tasks.map(([id, other]) => `  - {id: ${id}, subject: s, blocked_by: [${other}]}`);
    expect(refusal(recipeText('demo', `tasks:\n${lines.join('\n')}`))).toEqual([
      { code: 'task-cycle', severity: 'error', path: PATH, line, message, remedy },
    ]);
  });

  test('a variable of the body is found on its line', () => {
    const text = recipeText(
      'demo',
      'variables: {pr: {}}',
      `\nReview {{pr}}.\n\nAlso {{ prr }} and $${'{{ github }}'}.`,
    );
    expect(refusal(text)).toMatchObject([
      {
        code: 'unknown-variable',
        line: 11,
        message: '{{prr}} is not declared in `variables`',
        remedy: 'did you mean "pr"?',
      },
    ]);
  });

  test('every mistake is named at once, in the order of the file', () => {
    const text = recipeText('demo', 'saftey: full\nmode: x\nlimits: {turns: 0}');
    expect(refusal(text).map(({ code, line }) => [code, line])).toEqual([
      ['unknown-key', 6],
      ['bad-value', 7],
      ['bad-value', 8],
    ]);
  });
});
