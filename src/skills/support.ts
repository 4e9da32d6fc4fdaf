/**
 * The support badge, and what a partial entry shows in place of files that a member cannot reach
 * (spec/skills.md §5). Neither is a security control.
 *
 * A reference is a path that starts with `scripts/`, `references/` or `assets/`, whether or not the file
 * exists, alone or behind `./` or a placeholder of the bundle such as `{baseDir}/`. A longer path
 * (`src/assets/x`, `../scripts/x`) and a URL are none: they do not point into the bundle.
 *
 * Always true: only references are replaced, no line is added or removed, and no backtick or tilde fence is
 * touched or made, so fenced code stays balanced, wherever the bundle lies.
 */

import { posix } from 'node:path';
import type { Support } from './entry.js';

const NOT_AVAILABLE = 'not available here';

/** What the badge reads. Provenance is left out: it is in no digest, so it may not change a field that is. */
export interface BadgeFields {
  readonly body: string;
  /** The other values of the frontmatter that the digest covers. */
  readonly values: readonly string[];
  /** Whether `allowed-tools` stands in the file, be it empty. */
  readonly declaresTools: boolean;
}

/** `partial` when tools are declared or anything refers to a file of the bundle. */
export function supportBadge(fields: BadgeFields): Support {
  const refers = [fields.body, ...fields.values].some((text) => findReferences(text).length > 0);
  return fields.declaresTools || refers ? 'partial' : 'full';
}

/**
 * The text with each reference replaced: by `(not available here)`, or, when the bundle lies where the member
 * can read, by the path that its tools accept.
 * A reference that climbs out of the bundle is not available either way.
 * @param bundlePath the directory of the entry as the member's tools name it, `.` for their own; null when out of
 *   reach. One that cannot stand inside a text (a line break, a backtick, what opens a fence) counts as out of reach
 */
export function replaceReferences(text: string, bundlePath: string | null = null): string {
  const bundle = bundlePath !== null && STANDS_IN_TEXT.test(bundlePath) ? bundlePath : null;
  let replaced = '';
  let done = 0;
  for (const reference of findReferences(text)) {
    replaced += text.slice(done, reference.start) + replacement(text, reference, bundle);
    done = reference.end;
  }
  return replaced + text.slice(done);
}

interface Reference {
  readonly start: number;
  readonly end: number;
  /** The path inside the bundle. */
  readonly path: string;
}

function replacement(text: string, reference: Reference, bundlePath: string | null): string {
  const path = posix.normalize(reference.path);
  if (bundlePath !== null && path !== '..' && !path.startsWith('../'))
    return inBundle(bundlePath, reference.path);
  const bracketed = text[reference.start - 1] === '(' && text[reference.end] === ')';
  return bracketed ? NOT_AVAILABLE : `(${NOT_AVAILABLE})`; // a Markdown link keeps its own brackets
}

function inBundle(bundlePath: string, path: string): string {
  return bundlePath === '.' ? path : `${bundlePath.replace(/\/+$/, '')}/${path}`;
}

const STANDS_IN_TEXT = /^(?![~\s])[^\p{Cc}\u2028\u2029`]*\S$/u;

/** What every reference holds. */
const FOLDERS = ['scripts/', 'references/', 'assets/'];

/**
 * A URL, matched first so that nothing inside it counts, or a reference. Both begin only where a word begins:
 * that keeps the search linear on a long line.
 */
const URL_OR_REFERENCE = new RegExp(
  [
    String.raw`(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*://[^\s<>"'\x60]*`,
    String.raw`(?<![\w/.\\~$-])(?:\./|\$?\{[A-Za-z_]*(?:DIR|[Dd]ir|ROOT|[Rr]oot|PATH|[Pp]ath)\}/)?` +
      String.raw`(?<path>(?:scripts|references|assets)/(?:[^\s"'\x60()[\],;|]|\[[\w-]+\])*)`,
  ].join('|'),
  'gu',
);

function findReferences(text: string): Reference[] {
  const found: Reference[] = [];
  if (!FOLDERS.some((folder) => text.includes(folder))) return found; // most texts: much faster than the search
  for (const match of text.matchAll(URL_OR_REFERENCE)) {
    const path = match.groups?.['path'];
    if (path === undefined) continue;
    const kept = withoutClosingMarks(path, text[match.index - 1]);
    const end = match.index + match[0].length - (path.length - kept.length);
    found.push({ start: match.index, end, path: kept });
  }
  return found;
}

/** Drops what ends the sentence or the emphasis around a path rather than the path itself. */
function withoutClosingMarks(path: string, before: string | undefined): string {
  const emphasis = before === '*' || before === '_' ? before : '';
  const marks = `.:!?…${emphasis}${path.includes('<') ? '' : '>'}`;
  let end = path.length;
  while (end > 0 && marks.includes(path.charAt(end - 1))) end--;
  return path.slice(0, end);
}
