// spec/skills.md §9 `skills audit --format cyclonedx|spdx`: the documents against the published schemas, and what they
// say of each entry.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cycloneDx } from '../../../src/skills/inventory/cyclonedx.js';
import {
  contentUuid,
  type InventoryItem,
  type InventoryStamp,
  inventory,
} from '../../../src/skills/inventory/inventory.js';
import { spdx } from '../../../src/skills/inventory/spdx.js';
import { againstCycloneDx, againstSpdx } from '../../helpers/sbom-schemas.js';
import { anItem, ITEMS } from './items.js';

const STAMP: InventoryStamp = { version: '0.1.0', created: null };
const CONTENT = inventory('skills and rules', ITEMS);

/** Components of a CycloneDX document by name. */
interface Bill {
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp?: string };
  readonly components: readonly ({ readonly name: string } & Record<string, unknown>)[];
}

const bill = (content = CONTENT, stamp = STAMP): Bill =>
  JSON.parse(JSON.stringify(cycloneDx(content, stamp)));

interface Element extends Record<string, unknown> {
  readonly type: string;
  readonly spdxId?: string;
  readonly name?: string;
}

const graph = (content = CONTENT, stamp = STAMP): Element[] =>
  JSON.parse(JSON.stringify(spdx(content, stamp)))['@graph'];

describe('the validators', () => {
  test('find what is wrong: a schema that passes everything would prove nothing', async () => {
    const { components: _, ...without } = bill();
    expect(
      await againstCycloneDx(JSON.stringify({ ...without, components: [{ name: 'x' }] })),
    ).not.toBeNull();
    expect(await againstCycloneDx(JSON.stringify({ ...bill(), surplus: 1 }))).not.toBeNull();
    const [creation, ...others] = graph();
    const wrap = (elements: readonly object[]): object => ({
      '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
      '@graph': elements,
    });
    expect(againstSpdx(wrap([creation ?? {}, ...others]))).toBeNull();
    expect(againstSpdx(wrap([{ ...creation, created: 'today' }, ...others]))).not.toBeNull();
    expect(againstSpdx(wrap(others.map((one) => ({ ...one, surplus: 1 }))))).not.toBeNull();
  });
});

describe('CycloneDX 1.6', () => {
  test.each([
    ['an inventory', CONTENT, STAMP],
    ['an empty one', inventory('run-x', []), STAMP],
    ['one with a time', CONTENT, { ...STAMP, created: '2026-01-02T03:04:05Z' }],
  ])('%s validates against the published schema, in its strict form', async (_, content, stamp) => {
    expect(await againstCycloneDx(JSON.stringify(cycloneDx(content, stamp)))).toBeNull();
  });

  test('says of each entry its version, digest, licence and pin', () => {
    const byName = new Map(bill().components.map((component) => [component.name, component]));
    expect(byName.get('an-entry')).toMatchObject({
      type: 'data',
      version: '1.0.0',
      description: 'What it is for',
      hashes: [{ alg: 'SHA-256', content: 'a1'.repeat(32) }],
      licenses: [{ license: { name: 'proprietary' } }],
    });
    expect(byName.get('flux-notes')).toMatchObject({
      licenses: [{ expression: 'MIT OR Apache-2.0' }],
      externalReferences: [
        {
          type: 'vcs',
          url: 'https://example.org/owner/notes',
          comment: 'pinned to 0123456789abcdef0123456789abcdef01234567',
        },
      ],
    });
    expect(byName.get('flux-notes')?.['properties']).toContainEqual({
      name: 'bnerd:vetted',
      value: 'reviewed by Ada 2026-08-09',
    });
    expect(byName.get('lore')).toMatchObject({
      licenses: [{ license: { name: 'Complete terms in LICENSE.txt' } }],
    });
    expect(byName.get('lore')).not.toHaveProperty('version');
    expect(byName.get('tone')).not.toHaveProperty('licenses');
  });
});

