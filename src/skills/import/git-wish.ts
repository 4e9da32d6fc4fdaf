/**
 * Which revision and which file are asked for (spec/skills.md §9), judged as words before git sees them.
 *
 * Always true: a ref that is accepted names one branch, one tag or one commit in full; it is no option, no refspec, no
 * expression and no pattern. A path that is accepted stays inside of its repository.
 */

import type { Finding } from '../../shared/findings.js';
import { oneLine } from '../../shared/terminal-text.js';

export type WantedRef =
  | { readonly kind: 'commit'; readonly sha: string }
  /** In the order in which they are looked for; more than one that exists is ambiguous. */
  | { readonly kind: 'name'; readonly name: string; readonly full: readonly string[] };

export type RefRead =
  | { readonly kind: 'ref'; readonly ref: WantedRef }
  | { readonly kind: 'refused'; readonly finding: Finding };

const MAX_REF_CHARACTERS = 200;
const MAX_PATH_CHARACTERS = 512;
const MAX_FOLDERS = 16;

/** A full commit id of either object format. */
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Reads `--ref`: `v1.2.0`, `refs/tags/v1.2.0`, `refs/heads/main`, or a commit id in full. */
export function readRef(written: string): RefRead {
  if (COMMIT.test(written)) return { kind: 'ref', ref: { kind: 'commit', sha: written } };
  const problem = refProblem(written);
  if (problem !== null) {
    const message = `found "${oneLine(written, 80)}": ${problem}`;
    const remedy = 'write a tag, a branch, or the commit in full (40 or 64 lower-case hex digits)';
    return {
      kind: 'refused',
      finding: { code: 'bad-ref', severity: 'error', path: '--ref', message, remedy },
    };
  }
  const full = written.startsWith('refs/') ? [written] : [`refs/tags/${written}`, `refs/heads/${written}`];
  return { kind: 'ref', ref: { kind: 'name', name: written, full } };
}

/** The rules of git for names of refs, and those that keep a name from being something else. */
function refProblem(ref: string): string | null {
  if (ref === '') return 'it is empty';
  if (ref.length > MAX_REF_CHARACTERS) return `it has more than ${MAX_REF_CHARACTERS} characters`;
  if (/[^\x21-\x7e]/.test(ref)) return 'allowed are visible ASCII characters';
  if (/^[-+]/.test(ref)) return 'it begins like an option or a refspec';
  if (/[~^:?*[\\]|\.\.|@\{|^@$/.test(ref)) return 'it is an expression or a pattern, not a name';
  if (/^\/|\/\/|\/$|\.$|(?:^|\/)\.|\.lock(?:\/|$)/.test(ref))
    return 'no branch and no tag can have this name';
  if (/^[0-9a-f]{40,}$/i.test(ref)) return 'it is like a commit id and is none';
  if (ref.startsWith('refs/') && !/^refs\/(?:heads|tags)\/./.test(ref)) return 'it is neither branch nor tag';
  return null;
}

export type PathRead =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'refused'; readonly finding: Finding };

/** Reads `--file`: a path inside of the repository, with forward slashes. */
export function readFilePath(written: string): PathRead {
  const problem = pathProblem(written);
  if (problem === null) return { kind: 'path', path: written };
  const message = `found "${oneLine(written, 80)}": ${problem}`;
  const remedy = 'write the path of the file in the repository, such as skills/pdf/SKILL.md';
  return {
    kind: 'refused',
    finding: { code: 'bad-file', severity: 'error', path: '--file', message, remedy },
  };
}

function pathProblem(path: string): string | null {
  if (path === '') return 'it is empty';
  if (path.length > MAX_PATH_CHARACTERS) return `it has more than ${MAX_PATH_CHARACTERS} characters`;
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(path)) return 'it holds a character that cannot be seen';
  if (/^[-:]/.test(path)) return 'it begins like an option';
  if (path.includes('\\') || path.startsWith('/') || path.startsWith('~') || /^[A-Za-z]:/.test(path)) {
    return 'allowed is a relative path with forward slashes';
  }
  const parts = path.split('/');
  if (parts.length > MAX_FOLDERS) return `it has more than ${MAX_FOLDERS} parts`;
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    return 'it has an empty, "." or ".." part';
  return null;
}
