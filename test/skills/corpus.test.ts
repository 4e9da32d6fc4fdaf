// Hundreds of files by strangers, as they lie in their repositories: each is an entry or refused, none by chance.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSource } from '../../src/catalog/files/source-file.js';
import type { Tree } from '../../src/catalog/tiers.js';
import { hasErrors } from '../../src/shared/findings.js';
import type { EntrySource } from '../../src/skills/entry.js';
import { parseOpen } from '../../src/skills/parse/open.js';
import type { ParsedEntry } from '../../src/skills/parse/parsed-entry.js';

const CORPUS = '../shared/corpus/skills';

/** Hundreds of files are read; the bound is for a machine that does other things as well. */
const TIMEOUT_MS = 120_000;

async function corpusFiles(): Promise<{ path: string; text: string }[]> {
  const names = await readdir(CORPUS, { recursive: true });
  const paths = names.filter((name) => /^skill\.md$/i.test(basename(name))).sort();
  return Promise.all(
    paths.map(async (name) => {
      const path = join(CORPUS, name);
      const source = await readSource(path, CORPUS);
      if (source.kind === 'unreadable') throw new Error(source.finding.message);
      return { path, text: source.text };
    }),
  );
}

function sourceOf(path: string, tree: Tree): EntrySource {
  const expectedName = basename(dirname(path));
  return { path, tier: 'global', tree, layout: 'directory', expectedName, kind: 'skill' };
}

const read = ({ path, text }: { path: string; text: string }, tree: Tree): ParsedEntry =>
  parseOpen(text, sourceOf(path, tree));

describe.skipIf(!existsSync(CORPUS))('the corpus of skills by strangers (needs ../shared)', () => {
  test.each<Tree>(['claude', 'agents'])(
    'under .%s: every file is an entry, or refused with an error that has a line of it and a remedy',
    async (tree) => {
      const files = await corpusFiles();
      const counts = { entry: 0, refused: 0 };
      for (const file of files) {
        const parsed = read(file, tree);
        counts[parsed.kind]++;
        expect(hasErrors(parsed.findings)).toBe(parsed.kind === 'refused');
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
      expect(counts.entry + counts.refused).toBe(files.length);
      expect(counts.entry).toBeGreaterThan(files.length * 0.9);
    },
    TIMEOUT_MS,
  );

  test(
    'the result of a file does not depend on the files read before it, nor on the time',
    async () => {
      const files = await corpusFiles();
      const digests = (order: typeof files): Map<string, string> =>
        new Map(order.map((file) => [file.path, JSON.stringify(read(file, 'bnerd'))]));
      const first = digests(files);
      const [shuffled = []] = fc.sample(fc.shuffledSubarray(files, { minLength: files.length }), 1);
      for (const [path, result] of digests(shuffled)) expect(result).toBe(first.get(path));
      expect(shuffled).toHaveLength(files.length);
    },
    TIMEOUT_MS,
  );
});
