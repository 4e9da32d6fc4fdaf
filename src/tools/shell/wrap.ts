/**
 * `shell.wrap`: the program under which every program of a tool runs, a sandbox or a container (spec/team.md §2). An argv
 * prefix, never read by a shell. Its program is looked up outside of the roots, where no member has put one of its name.
 */

import { access, constants, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { GroupSpec } from '../../shared/processes.js';
import type { Roots } from '../files/roots.js';
import { locate } from '../files/roots.js';
import { pathOutsideRoots } from '../program-path.js';

export type FoundWrap =
  /** With the absolute path of its program; empty: there is none. */
  | { readonly kind: 'found'; readonly wrap: readonly string[] }
  /** `why` follows the name of the program. */
  | { readonly kind: 'missing'; readonly why: string };

/**
 * Finds the program of a prefix.
 * @param path a `PATH`
 */
export async function findWrap(written: readonly string[], path: string, roots: Roots): Promise<FoundWrap> {
  const [program, ...words] = written;
  if (program === undefined) return { kind: 'found', wrap: [] };
  if (program.includes('/') && !isAbsolute(program)) {
    return {
      kind: 'missing',
      why: 'is a relative path; allowed: a name that is looked up, or an absolute path',
    };
  }
  const folders = isAbsolute(program) ? [''] : (await pathOutsideRoots(path, roots)).split(':');
  for (const folder of folders) {
    const place = folder === '' ? program : join(folder, program);
    if (!(await isProgram(place))) continue;
    if (locate(roots, await realpath(place)).kind !== 'refused') {
      return { kind: 'missing', why: 'lies where members of the team may write or read; put it elsewhere' };
    }
    return { kind: 'found', wrap: [place, ...words] };
  }
  return { kind: 'missing', why: 'is not there, or is no program' };
}

/** A program under a prefix; as it is without one. */
export function wrapped(wrap: readonly string[] | undefined, spec: GroupSpec): GroupSpec {
  const [program, ...words] = wrap ?? [];
  return program === undefined ? spec : { ...spec, program, args: [...words, spec.program, ...spec.args] };
}

async function isProgram(place: string): Promise<boolean> {
  try {
    await access(place, constants.X_OK);
    return (await stat(place)).isFile();
  } catch {
    return false; // not there, or not ours to run
  }
}
