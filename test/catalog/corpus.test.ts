// The corpus of role files by strangers: read in place, never followed.
import { describe, expect, test } from 'vitest';
import { fileOutcome } from '../../src/catalog/files/file-outcome.js';
import { headFields } from '../../src/catalog/files/head-fields.js';
import { readSource, readSourceHead } from '../../src/catalog/files/source-file.js';
import { lintShape } from '../../src/catalog/lint.js';
import { parseRole, type RoleLoad } from '../../src/catalog/roles/parse-role.js';
import { readRoleMapping } from '../../src/catalog/roles/role-mapping.js';
import { type Finding, formatFinding } from '../../src/shared/findings.js';
import { corpusFiles, type Expected, expectedOutcome, hasCorpus } from '../helpers/role-corpus.js';
import { placesWith } from './places.js';

const ROOT = '../shared/corpus';

const loads = new Map<string, Promise<RoleLoad>>();

/** Each file is read and parsed once, on its own. */
function load(path: string): Promise<RoleLoad> {
  const known = loads.get(path) ?? loadOnce(path);
  loads.set(path, known);
  return known;
}

async function loadOnce(path: string): Promise<RoleLoad> {
  const source = await readSource(path, ROOT);
  if (source.kind === 'unreadable') throw new Error(source.finding.message);
  return parseRole({ path, tier: 'project', text: source.text });
}

/** The codes of refusals that a reason of the independent reading stands for. */
const CODES: Readonly<Record<Extract<Expected, { kind: 'refused' }>['why'], RegExp>> = {
  'no-frontmatter': /^no-frontmatter$/,
  unclosed: /^unclosed$/,
  yaml: /^(yaml-error|duplicate-key|not-a-mapping|bad-key)$/,
  shape: /^(wrong-type|bad-value)$/,
  'no-tools': /^$/,
};

describe.skipIf(!hasCorpus)('needs the corpus: each role file', () => {
  const files = hasCorpus ? corpusFiles() : [];

  test('is exactly one of loaded, repaired, refused, as an independent reading says, with the same name and text', async () => {
    const counts = { loaded: 0, repaired: 0, refused: 0 };
    for (const path of files) {
      const result = await load(path);
      const expected = expectedOutcome(path, 'shape-only');
      const outcome = fileOutcome(path, result.findings);
      expect([path, outcome]).toEqual([path, expected.kind]);
      counts[outcome]++;
      for (const { remedy, message } of result.findings) expect([remedy, message]).not.toContain('');
      if (result.kind === 'refused') {
        const [first] = result.findings.filter(({ severity }) => severity === 'error');
        expect([path, first?.code]).toEqual([
          path,
          expect.stringMatching(expected.kind === 'refused' ? CODES[expected.why] : /^$/),
        ]);
      } else if (expected.kind !== 'refused') {
        const { name, description, prompt } = result.role;
        expect([path, name, description, prompt]).toEqual([
          path,
          expected.name,
          expected.description,
          expected.body,
        ]);
        expect(prompt.startsWith('---')).toBe(false);
      }
    }
    expect(files).toHaveLength(737);
    expect(counts.loaded + counts.repaired + counts.refused).toBe(files.length);
    expect(counts.repaired).toBeGreaterThan(10);
    expect(counts.loaded).toBeGreaterThan(files.length * 0.9);
  });

  test('has the same result among all others, in any order, as alone', async () => {
    const places = await placesWith({});
    const lines = (findings: readonly Finding[]): string[] => findings.map(formatFinding).sort();
    const alone: Finding[] = [];
    for (const path of files) alone.push(...(await load(path)).findings);
    const together = await lintShape(places, files);
    const shuffled = [...files].sort((one, other) => hash(one) - hash(other));
    const inOtherOrder = await lintShape(places, shuffled);
    expect(together.checked).toEqual(files);
    expect(inOtherOrder.checked).toEqual(shuffled);
    expect(lines(together.findings)).toEqual(lines(alone));
    expect(lines(inOtherOrder.findings)).toEqual(lines(alone));
  });

  test('is shown in a listing with the values that a full reading gives', async () => {
    for (const path of files) {
      const head = await readSourceHead(path, ROOT);
      const whole = await readSource(path, ROOT);
      if (head.kind === 'unreadable' || whole.kind === 'unreadable') throw new Error(path);
      const read = readRoleMapping(path, whole.text);
      if (read.kind === 'refused') continue;
      const fields = await headFields(path, head.text, ['name', 'description'], 'role');
      if (fields.kind === 'broken') throw new Error(path);
      for (const key of ['name', 'description']) {
        const value = read.mapping.fields[key];
        const expected = typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
        expect([path, fields.values.get(key)]).toEqual([path, expected]);
      }
    }
  });
});

/** An order that has nothing to do with the names. */
function hash(text: string): number {
  return [...text].reduce((sum, character) => (Math.imul(sum, 31) + (character.codePointAt(0) ?? 0)) | 0, 7);
}
