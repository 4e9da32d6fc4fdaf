import { describe, expect, test } from 'vitest';
import { TOOLS, WORK_TOOLS } from '../../src/tools/catalogue.js';
import type { MemberToolsRequest } from '../../src/tools/registry.js';
import { memberTools } from '../../src/tools/registry.js';

const REQUEST: MemberToolsRequest = {
  safety: 'full',
  base: 'write',
  tools: null,
  disallowedTools: [],
  lead: false,
  planMode: false,
  confirms: false,
  delegates: false,
  role: 'x',
  places: { tools: { path: 'roles/x.md' }, disallowedTools: { path: 'roles/x.md' } },
};

const READ = [
  'fs_read_file',
  'fs_list',
  'fs_glob',
  'fs_grep',
  'git_status',
  'git_diff',
  'git_log',
  'git_show',
  'git_blame',
];
const COORDINATION = [
  'team_send_message',
  'team_task_claim',
  'team_task_complete',
  'team_task_list',
  'team_task_get',
  'team_task_release',
  'team_task_block',
  'team_review',
  'team_overview',
  'ask_question',
];

const namesOf = (change: Partial<MemberToolsRequest>): string[] =>
  memberTools({ ...REQUEST, ...change }).tools.map((tool) => tool.name);

const workOf = (change: Partial<MemberToolsRequest>): string[] =>
  namesOf(change).filter((name) => !name.startsWith('team_') && name !== 'ask_question');

test('coordination tools come last, whatever a role says, and follow lead and plan mode', () => {
  const names = namesOf({});
  expect(names.slice(-COORDINATION.length)).toEqual(COORDINATION);
  expect(namesOf({ base: 'none' })).toEqual(COORDINATION);
  expect(namesOf({ tools: [] })).toEqual(COORDINATION);
  expect(
    namesOf({ tools: [], disallowedTools: ['team_send_message', 'SendMessage', 'ask_question'] }),
  ).toEqual(COORDINATION);
  expect(namesOf({ tools: [], planMode: true })).toContain('team_plan_submit');
  const ofLead = TOOLS.filter(
    (row) =>
      row.kind === 'coordination' && row.name !== 'team_plan_submit' && !row.name.startsWith('delegate_'),
  ).map((row) => row.name);
  expect(namesOf({ tools: [], lead: true, confirms: true })).toEqual(ofLead);
  // A lead that nobody's role names as approver has nothing to confirm.
  expect(namesOf({ tools: [], lead: true })).toEqual(ofLead.filter((name) => name !== 'team_request_decide'));
});

test('who delegates has its tools whatever its base and list are, and may have the first taken away', () => {
  const tools = ['delegate_engineer', 'delegate_status', 'delegate_cancel'];
  const has = (change: Partial<MemberToolsRequest>): string[] =>
    namesOf(change).filter((name) => tools.includes(name));
  expect(has({})).toEqual([]);
  expect(has({ tools: tools })).toEqual([]);
  for (const change of [{}, { base: 'none' as const }, { tools: ['Read'] }, { safety: 'read-only' as const }])
    expect(has({ ...change, delegates: true })).toEqual(tools);
  expect(has({ delegates: true, disallowedTools: ['delegate_engineer'] })).toEqual(tools.slice(1));
  // Who leads such a team decides of what comes late, whether it delegates itself or not.
  expect(namesOf({ tools: [], lead: true, adopts: true })).toContain('delegate_adopt');
  expect(namesOf({ tools: [], delegates: true })).not.toContain('delegate_adopt');
});

test('the floor filters by class; the shell stays under a read-only one for its Read commands', () => {
  const work = WORK_TOOLS.filter(({ base }) => base !== 'delegate').map(({ name }) => name);
  expect(workOf({ safety: 'full' }).sort()).toEqual(work.sort());
  expect(workOf({ safety: 'non-destructive' })).not.toContain('fs_delete');
  expect(workOf({ safety: 'non-destructive' })).toContain('fs_write_file');
  expect(workOf({ safety: 'read-only' })).toEqual([...READ, 'shell_exec', 'web_fetch']);
  expect(
    memberTools({ ...REQUEST, safety: 'read-only' }).tools.find((tool) => tool.name === 'shell_exec')?.class,
  ).toBe('write');
});

test('the base is an upper bound of the allow-list', () => {
  expect(workOf({ base: 'read' })).toEqual([...READ, 'web_fetch']);
  expect(workOf({ base: 'read', tools: ['fs_read_file', 'fs_write_file', 'shell_exec'] })).toEqual([
    'fs_read_file',
  ]);
  expect(workOf({ tools: ['fs_write_file', 'fs_read_file'] })).toEqual(['fs_read_file', 'fs_write_file']);
  expect(workOf({ safety: 'read-only', tools: ['fs_write_file', 'fs_read_file'] })).toEqual(['fs_read_file']);
});

test('disallowedTools are removed, also what the allow-list names', () => {
  expect(workOf({ base: 'read', disallowedTools: ['fs_grep', 'git_log', 'WebFetch'] })).toEqual(
    READ.filter((name) => name !== 'fs_grep' && name !== 'git_log'),
  );
  expect(workOf({ tools: ['fs_read_file', 'fs_grep'], disallowedTools: ['fs_grep'] })).toEqual([
    'fs_read_file',
  ]);
});