describe('SPDX 3.0.1', () => {
  test.each([
    ['an inventory', CONTENT, STAMP],
    ['an empty one', inventory('run-x', []), STAMP],
    ['one with a time', CONTENT, { ...STAMP, created: '2026-01-02T03:04:05Z' }],
  ])('%s validates against the published schema', (_, content, stamp) => {
    expect(againstSpdx(spdx(content, stamp))).toBeNull();
  });

  test('says of each entry its version, digest, licence and pin', () => {
    const elements = graph();
    const byId = new Map(elements.map((element) => [element.spdxId, element]));
    const packages = elements.filter(({ type }) => type === 'software_Package');
    expect(packages.map(({ name }) => name)).toEqual(['an-entry', 'flux-notes', 'lore', 'tone']);
    expect(packages[1]).toMatchObject({
      software_packageVersion: '2.3.0',
      software_downloadLocation:
        'git+https://example.org/owner/notes@0123456789abcdef0123456789abcdef01234567',
      verifiedUsing: [{ type: 'Hash', algorithm: 'sha256', hashValue: 'b2'.repeat(32) }],
    });
    const licences = packages.map(({ spdxId }) => {
      const said = elements.find(
        ({ from, relationshipType }) => from === spdxId && relationshipType === 'hasDeclaredLicense',
      );
      const [to] = (said?.['to'] ?? []) as string[];
      return byId.get(to)?.['simplelicensing_licenseExpression'] ?? null;
    });
    expect(licences).toEqual(['LicenseRef-proprietary', 'MIT OR Apache-2.0', 'LicenseRef-entry-3', null]);
    const texts = elements.filter(({ type }) => type === 'simplelicensing_SimpleLicensingText');
    expect(texts.map((text) => text['simplelicensing_licenseText'])).toEqual([
      'proprietary: no licence is given',
      'Complete terms in LICENSE.txt',
    ]);
  });

  test('names no element that is not in it', () => {
    const elements = graph();
    const ids = new Set(elements.map(({ spdxId }) => spdxId));
    const named = elements.flatMap((element) =>
      ['element', 'rootElement', 'to', 'from', 'dataLicense', 'createdBy', 'createdUsing'].flatMap(
        (key) => element[key] ?? [],
      ),
    );
    expect(named.filter((id) => typeof id !== 'string' || !ids.has(id))).toEqual([]);
  });
});

describe('both forms', () => {
  test('are the same bytes for the same entries, in any order of loading and at any time', () => {
    const shuffled = inventory('skills and rules', [...ITEMS].reverse());
    expect(JSON.stringify(cycloneDx(shuffled, STAMP))).toBe(JSON.stringify(cycloneDx(CONTENT, STAMP)));
    expect(JSON.stringify(spdx(shuffled, STAMP))).toBe(JSON.stringify(spdx(CONTENT, STAMP)));
    expect(bill().metadata).not.toHaveProperty('timestamp');
    expect(graph()[0]).toMatchObject({ created: '1970-01-01T00:00:00Z' });
  });

  test('have a serial number of their content: another digest, another number', () => {
    const [first = anItem(), ...others] = ITEMS;
    const changed = inventory('skills and rules', [{ ...first, digest: `1:${'ee'.repeat(32)}` }, ...others]);
    expect(bill().serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(bill(changed).serialNumber).not.toBe(bill().serialNumber);
    expect(contentUuid(inventory('other', ITEMS))).not.toBe(contentUuid(CONTENT));
  });

  const text = fc.string({ unit: 'binary', maxLength: 40 });
  const words = fc.oneof(
    text,
    fc.constantFrom('MIT', 'GPL-2.0-only WITH Classpath-exception-2.0', '', '-->', 'LicenseRef-x', '(('),
  );
  const source = fc.oneof(
    text,
    fc.tuple(text, text).map(([path, ref]) => `https://example.org/${path}@${ref}`),
    fc.constantFrom('https://[::1]/x@v1', 'https://ex ample.org/x@v1', 'https://münchen.example/ü@v1'),
  );
  const item: fc.Arbitrary<InventoryItem> = fc.record({
    kind: fc.constantFrom('rule', 'skill'),
    name: text,
    version: fc.option(text, { nil: null }),
    description: text,
    origin: fc.option(fc.oneof(fc.constantFrom('proprietary', 'third-party'), text), { nil: null }),
    license: fc.option(words, { nil: null }),
    upstream: fc.option(source, { nil: null }),
    vetted: fc.option(text, { nil: null }),
    digest: fc
      .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 })
      .map((hex) => `1:${hex}`),
    tier: fc.constantFrom('builtin', 'global', 'project', 'mission'),
    path: fc.option(text, { nil: null }),
    trust: fc.constantFrom('instruction', 'reference'),
    users: fc.array(text, { maxLength: 3 }),
  });

  test('validate whatever the entries say', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(item, { maxLength: 4, selector: ({ digest }) => digest }),
        async (items) => {
          const content = inventory('skills and rules', items);
          expect(await againstCycloneDx(JSON.stringify(cycloneDx(content, STAMP)))).toBeNull();
          expect(againstSpdx(JSON.parse(JSON.stringify(spdx(content, STAMP))))).toBeNull();
        },
      ),
      { numRuns: 150 },
    );
  });
});
