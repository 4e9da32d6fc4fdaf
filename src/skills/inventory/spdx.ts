/**
 * An inventory as an SPDX 3.0.1 document in JSON-LD. Pure.
 *
 * Always true: the document validates against the published schema; it is a function of its arguments, the ids
 * included. SPDX demands a time of creation: without one given it is the first second of 1970, as in reproducible
 * builds.
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

const NO_TIME = '1970-01-01T00:00:00Z';

/** The licence of documents of this kind. */
const DATA_LICENSE = 'CC0-1.0';

/** The document as a plain value. */
export function spdx(content: Inventory, { version, created }: InventoryStamp): object {
  const graph = new Graph(`urn:uuid:${contentUuid(content)}`);
  const agent = graph.add('SoftwareAgent', 'agent', { name: 'bnerd-teams' });
  const tool = graph.add('Tool', 'tool', { name: `bnerd-teams ${version}` });
  const dataLicense = graph.licence(DATA_LICENSE);
  const packages = content.items.map((item, index) => addPackage(graph, item, `entry-${index + 1}`));
  const sbom = graph.add('software_Sbom', 'sbom', {
    name: content.subject,
    software_sbomType: ['source'],
    rootElement: packages,
    element: graph.ids,
  });
  const document = graph.add('SpdxDocument', 'document', {
    name: content.subject,
    profileConformance: ['core', 'software', 'simpleLicensing', 'extension'],
    dataLicense,
    rootElement: [sbom],
    element: graph.ids,
  });
  const creation = {
    type: 'CreationInfo',
    '@id': CREATION,
    specVersion: '3.0.1',
    created: created ?? NO_TIME,
    createdBy: [agent],
    createdUsing: [tool],
  };
  return {
    '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
    '@graph': [creation, ...graph.elements(document)],
  };
}

const CREATION = '_:creation';

/** The elements of a document by their ids. */
class Graph {
  readonly #elements = new Map<string, object>();
  readonly #licences = new Map<string, string>();
  readonly #base: string;

  /** @param base what the ids of all elements begin with */
  constructor(base: string) {
    this.#base = base;
  }

  /** Adds an element and gives its id. */
  add(type: string, local: string, fields: object): string {
    const id = `${this.#base}#${local}`;
    this.#elements.set(id, { type, spdxId: id, creationInfo: CREATION, ...fields });
    return id;
  }

  /** The element of a licence expression, one for all that declare it. */
  licence(expression: string): string {
    return this.#licence(`expression ${expression}`, { simplelicensing_licenseExpression: expression });
  }

  /** The element of a licence that SPDX has no name for: a reference of this document to its words. */
  ownLicence(name: string, words: string): string {
    const key = `LicenseRef-${name}`;
    const known = this.#licences.get(`own ${key}`);
    if (known !== undefined) return known;
    const text = this.add('simplelicensing_SimpleLicensingText', `text-${name}`, {
      name: key,
      simplelicensing_licenseText: words,
    });
    return this.#licence(`own ${key}`, {
      simplelicensing_licenseExpression: key,
      simplelicensing_customIdToUri: [{ type: 'DictionaryEntry', key, value: text }],
    });
  }

  #licence(key: string, fields: object): string {
    const known = this.#licences.get(key);
    if (known !== undefined) return known;
    const id = this.add('simplelicensing_LicenseExpression', `licence-${this.#licences.size + 1}`, fields);
    this.#licences.set(key, id);
    return id;
  }

  /** Of all elements so far. */
  get ids(): string[] {
    return [...this.#elements.keys()];
  }

  /** All of them, the given one first. */
  elements(first: string): object[] {
    const others = [...this.#elements].filter(([id]) => id !== first).map(([, element]) => element);
    return [this.#elements.get(first) ?? {}, ...others];
  }
}

function addPackage(graph: Graph, item: InventoryItem, local: string): string {
  const { name, version, description } = item;
  const pin = pinOf(item);
  const id = graph.add('software_Package', local, {
    name,
    ...(description === '' ? {} : { description }),
    ...(version === null ? {} : { software_packageVersion: version }),
    ...(pin === null ? {} : { software_downloadLocation: `git+${pin.url}@${encodeURI(pin.ref)}` }),
    software_primaryPurpose: 'documentation',
    verifiedUsing: [
      {
        type: 'Hash',
        algorithm: 'sha256',
        hashValue: digestHex(item),
        comment: 'over the fields of the entry that reach a model or decide when, not over the file',
      },
    ],
    extension: [
      {
        type: 'extension_CdxPropertiesExtension',
        extension_cdxProperty: propertiesOf(item).map(({ name: property, value }) => ({
          type: 'extension_CdxPropertyEntry',
          extension_cdxPropName: property,
          extension_cdxPropValue: value,
        })),
      },
    ],
  });
  const licence = declaredLicence(graph, item, local);
  if (licence !== null) {
    graph.add('Relationship', `${local}-licence`, {
      from: id,
      relationshipType: 'hasDeclaredLicense',
      to: [licence],
    });
  }
  return id;
}

function declaredLicence(graph: Graph, item: InventoryItem, local: string): string | null {
  const claim = licenceClaim(item);
  switch (claim.kind) {
    case 'expression':
      return graph.licence(claim.expression);
    case 'proprietary':
      return graph.ownLicence('proprietary', 'proprietary: no licence is given');
    case 'words':
      return graph.ownLicence(local, claim.words);
    case 'none':
      return null;
  }
}
