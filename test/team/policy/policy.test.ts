import { describe, expect, test } from 'vitest';
import type { PermissionRule, Safety } from '../../../src/events/facts/frozen.js';
import { admits, type PolicyQuestion, policy } from '../../../src/team/policy/policy.js';
import { shellClass } from '../../../src/tools/shell/class.js';
import { shellReader } from '../../../src/tools/shell/parse.js';
import { type PolicyTableRow, policyRows } from '../../helpers/policy-table.js';

const read = await shellReader();
const subjectsOf = (line: string): PolicyQuestion['subjects'] => shellClass(line, read, () => false).subjects;
const AUTO = ['never', 'safe', 'all'] as const;

type Verdict = ReturnType<typeof policy>['kind'];
type ToolClass = PolicyQuestion['class'];
type Decision = PermissionRule['decision'];

function rule(
  decision: Decision,
  tool: string,
  match: string | null = null,
  origin = 'settings',
): PermissionRule {
  return { tool, match, decision, origin };
}

function ask(question: Partial<PolicyQuestion>): Verdict {
  return policy(whole(question)).kind;
}

/** A question in full; a shell line of it is one command, taken apart as `shell_exec` does. */
function whole(question: Partial<PolicyQuestion>): PolicyQuestion {
  const { subject = 'notes.md' } = question;
  const subjects = question.tool === 'shell_exec' ? subjectsOf(subject) : undefined;
  return {
    tool: 'fs_write_file',
    class: 'write',
    subject,
    subjects,
    safety: 'full',
    planPending: false,
    autoApprove: 'never',
    rules: [],
    patterns: [],
    ...question,
  };
}

const ROWS = policyRows();

describe('each cell of the table that is written by hand', () => {
  test('for calls of our own tools it has 3 safeties × 3 classes × plan mode × 3 flags × 4 rules', () => {
    const own = ROWS.filter(({ calls }) => calls === 'own');
    expect(own).toHaveLength(3 * 3 * 2 * 3 * 4);
    const questions = own.map(({ title }) => title);
    expect(new Set(questions).size).toBe(own.length);
  });

  test.each(ROWS.map((row) => [`${row.title}: ${row.verdict}`, row] as const))('%s', (_, row) => {
    expect(ask({ ...row.question, ...CALLS[row.calls], ...ruled(row) })).toBe(row.verdict);
  });
});

/** The calls that the sections of the table speak of. */
const CALLS: Readonly<Record<PolicyTableRow['calls'], Partial<PolicyQuestion>>> = {
  own: { tool: 'fs_write_file' },
  shell: { tool: 'shell_exec', subject: 'ls notes' },
  web: { tool: 'web_fetch', subject: 'example.org' },
  provided: { tool: 'deploy', subject: '{}', runsProgram: true },
  agents: { tool: 'fs_write_file', operatorConfirms: true },
  matching: {
    tool: 'shell_exec',
    subject: 'git diff HEAD',
    patterns: [rule('allow', 'shell_exec', 'git diff:*', 'role:worker')],
  },
  outside: {
    tool: 'shell_exec',
    subject: 'ls notes',
    patterns: [rule('allow', 'shell_exec', 'git diff:*', 'role:worker')],
  },
  denied: {
    tool: 'shell_exec',
    subject: 'git push',
    patterns: [rule('deny', 'shell_exec', 'git push:*', 'role:worker')],
  },
  granted: {
    tool: 'fs_write_file',
    granted: [rule('allow', 'fs_write_file', 'notes.md', 'operator: always (r1)')],
  },
};

function ruled({ rule: decision, calls }: PolicyTableRow): Pick<PolicyQuestion, 'rules'> {
  return { rules: decision === 'none' ? [] : [rule(decision, CALLS[calls].tool ?? '*')] };
}

test('each safety mode admits its own classes', () => {
  const classes = ['read', 'write', 'destructive'] as const;
  const admitted = (safety: Safety): readonly ToolClass[] => classes.filter((kind) => admits(safety, kind));
  expect(admitted('read-only')).toEqual(['read']);
  expect(admitted('non-destructive')).toEqual(['read', 'write']);
  expect(admitted('full')).toEqual(['read', 'write', 'destructive']);
});

