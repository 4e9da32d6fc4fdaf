/**
 * Claude Code (`claude -p`), as measured with 2.1.332, and 2.1.197, against a model server on the same machine.
 *
 * What is in effect. `CLAUDE_CODE_SAFE_MODE` switches off hooks, skills, servers, commands, agents and instruction files;
 * it is given as a variable, since a version without it takes no notice of it and refuses an unknown flag. Alone it leaves
 * the repository's `.claude/settings.json` in effect, whose `apiKeyHelper` is a program and whose `env` may send the key to
 * another address: `--setting-sources user` closes that. `CLAUDE_CODE_DISABLE_ATTACHMENTS`, since `@/any/file` in a prompt
 * is otherwise read without a question, also outside of the tree, and a prompt holds untrusted text.
 *
 * What it may do. `read-only`: three tools that read, in a mode that denies whatever is not allowed; not its plan mode,
 * which lets a model decide on commands and reads outside of the tree. `non-destructive`: edits below the tree, and of
 * commands those it knows to be harmless, `git add` and `git commit`; what needs more is denied without a question. An
 * operator allows more by `args`, e.g. `--allowedTools "Bash(npm test)"`. `full`: every command and every file, where the
 * runner's settings allow it; the program refuses that to root unless `env` says `IS_SANDBOX: 1`.
 *
 * What is denied to whoever delegates stands in `claude-code-rules.ts`.
 *
 * Cost and turns are held by the program itself: between two requests, so that the last one may go over.
 */

import { join } from 'node:path';
import { ClaudeCodeReader } from './claude-code-reader.js';
import { heldRules } from './claude-code-rules.js';
import type { Engineer, EngineerOrder, EngineerPlan } from './engineer.js';

export const claudeCode: Engineer = {
  kind: 'claude-code',
  versionArgs: ['--version'],
  announces: true,
  speaks: false,
  unheld: (order) => {
    const rules = heldRules({ tree: '', ...order });
    return rules.kind === 'refused' ? rules.detail : null;
  },
  plan,
  reader: () => new ClaudeCodeReader(),
};

const READING = ['Read', 'Glob', 'Grep'];
const WRITING = [...READING, 'Edit', 'Write', 'NotebookEdit', 'Bash'];

/** What the brief asks for and its own judgement of a command does not allow. */
const COMMITTING = 'Bash(git add *),Bash(git commit *)';

function plan(order: EngineerOrder): EngineerPlan {
  const { settings } = order;
  const detail = refusalOf(order);
  if (detail !== null) return { kind: 'refused', detail };
  const rules = heldRules(order);
  if (rules.kind === 'refused') return rules;
  return {
    kind: 'start',
    start: {
      program: settings.path,
      args: [
        ...settings.args,
        '-p',
        '--output-format=stream-json',
        '--verbose',
        ...(settings.projectSettings ? [] : ISOLATED_ARGS),
        ...permissionArgs(order),
        ...rules.args,
        ...(order.tree === order.directory ? [] : [`--add-dir=${order.tree}`]),
        ...(order.model === null ? [] : [`--model=${order.model}`]),
        ...(order.costUsd === null ? [] : [`--max-budget-usd=${order.costUsd}`]),
        ...(order.turns === null ? [] : [`--max-turns=${order.turns}`]),
      ],
      stdin: order.prompt,
      env: {
        ...QUIET,
        TMPDIR: join(order.home, 'tmp'),
        ...settings.env,
        ...ALONE,
        ...(settings.projectSettings ? {} : { CLAUDE_CODE_SAFE_MODE: '1' }),
      },
      files: { 'tmp/.keep': '' },
    },
  };
}

const ISOLATED_ARGS = ['--setting-sources=user', '--strict-mcp-config', '--disable-slash-commands'];

/** No update in the middle of work, no telemetry; an operator may think otherwise. */
const QUIET = { DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };

/** Nothing that the prompt only names, that an earlier run left, or that goes on behind the end. */
const ALONE = {
  CLAUDE_CODE_DISABLE_ATTACHMENTS: '1',
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
};

function refusalOf({ prompt, safety, settings }: EngineerOrder): string | null {
  if (prompt.trim() === '') return 'the prompt is empty';
  if (prompt.trimStart().startsWith('/')) {
    return 'the prompt begins with "/", which claude takes for a command of its own; begin it with a word';
  }
  if (safety === 'full' && !settings.mayBeFull) {
    return 'claude-code may not be given "full" on this runner; ask for "non-destructive", or have its settings allow it';
  }
  if (safety === 'read-only' && settings.projectSettings) {
    return 'project-settings are on, so hooks of the repository run programs, and nothing holds those to "read-only"';
  }
  return null;
}

function permissionArgs({ safety, settings }: EngineerOrder): readonly string[] {
  const skills = settings.projectSettings ? ['Skill'] : [];
  const tools = (names: readonly string[]): string => `--tools=${[...names, ...skills].join(',')}`;
  switch (safety) {
    case 'read-only':
      return [tools(READING), '--permission-mode=dontAsk'];
    case 'non-destructive':
      return [tools(WRITING), '--permission-mode=acceptEdits', `--allowedTools=${COMMITTING}`];
    case 'full':
      return [tools(WRITING), '--permission-mode=bypassPermissions'];
  }
}
