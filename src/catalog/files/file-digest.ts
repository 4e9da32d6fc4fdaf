/** The digest of a recipe or role file: what an approval names and what a run records (spec/team.md §1). */

import { fileDigest } from '../../shared/digest.js';

export type CatalogueFileKind = 'recipe' | 'role';

/** `1:<hex>` of the whole text; the kind is part of it, so that an approved role approves no recipe. */
export function catalogueDigest(kind: CatalogueFileKind, text: string): string {
  return fileDigest(`bnerd ${kind} 1`, text);
}
