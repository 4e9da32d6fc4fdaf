/** What rules that deny come to for each engineer: its own means, or a refusal that names the rule and says what to do. */

import { describe, expect, test } from 'vitest';
import type { DeniedRule } from '../../../src/delegate/brief/brief.js';
import { claudeCode } from '../../../src/delegate/engineers/claude-code.js';
import { codex } from '../../../src/delegate/engineers/codex.js';
import { command } from '../../../src/delegate/engineers/command.js';
import type { Engineer } from '../../../src/delegate/engineers/engineer.js';
import { gemini } from '../../../src/delegate/engineers/gemini.js';
import { unheldBy } from '../../../src/delegate/engineers/kinds.js';
import { engineerOrder } from '../../helpers/engineers/run-plan.js';

type Given = Parameters<typeof engineerOrder>[1];

const TREE = '/briefs/[1]/tree';

function denies(tool: string, match: string | null, more: Partial<DeniedRule> = {}): DeniedRule {
  return { tool, match, form: 'rule', decision: 'deny', origin: 'recipe', ...more };
}

/** What the program is told of rules, or why it is not started. */
function told(engineer: Engineer, deny: readonly DeniedRule[], { settings, ...given }: Given = {}): string {
  const order = { ...given, deny, settings: { path: 'program', mayBeFull: true, ...settings } };
  const plan = engineer.plan(engineerOrder(TREE, order));
  if (plan.kind === 'refused') return plan.detail;
  return plan.start.args.find((word) => word.startsWith('--disallowedTools='))?.split('=')[1] ?? '';
}

describe('claude-code', () => {
  test.each<[string, DeniedRule, string]>([
    ['words and any more', denies('shell_exec', 'rm *'), 'Bash(rm),Bash(rm *)'],
    ['a star in the middle', denies('shell_exec', 'git push * --force'), 'Bash(git push * --force)'],
    ['a colon is no prefix in a rule', denies('shell_exec', 'npm run x:*'), 'Bash(npm run x*)'],
    ['a pattern of a role', denies('shell_exec', 'rm:*', { form: 'pattern' }), 'Bash(rm),Bash(rm *)'],
    ['one of several words', denies('shell_exec', 'npm run x:*', { form: 'pattern' }), 'Bash(npm run x*)'],
    ['a tool of git', denies('git_log', null), 'Bash(git log),Bash(git log *)'],
    ['reading as a whole', denies('fs_read_file', null), 'Read'],
    ['searching as a whole', denies('fs_grep', '*'), 'Grep'],
    ['listing as a whole', denies('fs_list', null), 'Glob'],
    ['changing as a whole', denies('fs_edit_file', '**', { form: 'pattern' }), 'Edit,NotebookEdit'],
    ['writing as a whole', denies('fs_write_file', null), 'Write'],
    ['fetching', denies('web_fetch', '*.example.org'), 'WebFetch'],
    ['a path', denies('fs_read_file', 'secret/key'), 'Read(//briefs/\\[1\\]/tree/secret/key)'],
    ['below a path', denies('fs_write_file', 'db/*'), 'Edit(//briefs/\\[1\\]/tree/db/*)'],
    [
      'a star goes across directories',
      denies('fs_write_file', 'db/*.sql'),
      'Edit(//briefs/\\[1\\]/tree/db/*.sql),Edit(//briefs/\\[1\\]/tree/db/*/**/*.sql)',
    ],
    [
      'a name of a role at any depth',
      denies('fs_read_file', '*.env', { form: 'pattern' }),
      'Read(//briefs/\\[1\\]/tree/**/*.env)',
    ],
    [
      'a path of a role',
      denies('fs_edit_file', './src/gen/', { form: 'pattern' }),
      'Edit(//briefs/\\[1\\]/tree/src/gen/**)',
    ],
    ['a path anywhere', denies('fs_read_file', '/etc/*'), 'Read(//etc/*)'],
    [
      'deleting, which are commands',
      denies('fs_delete', null),
      ['rm', 'rmdir', 'unlink', 'git rm', 'git clean']
        .map((word) => `Bash(${word}),Bash(${word} *)`)
        .join(','),
    ],
    ['what no engineer has', denies('delegate_engineer', 'full *'), ''],
    ['roots of members', denies('fs_read_file', 'reads:0/x'), ''],
  ])('is held to %s', (_, rule, entries) => {
    expect(told(claudeCode, [rule])).toBe(entries);
  });

  test('a rule about every tool is one about each', () => {
    expect(told(claudeCode, [denies('*', 'x')])).toBe(
      'Read(//briefs/\\[1\\]/tree/x),Edit(//briefs/\\[1\\]/tree/x),WebFetch,Bash(x)',
    );
  });

  test('under read-only it has no commands and changes nothing: what is read is all there is to hold', () => {
    const deny = [denies('shell_exec', null), denies('fs_write_file', null), denies('fs_read_file', 'x')];
    expect(told(claudeCode, deny, { safety: 'read-only' })).toBe('Read(//briefs/\\[1\\]/tree/x)');
  });

  test.each<[string, DeniedRule, Given, RegExp]>([
    ['any shell', denies('shell_exec', null), {}, /without a shell it can commit nothing.*read-only/],
    ['what it commits with', denies('shell_exec', 'git *'), {}, /hands over what it commits/],
    ['its tool of git', denies('git_commit', null), {}, /hands over what it commits/],
    ['an expansion', denies('shell_exec', 'rm $(x)'), {}, /holds characters.*write simple commands/],
    [
      'a command under full',
      denies('shell_exec', 'rm *'),
      { safety: 'full' },
      /no rule sees; ask for "non-dest/,
    ],
    [
      'a command, all being allowed',
      denies('shell_exec', 'rm *'),
      { settings: { args: ['--allowedTools', 'Edit,Bash'] } },
      /its args.*allow commands one by one/,
    ],
    [
      'a command, hooks being on',
      denies('shell_exec', 'rm *'),
      { settings: { projectSettings: true } },
      /project-settings are on/,
    ],
    ['a path that leads out', denies('fs_read_file', '../x'), {}, /write a path in the workspace/],
    ['a path with a bracket', denies('fs_read_file', 'a)b'), {}, /write a path in the workspace/],
    ['too many stars', denies('fs_read_file', 'a*b*c*d*e'), {}, /write several rules/],
    [
      'a path, in a folder with a bracket',
      denies('fs_read_file', 'x'),
      { tree: '/a(b/tree' },
      /another workdir/,
    ],
    [
      'what is asked about',
      denies('shell_exec', null, { decision: 'ask', origin: 'settings' }),
      {},
      /rule of settings \(ask shell_exec\).*works alone/,
    ],
  ])('refuses what it cannot hold, with the rule’s name: %s', (_, rule, given, detail) => {
    const said = told(claudeCode, [denies('shell_exec', 'rm *'), rule], given);
    expect(said).toMatch(detail);
    expect(said).toContain(`of ${rule.origin} (${rule.decision} ${rule.tool}`);
  });
});

