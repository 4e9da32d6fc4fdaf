/**
 * What a role is called, and when two names mean the same role (spec/team.md §1): `Code Reviewer`,
 * `code_reviewer` and `code-reviewer` do.
 */

import { basename } from 'node:path';

/** The name of a role whose file declares none. */
export function fileStem(path: string): string {
  return basename(path).replace(/\.md$/i, '');
}

/** The form under which role names are compared: without case and without `-`, `_` and blanks. */
export function roleIdentity(name: string): string {
  return name.normalize('NFC').toLowerCase().replaceAll(/[-_ ]/g, '');
}

/** Whether two names mean the same role. */
export function sameRole(one: string, other: string): boolean {
  return roleIdentity(one) === roleIdentity(other);
}

/** The name of `names` with the same identity, in the spelling it has there. */
export function spellingIn(name: string, names: readonly string[]): string | undefined {
  const identity = roleIdentity(name);
  return names.find((candidate) => roleIdentity(candidate) === identity);
}
