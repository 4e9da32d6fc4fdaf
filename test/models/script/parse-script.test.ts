import { describe, expect, test } from 'vitest';
import { parseScript } from '../../../src/models/script/parse-script.js';
import type { Finding } from '../../../src/shared/findings.js';

function findings(text: string): readonly Finding[] {
  const parsed = parseScript(text, 'scripts/team.yaml');
  return parsed.kind === 'refused' ? parsed.findings : [];
}

/** A script whose lead has these lines as its only step, from line 6 on. */
function step(...lines: string[]): string {
  return [
    'script: 1',
    'roles:',
    '  lead:',
    '    turns:',
    '      - steps:',
    ...lines.map((line, index) => `${index === 0 ? '          - ' : '            '}${line}`),
  ].join('\n');
}

test('a script is parsed with every default set and every place known', () => {
  const parsed = parseScript(step('text: hello', 'calls: [{ tool: fs_list }]'), 'a.yaml');
  expect(parsed).toMatchObject({ kind: 'parsed' });
  const part = parsed.kind === 'parsed' ? parsed.script.parts.get('lead') : undefined;
  expect(part).toEqual({
    role: 'lead',
    line: 3,
    idle: null,
    turns: [
      {
        name: null,
        line: 5,
        place: 'roles.lead.turns[0]',
        await: [],
        steps: [
          {
            line: 6,
            place: 'roles.lead.turns[0].steps[0]',
            when: [],
            expect: [],
            capture: [],
            text: 'hello',
            calls: [{ tool: 'fs_list', args: {} }],
            delayMs: 0,
            failure: null,
            passing: null,
          },
        ],
      },
    ],
  });
});

test('anchors and CRLF and a leading BOM are read as YAML reads them', () => {
  const text =
    '\uFEFFscript: 1\r\nroles:\r\n  a: &part\r\n    turns: [{ steps: [{ text: hi }] }]\r\n  b: *part\r\n';
  const parsed = parseScript(text, 'a.yaml');
  expect(parsed.kind === 'parsed' ? [...parsed.script.parts.keys()] : parsed.findings).toEqual(['a', 'b']);
});

