/** Role names as they are compared: without case, `-`, `_` and blanks (spec/team.md §1). */

/** The identity of a role name. */
export function roleKey(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}
