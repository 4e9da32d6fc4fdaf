/**
 * Where a path of a model points: into the workspace or into one of the read roots, by its text alone.
 *
 * How paths are written: relative ones mean the workspace; `reads:2/src/a.ts` means the second read root; an
 * absolute one must lie inside a root. A relative path that the workspace does not have is looked for in the
 * read roots, in their order, by tools that only read. Nothing here touches a disk.
 */

import { isAbsolute, relative } from 'node:path';
import type { Refusal } from '../define-tool.js';
import { refused } from '../define-tool.js';
import { foldName } from './fold-name.js';

/** Real, absolute paths of existing directories: links in them were followed when the run was planned. */
export interface Roots {
  /** Read and written. */
  readonly workspace: string;
  /** Only read. */
  readonly reads: readonly string[];
}

/** A place inside a root. */
export interface Location {
  readonly kind: 'inside';
  /** Absolute path of the root. */
  readonly root: string;
  /** The workspace, or a read root. */
  readonly area: 'workspace' | 'reads';
  /** Names from the root down; none of them is empty, `.` or `..`. Empty: the root itself. */
  readonly segments: readonly string[];
  /** The path as it is shown to a model: `src/a.ts`, `reads:1/src/a.ts`, `.`, `reads:1`. */
  readonly shown: string;
  /** The path ended in a slash: it can only mean a directory. */
  readonly directory: boolean;
}

/** No system takes longer ones; beyond it a path is a mistake or an attack. */
const LONGEST_PATH = 4_096;

const READS = /^reads:([1-9]\d{0,2})(?:\/(.*))?$/s;

/** The one place that a path names. */
export function locate(roots: Roots, path: string): Location | Refusal {
  if (path.includes('\0')) return outside(path, 'holds a NUL character');
  if (path === '') return outside(path, 'is empty');
  if (path.length > LONGEST_PATH) return outside(path, `is longer than ${LONGEST_PATH} characters`);
  const reads = READS.exec(path);
  if (reads !== null) return inReads(roots, path, Number(reads[1]), reads[2] ?? '');
  if (isAbsolute(path)) return locateAbsolute(roots, path);
  return inside(path, roots.workspace, 'workspace', '', path);
}

/** The places to look at for reading, in order: a relative path may be one of the read roots'. */
export function locateForReading(roots: Roots, path: string): readonly Location[] | Refusal {
  const first = locate(roots, path);
  if (first.kind === 'refused') return first;
  if (isAbsolute(path) || READS.test(path) || first.segments.length === 0) return [first];
  const others = roots.reads.map((root, index) => ({
    ...first,
    root,
    area: 'reads' as const,
    shown: shownPath(index + 1, first.segments),
  }));
  return [first, ...others];
}

/** The location of a name below another location. */
export function below(location: Location, segments: readonly string[]): Location {
  const prefix = /^reads:\d+/.exec(location.area === 'reads' ? location.shown : '')?.[0];
  const all = [...location.segments, ...segments];
  const shown = prefix === undefined ? shownPath(0, all) : [prefix, ...all.map(shownName)].join('/');
  return { ...location, segments: all, shown, directory: false };
}

/** Whether a location of the workspace lies in a read root that is below the workspace: there it is only read as well. */
export function isInReadRoot({ workspace, reads }: Roots, { segments }: Location): boolean {
  const names = segments.map(foldName);
  return reads.some((root) => {
    const rest = relativeTo(workspace, root);
    if (rest === undefined || rest === '') return false;
    return rest.split('/').every((name, at) => foldName(name) === names[at]);
  });
}

/** The root of a path: the workspace, or read root `n`, as a location. */
export function rootLocation(roots: Roots, read: number): Location {
  const root = read === 0 ? roots.workspace : (roots.reads[read - 1] ?? roots.workspace);
  const area = read === 0 ? 'workspace' : 'reads';
  return { kind: 'inside', root, area, segments: [], shown: shownPath(read, []), directory: true };
}

function inReads(roots: Roots, path: string, number: number, rest: string): Location | Refusal {
  const root = roots.reads[number - 1];
  if (root !== undefined) return inside(path, root, 'reads', `reads:${number}`, rest);
  const known = roots.reads.length === 0 ? 'there is none' : `reads:1 to reads:${roots.reads.length}`;
  return outside(path, `names a read root that does not exist (${known})`);
}

/** The workspace first, since it may be written; among read roots the innermost. */
function locateAbsolute(roots: Roots, path: string): Location | Refusal {
  const own = relativeTo(roots.workspace, path);
  if (own !== undefined) return inside(path, roots.workspace, 'workspace', '', own);
  let found: { readonly index: number; readonly rest: string } | undefined;
  for (const [index, root] of roots.reads.entries()) {
    const rest = relativeTo(root, path);
    if (rest !== undefined && (found === undefined || rest.length < found.rest.length))
      found = { index, rest };
  }
  if (found === undefined) return outside(path, 'leads out of the workspace and the read roots');
  return inReads(roots, path, found.index + 1, found.rest);
}

function relativeTo(root: string, path: string): string | undefined {
  const rest = relative(root, path);
  if (rest === '..' || rest.startsWith('../') || isAbsolute(rest)) return undefined;
  return path.endsWith('/') ? `${rest}/` : rest;
}

/** `a/../b` is `b`: no link is ever followed, so the text decides. */
function inside(
  path: string,
  root: string,
  area: Location['area'],
  prefix: string,
  rest: string,
): Location | Refusal {
  const segments: string[] = [];
  for (const segment of rest.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return outside(path, 'leads out of its root');
  }
  const shown = prefix === '' ? shownPath(0, segments) : [prefix, ...segments.map(shownName)].join('/');
  return { kind: 'inside', root, area, segments, shown, directory: /(^|\/)\.{0,2}$/.test(rest) };
}

function shownPath(read: number, segments: readonly string[]): string {
  const names = segments.map(shownName).join('/');
  if (read === 0) return names === '' ? '.' : names;
  return names === '' ? `reads:${read}` : `reads:${read}/${names}`;
}

/** A name with line breaks or other control characters would break the lines of a listing. */
export function shownName(name: string): string {
  return /[\u0000-\u001f\u007f-\u009f]/.test(name) ? JSON.stringify(name) : name;
}

function outside(path: string, why: string): Refusal {
  const shown = JSON.stringify(path.length <= 200 ? path : `${path.slice(0, 200)}…`);
  return refused(
    `the path ${shown} ${why}; allowed are paths inside the workspace (relative to it) ` +
      'and, for reading, inside the read roots (reads:1/…)',
  );
}