describe('what is refused', () => {
  const turns = (...lines: string[]): string => ['script: 1', 'roles:', '  lead:', ...lines].join('\n');
  const rows: readonly (readonly [string, string, string, number, string, string])[] = [
    ['broken YAML', 'script: 1\nroles: [', 'yaml-error', 2, 'YAML: Flow sequence', 'mend the YAML'],
    ['a repeated key', 'script: 1\nroles: {}\nroles: {}', 'duplicate-key', 3, 'stands twice', 'remove one'],
    [
      'two documents',
      'script: 1\n---\nscript: 1',
      'yaml-error',
      2,
      'ends the mapping above',
      'remove that line',
    ],
    ['a tag of its own', step('text: !!js/function x'), 'yaml-error', 6, 'tag', 'remove the tag'],
    [
      'an empty file',
      '',
      'bad-value',
      1,
      'the file is null; allowed: a mapping {script, roles}',
      'write a mapping',
    ],
    [
      'a missing version',
      'roles: { lead: { turns: [{ steps: [{ text: x }] }] } }',
      'missing-field',
      1,
      'script is missing; allowed: 1, the version',
      'add it',
    ],
    [
      'another version',
      step('text: x').replace('script: 1', 'script: 2'),
      'bad-value',
      1,
      'script is 2; allowed: 1',
      'write 1',
    ],
    [
      'no role',
      'script: 1\nroles: {}',
      'bad-value',
      2,
      'roles is a mapping; allowed: at least one role',
      'write at least one role',
    ],
    [
      'no turns',
      turns('    idle: x'),
      'missing-field',
      3,
      'roles.lead.turns is missing; allowed: a list of turns',
      'add it',
    ],
    [
      'an empty list of turns',
      turns('    turns: []'),
      'bad-value',
      4,
      'roles.lead.turns is an empty list; allowed: at least one turn',
      'write at least one turn',
    ],
    [
      'an empty turn',
      turns('    turns:', '      - name: x', '        steps: []'),
      'bad-value',
      6,
      'roles.lead.turns[0].steps is an empty list; allowed: at least one step',
      'write at least one step',
    ],
    [
      'an unknown key of a step',
      step('text: x', 'expct: y'),
      'unknown-key',
      7,
      'roles.lead.turns[0].steps[0]: unknown key "expct"; allowed: when, expect, capture, text, calls, delay_ms, fail',
      'did you mean "expect"?',
    ],
    [
      'an unknown key of a turn',
      turns('    turns:', '      - wait: x', '        steps: [{ text: x }]'),
      'unknown-key',
      5,
      'allowed: name, await, steps',
      'did you mean "await"?',
    ],
    [
      'an unknown key of a part',
      turns('    idel: x', '    turns: [{ steps: [{ text: x }] }]'),
      'unknown-key',
      4,
      'allowed: idle, turns',
      'did you mean "idle"?',
    ],
    [
      'an unknown key of the file',
      `${step('text: x')}\nrole: x`,
      'unknown-key',
      7,
      'the file: unknown key "role"; allowed: script, roles',
      'did you mean "roles"?',
    ],
    [
      'an unknown key of a call',
      step('calls:', '  - tool: x', '    arg: {}'),
      'unknown-key',
      8,
      'steps[0].calls[0]: unknown key "arg"; allowed: tool, args',
      'did you mean "args"?',
    ],
    [
      'an unknown key of a capture',
      step('text: x', 'capture:', '  n: { match: "(a)", defalt: x }'),
      'unknown-key',
      8,
      'allowed: match, default',
      'did you mean "default"?',
    ],
    [
      'an unknown key of a failure',
      step('fail: { code: x, message: y, kid: fatal }'),
      'unknown-key',
      6,
      'allowed: kind, code, message',
      'did you mean "kind"?',
    ],
    [
      'a failure of a kind that is none',
      step('fail: { kind: broken, code: x, message: y }'),
      'bad-value',
      6,
      'fail.kind is "broken"; allowed: fatal, rate_limited or unavailable',
      'write fatal, rate_limited or unavailable',
    ],
    [
      'a code of a failure that passes',
      step('text: x', 'fail: { kind: rate_limited, code: x, message: y }'),
      'bad-value',
      7,
      'fail: "code" says nothing of a failure of kind rate_limited',
      'remove "code", or change the kind',
    ],
    [
      'a failure that stays and says how often it comes',
      step('fail: { code: x, message: y, times: 2 }'),
      'bad-value',
      6,
      'fail: "times" says nothing of a failure of kind fatal',
      'remove "times", or change the kind',
    ],
    [
      'a failure that stays without a code',
      step('fail: { message: y }'),
      'missing-field',
      6,
      'fail.code is missing; allowed: a kebab-case code',
      'add it',
    ],
    [
      'a failure that passes and nothing said after it',
      step('fail: { kind: unavailable, message: y }'),
      'empty-step',
      6,
      'steps[0]: the step says nothing',
      'give it a text or calls',
    ],
    [
      'a failure that comes more often than anybody asks',
      step('text: x', 'fail: { kind: unavailable, message: y, times: 101 }'),
      'bad-value',
      7,
      'fail.times is 101; allowed: at most 100',
      'write at most 100',
    ],
    [
      'a text that is a number',
      step('text: 5'),
      'bad-value',
      6,
      'steps[0].text is 5; allowed: a text',
      'write a text',
    ],
    [
      'a call without a tool',
      step('text: x', 'calls:', '  - args: {}'),
      'missing-field',
      8,
      'steps[0].calls[0].tool is missing',
      'add it',
    ],
    [
      'arguments that are a list',
      step('calls: [{ tool: x, args: [1] }]'),
      'bad-value',
      6,
      'args is a list; allowed: a mapping of arguments, or their raw text',
      'write a mapping',
    ],
    [
      'a delay too long',
      step('text: x', 'delay_ms: 600001'),
      'bad-value',
      7,
      'delay_ms is 600001; allowed: at most 600000',
      'write at most',
    ],
    [
      'a step that says nothing',
      step('expect: x'),
      'empty-step',
      6,
      'steps[0]: the step says nothing; allowed: "text", "calls" or "fail"',
      'give it a text or calls',
    ],
    [
      'a failure beside an answer',
      step('text: x', 'fail: { code: x, message: y }'),
      'bad-value',
      7,
      '"fail" stands in place of an answer',
      'remove',
    ],
    [
      'a bad regex',
      step('text: x', 'expect: ["fine", "(open"]'),
      'bad-regex',
      7,
      'steps[0].expect[1]: Invalid regular expression',
      'mend the regex',
    ],
    [
      'a bad regex around a name',
      turns('    turns:', '      - await: "{{member}}("', '        steps: [{ text: x }]'),
      'bad-regex',
      5,
      'roles.lead.turns[0].await: Invalid regular expression',
      'mend the regex',
    ],
    [
      'a capture without a group',
      step('text: x', 'capture: { n: "a(?:b)" }'),
      'capture-groups',
      7,
      'capture.n: /a(?:b)/ has 0 groups; allowed: one',
      'put ( ) around',
    ],
    [
      'a capture with two groups',
      step('text: x', 'capture: { n: "(a)(b)" }'),
      'capture-groups',
      7,
      'has 2 groups; allowed: one',
      'put ( ) around',
    ],
    [
      'a capture that is a list',
      step('text: x', 'capture: { n: [a] }'),
      'bad-value',
      7,
      'capture.n is a list; allowed: a regex with one group, or {match, default}',
      'write a regex',
    ],
    [
      'a capture of a builtin name',
      step('text: x', 'capture: { role: "(a)" }'),
      'bad-capture-name',
      7,
      '"role" cannot be captured',
      'choose another name',
    ],
    [
      'a capture that no text could name',
      step('text: x', 'capture: { "a b": "(a)" }'),
      'bad-capture-name',
      7,
      '"a b" cannot be captured; allowed: letters, digits',
      'choose another name',
    ],
    [
      'one role twice',
      'script: 1\nroles:\n  code-reviewer: &p { turns: [{ steps: [{ text: x }] }] }\n  Code_Reviewer: *p',
      'duplicate-role',
      4,
      'roles.Code_Reviewer: the same role as "code-reviewer" on line 3',
      'keep one',
    ],
  ];
  test.each(rows)('%s', (_what, text, code, line, message, remedy) => {
    const [finding, ...others] = findings(text);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ code, severity: 'error', path: 'scripts/team.yaml', line });
    expect(finding?.message).toContain(message);
    expect(finding?.remedy).toContain(remedy);
  });

  test('every fault of a file is told at once', () => {
    expect(findings(step('txt: x', 'calls: []')).map(({ code }) => code)).toEqual([
      'bad-value',
      'unknown-key',
    ]);
  });

  test('aliases that multiply without end are refused', () => {
    const lines = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
    for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef'].map((pair) => [...pair])) {
      lines.push(`${to}: &${to} [${Array.from({ length: 10 }, () => `*${from}`).join(', ')}]`);
    }
    expect(findings(lines.join('\n'))).toMatchObject([{ code: 'yaml-error' }]);
  });

  test('a key named like a part of every object is a key like any other', () => {
    const text = step('calls: [{ tool: x, args: { __proto__: { polluted: 1 }, constructor: 2 } }]');
    expect(findings(text)).toEqual([]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
