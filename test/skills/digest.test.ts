import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type DigestFields, entryDigest } from '../../src/skills/digest.js';
import { CAPABILITIES, type Entry } from '../../src/skills/entry.js';
import { parseGoverned } from '../../src/skills/parse/governed.js';
import { anEntry, governedText, SOURCE } from './entries.js';

/** Made by test/fixtures/skills/digest.py, written from the description of the bytes alone. */
const KNOWN_ANSWERS = [
  ['the smallest skill', '1:0a54a95a48051c2120f3c5503057b8f2aaf7cbedc63de7a58ad82de68376289b'],
  [
    'a rule with a version and a body of several lines',
    '1:71a1a9d11b0354321504acf2ea8ffd4d4e76e4f3a5884dd6b2b3e019752cd724',
  ],
  [
    'an empty version is not an absent one',
    '1:bac795e3bbd83753d8a9afb30f1afbd432b3d831a364c6c07abaf2c07c0b73b8',
  ],
  [
    'allowed tools out of order and twice',
    '1:3266e570043f6178b650ffcfa205e75ece207f815d83580137c35f0a3a3392f1',
  ],
  [
    'an empty list of allowed tools and of modes',
    '1:1dacf323e0e645c367ceff2c0db97002349d69453f5a43cc624abbcac7daabf3',
  ],
  ['composed letters', '1:644a5eed8cd31ffe1a381c3abc73c68ceba84568a56e848b61f530cad9b1e56b'],
  ['decomposed letters', '1:be12f16d1c76402fca253114cbfdc0233fa473f2a773490c78ba73cc0dcf103f'],
  ['every list filled, a process', '1:4e4aadb4fc0fd5cd6810e027e8750d56e1f93880cb81e0188d104791c98871ee'],
  [
    'tool definitions with nested schemas',
    '1:205facc6c6bc6d4a0f4ceefc2bb97a7e01ce608b508648baba82a7d0b6d0bb19',
  ],
  [
    'text that looks like the encoding itself',
    '1:839debf107d438814a277000398bbcfb18e913b8830f750344446d718ec6d1e1',
  ],
] as const;

const casesFile = z.array(
  z.object({
    title: z.string(),
    kind: z.enum(['rule', 'skill']),
    name: z.string(),
    version: z.string().nullable(),
    description: z.string(),
    body: z.string(),
    support: z.enum(['full', 'partial']),
    allowed_tools: z.array(z.string()).nullable(),
    process: z.boolean(),
    always_on: z.boolean(),
    keywords: z.array(z.string()),
    applies_to: z.array(z.string()).nullable(),
    requires: z.array(z.enum(CAPABILITIES)),
    tools: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        parameters: z.record(z.string(), z.unknown()),
        run: z.array(z.string()),
        class: z.enum(['read', 'write', 'destructive']),
      }),
    ),
  }),
);

const CASES = casesFile.parse(
  JSON.parse(readFileSync(new URL('../fixtures/skills/digest-cases.json', import.meta.url), 'utf8')),
);

describe('the known answers of a second implementation', () => {
  test('cover every case of the fixture', () => {
    expect(KNOWN_ANSWERS.map(([title]) => title)).toEqual(CASES.map((entry) => entry.title));
    expect(KNOWN_ANSWERS.length).toBeGreaterThanOrEqual(8);
  });

  test.each(KNOWN_ANSWERS)('are ours too: %s', (title, answer) => {
    const found = CASES.find((entry) => entry.title === title);
    if (found === undefined) throw new Error(`no case ${title}`);
    const { allowed_tools, always_on, applies_to, ...rest } = found;
    const fields = { ...rest, allowedTools: allowed_tools, alwaysOn: always_on, appliesTo: applies_to };
    expect(entryDigest(fields)).toBe(answer);
  });
});

const text = fc.string({ unit: 'binary', maxLength: 12 });
const texts = fc.array(text, { maxLength: 4 });
const toolDefinition = fc.record({
  name: text,
  description: text,
  parameters: fc.dictionary(text, fc.jsonValue({ maxDepth: 2 })),
  run: texts,
  class: fc.constantFrom('read' as const, 'write' as const, 'destructive' as const),
});

const READ_FIELDS: { [Field in keyof DigestFields]: fc.Arbitrary<DigestFields[Field]> } = {
  kind: fc.constantFrom('rule', 'skill'),
  name: text,
  version: fc.option(text),
  description: text,
  body: text,
  support: fc.constantFrom('full', 'partial'),
  allowedTools: fc.option(texts),
  process: fc.boolean(),
  alwaysOn: fc.boolean(),
  keywords: texts,
  appliesTo: fc.option(texts),
  requires: fc.array(fc.constantFrom(...CAPABILITIES), { maxLength: 3 }),
  tools: fc.array(toolDefinition, { maxLength: 2 }),
};

