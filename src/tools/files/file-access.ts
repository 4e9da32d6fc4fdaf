/** What file tools read with: the guard of `confinement.ts` over the roots of one team. */

import { NO_SECRETS, type Redactor } from '../../shared/secrets/redactor.js';
import type { Refusal } from '../define-tool.js';
import type { OpenFile, OpenFolder } from './confinement.js';
import { checkReadable, openFile, openFolder } from './confinement.js';
import type { WalkMode } from './descriptor-walk.js';
import type { Location, Roots } from './roots.js';
import { locateForReading } from './roots.js';

export interface FileAccess {
  readonly roots: Roots;
  /** What files hold is shown without what is secret. */
  readonly secrets: Redactor;
  /** The check of a file's path by its text alone. */
  check(path: string): readonly Location[] | Refusal;
  /** The check of a directory's path by its text alone. */
  checkFolder(path: string): readonly Location[] | Refusal;
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
    check: (path) => checkReadable(roots, path),
    checkFolder: (path) => locateForReading(roots, path),
    file: (path) => openFile(roots, path, mode),
    folder: (path) => openFolder(roots, path, mode),
  };
}
