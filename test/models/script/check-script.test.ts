import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { checkScript } from '../../../src/models/script/check-script.js';

const FIXTURES = new URL('../../fixtures/scripts/', import.meta.url);

function lead(...turns: string[]): string {
  return ['script: 1', 'roles:', '  lead:', '    turns:', ...turns.map((turn) => `      - ${turn}`)].join(
    '\n',
  );
}

const CALL = '{ calls: [{ tool: x }] }';
const FINISH = '{ calls: [{ tool: y }, { tool: team_finish }] }';

describe('scripts that come out right have no findings', () => {
  test('a whole team', async () => {
    const text = await readFile(new URL('two-roles.yaml', FIXTURES), 'utf8');
    expect(checkScript(text, 'two-roles.yaml', { roles: ['lead', 'reader'] })).toEqual([]);
  });

  const rows: readonly (readonly [string, string])[] = [
    ['calls, then a closing text', lead(`steps: [${CALL}, { text: x }]`)],
    ['team_finish among the last calls', lead(`steps: [${CALL}, ${FINISH}]`)],
    [
      'a team_finish that is refused, and the turn goes on',
      lead(`steps: [${FINISH}, { text: x }]`, `steps: [${FINISH}]`),
    ],
    ['a failure at the end', lead(`steps: [${CALL}, { fail: { code: x, message: y } }]`)],
    [
      'a name captured in the same step',
      lead('steps: [{ capture: { a: "(x)", b: "{{a}}(y)" }, text: "{{a}} {{b}} {{role}} {{member}}" }]'),
    ],
  ];
  test.each(rows)('%s', (_what, text) => {
    expect(checkScript(text, 'a.yaml', { roles: ['lead'] })).toEqual([]);
  });

  test('a part of a team role that another model plays', () => {
    const text = lead('steps: [{ text: x }]');
    expect(checkScript(text, 'a.yaml', { roles: ['lead', 'reader'], played: ['lead'] })).toEqual([]);
    expect(checkScript(text, 'a.yaml', { roles: ['Lead'], played: [] })).toEqual([]);
  });
});

describe('scripts that would not come out right are refused', () => {
  const rows: readonly (readonly [string, string, string, number, string, string])[] = [
    [
      'a step too many asked: the last step of a turn has calls',
      lead('steps: [{ text: x }]', `steps: [${CALL}]`),
      'step-missing',
      6,
      'roles.lead.turns[1].steps[0]: a step is missing after it: the results of its calls are answered, and the turn has no answer left; allowed at the end of a turn: a step without calls, or a call of team_finish',
      'add a last step with a text only',
    ],
    [
      'a step left over after one without calls',
      lead(`steps: [${CALL}, { text: x }, { text: y }]`),
      'step-left-over',
      5,
      'roles.lead.turns[0].steps[2]: left over: the step before it has no calls, so the turn ends there',
      'give that step calls, or begin a new turn',
    ],
    [
      'a turn left over after team_finish',
      lead(`steps: [${FINISH}]`, 'steps: [{ text: x }]'),
      'step-left-over',
      6,
      'roles.lead.turns[1]: never reached: team_finish on line 5 is the last that is asked',
      'remove the turn, or move it before that',
    ],
    [
      'a turn left over after a failure',
      lead('steps: [{ fail: { code: x, message: y } }]', 'steps: [{ text: x }]'),
      'step-left-over',
      6,
      'roles.lead.turns[1]: never reached: the failure on line 5',
      'remove the turn',
    ],
    [
      'a name that nothing captures',
      lead('steps: [{ capture: { line: "(x)" }, text: "{{lien}}" }]'),
      'unknown-capture',
      5,
      'roles.lead.turns[0].steps[0]: nothing before it captures {{lien}}; captured: member, role, line',
      'did you mean "line"?',
    ],
    [
      'a name captured only later',
      lead('{ await: "{{a}}", steps: [{ capture: { a: "(x)" }, text: x }] }'),
      'unknown-capture',
      5,
      'roles.lead.turns[0].await: nothing before it captures {{a}}',
      'known: member, role',
    ],
    [
      'a name deep in arguments',
      lead('steps: [{ calls: [{ tool: x, args: { a: [{ b: "{{deep}}" }] } }] }, { text: x }]'),
      'unknown-capture',
      5,
      'roles.lead.turns[0].steps[0]: nothing before it captures {{deep}}',
      'known: member, role',
    ],
    [
      'two turns of one name',
      lead('{ name: a, steps: [{ text: x }] }', '{ name: a, steps: [{ text: x }] }'),
      'duplicate-turn',
      6,
      'roles.lead.turns[1]: the name "a" is taken by the turn on line 5',
      'a name of its own',
    ],
    [
      'a fault of shape',
      lead('steps: []'),
      'bad-value',
      5,
      'roles.lead.turns[0].steps is an empty list',
      'write at least one step',
    ],
  ];
  test.each(rows)('%s', (_what, text, code, line, message, remedy) => {
    const [finding, ...others] = checkScript(text, 'a.yaml', { roles: ['lead'] });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ code, severity: 'error', path: 'a.yaml', line });
    expect(finding?.message).toContain(message);
    expect(finding?.remedy).toContain(remedy);
  });

  test('a part for a role that the team does not have', () => {
    const text =
      'script: 1\nroles:\n  lead: { turns: [{ steps: [{ text: x }] }] }\n  reeder: { turns: [{ steps: [{ text: x }] }] }';
    const [unknown, without] = checkScript(text, 'a.yaml', { roles: ['lead', 'reader'] });
    expect(unknown).toMatchObject({ code: 'unknown-role', line: 4, remedy: 'did you mean "reader"?' });
    expect(unknown?.message).toBe('roles.reeder: the team has no role "reeder"; its roles: lead, reader');
    expect(without).toMatchObject({ code: 'role-without-part', line: 3 });
    expect(without?.message).toContain('no part for the role "reader"');
    expect(without?.message).toContain('parts: lead, reeder');
  });
});
