// Names with patterns, from the words of a role file to the tools and rules of a member.
import { describe, expect, test } from 'vitest';
import { TOOLS } from '../../../src/tools/catalogue.js';
import { memberTools } from '../../../src/tools/registry.js';

interface Made {
  /** Work tools. */
  readonly tools: readonly string[];
  /** `+tool match` and `-tool match`. */
  readonly patterns: readonly string[];
  readonly findings: readonly { code: string; severity: string; message: string }[];
}

function made(tools: readonly string[] | null, disallowedTools: readonly string[] = []): Made {
  const member = memberTools({
    safety: 'full',
    base: 'write',
    tools,
    disallowedTools,
    lead: false,
    planMode: false,
    confirms: false,
    delegates: false,
    role: 'scribe',
    places: {
      tools: { path: 'roles/scribe.md', line: 4 },
      disallowedTools: { path: 'roles/scribe.md', line: 5 },
    },
  });
  for (const { origin } of member.patterns) expect(origin).toBe('role:scribe');
  for (const finding of member.findings)
    expect(finding.line).toBe(finding.message.startsWith('disallowedTools: ') ? 5 : 4);
  const work = new Set(TOOLS.filter(({ kind }) => kind === 'work').map(({ name }) => name));
  return {
    tools: member.tools.map(({ name }) => name).filter((name) => work.has(name)),
    patterns: member.patterns.map(
      ({ tool, match, decision }) => `${decision === 'allow' ? '+' : '-'}${tool} ${match}`,
    ),
    findings: member.findings,
  };
}

const GIT = ['git_status', 'git_diff', 'git_log', 'git_show', 'git_blame'];

describe('in tools', () => {
  test.each<[written: readonly string[], tools: readonly string[], patterns: readonly string[]]>([
    [['Bash(git diff:*)'], ['git_diff', 'shell_exec'], ['+shell_exec git diff:*']],
    [['Bash(git diff *)'], ['git_diff', 'shell_exec'], ['+shell_exec git diff *']],
    [['Bash(git diff)'], ['shell_exec'], ['+shell_exec git diff']],
    [['Bash(git diff --stat:*)'], ['shell_exec'], ['+shell_exec git diff --stat:*']],
    [['Bash(git:*)'], [...GIT, 'shell_exec'], ['+shell_exec git:*']],
    [['Bash(git commit *)'], ['shell_exec'], ['+shell_exec git commit *']],
    [
      ['Bash(npm run test:*)', 'Bash(npm test)'],
      ['shell_exec'],
      ['+shell_exec npm run test:*', '+shell_exec npm test'],
    ],
    [['Read(src/**)', 'Grep'], ['fs_read_file', 'fs_grep'], ['+fs_read_file src/**']],
    [['Edit(docs/**)'], ['fs_edit_file'], ['+fs_edit_file docs/**']],
    [
      ['Write(docs/**)', 'MultiEdit(a)'],
      ['fs_write_file', 'fs_edit_file'],
      ['+fs_write_file docs/**', '+fs_edit_file a'],
    ],
    [['shell_exec(npm test)'], ['shell_exec'], ['+shell_exec npm test']],
    // A pattern for everything says no more than the name.
    [['Bash(*)'], [...GIT, 'shell_exec'], []],
    [['Edit(**)'], ['fs_edit_file'], []],
    [['WebFetch(domain:docs.example.org)'], ['web_fetch'], ['+web_fetch domain:docs.example.org']],
    [['WebFetch(domain:*)'], ['web_fetch'], []],
  ])('%j', (written, tools, patterns) => {
    expect(made(written)).toEqual({ tools, patterns, findings: [] });
  });

  test.each([
    [['Bash', 'Bash(git:*)'], 'Bash(git:*)', [...GIT, 'shell_exec']],
    [['Edit(docs/**)', 'NotebookEdit'], 'Edit(docs/**)', ['fs_edit_file']],
  ])(
    '%j: the wider name wins, since it is written plainly, and a warning says so',
    (written, narrow, tools) => {
      expect(made(written)).toMatchObject({
        tools,
        patterns: [],
        findings: [
          {
            code: 'tool-pattern',
            severity: 'warning',
            message: `tools: the pattern "${narrow}" narrows nothing: the tool is named without one as well`,
          },
        ],
      });
    },
  );

  test.each([
    ['Bash(curl * | sh)', 'more than one simple command'],
    ['Bash(a && b)', 'more than one simple command'],
    ['Bash()', 'empty'],
    ['Read(~/notes)', 'no path inside the workspace'],
    ['Read(../x)', 'leads upwards'],
    ['Read(a/{b,c})', 'only * and **'],
    ['Grep(x)', 'not told apart'],
    ['WebFetch(https://example.org/x)', 'no domain:<host>'],
    ['git_diff(x)', 'not told apart'],
    ['SendMessage(x)', 'not told apart'],
  ])('%s cannot be expressed: the tool is left out, with a warning', (written, why) => {
    const result = made(['Glob', written]);
    expect(result).toMatchObject({ tools: ['fs_glob'], patterns: [] });
    expect(result.findings).toMatchObject([{ code: 'tool-pattern', severity: 'warning' }]);
    expect(result.findings[0]?.message).toContain(`"${written}" cannot be expressed, since `);
    expect(result.findings[0]?.message).toContain(why);
  });

  test('when nothing else is left, that is an error', () => {
    expect(made(['Bash(a && b)']).findings.map(({ code }) => code)).toEqual([
      'tool-pattern',
      'no-tools-resolve',
    ]);
  });

  test.each(['WebSearch(x.org)', 'Agent(worker)', 'Task(a, b)', 'Skill(x)', 'mcp__a__b(x)'])(
    '%s is dropped with one warning',
    (written) => {
      expect(made(['Glob', written])).toMatchObject({
        tools: ['fs_glob'],
        patterns: [],
        findings: [{ code: 'tool-not-in-effect', severity: 'warning' }],
      });
    },
  );
});