describe('names of Claude Code', () => {
  test.each([
    [['Read'], ['fs_read_file']],
    [
      ['Read', 'NotebookRead', 'LS'],
      ['fs_read_file', 'fs_list'],
    ],
    [
      ['Glob', 'Grep'],
      ['fs_glob', 'fs_grep'],
    ],
    [
      ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'],
      ['fs_write_file', 'fs_edit_file'],
    ],
    [['Bash'], ['git_status', 'git_diff', 'git_log', 'git_show', 'git_blame', 'shell_exec']],
    [['WebFetch'], ['web_fetch']],
  ])('%j gives %j', (tools, expected) => {
    expect(workOf({ tools })).toEqual(expected);
    expect(memberTools({ ...REQUEST, tools }).findings).toEqual([]);
  });

  test('coordination names are taken silently', () => {
    const { tools, findings } = memberTools({
      ...REQUEST,
      tools: ['TodoWrite', 'SendMessage', 'AskUserQuestion'],
    });
    expect(findings).toEqual([]);
    expect(tools.map((tool) => tool.name)).toEqual(COORDINATION);
  });

  test.each(['Agent', 'Task', 'Skill', 'WebSearch', 'mcp__github__search'])(
    '%s is dropped with one warning',
    (name) => {
      const { findings } = memberTools({
        ...REQUEST,
        tools: ['Read', name],
        places: { ...REQUEST.places, tools: { path: 'roles/x.md', line: 4 } },
      });
      expect(findings).toEqual([
        expect.objectContaining({
          code: 'tool-not-in-effect',
          severity: 'warning',
          path: 'roles/x.md',
          line: 4,
          message: expect.stringContaining(`"${name}"`),
        }),
      ]);
    },
  );

  test.each(['read', 'BASH', 'fs_Read_file'])(
    '%s is another name, and the right one is suggested',
    (name) => {
      const { tools, findings } = memberTools({ ...REQUEST, tools: ['Grep', name] });
      expect(findings).toMatchObject([{ code: 'unknown-tool', severity: 'warning' }]);
      expect(findings[0]?.remedy).toMatch(/^did you mean "(Read|Bash|fs_read_file)"\?$/);
      expect(tools.map((tool) => tool.name)).toEqual(['fs_grep', ...COORDINATION]);
    },
  );
});

describe('a name that nobody knows', () => {
  const finding = (key: 'tools' | 'disallowedTools', name: string): object | undefined =>
    memberTools({ ...REQUEST, tools: ['Grep'], [key]: ['Grep', name] }).findings.find(
      ({ code }) => code === 'unknown-tool',
    );

  test.each<[key: 'tools' | 'disallowedTools', name: string, severity: string, remedy: string]>([
    ['tools', 'fs_read_fil', 'warning', 'did you mean "fs_read_file"?'],
    ['tools', 'search/codebase', 'warning', 'remove it; tools are named as bnerd or Claude Code names them'],
    ['tools', '*', 'warning', 'leave `tools` out for the base toolset'],
    // What was to be forbidden would stay.
    ['disallowedTools', 'Grpe', 'error', 'did you mean "Grep"?'],
    ['disallowedTools', 'bash', 'error', 'did you mean "Bash"?'],
    // Nothing of the name is there to be used.
    ['disallowedTools', 'search/codebase', 'warning', 'remove it; tools are named'],
    ['disallowedTools', 'task', 'warning', 'did you mean "Task"?'],
  ])('in %s: %s is %s', (key, name, severity, remedy) => {
    expect(finding(key, name)).toMatchObject({
      severity,
      message: `${key}: unknown tool "${name}"`,
      remedy: expect.stringContaining(remedy),
    });
  });
});

test('tools that are given and of which none is left are an error that says what would be', () => {
  for (const change of [
    { tools: ['Agent'] },
    { tools: ['WebSearch'] },
    { tools: ['codebase', 'runCommands'] },
    { tools: ['*'] },
    { tools: ['ExitPlanMode'] },
    { tools: ['Write'], safety: 'read-only' },
    { tools: ['Write'], base: 'read' },
    { tools: ['Read'], disallowedTools: ['Read'] },
  ] as const) {
    const { tools, findings } = memberTools({ ...REQUEST, ...change });
    expect(findings.at(-1)).toMatchObject({
      code: 'no-tools-resolve',
      severity: 'error',
      path: 'roles/x.md',
    });
    expect(tools.map((tool) => tool.name)).toEqual(COORDINATION);
  }
  for (const name of ['ask_question', 'TodoWrite', 'SendMessage', 'TaskCreate'])
    expect(memberTools({ ...REQUEST, tools: [name] }).findings).toEqual([]);
  expect(memberTools({ ...REQUEST, tools: ['ExitPlanMode'], planMode: true }).findings).toEqual([]);
  expect(memberTools({ ...REQUEST, tools: [] }).findings).toEqual([]);
});