describe('rules among each other', () => {
  const all: readonly PermissionRule[] = [
    rule('allow', 'fs_write_file'),
    rule('ask', 'fs_write_file'),
    rule('deny', 'fs_write_file', null, 'recipe'),
  ];

  test('deny beats ask and ask beats allow, whatever their order and origin', () => {
    expect(ask({ rules: all, autoApprove: 'all' })).toBe('deny');
    expect(ask({ rules: [...all].reverse(), autoApprove: 'all' })).toBe('deny');
    expect(ask({ rules: all.slice(0, 2), autoApprove: 'all' })).toBe('ask');
    expect(ask({ rules: [...all.slice(0, 2)].reverse(), autoApprove: 'all' })).toBe('ask');
  });

  test('a rule of another tool or another subject says nothing', () => {
    expect(ask({ rules: [rule('allow', 'fs_delete'), rule('allow', 'fs_write_file', 'other.md')] })).toBe(
      'ask',
    );
    expect(ask({ rules: [rule('allow', 'fs_write_file', 'notes.*')] })).toBe('allow');
    expect(ask({ rules: [rule('deny', '*')] })).toBe('deny');
  });

  test('no rule admits what safety or plan mode exclude', () => {
    const rules = [rule('allow', '*')];
    expect(ask({ rules, safety: 'read-only', autoApprove: 'all' })).toBe('deny');
    expect(ask({ rules, planPending: true, autoApprove: 'all' })).toBe('deny');
  });

  test('a write into an agent folder is the operator to confirm: no allow rule and no flag answers it', () => {
    const operatorConfirms = true;
    expect(ask({ operatorConfirms, rules: [rule('allow', '*')], autoApprove: 'all' })).toBe('ask');
    expect(ask({ operatorConfirms, rules: [rule('deny', '*')], autoApprove: 'all' })).toBe('deny');
    expect(ask({ operatorConfirms, safety: 'read-only' })).toBe('deny');
    expect(ask({ operatorConfirms, planPending: true })).toBe('deny');
  });

  test('a tool that runs a program needs a confirmation whatever its class, as shell_exec does', () => {
    const provided = { tool: 'deploy', runsProgram: true } as const;
    expect(ask({ ...provided, class: 'read' })).toBe('ask');
    expect(ask({ ...provided, class: 'read', autoApprove: 'safe' })).toBe('ask');
    expect(ask({ ...provided, class: 'write', autoApprove: 'safe' })).toBe('ask');
    expect(ask({ ...provided, class: 'destructive', autoApprove: 'all' })).toBe('allow');
    expect(ask({ ...provided, class: 'read', rules: [rule('allow', 'deploy')] })).toBe('allow');
    expect(ask({ ...provided, class: 'read', rules: [rule('deny', 'deploy', '*"env":"prod"*')] })).toBe(
      'ask',
    );
    const subject = '{"env":"prod"}';
    expect(ask({ ...provided, subject, rules: [rule('deny', 'deploy', '*"env":"prod"*')] })).toBe('deny');
  });

  test('the row says in words what decided', () => {
    const row = (question: Partial<PolicyQuestion>): string =>
      policy(whole({ tool: 'shell_exec', subject: 'npm test', ...question })).row;
    expect(row({ safety: 'read-only' })).toBe('safety read-only does not admit write tools');
    expect(row({ planPending: true })).toBe('plan mode: no write tool before the plan is approved');
    expect(row({})).toBe('write shell_exec: confirmation needed');
    expect(row({ autoApprove: 'all' })).toBe('--auto-approve all');
    expect(row({ class: 'read', autoApprove: 'safe' })).toBe('--auto-approve safe');
    expect(row({ tool: 'fs_read_file', class: 'read' })).toBe('read tool: no confirmation needed');
    expect(row({ rules: [rule('allow', 'shell_exec', 'npm *', 'recipe')] })).toBe(
      'rule of recipe: allow shell_exec npm *',
    );
    expect(row({ rules: [rule('ask', 'shell_exec')] })).toBe('rule of settings: ask shell_exec');
    expect(row({ rules: [rule('deny', '*', null, 'role:worker')] })).toBe('rule of role:worker: deny *');
  });
});

