/**
 * Git in places that others can write: the one function that makes argument list and environment, and the one
 * that runs them (spec/team.md §2, spec/runner.md §3).
 *
 * Configuration of a repository is somebody else's text, and much of it names programs. Always true here:
 *  G1 the git directory and the work tree are said, never searched for: a repository planted in the tree is
 *     not met;
 *  G2 no system and no user configuration, no attributes of the system, no prompt, no pager, no editor, no
 *     network protocol but those asked for;
 *  G3 no hook, file-system monitor, filter, external diff, text conversion, signature program or maintenance
 *     of the repository runs;
 *  G4 an argument list, never a shell; a revision or path never reads as an option.
 */

import { within } from './abort.js';
import { systemCode } from './errors.js';

/** Which repository, and over which tree. */
export interface GitPlace {
  /** Absolute path of the git directory. */
  readonly gitDir: string;
  /** Absolute path of the tree; commands run in it. */
  readonly workTree: string;
}

/** A repository that has no tree; commands run in it. */
export interface BareGitPlace {
  /** Absolute path of the git directory. */
  readonly gitDir: string;
  readonly workTree: null;
}

export interface GitIdentity {
  readonly name: string;
  readonly email: string;
}

export interface GitOptions {
  /** `PATH` to find git in. */
  readonly path: string;
  /** Names of the filters the repository has configured: each is switched off (G3). See `configuredFilters`. */
  readonly filters?: readonly string[];
  /** Author and committer of a commit; the user's own configuration is off. */
  readonly identity?: GitIdentity;
  /** Protocols that may be used, e.g. `https`; none unless given. */
  readonly protocols?: readonly string[];
  /**
   * Further variables, the operator's or ours, such as `SSH_AUTH_SOCK` or `GIT_ASKPASS` to reach a private repository. What
   * would say another repository is left out, and what is set here for G2 stays as it is.
   */
  readonly env?: Readonly<Record<string, string>>;
}

/** What to start: the program is `git`, without a shell. */
export interface GitCommand {
  readonly argv: readonly string[];
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface GitLimits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Longest standard output kept; git is ended when it writes more, and the outcome says `cut`. */
  readonly maxBytes: number;
  /** Standard input; empty unless given. */
  readonly input?: string | Uint8Array;
}

export type GitOutcome =
  | { readonly kind: 'done'; readonly output: string; readonly cut: boolean }
  /** Git said no; `message` is its standard error, bounded. */
  | { readonly kind: 'failed'; readonly code: number; readonly message: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'missing' };

/** Switched off by name, since no option covers all of them. */
const OFF: readonly string[] = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'core.askPass=',
  'core.editor=false',
  'core.sshCommand=false',
  'core.gitProxy=',
  'core.alternateRefsCommand=false',
  'core.untrackedCache=keep',
  'core.quotePath=false',
  'credential.helper=',
  'protocol.allow=never',
  'safe.bareRepository=explicit',
  'submodule.recurse=false',
  // Not "none" but a program without a name: a patch without `PATCH_OPTIONS` fails instead of running one.
  'diff.external=',
  'diff.ignoreSubmodules=all',
  'diff.trustExitCode=false',
  'log.showSignature=false',
  'commit.gpgSign=false',
  'commit.template=',
  'tag.gpgSign=false',
  'gpg.program=false',
  'gpg.ssh.program=false',
  'gpg.x509.program=false',
  // These read files that the configuration names, and git quotes what it cannot read of them.
  'blame.ignoreRevsFile=',
  'mailmap.file=/dev/null',
  'mailmap.blob=',
  'gc.auto=0',
  'maintenance.auto=false',
  'color.ui=false',
  'column.ui=never',
  'advice.addEmbeddedRepo=false',
  'advice.statusHints=false',
];

/** Options of every command that can show a patch: no external program, no step into a submodule. */
export const PATCH_OPTIONS: readonly string[] = [
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--ignore-submodules=all',
];

/**
 * Argument list and environment of one git command.
 * @param args subcommand, options, then `--end-of-options` and what others wrote (`blame` does not take that
 *   word: give it only revisions that cannot begin with `-`)
 */
export function hardenedGit(
  place: GitPlace | BareGitPlace,
  args: readonly string[],
  options: GitOptions,
): GitCommand {
  const { gitDir, workTree } = place;
  const settings = [...OFF, ...(options.protocols ?? []).map((name) => `protocol.${name}.allow=always`)];
  for (const filter of options.filters ?? []) {
    settings.push(`filter.${filter}.clean=`, `filter.${filter}.smudge=`);
    settings.push(`filter.${filter}.process=`, `filter.${filter}.required=false`);
  }
  return {
    argv: [
      '--no-pager',
      `--git-dir=${gitDir}`,
      ...(workTree === null ? [] : [`--work-tree=${workTree}`]),
      ...settings.flatMap((setting) => ['-c', setting]),
      ...args,
    ],
    env: environment(options),
    cwd: workTree ?? gitDir,
  };
}

