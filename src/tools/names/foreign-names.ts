/**
 * Tool names of Claude Code: what each stands for here (the table of spec/team.md §2), and which have nothing here.
 */

const SHELL = ['shell_exec', 'git_status', 'git_diff', 'git_log', 'git_show', 'git_blame'];

/** By name. A tool of ours that the catalogue does not have is one of a later version. */
export const CLAUDE_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ['Read', ['fs_read_file']],
  ['NotebookRead', ['fs_read_file']],
  ['LS', ['fs_list']],
  ['Glob', ['fs_glob']],
  ['Grep', ['fs_grep']],
  ['Write', ['fs_write_file']],
  ['Edit', ['fs_edit_file']],
  ['MultiEdit', ['fs_edit_file']],
  ['NotebookEdit', ['fs_edit_file']],
  ['Bash', SHELL],
  ['WebFetch', ['web_fetch']],
  ['web_fetch', ['web_fetch']],
  ['AskUserQuestion', ['ask_question']],
  ['ExitPlanMode', ['team_plan_submit']],
  // Coordination, which every member has anyway; silently.
  ['SendMessage', ['team_send_message']],
  ['TodoRead', ['team_task_list']],
  ['TodoWrite', ['team_task_list']],
  ['TaskCreate', ['team_task_list']],
  ['TaskGet', ['team_task_get']],
  ['TaskList', ['team_task_list']],
  ['TaskUpdate', ['team_task_list']],
]);

/** Known, and not here: one warning each. The last four are ours, granted by other fields of a role or later. */
export const ABSENT_NAMES: readonly string[] = [
  'Agent',
  'AgentOutputTool',
  'Artifact',
  'BashOutput',
  'CronCreate',
  'CronDelete',
  'CronList',
  'EnterPlanMode',
  'EnterWorktree',
  'ExitWorktree',
  'KillBash',
  'KillShell',
  'LSP',
  'ListMcpResourcesTool',
  'Monitor',
  'PowerShell',
  'PushNotification',
  'ReadMcpResourceTool',
  'RemoteTrigger',
  'ScheduleWakeup',
  'Skill',
  'SlashCommand',
  'Task',
  'TaskOutput',
  'TaskStop',
  'TeamCreate',
  'TeamDelete',
  'ToolSearch',
  'WebSearch',
  'Workflow',
  'skill',
];

/** Whether a name means a tool that members never have here; those of MCP servers are told by their form. */
export function isAbsent(name: string): boolean {
  return ABSENT_NAMES.includes(name) || name.startsWith('mcp__');
}
