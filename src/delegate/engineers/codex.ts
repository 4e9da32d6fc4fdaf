/**
 * Codex (`codex exec`), as measured with 0.171.0 against a model server on the same machine.
 *
 * What is in effect is said by flags, which win over every file: the user's own configuration is not read (what a provider
 * needs stands in `args`, e.g. `-c model_provider=…`), the project is untrusted, so that no file below `.codex` is read,
 * and instruction files, skills, hooks, plugins and apps are off; for skills see `codex-skills.ts`. Without these it fetches plugins from the network at the
 * start of each run. Execution rules of the repository stay off with `project-settings` too: they could allow a command to
 * leave the sandbox.
 *
 * What it may do is held by its sandbox, around every command: `read-only`: nothing can be written, and no network;
 * `non-destructive`: the tree with its git directory, which it protects unless it is named, and a folder for temporary
 * files, again without network; `full`: no sandbox, where the runner's settings allow it. Nothing is ever asked. Reading is
 * not held: a command may read what the user may read.
 *
 * What it cannot do: it is held to no rule about commands or files. Its own rules refuse `rm x` and let `rm x > /dev/null`,
 * `(rm x)` and `env rm x` through, and its sandbox knows no file that it may not read. It knows neither prices nor a limit of turns, so a brief that limits cost or turns is refused, never
 * begun with a limit that is none. Tokens an operator can bound, by `args`:
 * `-c features.rollout_budget={enabled=true,limit_tokens=…,reminder_at_remaining_tokens=[…]}`; that end is `max_budget`.
 */

import { join } from 'node:path';
import { CodexReader } from './codex-reader.js';
import { skillsOff } from './codex-skills.js';
import type { Engineer, EngineerOrder, EngineerPlan } from './engineer.js';
import { askNote, type Matter, mattersOf, ruleText } from './rules.js';

export const codex: Engineer = {
  kind: 'codex',
  versionArgs: ['--version'],
  announces: true,
  speaks: false,
  unheld,
  plan,
  reader: () => new CodexReader(),
};

function plan(order: EngineerOrder): EngineerPlan {
  const { settings } = order;
  const detail = refusalOf(order) ?? unheld(order);
  if (detail !== null) return { kind: 'refused', detail };
  const skills = settings.projectSettings ? NO_ARGS : skillsOff(order.prompt);
  if (skills.kind === 'refused') return skills;
  return {
    kind: 'start',
    start: {
      program: settings.path,
      args: [
        ...settings.args,
        'exec',
        '--json',
        '--color=never',
        '--ephemeral',
        '--skip-git-repo-check',
        '--ignore-user-config',
        '--ignore-rules',
        ...configArgs({ ...QUIET, ...BOUNDED, ...projectConfig(order), ...sandboxConfig(order) }),
        ...trustArgs(order),
        ...skills.args,
        `--sandbox=${SANDBOX[order.safety]}`,
        ...(settings.projectSettings ? ['--dangerously-bypass-hook-trust'] : []),
        ...(order.model === null ? [] : [`--model=${order.model}`]),
        '-',
      ],
      stdin: order.prompt,
      env: { TMPDIR: join(order.home, 'tmp'), ...settings.env },
      files: { 'tmp/.keep': '' },
    },
  };
}

const NO_ARGS = { kind: 'off', args: [] } as const;

type Config = Readonly<Record<string, string | number | boolean | readonly string[]>>;

const SANDBOX = {
  'read-only': 'read-only',
  'non-destructive': 'workspace-write',
  full: 'danger-full-access',
} as const;

/** No telemetry, no update, nothing fetched beside the model's answers. */
const QUIET: Config = {
  'analytics.enabled': false,
  'feedback.enabled': false,
  check_for_update_on_startup: false,
  'features.plugins': false,
  'features.remote_plugin': false,
  'features.apps': false,
  'features.tool_suggest': false,
  'features.image_generation': false,
  web_search: 'disabled',
};

/** One agent, that asks nobody, gives up on a provider that is not there, and hands no key to what it runs. */
const BOUNDED: Config = {
  approval_policy: 'never',
  'features.multi_agent': false,
  'features.goals': false,
  'features.memories': false,
  'features.unbounded_connection_retries': false,
  'skills.bundled.enabled': false,
  'shell_environment_policy.ignore_default_excludes': false,
};

function projectConfig({ settings }: EngineerOrder): Config {
  return settings.projectSettings
    ? { 'features.hooks': true }
    : { 'features.hooks': false, 'skills.include_instructions': false, project_doc_max_bytes: 0 };
}

function sandboxConfig({ safety, tree }: EngineerOrder): Config {
  if (safety !== 'non-destructive') return {};
  return {
    'sandbox_workspace_write.writable_roots': [tree, join(tree, '.git')],
    'sandbox_workspace_write.network_access': false,
    'sandbox_workspace_write.exclude_slash_tmp': true,
    'sandbox_workspace_write.exclude_tmpdir_env_var': false,
  };
}

/** The text of a JSON value of these types is TOML too. */
function configArgs(config: Config): readonly string[] {
  return Object.entries(config).flatMap(([key, value]) => ['-c', `${key}=${JSON.stringify(value)}`]);
}

/** Of each folder that it might take for the project's. */
function trustArgs({ tree, directory, settings }: EngineerOrder): readonly string[] {
  const level = settings.projectSettings ? 'trusted' : 'untrusted';
  const folders = [...new Set([tree, directory])];
  const entries = folders.map((folder) => `${JSON.stringify(folder)}={trust_level="${level}"}`);
  return ['-c', `projects={${entries.join(',')}}`];
}

function refusalOf({ prompt, safety, settings, costUsd, turns }: EngineerOrder): string | null {
  if (prompt.trim() === '') return 'the prompt is empty';
  if (prompt.startsWith('\ufeff')) return 'the prompt begins with a byte order mark, which codex takes off';
  if (costUsd !== null) {
    return `codex cannot hold a limit of ${costUsd} US dollars, since it knows no prices; leave limits.cost_usd out, or give the brief to claude-code`;
  }
  if (turns !== null) {
    return `codex cannot hold a limit of ${turns} turns; leave limits.turns out, or give the brief to claude-code`;
  }
  if (safety === 'full' && !settings.mayBeFull) {
    return 'codex may not be given "full" on this runner; ask for "non-destructive", or have its settings allow it';
  }
  if (safety === 'read-only' && settings.projectSettings) {
    return 'project-settings are on, so hooks of the repository run programs, and nothing holds those to "read-only"';
  }
  return null;
}

/** What its sandbox does not hold (A5). */
function unheld({ deny, safety }: Pick<EngineerOrder, 'deny' | 'safety'>): string | null {
  const rule = deny.find((one) => mattersOf(one).some((matter) => !isHeld(matter, safety)));
  return rule === undefined
    ? null
    : `codex cannot be held to ${ruleText(rule)}: its own rules miss commands in brackets, with a redirection or behind env, and its sandbox knows no such rule${askNote(rule)}; give the brief to claude-code`;
}

function isHeld(matter: Matter, safety: EngineerOrder['safety']): boolean {
  // Its sandbox has no network, and under read-only nothing to write to.
  if (matter.kind === 'fetch') return safety !== 'full';
  return matter.kind === 'change' && safety === 'read-only';
}
