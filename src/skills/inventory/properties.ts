/** What no field of another form holds, as names and values: the `bnerd:` properties of both. Pure. */

import type { InventoryItem } from './inventory.js';

export interface Property {
  readonly name: string;
  readonly value: string;
}

/** In a fixed order; what is not known is left out. */
export function propertiesOf(item: InventoryItem): readonly Property[] {
  const one = (name: string, value: string | null): Property[] =>
    value === null ? [] : [{ name: `bnerd:${name}`, value }];
  return [
    ...one('kind', item.kind),
    ...one('digest', item.digest),
    ...one('tier', item.tier),
    ...one('path', item.path),
    ...one('trust', item.trust),
    ...one('origin', item.origin),
    ...one('upstream', item.upstream),
    ...one('vetted', item.vetted),
    ...item.users.flatMap((user) => one('used-by', user)),
  ];
}
