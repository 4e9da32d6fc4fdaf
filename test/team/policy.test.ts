import { describe, expect, test } from 'vitest';
import type { PermissionRule, Safety } from '../../src/events/facts/frozen.js';
import { admits, type PolicyQuestion, policy } from '../../src/team/policy.js';

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
  return policy({
    tool: 'fs_write_file',
    class: 'write',
    subject: 'notes.md',
    safety: 'full',
    planPending: false,
    autoApprove: 'never',
    rules: [],
    patterns: [],
    ...question,
  }).kind;
}

/**
 * The policy by hand, as spec/team.md §3 has it. One line per safety, class and plan mode; in it the verdicts for
 * `--auto-approve` never, safe, all; in each of these the four rules none, allow, ask, deny.
 * F free, A allowed by rule or flag, ? ask, - denied.
 */
const FILE_TOOL = `
read-only        read         working   FF?- FF?- FF?-
read-only        read         planning  FF?- FF?- FF?-
read-only        write        working   ---- ---- ----
read-only        write        planning  ---- ---- ----
read-only        destructive  working   ---- ---- ----
read-only        destructive  planning  ---- ---- ----
non-destructive  read         working   FF?- FF?- FF?-
non-destructive  read         planning  FF?- FF?- FF?-
non-destructive  write        working   ?A?- ?A?- AA?-
non-destructive  write        planning  ---- ---- ----
non-destructive  destructive  working   ---- ---- ----
non-destructive  destructive  planning  ---- ---- ----
full             read         working   FF?- FF?- FF?-
full             read         planning  FF?- FF?- FF?-
full             write        working   ?A?- ?A?- AA?-
full             write        planning  ---- ---- ----
full             destructive  working   ?A?- ?A?- AA?-
full             destructive  planning  ---- ---- ----
`;

/** A shell line of class Read needs a confirmation, which `safe` gives. */
const SHELL_READ = `
read-only        read         working   ?A?- AA?- AA?-
read-only        read         planning  ?A?- AA?- AA?-
non-destructive  read         working   ?A?- AA?- AA?-
full             read         working   ?A?- AA?- AA?-
full             write        working   ?A?- ?A?- AA?-
full             destructive  working   ?A?- ?A?- AA?-
`;

/** A web page too, and `safe` never gives it: reading sends something out. */
const WEB_FETCH = `
read-only        read         working   ?A?- ?A?- AA?-
read-only        read         planning  ?A?- ?A?- AA?-
full             read         working   ?A?- ?A?- AA?-
`;

const LETTERS: Readonly<Record<string, Verdict>> = { F: 'free', A: 'allow', '?': 'ask', '-': 'deny' };
const AUTO = ['never', 'safe', 'all'] as const;
const RULES = ['none', 'allow', 'ask', 'deny'] as const;

interface Cell {
  readonly question: Partial<PolicyQuestion>;
  readonly rule: (typeof RULES)[number];
  readonly verdict: Verdict;
}

function cells(tool: string, table: string): [string, Cell][] {
  return table
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [safety = '', toolClass = '', plan = '', ...groups] = line.split(/\s+/);
      return groups.flatMap((group, auto) =>
        [...group].map((letter, index): [string, Cell] => {
          const decision = RULES[index] ?? 'none';
          const autoApprove = AUTO[auto] ?? 'never';
          const verdict = LETTERS[letter] ?? 'deny';
          const question: Partial<PolicyQuestion> = {
            tool,
            class: toolClass as ToolClass,
            safety: safety as Safety,
            planPending: plan === 'planning',
            autoApprove,
            subject: 'ls notes',
            rules: decision === 'none' ? [] : [rule(decision, tool)],
          };
          const title = `${tool} ${safety} ${toolClass} ${plan} --auto-approve ${autoApprove}, rule ${decision}: ${verdict}`;
          return [title, { question, rule: decision, verdict }];
        }),
      );
    });
}

const FILE_CELLS = cells('fs_write_file', FILE_TOOL);

describe('each cell of the policy', () => {
  test('the table has 3 safeties × 3 classes × plan mode × 3 flags × 4 rules', () => {
    expect(FILE_CELLS).toHaveLength(3 * 3 * 2 * 3 * 4);
    expect(new Set(FILE_CELLS.map(([title]) => title.split(':')[0])).size).toBe(FILE_CELLS.length);
  });

  test.each([...FILE_CELLS, ...cells('shell_exec', SHELL_READ), ...cells('web_fetch', WEB_FETCH)])(
    '%s',
    (_, { question, verdict }) => {
      expect(ask(question)).toBe(verdict);
    },
  );
});

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
      policy({
        tool: 'shell_exec',
        class: 'write',
        subject: 'npm test',
        safety: 'full',
        planPending: false,
        autoApprove: 'never',
        rules: [],
        patterns: [],
        ...question,
      }).row;
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
      policy({
        tool: 'shell_exec',
        class: 'write',
        subject,
        safety: 'full',
        planPending: false,
        autoApprove: 'never',
        rules: [],
        patterns,
      }).row;
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