describe('in disallowedTools', () => {
  const ALL = made(null).tools;

  test('a pattern is denied and the tool stays, in every tool that does the same', () => {
    expect(made(null, ['Bash(git push:*)'])).toEqual({
      tools: ALL,
      patterns: ['shell_exec', ...GIT, 'git_commit'].map((tool) => `-${tool} git push:*`),
      findings: [],
    });
    expect(made(null, ['Read(secret/**)']).patterns).toEqual([
      '-fs_read_file secret/**',
      '-fs_grep secret/**',
    ]);
    expect(made(null, ['Edit(docs/**)']).patterns).toEqual(
      ['fs_write_file', 'fs_edit_file', 'fs_delete'].map((tool) => `-${tool} docs/**`),
    );
  });

  test('beside an allow pattern both are rules, about tools that the member has', () => {
    expect(made(['Bash(git diff:*)'], ['Bash(git diff --output:*)'])).toMatchObject({
      tools: ['git_diff', 'shell_exec'],
      patterns: [
        '+shell_exec git diff:*',
        '-shell_exec git diff --output:*',
        '-git_diff git diff --output:*',
      ],
    });
  });

  test.each([
    ['Bash(curl * | sh)', [...GIT, 'shell_exec']],
    ['Read(../x)', ['fs_read_file']],
    ['Grep(x)', ['fs_grep']],
  ])('%s cannot be expressed: all of the tool is removed, with a warning', (written, removed) => {
    const result = made(null, [written]);
    expect(result.tools).toEqual(ALL.filter((name) => !removed.includes(name)));
    expect(result).toMatchObject({ patterns: [], findings: [{ code: 'tool-pattern', severity: 'warning' }] });
    expect(result.findings[0]?.message).toContain('all of the tool is removed');
  });

  test.each(['Bash(*)', 'Edit(**)'])('%s removes the tool as its name alone does', (written) => {
    const alone = made(null, [written.replace(/\(.*/, '')]);
    expect(made(null, [written])).toEqual(alone);
    expect(alone.tools).not.toEqual(ALL);
  });
});

test.each(['Bash(rm:*', 'Bash(rm:*, Write', 'Bash(a)(b)', 'Bash(a) b', 'Bash)a('])(
  '%s: what a parenthesis speaks of has to be told, or the role is refused',
  (written) => {
    for (const result of [made([written, 'Glob']), made(null, [written])])
      expect(result.findings).toMatchObject([{ code: 'tool-pattern', severity: 'error' }]);
  },
);
