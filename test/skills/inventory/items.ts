/** Items of inventories as the tests of this folder need them. */

import type { InventoryItem } from '../../../src/skills/inventory/inventory.js';

/** A whole item. */
export function anItem(fields: Partial<InventoryItem> = {}): InventoryItem {
  return {
    kind: 'skill',
    name: 'an-entry',
    version: '1.0.0',
    description: 'What it is for',
    origin: 'proprietary',
    license: null,
    upstream: null,
    vetted: null,
    digest: `1:${'a1'.repeat(32)}`,
    tier: 'builtin',
    path: 'skills/an-entry/SKILL.md',
    trust: 'instruction',
    users: ['role scout'],
    ...fields,
  };
}

const SHA = '0123456789abcdef0123456789abcdef01234567';

/** One of each origin, and what open files may say. */
export const ITEMS: readonly InventoryItem[] = [
  anItem(),
  anItem({
    name: 'flux-notes',
    version: '2.3.0',
    origin: 'third-party',
    license: 'MIT OR Apache-2.0',
    upstream: `https://example.org/owner/notes@${SHA}`,
    vetted: 'reviewed by Ada 2026-08-09',
    digest: `1:${'b2'.repeat(32)}`,
    tier: 'mission',
    users: [],
  }),
  anItem({
    name: 'lore',
    version: null,
    description: '',
    origin: null,
    license: 'Complete terms in LICENSE.txt',
    digest: `1:${'c3'.repeat(32)}`,
    tier: 'global',
    trust: 'reference',
  }),
  anItem({ kind: 'rule', name: 'tone', origin: null, digest: `1:${'d4'.repeat(32)}`, path: null }),
];
