/** What an item says of its licence and its source, read for the forms of others. Pure. */

import { isSpdxExpression } from '../parse/provenance.js';
import type { InventoryItem } from './inventory.js';

export type LicenceClaim =
  /** A valid SPDX expression. */
  | { readonly kind: 'expression'; readonly expression: string }
  /** Its author's own, no licence is given. */
  | { readonly kind: 'proprietary' }
  /** Words that are no SPDX expression, as open files may have. */
  | { readonly kind: 'words'; readonly words: string }
  | { readonly kind: 'none' };

/** What an item declares of its licence. */
export function licenceClaim({ origin, license }: InventoryItem): LicenceClaim {
  if (license !== null && license.trim() !== '') {
    return isSpdxExpression(license)
      ? { kind: 'expression', expression: license }
      : { kind: 'words', words: license };
  }
  return origin === 'proprietary' ? { kind: 'proprietary' } : { kind: 'none' };
}

/** The repository and the ref of `<https-url>@<ref>`; null when the item names no such source. */
export function pinOf({ upstream }: Pick<InventoryItem, 'upstream'>): {
  /** In normal form: an IRI whatever the file says. */
  readonly url: string;
  readonly ref: string;
} | null {
  const at = upstream?.lastIndexOf('@') ?? -1;
  if (upstream === null || at === -1) return null;
  const [address, ref] = [upstream.slice(0, at), upstream.slice(at + 1)];
  if (!/^https:\/\//i.test(address) || ref === '' || !URL.canParse(address)) return null;
  return { url: new URL(address).href, ref };
}