function environment(options: GitOptions): Record<string, string> {
  const env: Record<string, string> = {
    ...withoutPlaces(options.env ?? {}),
    PATH: options.path,
    // Old versions know only HOME and XDG_CONFIG_HOME, newer ones GIT_CONFIG_GLOBAL.
    HOME: '/dev/null',
    XDG_CONFIG_HOME: '/dev/null',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: (options.protocols ?? []).join(':'),
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'false',
  };
  if (options.identity !== undefined) {
    env['GIT_AUTHOR_NAME'] = env['GIT_COMMITTER_NAME'] = options.identity.name;
    env['GIT_AUTHOR_EMAIL'] = env['GIT_COMMITTER_EMAIL'] = options.identity.email;
  }
  return env;
}

/** Without what would say another repository, index or set of objects (G1). */
function withoutPlaces(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !PLACES.has(name)));
}

const PLACES: ReadonlySet<string> = new Set([
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_COMMON_DIR',
  'GIT_INDEX_FILE',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_QUARANTINE_PATH',
  'GIT_TEMPLATE_DIR',
  'GIT_EXEC_PATH',
]);

/**
 * Names of the filters that a repository's configuration defines, for `GitOptions.filters`. A name that cannot
 * be switched off by an option (it holds `=`) fails: then nothing may run over this tree.
 */
export async function configuredFilters(
  place: GitPlace,
  options: GitOptions,
  limits: GitLimits,
): Promise<
  { readonly kind: 'filters'; readonly names: readonly string[] } | Exclude<GitOutcome, { kind: 'done' }>
> {
  const args = ['config', '--null', '--name-only', '--get-regexp', '^filter\\.'];
  const outcome = await runGit(hardenedGit(place, args, options), limits);
  if (outcome.kind === 'failed' && outcome.code === 1) return { kind: 'filters', names: [] }; // none matches
  if (outcome.kind !== 'done') return outcome;
  const keys = outcome.output.split('\0').filter((key) => key !== '');
  const names = [...new Set(keys.map((key) => key.replace(/^filter\./, '').replace(/\.[^.]*$/, '')))];
  if (!outcome.cut && names.every((name) => !name.includes('='))) return { kind: 'filters', names };
  return {
    kind: 'failed',
    code: -1,
    message: 'the repository configures filters that cannot be switched off',
  };
}

/** Longest standard error taken: warnings come one a file, and git is ended beyond this. */
const STDERR_BYTES = 1 << 20;

/** Longest part of it that is handed on. */
const MESSAGE_LENGTH = 2_000;

/** Between SIGTERM and SIGKILL when git does not stop. */
const KILL_AFTER_MS = 1_000;

/** Runs a hardened command; failures are outcomes. Settles within `timeoutMs` plus a second. */
export async function runGit(command: GitCommand, limits: GitLimits): Promise<GitOutcome> {
  if (limits.signal.aborted) return { kind: 'cancelled' };
  // No system takes one in an argument; nothing is named by it either.
  if (command.argv.some((word) => word.includes('\0')))
    return { kind: 'failed', code: -1, message: 'a word of the command holds a zero byte' };
  const { execa } = await import('execa'); // 40 ms that a command without git does not pay
  const running = execa('git', command.argv, {
    cwd: command.cwd,
    env: command.env,
    extendEnv: false,
    shell: false,
    detached: true,
    input: limits.input ?? '',
    reject: false,
    stripFinalNewline: false,
    encoding: 'buffer',
    maxBuffer: { stdout: limits.maxBytes, stderr: STDERR_BYTES },
  });
  const stop = within(limits.signal, limits.timeoutMs);
  const end = (): void =>
    endGroup(running.pid, () => {
      // Who has left the group and holds the output open has no say (case Q38).
      running.stdout.destroy();
      running.stderr.destroy();
    });
  stop.addEventListener('abort', end, { once: true });
  const result = await running;
  stop.removeEventListener('abort', end);
  // A character may be cut at the bound; the decoder shows a replacement for it.
  const output = Buffer.from(result.stdout).toString('utf8');
  if (result.isMaxBuffer && result.stdout.length >= limits.maxBytes)
    return { kind: 'done', output, cut: true };
  if (!result.failed) return { kind: 'done', output, cut: false };
  if (stop.aborted) return { kind: limits.signal.aborted ? 'cancelled' : 'timeout' };
  if (systemCode(result.cause) === 'ENOENT') return { kind: 'missing' };
  const said = Buffer.from(result.stderr).toString('utf8').trim();
  const message = said.length <= MESSAGE_LENGTH ? said : `${said.slice(0, MESSAGE_LENGTH)}…`;
  return {
    kind: 'failed',
    code: result.exitCode ?? -1,
    message: message === '' ? 'git ended early' : message,
  };
}

/**
 * The whole group: what git has started would hold its output open.
 * @param over called behind the last signal
 */
function endGroup(group: number | undefined, over: () => void): void {
  if (group === undefined) return;
  send(group, 'SIGTERM');
  setTimeout(() => {
    send(group, 'SIGKILL');
    over();
  }, KILL_AFTER_MS).unref();
}

function send(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if (systemCode(error) !== 'ESRCH') throw error; // it has ended
  }
}
