/**
 * The inventory of an audit: what can reach a model, or what has, with where it comes from (spec/skills.md §9). Pure
 * data; `cyclonedx.ts` and `spdx.ts` write it in the forms of others.
 *
 * Always true: no path of this machine is in it, and the same entries give the same inventory in any order of loading.
 */

import type { Tier } from '../../catalog/tiers.js';
import { sha256 } from '../../shared/digest.js';
import { compareBytes } from '../byte-order.js';
import type { EntryKind, Trust } from '../entry.js';

export interface InventoryItem {
  readonly kind: EntryKind;
  readonly name: string;
  readonly version: string | null;
  /** Empty where none is known. */
  readonly description: string;
  /** Self-declared, as are the three below; null where the file says nothing or nobody knows. */
  readonly origin: string | null;
  readonly license: string | null;
  readonly upstream: string | null;
  readonly vetted: string | null;
  /** `1:` and 64 hex digits. */
  readonly digest: string;
  /** Null where nobody knows. */
  readonly tier: Tier | null;
  /** Relative to the root of its tier, with forward slashes; null where nobody knows. */
  readonly path: string | null;
  readonly trust: Trust;
  /** Who uses it, in words; in byte order, each once. */
  readonly users: readonly string[];
}

export interface Inventory {
  /** What it is of: `skills and rules`, or the id of a team. */
  readonly subject: string;
  /** In byte order of name, then kind, then digest. */
  readonly items: readonly InventoryItem[];
}

/** What writes an inventory down, and when that is said to be. */
export interface InventoryStamp {
  /** Of this program. */
  readonly version: string;
  /** ISO 8601, whole seconds, UTC; null: no time is told, so that the same inventory gives the same bytes. */
  readonly created: string | null;
}

/** An inventory in its one order. */
export function inventory(subject: string, items: readonly InventoryItem[]): Inventory {
  return {
    subject,
    items: [...items]
      .map((item) => ({ ...item, users: [...new Set(item.users)].sort(compareBytes) }))
      .sort(
        (left, right) =>
          compareBytes(left.name, right.name) ||
          compareBytes(left.kind, right.kind) ||
          compareBytes(left.digest, right.digest),
      ),
  };
}

/** The 64 hex digits of a digest: SHA-256 of the fields that reach a model, in form 1 of `digest.ts`. */
export function digestHex({ digest }: Pick<InventoryItem, 'digest'>): string {
  return digest.replace(/^1:/, '');
}

/** A UUID made of the content (RFC 9562, version 8): the same inventory has the same one, another has another. */
export function contentUuid(content: Inventory): string {
  const hex = sha256(`bnerd-teams inventory\n${JSON.stringify(content)}`);
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const [one, two, three, four, five] = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `${one}-${two}-${three}-${four}-${five}`;
}
