// Every row of the lists of cases that are worked through is a test, by its id.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const LIST = join(import.meta.dirname, '../../../shared/cases/skills.md');

test.skipIf(!existsSync(LIST))(
  'every row about skills and rules stands in a title of a test here (../shared is there)',
  async () => {
    const list = await readFile(LIST, 'utf8');
    const rows = [...list.matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, id]) => id);
    const files = (await readdir(import.meta.dirname)).filter((name) => /^skills-.*\.test\.ts$/.test(name));
    const texts = await Promise.all(files.map((name) => readFile(join(import.meta.dirname, name), 'utf8')));
    const titled = new Set(
      texts.flatMap((text) =>
        [...text.matchAll(/['"`]((?:[A-Z]\d+(?:, |: | ))+)/g)].flatMap(
          ([, ids = '']) => ids.match(/[A-Z]\d+/g) ?? [],
        ),
      ),
    );
    expect(rows.length).toBeGreaterThan(60);
    expect(rows.filter((id) => id !== undefined && !titled.has(id))).toEqual([]);
  },
);
