import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Everything a file loads by itself when it is imported: type imports and `import()` are left out. */
async function loadedBy(file: string, seen = new Set<string>()): Promise<Set<string>> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = await readFile(file, 'utf8');
  for (const [, target = ''] of text.matchAll(/^import (?!type )[^;]*?from '([^']+)';/gm)) {
    if (target.startsWith('.')) await loadedBy(join(file, '..', target.replace(/\.js$/, '.ts')), seen);
    else seen.add(target);
  }
  return seen;
}

test('a listing loads neither the schema library nor the YAML parser nor what suggests names', async () => {
  const loaded = [...(await loadedBy('src/catalog/catalogue.ts'))];
  expect(loaded).toContain('src/catalog/recipes/recipe-index.ts');
  expect(loaded.filter((name) => !name.startsWith('src/') && !name.startsWith('node:'))).toEqual([]);
});
