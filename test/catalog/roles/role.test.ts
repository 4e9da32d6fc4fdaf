import { describe, expect, test } from 'vitest';
import { parseRole } from '../../../src/catalog/roles/parse-role.js';
import type { Role } from '../../../src/catalog/roles/role.js';
import type { Finding } from '../../../src/shared/findings.js';
import { roleText } from '../places.js';

const PATH = 'roles/scribe.md';

function load(text: string): { role: Role; findings: readonly Finding[] } {
  const result = parseRole({ path: PATH, tier: 'builtin', text });
  if (result.kind === 'refused') throw new Error(JSON.stringify(result.findings));
  return result;
}

describe('a role', () => {
  test('with name and description alone has every default set', () => {
    const { role, findings } = load(roleText('scribe'));
    expect(findings).toEqual([]);
    const { lines: _lines, digest, ...rest } = role;
    expect(digest).toMatch(/^1:[0-9a-f]{64}$/);
    expect(rest).toEqual({
      asked: null,
      name: 'scribe',
      path: PATH,
      tier: 'builtin',
      description: 'The scribe of the team',
      model: null,
      tools: null,
      disallowedTools: [],
      permissionMode: 'default',
      skills: [],
      color: null,
      maxTurns: null,
      base: 'read',
      grants: [],
      approver: null,
      delegate: false,
      engineerSkills: [],
      workspace: 'shared',
      prompt: 'You do your part.',
    });
  });

  test.each<[string, Partial<Role>]>([
    ['model: opus', { model: 'opus' }],
    ['model: inherit', { model: 'inherit' }],
    [
      'tools: Read, Bash(git diff:*, git log:*)',
      { tools: ['Read', 'Bash(git diff:*, git log:*)'], base: 'write' },
    ],
    ['tools: [fs_read_file, fs_grep]', { tools: ['fs_read_file', 'fs_grep'], base: 'write' }],
    ['tools:\n  - fs_read_file', { tools: ['fs_read_file'], base: 'write' }],
    ['tools: []', { tools: [], base: 'read' }],
    ['tools: ""', { tools: [], base: 'read' }],
    ['tools:', { tools: [], base: 'read' }],
    ['tools: [fs_write_file]\nbase: read', { tools: ['fs_write_file'], base: 'read' }],
    ['base: write', { tools: null, base: 'write' }],
    ['base: none', { base: 'none' }],
    ['disallowedTools: Write, Edit', { disallowedTools: ['Write', 'Edit'] }],
    ['permissionMode: plan', { permissionMode: 'plan' }],
    ['permissionMode: default', { permissionMode: 'default' }],
    ['skills: a, b', { skills: ['a', 'b'] }],
    ['skills: [a, b]', { skills: ['a', 'b'] }],
    ['skills:', { skills: [] }],
    ['color: blue', { color: 'blue' }],
    ['color: 3', { color: null }],
    ['maxTurns: 12', { maxTurns: 12 }],
    ['grants: [network]', { grants: ['network'] }],
    ['approver: operator', { approver: 'operator' }],
    ['approver: lead', { approver: 'lead' }],
    ['delegate: true', { delegate: true }],
    ['engineer_skills: [a]', { engineerSkills: ['a'] }],
    ['workspace: exclusive', { workspace: 'exclusive' }],
  ])('that says %j is read', (more, expected) => {
    const { role, findings } = load(roleText('scribe', more));
    expect(findings).toEqual([]);
    expect(role).toMatchObject(expected);
  });

  test('without a name is called after its file', () => {
    const { role, findings } = load('---\ndescription: d\n---\nBody.');
    expect([role.name, findings]).toEqual(['scribe', []]);
  });

  test('whose name is another word than its file keeps the name and says so', () => {
    expect(load(roleText('Writer')).findings).toEqual([
      {
        code: 'name-differs',
        severity: 'info',
        path: PATH,
        line: 2,
        message: 'the role is called "Writer" and its file "scribe"; the name counts',
        remedy: 'give both the same name',
      },
    ]);
    expect(load(roleText('"S-c_r ibe"')).findings).toEqual([]);
  });

  test.each<[more: string, severity: string, code: string, message: string, remedy: string]>([
    [
      'permissionMode: acceptEdits',
      'warning',
      'not-in-effect',
      '`permissionMode: acceptEdits` is not in effect: a role cannot loosen',
      "the recipe's `safety` and `permissions` decide",
    ],
    [
      'permissionMode: bypassPermissions',
      'warning',
      'not-in-effect',
      '`permissionMode: bypassPermissions`',
      'remove it',
    ],
    ['permissionMode: auto', 'warning', 'not-in-effect', '`permissionMode: auto`', 'remove it'],
    ['permissionMode: dontAsk', 'warning', 'not-in-effect', '`permissionMode: dontAsk`', 'remove it'],
    [
      'permissionMode: Plan',
      'warning',
      'not-in-effect',
      '`permissionMode: Plan` is not known and not in effect; known: default, plan',
      'use one of these',
    ],
    [
      'hooks: {PreToolUse: []}',
      'warning',
      'not-in-effect',
      '`hooks` is not in effect here',
      'do not rely on it',
    ],
    [
      'mcpServers: [github]',
      'warning',
      'not-in-effect',
      '`mcpServers` is not in effect here',
      'do not rely on it',
    ],
    ['memory: user', 'warning', 'not-in-effect', '`memory` is not in effect here', 'do not rely on it'],
    [
      'isolation: worktree',
      'warning',
      'not-in-effect',
      '`isolation` is not in effect here',
      'do not rely on it',
    ],
    ['category: writing', 'info', 'unknown-key', '`category` is no key of a role', 'nothing reads it'],
    ['allowed-tools: Read', 'info', 'unknown-key', '`allowed-tools` is no key', 'did you mean "tools"?'],
    ['effort: high', 'warning', 'not-in-effect', '`effort` is not in effect here', 'do not rely on it'],
    ['background: true', 'warning', 'not-in-effect', '`background` is not', 'do not rely on it'],
    ['initialPrompt: Go', 'warning', 'not-in-effect', '`initialPrompt` is not', 'do not rely on it'],
    [
      'disallowed-tools: Bash',
      'info',
      'unknown-key',
      '`disallowed-tools` is no key of a role',
      'did you mean "disallowedTools"?',
    ],
  ])('that says %j loads and reports it by key', (more, severity, code, message, remedy) => {
    const { findings } = load(roleText('scribe', more));
    expect(findings).toMatchObject([{ code, severity, path: PATH, line: 4 }]);
    expect(findings[0]?.message).toContain(message);
    expect(findings[0]?.remedy).toContain(remedy);
  });

  test('without description or body loads with a warning for each', () => {
    expect(load('---\nname: scribe\n---\n').findings.map(({ code, severity }) => [code, severity])).toEqual([
      ['missing-description', 'warning'],
      ['empty-body', 'warning'],
    ]);
  });

  test('has its body as prompt: one leading line break and trailing blanks removed', () => {
    expect(load('---\nname: scribe\ndescription: d\n---\n\n\nYou.\r\n  Write.\n\n').role.prompt).toBe(
      '\nYou.\n  Write.',
    );
  });

  test('has another digest than a recipe of the same text would have, whatever the line ends', () => {
    const text = roleText('scribe');
    expect(load(text.replaceAll('\n', '\r\n')).role.digest).toBe(load(text).role.digest);
    expect(load(`${text}x`).role.digest).not.toBe(load(text).role.digest);
  });

  test.each<[text: string, code: string, message: string, remedy: string]>([
    ['---\nname: [a]\n---\n', 'wrong-type', '`name` is a list; expected text', 'change the value'],
    [
      '---\nname: "a\\nb"\n---\n',
      'bad-value',
      'expected a name on one line, without control characters',
      'change the value',
    ],
    ['---\nname: "- _"\n---\n', 'bad-value', 'holds nothing but', 'rename it'],
    [
      roleText('scribe', 'tools: 3'),
      'wrong-type',
      '`tools` is the number 3; expected a list of names, or text with commas',
      'change the value',
    ],
    [
      roleText('scribe', 'tools: [[a]]'),
      'wrong-type',
      '`tools[0]` is a list; expected text',
      'change the value',
    ],
    [
      roleText('scribe', 'tools:\n  - Read\n  - 3'),
      'wrong-type',
      '`tools[1]` is the number 3; expected text',
      'put the value in quotes',
    ],
    [
      roleText('scribe', 'skills: [a, {b: c}]'),
      'wrong-type',
      '`skills[1]` is a mapping; expected text',
      'change the value',
    ],
    [roleText('scribe', 'disallowedTools:\n  -'), 'wrong-type', '`disallowedTools[0]` is empty', 'a value'],
    [roleText('scribe', 'tools: {Read: true}'), 'wrong-type', '`tools` is a mapping', 'change the value'],
    [roleText('scribe', 'tools: true'), 'wrong-type', '`tools` is true', 'change the value'],
    [
      roleText('scribe', 'maxTurns: 0'),
      'bad-value',
      '`maxTurns` is the number 0; expected a number of at least 1',
      'change the value',
    ],
    [
      roleText('scribe', 'base: reed'),
      'bad-value',
      'expected one of read, write, none',
      'did you mean "read"?',
    ],
    [
      roleText('scribe', 'approver: nobody'),
      'bad-value',
      'expected one of lead, operator',
      'known: lead, operator',
    ],
    [roleText('scribe', 'delegate: maybe'), 'wrong-type', 'expected true or false', 'change the value'],
    [
      roleText('scribe', 'workspace: temp'),
      'bad-value',
      'expected one of shared, exclusive',
      'known: exclusive, shared',
    ],
    ['no frontmatter', 'no-frontmatter', 'the file has no frontmatter', 'begin the file with'],
    ['---\ntools: Use: when\n---\n', 'yaml-error', 'the value holds ": "', 'put the value in quotes'],
  ])('%j is refused', (text, code, message, remedy) => {
    const result = parseRole({ path: PATH, tier: 'builtin', text });
    expect(result).toMatchObject({ kind: 'refused', findings: [{ code, severity: 'error', path: PATH }] });
    expect(result.findings[0]?.message).toContain(message);
    expect(result.findings[0]?.remedy).toContain(remedy);
  });
});
