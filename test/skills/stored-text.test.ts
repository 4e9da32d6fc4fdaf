import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../src/shared/digest.js';
import { type DigestFields, digestText, entryDigest } from '../../src/skills/digest.js';
import { CAPABILITIES } from '../../src/skills/entry.js';
import { readStoredText, storedName } from '../../src/skills/stored-text.js';
import { anEntry } from './entries.js';

/** Texts with what could be taken for the encoding itself, and letters of one to four bytes. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom('', '-', '0:', '1:a', '-3:abc', 'ü', '😀', '\n', ':', '12:format 1\n'),
);

const texts = fc.array(text, { maxLength: 4 });

/** No `-0`, which JSON has no way to write. */
const parameters = fc
  .dictionary(text, fc.jsonValue())
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>);

const fields: fc.Arbitrary<DigestFields> = fc.record({
  kind: fc.constantFrom('rule', 'skill'),
  name: text,
  version: fc.option(text, { nil: null }),
  description: text,
  body: text,
  support: fc.constantFrom('full', 'partial'),
  allowedTools: fc.option(texts, { nil: null }),
  process: fc.boolean(),
  alwaysOn: fc.boolean(),
  keywords: texts,
  appliesTo: fc.option(texts, { nil: null }),
  requires: fc.subarray([...CAPABILITIES]),
  tools: fc.array(
    fc.record({
      name: text,
      description: text,
      parameters,
      run: texts,
      class: fc.constantFrom('read', 'write', 'destructive'),
    }),
    { maxLength: 3 },
  ),
});

/** Allowed tools are a set to the digest: each once, in byte order. */
function asStored(entry: DigestFields): DigestFields {
  const { allowedTools } = entry;
  if (allowedTools === null) return entry;
  const bytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
  return { ...entry, allowedTools: [...new Set(allowedTools)].sort(bytes) };
}

test('what is stored is read back, field by field, and its digest is the digest of the entry', async () => {
  await fc.assert(
    fc.asyncProperty(fields, async (entry) => {
      const stored = digestText(entry);
      expect(`1:${sha256(stored)}`).toBe(entryDigest(entry));
      expect(storedName(entryDigest(entry))).toBe(sha256(stored));
      expect(readStoredText(stored)).toEqual(asStored(entry));
    }),
    { numRuns: 200 },
  );
});

test('a stored text with any byte taken away, added or changed is another text, or none', async () => {
  const change = fc.record({
    entry: fields,
    at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    by: fc.constantFrom('', '0', '1', '-', ':', 'a', '\n', 'ü'),
    cut: fc.constantFrom(0, 1),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ entry, at, by, cut }) => {
      const stored = digestText(entry);
      const place = Math.floor(at * (stored.length + 1));
      const changed = stored.slice(0, place) + by + stored.slice(place + cut);
      const read = readStoredText(changed);
      // Never the old fields for new bytes; and what is read is written so, and not otherwise.
      if (changed !== stored) expect(read).not.toEqual(asStored(entry));
      if (read !== undefined) expect(digestText(read)).toBe(changed);
    }),
    { numRuns: 800 },
  );
});

describe('what is no stored text', () => {
  const stored = digestText(anEntry({ allowedTools: ['b', 'a'] }));
  test.each([
    ['nothing', ''],
    ['another format', stored.replace('format 1', 'format 2')],
    ['more behind it', `${stored}0:`],
    ['a line break behind it', `${stored}\n`],
    ['an end too early', stored.slice(0, -1)],
    ['a length with a zero in front', stored.replace('5:skill', '05:skill')],
    ['a length with a sign', stored.replace('5:skill', '+5:skill')],
    ['a length of many digits', stored.replace('5:skill', `${'9'.repeat(40)}:skill`)],
    ['a kind that is none', stored.replace('5:skill', '5:skull')],
    ['a list out of order', stored.replace('1:a1:b', '1:b1:a')],
    ['a list with one twice', stored.replace('1:a1:b', '1:a1:a')],
    ['plain text', 'You are a helpful assistant.'],
  ])('%s', (_what, changed) => {
    expect(changed).not.toBe(stored);
    expect(readStoredText(changed)).toBeUndefined();
  });
});