describe('patterns of the role', () => {
  const pattern = (decision: 'allow' | 'deny', tool: string, match: string): PermissionRule =>
    rule(decision, tool, match, 'role:worker');
  const GIT = [pattern('allow', 'shell_exec', 'git diff:*'), pattern('allow', 'shell_exec', 'npm test')];
  const shell = (subject: string, question: Partial<PolicyQuestion> = {}): Verdict =>
    ask({ tool: 'shell_exec', subject, patterns: GIT, ...question });

  test('of a tool with allow patterns only matching calls run, and they need no word', () => {
    expect(shell('git diff HEAD')).toBe('allow');
    expect(shell('npm test')).toBe('allow');
    for (const command of [
      'ls',
      'npm test --watch',
      'git diffx',
      'git diff; rm -rf x',
      'git diff && x',
      'git diff $(x)',
      'git diff\nx',
    ])
      for (const autoApprove of AUTO)
        for (const rules of [
          [],
          [rule('allow', 'shell_exec')],
          [rule('allow', '*')],
          [rule('ask', 'shell_exec')],
        ])
          expect([command, shell(command, { autoApprove, rules })]).toEqual([command, 'deny']);
  });

  test('a call without confirmation stays without one', () => {
    const patterns = [pattern('allow', 'fs_read_file', 'src/**')];
    const read = (subject: string): Verdict =>
      ask({ tool: 'fs_read_file', class: 'read', subject, patterns });
    expect([read('src/a'), read('lib/a')]).toEqual(['free', 'deny']);
  });

  test('safety, plan mode and rules that deny or ask come first', () => {
    expect(shell('git diff', { safety: 'read-only' })).toBe('deny');
    expect(shell('git diff', { planPending: true })).toBe('deny');
    expect(shell('git diff', { rules: [rule('deny', 'shell_exec', 'git *')] })).toBe('deny');
    expect(shell('git diff', { rules: [rule('ask', 'shell_exec')] })).toBe('ask');
  });

  test('a deny pattern denies whatever else is said, and leaves the rest of the tool as it was', () => {
    const patterns = [pattern('deny', 'shell_exec', 'rm:*')];
    for (const autoApprove of AUTO)
      expect(shell('rm x', { patterns, autoApprove, rules: [rule('allow', '*')] })).toBe('deny');
    expect(shell('npm test', { patterns })).toBe('ask');
    expect(shell('npm test', { patterns, rules: [rule('allow', 'shell_exec')] })).toBe('allow');
    expect(shell('git diff', { patterns: [...GIT, pattern('deny', 'shell_exec', 'git:*')] })).toBe('deny');
  });

  test('a write into an agent folder stays the operator to confirm', () => {
    const patterns = [pattern('allow', 'fs_write_file', '**/x')];
    expect(ask({ subject: 'a/x', patterns, operatorConfirms: true })).toBe('ask');
    expect(ask({ subject: 'a/x', patterns })).toBe('allow');
  });

  test('patterns of one tool say nothing of another', () => {
    expect(ask({ patterns: GIT })).toBe('ask');
    expect(ask({ tool: 'fs_read_file', class: 'read', patterns: GIT })).toBe('free');
  });

  test('the row names the pattern, or what would be allowed', () => {
    const row = (subject: string, patterns: readonly PermissionRule[]): string =>
      policy(whole({ tool: 'shell_exec', subject, patterns })).row;
    expect(row('git diff', GIT)).toBe('pattern of role:worker: allow shell_exec git diff:*');
    expect(row('ls', GIT)).toBe('pattern of role:worker: of shell_exec only git diff:*, npm test');
    expect(row('rm x', [pattern('deny', 'shell_exec', 'rm:*')])).toBe(
      'pattern of role:worker: deny shell_exec rm:*',
    );
  });
});

describe('what was allowed a member for the rest of the run (P7)', () => {
  const granted = [{ ...rule('allow', 'fs_write_file', 'notes.md'), origin: 'operator: always (r1)' }];

  test('answers the confirmation of a call that matches, and of no other', () => {
    expect(ask({ granted })).toBe('allow');
    expect(ask({ granted, subject: 'other.md' })).toBe('ask');
    expect(ask({ granted, tool: 'fs_edit_file' })).toBe('ask');
  });

  test.each<[string, Partial<PolicyQuestion>, Verdict]>([
    ['a deny rule', { rules: [rule('deny', 'fs_write_file')] }, 'deny'],
    ['an ask rule', { rules: [rule('ask', 'fs_write_file')] }, 'ask'],
    ['the safety mode', { safety: 'read-only' }, 'deny'],
    ['plan mode', { planPending: true }, 'deny'],
    ['a pattern of the role', { patterns: [rule('deny', 'fs_write_file', 'notes.md')] }, 'deny'],
    ['a write into an agent folder', { operatorConfirms: true }, 'ask'],
    ['class Destructive', { class: 'destructive' }, 'ask'],
  ])('gives way to %s', (_, question, verdict) => {
    expect(ask({ granted, ...question })).toBe(verdict);
  });
});
