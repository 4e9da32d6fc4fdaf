/** What file tools read with: the guard of `confinement.ts` over the roots of one team. */

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { NO_SECRETS, type Redactor } from '../../shared/secrets/redactor.js';
import type { Refusal } from '../define-tool.js';
import type { OpenFile, OpenFolder } from './confinement.js';
import { checkReadable, openFile, openFolder } from './confinement.js';
import type { WalkMode } from './descriptor-walk.js';
import type { Location, Roots } from './roots.js';
import { locateForReading } from './roots.js';

/** What a path to read stands for. */
export interface ReadPlace {
  readonly kind: 'place';
  /** As it is shown, and what rules match on. */
  readonly shown: string;
  /** The path that means this place and no other one: what is stored and run. */
  readonly path: string;
}

export interface FileAccess {
  readonly roots: Roots;
  /** What files hold is shown without what is secret. */
  readonly secrets: Redactor;
  /** The check of a file's path by its text, and which of the places it may mean is there. */
  check(path: string): Promise<ReadPlace | Refusal>;
  /** The same of a directory's path. */
  checkFolder(path: string): Promise<ReadPlace | Refusal>;
  /** Opens a regular file; whoever asks closes it. */
  file(path: string): Promise<OpenFile | Refusal>;
  /** Opens a directory; whoever asks closes it. */
  folder(path: string): Promise<OpenFolder | Refusal>;
}

/** @param mode for tests of the way that other systems than Linux take */
export function fileAccess(roots: Roots, secrets: Redactor = NO_SECRETS, mode?: WalkMode): FileAccess {
  return {
    roots,
    secrets,
    check: (path) => readPlace(path, checkReadable(roots, path)),
    checkFolder: (path) => readPlace(path, locateForReading(roots, path)),
    file: (path) => openFile(roots, path, mode),
    folder: (path) => openFolder(roots, path, mode),
  };
}

/** A relative path that the workspace does not have means the first read root that has it: then that one is named. */
async function readPlace(path: string, places: readonly Location[] | Refusal): Promise<ReadPlace | Refusal> {
  if ('kind' in places) return places;
  for (const { root, area, segments, shown } of places) {
    const stats = await lstat(join(root, ...segments)).catch(() => undefined); // not there, or behind what is none
    if (stats === undefined) continue;
    const isPlain = shown === `${/^reads:\d+/.exec(shown)?.[0]}/${segments.join('/')}`;
    return { kind: 'place', shown, path: area === 'reads' && isPlain ? shown : path };
  }
  return { kind: 'place', shown: places[0]?.shown ?? path, path };
}

/** Arguments of a call that mean this place; what a model has left out stays out. */
export function atPlace<Args extends { readonly path?: string | undefined }>(
  args: Args,
  { path }: ReadPlace,
): Args {
  return args.path === undefined ? args : { ...args, path };
}