describe('codex', () => {
  test.each<[DeniedRule, Given]>([
    [denies('shell_exec', 'rm *'), {}],
    [denies('shell_exec', 'rm *'), { safety: 'read-only' }],
    [denies('fs_read_file', 'x'), { safety: 'read-only' }],
    [denies('fs_write_file', 'x'), {}],
    [denies('web_fetch', null), { safety: 'full' }],
  ])('is not started with %j under %j', (rule, given) => {
    const said = told(codex, [rule], given);
    expect(said).toContain(`codex cannot be held to the rule of recipe (deny ${rule.tool}`);
    expect(said).toContain('give the brief to claude-code');
  });

  test.each<[DeniedRule, Given]>([
    [denies('web_fetch', 'example.org'), {}],
    [denies('fs_write_file', 'x'), { safety: 'read-only' }],
  ])('its sandbox holds %j under %j', (rule, given) => {
    expect(told(codex, [rule], given)).toBe('');
  });
});

describe('gemini', () => {
  test.each<[DeniedRule, Given]>([
    [denies('shell_exec', 'rm *'), {}],
    [denies('shell_exec', 'git push *'), {}],
    [denies('shell_exec', null), { safety: 'read-only' }],
    [denies('fs_write_file', 'x'), { safety: 'read-only' }],
    [denies('web_fetch', null), { safety: 'full' }],
  ])('is held to %j under %j', (rule, given) => {
    expect(told(gemini, [rule], given)).toBe('');
  });

  test.each<[DeniedRule, Given]>([
    [denies('shell_exec', 'rm *'), { safety: 'full' }],
    [denies('shell_exec', 'rm *'), { settings: { args: ['--yolo'] } }],
    [denies('shell_exec', 'git commit --amend*'), {}],
    [denies('shell_exec', '*rm*'), {}],
    [denies('shell_exec', null), {}],
    [denies('fs_write_file', 'x'), {}],
    [denies('fs_read_file', 'x'), { safety: 'read-only' }],
  ])('is not started with %j under %j', (rule, given) => {
    expect(told(gemini, [rule], given)).toContain(
      `gemini cannot be held to the rule of recipe (deny ${rule.tool}`,
    );
  });
});

describe('command', () => {
  test('is refused without an argument that names the rules, and told how there is one', () => {
    expect(told(command, [denies('shell_exec', 'rm *')])).toMatch(
      /nothing holds the engineer command to the rule of recipe \(deny shell_exec rm \*\).*\{rules\}/,
    );
  });

  test.each([[[denies('shell_exec', 'rm *')]], [[]]])('is given a file with the rules: %j', (deny) => {
    const settings = { path: 'program', args: ['--obey={rules}'] };
    const plan = command.plan(engineerOrder(TREE, { deny, settings }));
    if (plan.kind === 'refused') throw new Error(plan.detail);
    expect(plan.start.args).toEqual(['--obey=/briefs/[1]/home/rules.json']);
    expect(JSON.parse(plan.start.files['rules.json'] ?? '')).toEqual(deny);
  });
});

test('whoever sends a brief asks by the kind; a kind without settings here is asked as it comes', () => {
  const order = { deny: [denies('shell_exec', 'rm *')], safety: 'non-destructive' } as const;
  expect(unheldBy('claude-code', order)).toBeNull();
  expect(unheldBy('codex', order)).toContain('codex cannot be held');
  expect(unheldBy('command', order)).toContain('{rules}');
  expect(unheldBy('acp', order)).toContain('runner.engineers.acp.args');
  expect(unheldBy('unknown', order)).toBeNull();
});
