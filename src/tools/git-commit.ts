/**
 * `git_commit`: commits the present state of named files.
 *
 * The author is the member, as told by whoever makes the tool: the user's own configuration is not read, and a
 * commit made by a model should not carry a person's name. Hooks and filters do not run; a file for which a
 * filter would have to run (LFS and the like) is refused, since without it the wrong bytes would be committed.
 * Files with secrets are refused. What others staged stays staged: only the named paths are committed.
 */

import { z } from 'zod';
import type { Tool, ToolResult } from '../agent/tool.js';
import { failed, ok } from '../agent/tool.js';
import type { GitIdentity } from '../shared/git.js';
import { toolArguments } from './arguments.js';
import { defineTool } from './define-tool.js';
import { locate, shownName } from './files/roots.js';
import { secretVerdict } from './files/secret-paths.js';
import type { GitAccessOptions, Repository } from './git/repository.js';
import { findRepository, outcomeText } from './git/repository.js';
import { literalPath, repositoryPath } from './git/request.js';

const NAMES_BYTES = 4 * 1024 * 1024;

const args = toolArguments({
  message: z
    .string()
    .min(1)
    .max(20_000)
    .describe('commit message: a subject line, then an empty line and more'),
  paths: z
    .array(z.string())
    .min(1)
    .max(100)
    .describe('files and directories to commit as they are now, deletions included; "." for all'),
});

export interface CommitOptions extends GitAccessOptions {
  /** Author and committer, e.g. `bnerd <member>`. */
  readonly identity: GitIdentity;
}

export function gitCommit(options: CommitOptions): Tool {
  return defineTool({
    name: 'git_commit',
    description:
      'Commits the named files of the workspace as they are now, on the present branch. Hooks and filters of ' +
      'the repository do not run.',
    class: 'write',
    arguments: args,
    prepare({ message, paths }) {
      const shown: string[] = [];
      for (const path of paths) {
        const location = locate(options.roots, path);
        if (location.kind === 'refused') return location;
        shown.push(location.shown);
      }
      const summary = `git commit -m ${JSON.stringify(message.split('\n', 1)[0])} -- ${shown.join(' ')}`;
      return { kind: 'ready', summary, subject: `git commit -- ${shown.join(' ')}` };
    },
    async run({ message, paths }, signal) {
      const repository = await findRepository(options, '.', signal);
      if ('kind' in repository) return failed(repository.text);
      const wanted: string[] = [];
      for (const path of paths) {
        const found = repositoryPath(options.roots, repository.location, path);
        if (typeof found !== 'string') return failed(found.text);
        wanted.push(literalPath(found));
      }
      return commit(repository, message, wanted, options.identity, signal);
    },
  });
}

async function commit(
  repository: Repository,
  message: string,
  paths: readonly string[],
  identity: GitIdentity,
  signal: AbortSignal,
): Promise<ToolResult> {
  const changed = await changedFiles(repository, paths, signal);
  if (!Array.isArray(changed)) return changed;
  if (changed.length === 0) return failed('nothing to commit: none of these files has changed');
  const names = changed.map((file) => file.name);
  const secret = names.find((name) => secretVerdict(name.split('/')).kind !== 'plain');
  if (secret !== undefined) {
    return failed(
      `nothing was committed: ${shownName(secret)} holds secrets by its name; name the other paths`,
    );
  }
  const filtered = await filteredFile(repository, names, signal);
  if (filtered !== undefined) return filtered;
  // A path that has been deleted and staged already is unknown to `add`, which would then fail as a whole.
  const unstaged = changed.filter((file) => file.unstaged).map((file) => `${literalPath(file.name)}\0`);
  const steps = [
    ...(unstaged.length > 0 ? [{ args: ADD, input: unstaged.join('') }] : []),
    { args: [...COMMIT, '--', ...paths], input: message },
  ];
  for (const { args: step, input } of steps) {
    const outcome = await repository.git(step, { signal, maxBytes: NAMES_BYTES, input, identity });
    if (outcome.kind !== 'done') return failed(repository.words(outcomeText(outcome)));
  }
  const head = await repository.git(['log', '--max-count=1', '--format=%H %s'], { signal, maxBytes: 4_096 });
  const made = head.kind === 'done' ? head.output.trim() : '';
  const count = `${changed.length} ${changed.length === 1 ? 'file' : 'files'}`;
  return ok(`committed ${made} (${count})`);
}

const ADD = ['add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'];
const COMMIT = [
  'commit',
  '--quiet',
  '--no-verify',
  '--no-gpg-sign',
  '--cleanup=whitespace',
  '--file=-',
  '--only',
];

interface ChangedFile {
  readonly name: string;
  /** The work tree has something that the index has not. */
  readonly unstaged: boolean;
}

async function changedFiles(
  repository: Repository,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ChangedFile[] | ToolResult> {
  const options = [
    '--porcelain=v1',
    '-z',
    '--no-renames',
    '--untracked-files=all',
    '--ignore-submodules=all',
  ];
  const outcome = await repository.git(['status', ...options, '--', ...paths], {
    signal,
    maxBytes: NAMES_BYTES,
  });
  if (outcome.kind !== 'done') return failed(repository.words(outcomeText(outcome)));
  if (outcome.cut) return failed('too many files have changed to be committed at once; name fewer paths');
  return outcome.output
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => ({ name: entry.slice(3), unstaged: entry.charAt(1) !== ' ' }));
}

/** The refusal for the first file whose attributes ask for a configured filter. */
async function filteredFile(
  repository: Repository,
  files: readonly string[],
  signal: AbortSignal,
): Promise<ToolResult | undefined> {
  if (repository.filters.length === 0) return undefined;
  const outcome = await repository.git(['check-attr', '-z', '--stdin', 'filter'], {
    signal,
    maxBytes: 2 * NAMES_BYTES,
    input: files.map((name) => `${name}\0`).join(''),
  });
  if (outcome.kind !== 'done') return failed(repository.words(outcomeText(outcome)));
  const fields = outcome.output.split('\0'); // file, attribute, value, over and over
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const value = fields[at + 2] ?? '';
    if (!repository.filters.includes(value)) continue;
    return failed(
      `nothing was committed: ${shownName(fields[at] ?? '')} goes through the filter "${value}", which does ` +
        'not run here; commit it with shell_exec, or leave it to the operator',
    );
  }
  return undefined;
}
