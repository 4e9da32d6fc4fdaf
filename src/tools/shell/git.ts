/**
 * Plain `git status|log|diff|show|blame` of a shell line as the request that the git tools answer, so that a
 * repository's configuration runs nothing and files with secrets stay out here too. A form or option that is not
 * understood gives undefined: such a line is not class Read.
 */

import type { GitRequest } from '../git/request.js';
import { isRevision } from '../git/request.js';
import { DEFAULT_LINES } from '../git-blame.js';
import { DEFAULT_COMMITS, MAX_COMMITS } from '../git-log.js';

/** Tells a path from a revision where no `--` does. */
export type IsPath = (word: string) => boolean;

/** The request of the words after `git`. */
export function gitRequest(words: readonly string[], isPath: IsPath): GitRequest | undefined {
  const [name, ...rest] = words;
  const parts = partsOf(rest, isPath);
  if (parts === undefined) return undefined;
  switch (name) {
    case 'status':
      return parts.options.every((option) => /^(-s|-b|-sb|--short|--branch|--porcelain)$/.test(option)) &&
        parts.revisions.length + parts.paths.length === 0
        ? { kind: 'status' }
        : undefined;
    case 'log':
      return logRequest(parts);
    case 'diff':
      return diffRequest(parts);
    case 'show':
      return showRequest(parts);
    case 'blame':
      return blameRequest(parts);
    default:
      return undefined;
  }
}

interface Parts {
  readonly options: readonly string[];
  readonly revisions: readonly string[];
  readonly paths: readonly string[];
}

/** Options whose value may be the next word are joined with it. */
const VALUED = /^-[nL]$/;

function partsOf(words: readonly string[], isPath: IsPath): Parts | undefined {
  const dashes = words.indexOf('--');
  const before = dashes === -1 ? words : words.slice(0, dashes);
  const options: string[] = [];
  const revisions: string[] = [];
  const paths: string[] = dashes === -1 ? [] : words.slice(dashes + 1).map(own);
  for (let at = 0; at < before.length; at++) {
    const word = before[at] ?? '';
    if (VALUED.test(word)) options.push(`${word}${before[++at] ?? ''}`);
    else if (word.startsWith('-')) options.push(word);
    else if (dashes === -1 && isPath(word)) paths.push(own(word));
    else revisions.push(word);
  }
  return { options, revisions, paths };
}

/** `reads:1/a` is a path of ours, not of a shell: there it is a file of that very name. */
function own(path: string): string {
  return path.startsWith('/') ? path : `./${path}`;
}

function logRequest({ options, revisions, paths }: Parts): GitRequest | undefined {
  let limit = DEFAULT_COMMITS;
  let stat = false;
  for (const option of options) {
    const count = /^(?:-n|-|--max-count=)(\d{1,6})$/.exec(option)?.[1];
    if (count !== undefined) limit = Math.min(Math.max(Number(count), 1), MAX_COMMITS);
    else if (option === '--stat') stat = true;
    else if (option !== '--oneline') return undefined;
  }
  return revisions.every(isRevision) ? { kind: 'log', revisions, limit, stat, paths } : undefined;
}

function diffRequest({ options, revisions, paths }: Parts): GitRequest | undefined {
  if (revisions.length > 2 || !revisions.every(isRevision)) return undefined;
  if (!options.every((option) => /^--(stat|staged|cached)$/.test(option))) return undefined;
  const staged = options.some((option) => option !== '--stat');
  return { kind: 'diff', revisions, staged, stat: options.includes('--stat'), paths };
}

function showRequest({ options, revisions, paths }: Parts): GitRequest | undefined {
  if (revisions.length > 1 || !options.every((option) => option === '--stat')) return undefined;
  const [word = 'HEAD'] = revisions;
  const colon = word.indexOf(':');
  const revision = colon === -1 ? word : word.slice(0, colon);
  if (!isRevision(revision)) return undefined;
  if (colon === -1) return { kind: 'show', revision, stat: options.includes('--stat'), paths };
  return options.length + paths.length === 0
    ? { kind: 'file', revision, path: own(word.slice(colon + 1)) }
    : undefined;
}

function blameRequest({ options, revisions, paths }: Parts): GitRequest | undefined {
  const [path] = paths;
  const [revision] = revisions;
  if (path === undefined || paths.length > 1 || revisions.length > 1) return undefined;
  if (revision !== undefined && !isRevision(revision)) return undefined;
  let first = 1;
  let count = DEFAULT_LINES;
  for (const option of options) {
    const range = /^-L(\d{1,9}),(\+?)(\d{1,9})$/.exec(option);
    if (range === null) return undefined;
    first = Math.max(1, Number(range[1]));
    count = range[2] === '+' ? Number(range[3]) : Number(range[3]) - first + 1;
    if (count < 1) return undefined;
  }
  return { kind: 'blame', revision, path, first, count };
}