type UnreadField = Exclude<keyof Entry, keyof DigestFields | 'digest'>;
const UNREAD_FIELDS: { [Field in UnreadField]: fc.Arbitrary<Entry[Field]> } = {
  page: fc.constantFrom('required', 'optional', 'none'),
  data: fc.dictionary(fc.string(), fc.jsonValue()),
  origin: fc.option(text),
  license: fc.option(text),
  upstream: fc.option(text),
  vetted: fc.option(text),
  tier: fc.constantFrom('builtin', 'global', 'project', 'mission'),
  path: text,
  trust: fc.constantFrom('instruction', 'reference'),
};

const entryArbitrary: fc.Arbitrary<Entry> = fc
  .record({ ...READ_FIELDS, ...UNREAD_FIELDS })
  .map((fields) => anEntry(fields));

/** Two spellings of one value: order and number of allowed tools do not count, key order of a schema neither. */
function meaning(field: keyof DigestFields, value: unknown): string {
  if (field === 'allowedTools' && Array.isArray(value)) return JSON.stringify([...new Set(value)].sort());
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

const readFieldNames = Object.keys(READ_FIELDS) as (keyof DigestFields)[];
const unreadFieldNames = Object.keys(UNREAD_FIELDS) as UnreadField[];

describe('each read field changed alone changes the digest', () => {
  test.each(readFieldNames)('%s', (field) => {
    const change: fc.Arbitrary<unknown> = READ_FIELDS[field];
    fc.assert(
      fc.property(entryArbitrary, change, (entry, value) => {
        fc.pre(meaning(field, entry[field]) !== meaning(field, value));
        expect(entryDigest({ ...entry, [field]: value })).not.toBe(entryDigest(entry));
      }),
    );
  });
});

describe('each unread field changed alone does not change the digest', () => {
  test.each(unreadFieldNames)('%s', (field) => {
    const change: fc.Arbitrary<unknown> = UNREAD_FIELDS[field];
    fc.assert(
      fc.property(entryArbitrary, change, (entry, value) => {
        expect(entryDigest({ ...entry, [field]: value })).toBe(entryDigest(entry));
      }),
    );
  });

  test('the lists of read and unread fields are all fields of an entry', () => {
    const known = [...readFieldNames, ...unreadFieldNames, 'digest'].sort();
    expect(Object.keys(anEntry()).sort()).toEqual(known);
  });

  test('an unknown key added leaves the digest equal', () => {
    expect(entryDigest({ ...anEntry(), ...{ colour: 'blue' } })).toBe(anEntry().digest);
  });
});

describe('texts that run together stay apart', () => {
  test('("ab","c") and ("a","bc") differ', () => {
    const one = anEntry({ name: 'ab', description: 'c' });
    const other = anEntry({ name: 'a', description: 'bc' });
    expect(one.digest).not.toBe(other.digest);
    expect(anEntry({ keywords: ['ab', 'c'] }).digest).not.toBe(anEntry({ keywords: ['a', 'bc'] }).digest);
  });

  test('tools [b,a,a] and [a,b] are equal, absent and [] are different', () => {
    const digestOf = (allowedTools: readonly string[] | null): string => anEntry({ allowedTools }).digest;
    expect(digestOf(['b', 'a', 'a'])).toBe(digestOf(['a', 'b']));
    expect(digestOf(null)).not.toBe(digestOf([]));
  });

  test('absent and empty version differ', () => {
    expect(anEntry({ version: null }).digest).not.toBe(anEntry({ version: '' }).digest);
  });

  test('composed and decomposed Unicode differ', () => {
    expect(anEntry({ body: '\u00e9' }).digest).not.toBe(anEntry({ body: 'e\u0301' }).digest);
  });

  test('the order of the keys of a schema does not count', () => {
    const tool = { name: 't', description: '', run: [], class: 'read' as const };
    const one = anEntry({ tools: [{ ...tool, parameters: { a: 1, b: { c: [1], d: null } } }] });
    const other = anEntry({ tools: [{ ...tool, parameters: { b: { d: null, c: [1] }, a: 1 } }] });
    expect(one.digest).toBe(other.digest);
  });
});

describe('the digest of a governed file', () => {
  const digestOf = (fields: Record<string, string | null>): string => {
    const parsed = parseGoverned(governedText(fields), SOURCE);
    if (parsed.kind !== 'entry') throw new Error(JSON.stringify(parsed.findings));
    return parsed.entry.digest;
  };

  test('is 1: and 64 hex digits', () => {
    expect(digestOf({})).toMatch(/^1:[0-9a-f]{64}$/);
  });

  test('a change of page only leaves it equal', () => {
    expect(digestOf({ page: 'none' })).toBe(digestOf({ page: 'required' }));
  });

  test.each([
    ['vetted', { vetted: 'reviewed, see references/audit.md' }],
    ['provenance', { origin: 'third-party', license: 'MIT', upstream: 'https://example.com/scripts/x@v1' }],
  ])('a change of %s only leaves it equal', (_what, fields) => {
    expect(digestOf(fields)).toBe(digestOf({}));
  });
});
