/**
 * Gemini CLI (`gemini --acp`), as measured with 0.61.0 against a model server on the same machine. It is spoken with over
 * ACP, since its headless mode takes `@file` and `/command` in a prompt for its own, and ends where it would have to ask.
 *
 * What is in effect stands in the settings of its home, which are ours. The folder is not trusted, so that it takes nothing
 * of the repository: no settings, hooks, servers, extensions, commands, agents, skills, `GEMINI.md` or `.env`; with
 * `project-settings` it is. Without these settings it sends usage statistics.
 *
 * What it may do: `read-only`: four tools that read, below the tree. `non-destructive`: edits below the tree and not of
 * `.git`, and of commands `git add` and `git commit`, each alone; what else a model writes into a shell is denied by its
 * policy, or asked and rejected. `full`: every command, where the runner's settings allow it.
 *
 * Rules that deny: it has no shell but for `git add` and `git commit`, and under `read-only` changes nothing, so what speaks of
 * anything else there is held; it knows no file that it may not read or change.
 *
 * Turns are held by the program itself. It knows no price, so a brief with a limit of cost is refused. Over ACP it says
 * `end_turn` as well where the model was cut short (measured with MAX_TOKENS and SAFETY): verification has to find that.
 */

import { join } from 'node:path';
import type { DeniedRule } from '../brief/brief.js';
import { conversationRefusal } from './acp.js';
import { AcpConversation } from './acp-conversation.js';
import type { Engineer, EngineerOrder, EngineerPlan } from './engineer.js';
import { askNote, isWhole, type Matter, mattersOf, ruleText } from './rules.js';

export const gemini: Engineer = {
  kind: 'gemini',
  versionArgs: ['--version'],
  announces: true,
  speaks: true,
  unheld,
  plan,
  reader: (order, voice) => new AcpConversation(order, voice),
};

function plan(order: EngineerOrder): EngineerPlan {
  const { settings, tree, directory } = order;
  const detail = conversationRefusal('gemini', order) ?? unheld(order);
  if (detail !== null) return { kind: 'refused', detail };
  return {
    kind: 'start',
    start: {
      program: settings.path,
      args: [
        ...settings.args,
        '--acp',
        ...(tree === directory ? [] : [`--include-directories=${tree}`]),
        ...(order.model === null ? [] : [`--model=${order.model}`]),
      ],
      stdin: order.prompt,
      env: { ...QUICK, TMPDIR: join(order.home, 'tmp'), ...settings.env, ...alone(order) },
      files: {
        'tmp/.keep': '',
        '.gemini/settings.json': JSON.stringify(settingsOf(order)),
      },
    },
  };
}

/** Without it it starts twice, for a larger heap. */
const QUICK = { GEMINI_CLI_NO_RELAUNCH: 'true' };

/** Each could bring in the folder, another home, or instructions of a file. */
function alone({ home, settings }: EngineerOrder): Readonly<Record<string, string>> {
  return {
    GEMINI_CLI_TRUST_WORKSPACE: String(settings.projectSettings),
    GEMINI_CLI_HOME: home,
    GEMINI_SYSTEM_MD: 'false',
  };
}

const READING = ['list_directory', 'read_file', 'glob', 'grep_search'];
const WRITING = [...READING, 'replace', 'write_file'];
const COMMITTING = ['run_shell_command(git add)', 'run_shell_command(git commit)'];

const TOOLS = {
  'read-only': { core: READING, allowed: [] },
  'non-destructive': { core: [...WRITING, ...COMMITTING], allowed: COMMITTING },
  full: { core: [...WRITING, 'run_shell_command'], allowed: [] },
} as const;

function settingsOf({ safety, turns, settings }: EngineerOrder): object {
  const project = settings.projectSettings;
  return {
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 3 },
    tools: TOOLS[safety],
    ...(turns === null ? {} : { model: { maxSessionTurns: turns } }),
    context: { includeDirectoryTree: false },
    experimental: { enableAgents: false },
    security: { folderTrust: { enabled: true } },
    ...(project
      ? {}
      : {
          skills: { enabled: false },
          hooksConfig: { enabled: false },
          advanced: { ignoreLocalEnv: true },
          admin: { mcp: { enabled: false }, extensions: { enabled: false }, skills: { enabled: false } },
        }),
  };
}

/** What neither its tools nor its safety holds (A5). */
function unheld({
  deny,
  safety,
  settings,
}: Pick<EngineerOrder, 'deny' | 'safety' | 'settings'>): string | null {
  const widened = settings.projectSettings || settings.args.some((word) => WIDENING.test(word));
  const rule = deny.find((one) =>
    mattersOf(one).some((matter) => !isHeld(one, matter, widened ? 'full' : safety)),
  );
  return rule === undefined
    ? null
    : `gemini cannot be held to ${ruleText(rule)}: it has no rules of its own for commands that it may run, nor for files${askNote(rule)}; give the brief to claude-code`;
}

/** Arguments that let it run more. */
const WIDENING = /^(-y|--yolo|--approval-mode|--allowed-tools|--policy|--admin-policy)/;

function isHeld(rule: DeniedRule, matter: Matter, safety: EngineerOrder['safety']): boolean {
  if (matter.kind === 'fetch') return true; // it has no such tool
  if (matter.kind === 'read' || safety === 'full') return false;
  if (safety === 'read-only') return true;
  return matter.kind === 'command' && !isWhole(rule) && speaksOfOthers(rule.match ?? '');
}

/** Whether a pattern can match neither of the commands that it may run. */
function speaksOfOthers(match: string): boolean {
  const [start = ''] = match.trim().split(/\*|:\*/);
  return ['git add', 'git commit'].every((own) => !own.startsWith(start) && !start.startsWith(own));
}
