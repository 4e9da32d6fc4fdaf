/**
 * An inventory as a CycloneDX 1.6 bill of materials in JSON (ECMA-424). Pure.
 *
 * Always true: the document validates against the published schema in its strict form; it is a function of its
 * arguments, serial number included; a time stands in it only when one is given.
 */

import {
  contentUuid,
  digestHex,
  type Inventory,
  type InventoryItem,
  type InventoryStamp,
} from './inventory.js';
import { propertiesOf } from './properties.js';
import { licenceClaim, pinOf } from './provenance-claims.js';

/** The reference of the thing that the inventory is of. */
const SUBJECT = 'subject';

/** The document as a plain value. */
export function cycloneDx(content: Inventory, { version, created }: InventoryStamp): object {
  const refs = content.items.map(refOf);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${contentUuid(content)}`,
    version: 1,
    metadata: {
      ...(created === null ? {} : { timestamp: created }),
      tools: { components: [{ type: 'application', name: 'bnerd-teams', version }] },
      component: { type: 'application', 'bom-ref': SUBJECT, name: content.subject },
    },
    components: content.items.map(componentOf),
    dependencies: [
      { ref: SUBJECT, ...(refs.length === 0 ? {} : { dependsOn: refs }) },
      ...refs.map((ref) => ({ ref })),
    ],
  };
}

function refOf({ kind, name, digest }: InventoryItem): string {
  return `${kind}/${name}@${digest}`;
}

function componentOf(item: InventoryItem): object {
  const { name, version, description } = item;
  const licenses = licensesOf(item);
  const pin = pinOf(item);
  return {
    type: 'data',
    'bom-ref': refOf(item),
    name,
    ...(version === null ? {} : { version }),
    ...(description === '' ? {} : { description }),
    hashes: [{ alg: 'SHA-256', content: digestHex(item) }],
    ...(licenses.length === 0 ? {} : { licenses }),
    ...(pin === null
      ? {}
      : { externalReferences: [{ type: 'vcs', url: pin.url, comment: `pinned to ${pin.ref}` }] }),
    properties: propertiesOf(item),
  };
}

function licensesOf(item: InventoryItem): object[] {
  const claim = licenceClaim(item);
  switch (claim.kind) {
    case 'expression':
      return [{ expression: claim.expression, acknowledgement: 'declared' }];
    case 'proprietary':
      return [{ license: { name: 'proprietary', acknowledgement: 'declared' } }];
    case 'words':
      return [{ license: { name: claim.words, acknowledgement: 'declared' } }];
    case 'none':
      return [];
  }
}
