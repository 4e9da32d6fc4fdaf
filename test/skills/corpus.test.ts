// Skills by strangers, as they lie in their repositories, against a second reading that shares no code with ours.
import { basename, dirname, join, relative } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Tree } from '../../src/catalog/tiers.js';
import { type Finding, formatFinding } from '../../src/shared/findings.js';
import type { EntrySource } from '../../src/skills/entry.js';
import { parseGoverned } from '../../src/skills/parse/governed.js';
import { parseOpen } from '../../src/skills/parse/open.js';
import type { ParsedEntry } from '../../src/skills/parse/parsed-entry.js';
import { type CorpusSkill, corpusSkills, expectedSkill, hasSkillCorpus } from '../helpers/skill-corpus.js';
import { fourTiers } from './four-tiers.js';

/** Hundreds of files are read; the bound is for a machine that does other things as well. */
const TIMEOUT_MS = 120_000;

function sourceOf(path: string, tree: Tree): EntrySource {
  return {
    path,
    tier: 'global',
    tree,
    layout: 'directory',
    expectedName: basename(dirname(path)),
    kind: 'skill',
  };
}

const read = ({ path, text }: CorpusSkill, tree: Tree = 'agents'): ParsedEntry =>
  parseOpen(text, sourceOf(path, tree));

const errorsOf = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ severity }) => severity === 'error');

/** Keys that set something; the others are data. */
const SETTING =
  /^(?:name|description|version|kind|always_on|keywords|applies_to|tools|allowed[-_]tools|process|page)$/;

describe.skipIf(!hasSkillCorpus)('the corpus of skills by strangers (needs ../shared)', () => {
  const files = hasSkillCorpus ? corpusSkills() : [];

  test(
    'exactly those with a name and a description within the bounds load, with the values of an independent reading',
    () => {
      const counts = { loaded: 0, repaired: 0, refused: 0 };
      for (const file of files) {
        const parsed = read(file);
        const expected = expectedSkill(file.text);
        counts[expected.kind]++;
        if (expected.kind === 'refused' || parsed.kind === 'refused') {
          expect([file.path, parsed.kind, errorsOf(parsed.findings).map(({ code }) => code)]).toEqual([
            file.path,
            'refused',
            expected.kind === 'refused' ? expected.why : [],
          ]);
          continue;
        }
        const { name, description, body, allowedTools, data, license, version } = parsed.entry;
        expect([file.path, name, description, body, allowedTools]).toEqual([
          file.path,
          expected.name,
          expected.description,
          expected.body,
          expected.allowedTools,
        ]);
        const repaired = parsed.findings.some(({ code }) => code === 'repaired-frontmatter');
        expect([file.path, repaired]).toEqual([file.path, expected.kind === 'repaired']);
        if (expected.fields === null) continue;
        const others = Object.entries(expected.fields).filter(([key]) => !SETTING.test(key));
        expect([file.path, data]).toEqual([file.path, Object.fromEntries(others)]);
        expect([file.path, license]).toEqual([file.path, expected.fields['license'] ?? null]);
        const written = expected.fields['version'];
        // A number is kept in the words it is written in: 1.10 is not 1.1.
        if (typeof written === 'number') expect(Number(version)).toBe(written);
        else expect([file.path, version]).toEqual([file.path, written ?? null]);
      }
      expect(counts.loaded + counts.repaired + counts.refused).toBe(1_139);
      expect(counts.loaded + counts.repaired).toBe(1_089);
      expect(counts.repaired).toBeGreaterThan(50);
    },
    TIMEOUT_MS,
  );

  test.each<Tree>(['claude', 'agents', 'bnerd'])(
    'under .%s every finding has a line of its file and a remedy, and a skill stays a skill that is asked for',
    (tree) => {
      for (const file of files) {
        const parsed = read(file, tree);
        const lines = file.text.split('\n').length;
        for (const { path, line = 1, message, remedy } of parsed.findings) {
          expect([path, remedy === '', message === '']).toEqual([file.path, false, false]);
          expect(line >= 1 && line <= lines + 1).toBe(true);
        }
        if (parsed.kind === 'refused') continue;
        expect(parsed.entry).toMatchObject({ kind: 'skill', alwaysOn: false });
        if (tree === 'claude') {
          expect(parsed.entry).toMatchObject({ keywords: [], appliesTo: null, tools: [], requires: [] });
        }
      }
    },
    TIMEOUT_MS,
  );

  test('the remedy of a missing name or description names the directory', () => {
    const missing = files.flatMap((file) =>
      read(file)
        .findings.filter(({ code }) => code === 'name-missing' || code === 'description-missing')
        .map(({ remedy }) => ({ remedy, file })),
    );
    expect(missing.length).toBeGreaterThan(5);
    for (const { remedy, file } of missing) expect(remedy).toContain(file.directory);
  });

  test(
    'the governed dialect refuses each file that it cannot represent, with line and reason',
    () => {
      let refused = 0;
      for (const file of files) {
        const source = sourceOf(file.path, 'bnerd');
        const governed = parseGoverned(file.text, source);
        if (governed.kind === 'entry') {
          const { digest, body } = governed.entry;
          expect(parseOpen(file.text, source)).toMatchObject({ kind: 'entry', entry: { digest, body } });
          continue;
        }
        refused++;
        const lines = file.text.split('\n').length;
        const errors = errorsOf(governed.findings);
        expect(errors.length).toBeGreaterThan(0);
        for (const { line, message, remedy } of errors) {
          expect([file.path, line]).toEqual([
            file.path,
            expect.toSatisfy((number: number) => Number.isInteger(number) && number >= 1 && number <= lines),
          ]);
          expect([message, remedy]).not.toContain('');
        }
      }
      expect(refused).toBeGreaterThan(files.length * 0.9);
    },
    TIMEOUT_MS,
  );

  test(
    'the result of a file depends on its text and place alone',
    () => {
      const results = (order: typeof files): Map<string, string> =>
        new Map(order.map((file) => [file.path, JSON.stringify(read(file, 'bnerd'))]));
      const first = results(files);
      const [shuffled = []] = fc.sample(fc.shuffledSubarray(files, { minLength: files.length }), 1);
      for (const [path, result] of results(shuffled)) expect(result).toBe(first.get(path));
      expect(shuffled).toHaveLength(files.length);
    },
    TIMEOUT_MS,
  );

  test(
    'loaded all together, each has the result that it has alone: no file takes another down',
    async () => {
      const at = (place: number): string => `home/.agents/skills/${String(place).padStart(4, '0')}/SKILL.md`;
      const tiers = await fourTiers(Object.fromEntries(files.map(({ text }, place) => [at(place), text])));
      const registry = await tiers.load();
      const together = new Map(registry.files.map((file) => [relative(tiers.root, file.path), file]));
      expect(together.size).toBe(files.length);
      for (const [place, { text }] of files.entries()) {
        const path = join(tiers.root, at(place));
        const alone = parseOpen(text, sourceOf(path, 'agents'));
        const file = together.get(at(place));
        expect(file?.findings.map(formatFinding)).toEqual(alone.findings.map(formatFinding));
        expect(file?.kind === 'loaded' ? file.entry : null).toEqual(
          alone.kind === 'entry' ? { ...alone.entry, trust: 'instruction' } : null,
        );
      }
      expect(registry.refused).toHaveLength(50);
      expect(registry.entries.length + registry.shadowed.length).toBe(1_089);
      expect(registry.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
