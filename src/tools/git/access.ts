/**
 * Answers a request about a repository. Patches never show files with secrets: what a patch would touch is asked
 * first, and files on the secret list are excluded by name, which is said.
 */

import type { ToolResult } from '../../agent/tool.js';
import { failed, ok } from '../../agent/tool.js';
import { PATCH_OPTIONS } from '../../shared/git.js';
import type { Refusal } from '../define-tool.js';
import { refused } from '../define-tool.js';
import { shownName } from '../files/roots.js';
import { secretVerdict } from '../files/secret-paths.js';
import type { GitAccessOptions, Repository } from './repository.js';
import { findRepository, outcomeText } from './repository.js';
import type { GitRequest } from './request.js';
import { literalPath, ofCommits, repositoryPath, requestPaths, requestProblem } from './request.js';

export interface GitAccess {
  /** Answers a request; `repository` is `.` or `reads:<n>`, absent: the first root that has one. */
  read(request: GitRequest, repository: string | undefined, signal: AbortSignal): Promise<ToolResult>;
}

const OUTPUT_BYTES = 48 * 1024;

/** Names of changed files: far more than a patch that anybody reads. */
const NAMES_BYTES = 4 * 1024 * 1024;

/** More excluded files than this would not fit on a command line. */
const MAX_EXCLUDED = 500;

/** Merges are shown against their first parent, which is what they brought. */
const SHOW_OPTIONS = ['--first-parent', '-m', '--no-renames'];

/** Wide enough for every name: git would leave out the beginning of a longer one, and so of a secret in it. */
const STAT_OPTIONS = ['--stat=4400,4200', '--stat-graph-width=40'];

/** Git cuts the line behind the place of a hunk at 80 bytes, without a mark, and takes blanks off its end. */
const HUNK_CONTEXT = /^(@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@ )(.{60,})$/gmu;

export function gitAccess(options: GitAccessOptions): GitAccess {
  return {
    async read(request, name, signal) {
      const problem = requestProblem(request);
      if (problem !== undefined) return failed(problem);
      const repository = await findRepository(options, name, signal);
      if ('kind' in repository) return failed(repository.text);
      const paths = repositoryPaths(options, repository, request);
      if ('kind' in paths) return failed(paths.text);
      return answer(repository, ofCommits(request), paths, signal);
    },
  };
}

function repositoryPaths(
  options: GitAccessOptions,
  repository: Repository,
  request: GitRequest,
): readonly string[] | Refusal {
  const paths: string[] = [];
  for (const path of requestPaths(request)) {
    const found = repositoryPath(options.roots, repository.location, path);
    if (typeof found !== 'string') return found;
    paths.push(found);
  }
  return paths;
}

async function answer(
  repository: Repository,
  request: GitRequest,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ToolResult> {
  const [path = '.'] = paths;
  switch (request.kind) {
    case 'status':
      return told(repository, ['status', '--short', '--branch', '--ignore-submodules=all'], signal);
    case 'log':
      return told(repository, logArguments(request, paths), signal);
    case 'file':
      return told(repository, ['cat-file', 'blob', '--', `${request.revision}:${path}`], signal);
    case 'blame': {
      const range = `${request.first},+${request.count}`;
      const revision = request.revision === undefined ? [] : [request.revision];
      const args = ['blame', '--no-textconv', '--date=short', '-L', range, ...revision, '--', path];
      return told(repository, args, signal);
    }
    case 'diff': {
      const options = ['--no-renames', ...(request.staged ? ['--cached'] : [])];
      return patch(repository, ['diff', ...options], request.revisions, request.stat, paths, signal);
    }
    case 'show':
      return patch(repository, ['show', ...SHOW_OPTIONS], [request.revision], request.stat, paths, signal);
  }
}

function logArguments(request: GitRequest & { kind: 'log' }, paths: readonly string[]): string[] {
  return [
    'log',
    `--max-count=${request.limit}`,
    '--date=short',
    '--format=%h %ad %an: %s',
    '--no-show-signature',
    ...PATCH_OPTIONS,
    ...(request.stat ? STAT_OPTIONS : []),
    '--end-of-options',
    ...request.revisions,
    '--',
    ...paths.map(literalPath),
  ];
}

/** A patch or its statistics, without the files that hold secrets. */
async function patch(
  repository: Repository,
  command: readonly string[],
  revisions: readonly string[],
  stat: boolean,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ToolResult> {
  const secrets = stat ? [] : await secretsOf(repository, command, revisions, paths, signal);
  if ('kind' in secrets) return failed(secrets.text);
  const result = await told(
    repository,
    [
      ...command,
      ...PATCH_OPTIONS,
      ...(stat ? STAT_OPTIONS : []),
      ...(command[0] === 'show' ? ['--no-show-signature', '--date=iso-strict'] : []),
      '--end-of-options',
      ...revisions,
      '--',
      ...paths.map(literalPath),
      ...secrets.map((path) => `:(top,exclude,literal)${path}`),
    ],
    signal,
    (output) =>
      output.replace(HUNK_CONTEXT, (_, place: string, context: string) => {
        return `${place}${clean(repository, { output: context, cut: true })}`.trimEnd();
      }),
  );
  if (secrets.length === 0 || result.outcome === 'error') return result;
  const named = secrets.slice(0, 10).map(shownName).join(', ');
  return ok(`${result.text}\n(files with secrets are left out: ${named}${secrets.length > 10 ? ', …' : ''})`);
}

async function secretsOf(
  repository: Repository,
  command: readonly string[],
  revisions: readonly string[],
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[] | Refusal> {
  const args = [
    ...command,
    ...PATCH_OPTIONS,
    '--name-only',
    '-z',
    ...(command[0] === 'show' ? ['--format=', '--no-show-signature'] : []),
    '--end-of-options',
    ...revisions,
    '--',
    ...paths.map(literalPath),
  ];
  const outcome = await repository.git(args, { signal, maxBytes: NAMES_BYTES });
  if (outcome.kind !== 'done') return refused(repository.words(outcomeText(outcome)));
  const secrets = outcome.output
    .split('\0')
    .filter((name) => name !== '' && secretVerdict(name.split('/')).kind !== 'plain');
  if (!outcome.cut && secrets.length <= MAX_EXCLUDED) return secrets;
  return refused('the change touches too many files to be looked through for secrets; name a path');
}

async function told(
  repository: Repository,
  args: readonly string[],
  signal: AbortSignal,
  prepared: (output: string) => string = (output) => output,
): Promise<ToolResult> {
  const outcome = await repository.git(args, { signal, maxBytes: OUTPUT_BYTES });
  if (outcome.kind !== 'done') return failed(repository.words(outcomeText(outcome)));
  const { shown } = repository.location;
  const from = shown === '.' ? '' : `(repository ${shown})\n`;
  if (outcome.output === '') return ok(`${from}(nothing)`);
  const output = clean(repository, { ...outcome, output: prepared(outcome.output) });
  const text = outcome.cut
    ? `${output}\n(cut at ${OUTPUT_BYTES} bytes; narrow it by path or revision)`
    : output.trimEnd();
  return ok(`${from}${text}`);
}

/** What git has printed, without what is secret. A bound may have cut a character in two: its half goes first. */
function clean(
  repository: Repository,
  { output, cut }: { readonly output: string; readonly cut: boolean },
): string {
  return cut ? repository.clean(output.replace(/\uFFFD$/, ''), 'cut') : repository.clean(output, 'whole');
}
