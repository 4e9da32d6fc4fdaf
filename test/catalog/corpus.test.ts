import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { headFields } from '../../src/catalog/head-fields.js';
import { parseRole } from '../../src/catalog/parse-role.js';
import { readSource, readSourceHead } from '../../src/catalog/source-file.js';
import { readMapping } from '../../src/catalog/written-mapping.js';
import { hasErrors } from '../../src/shared/findings.js';

const CORPUS = '../shared/corpus/roles';

/** Hundreds of files are read; the bound is for a machine that does other things as well. */
const TIMEOUT_MS = 60_000;

async function corpusFiles(): Promise<string[]> {
  const files = await readdir(CORPUS, { recursive: true });
  return files.filter((file) => file.endsWith('.md')).map((file) => join(CORPUS, file));
}

describe('the corpus of role files by strangers', () => {
  test.skipIf(!existsSync(CORPUS))(
    'needs the corpus: every file is loaded, or refused with an error that has a remedy',
    async () => {
      const files = await corpusFiles();
      const counts = { loaded: 0, refused: 0 };
      for (const path of files) {
        const source = await readSource(path, CORPUS);
        if (source.kind === 'unreadable') throw new Error(source.finding.message);
        const load = parseRole({ path, tier: 'project', text: source.text });
        counts[load.kind]++;
        expect(hasErrors(load.findings)).toBe(load.kind === 'refused');
        for (const { remedy, message } of load.findings) expect([remedy, message]).not.toContain('');
      }
      expect(counts.loaded + counts.refused).toBe(files.length);
      expect(counts.loaded).toBeGreaterThan(files.length * 0.9);
    },
    TIMEOUT_MS,
  );

  test.skipIf(!existsSync(CORPUS))(
    'needs the corpus: a listing shows the values that a full reading gives',
    async () => {
      for (const path of await corpusFiles()) {
        const head = await readSourceHead(path, CORPUS);
        const whole = await readSource(path, CORPUS);
        if (head.kind === 'unreadable' || whole.kind === 'unreadable') throw new Error(path);
        const mapping = readMapping(path, whole.text);
        if (mapping.kind === 'refused') continue;
        const fields = await headFields(path, head.text, ['name', 'description'], 'role');
        if (fields.kind === 'broken') throw new Error(path);
        for (const key of ['name', 'description']) {
          const value = mapping.mapping.fields[key];
          const expected = typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
          expect([path, fields.values.get(key)]).toEqual([path, expected]);
        }
      }
    },
    TIMEOUT_MS,
  );
});
