// Every row of the lists of cases that are worked through is a test, by its id.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const CASES = join(import.meta.dirname, '../../../shared/cases');

/** Of the cases of teams, the stages whose rows are due. */
const STAGES = ['1', '2', '4', '5', '6', '7'];

/** Of the cases of processes, the rows about children; they hold for commands of members and for engineers of runners. */
const CHILDREN = ['Q36', 'Q38', 'Q40', 'Q41'];

/** Of the cases of processes, the rows about the queue and its client. */
const QUEUE = [3, 5, 6, 8, 10, 11, 13, 15, 16, 18, 20, 21, 23, 25, 26, 28, 30, 31, 33].map(
  (row) => `Q${row}`,
);

/** Ids at the head of titles of tests in the files whose names fit, below a folder of `test/`. */
async function titledIn(folder: string, files: RegExp): Promise<ReadonlySet<string>> {
  const root = join(import.meta.dirname, '..', folder);
  const names = (await readdir(root, { recursive: true })).filter((name) => files.test(name));
  const texts = await Promise.all(names.map((name) => readFile(join(root, name), 'utf8')));
  return new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/['"`]((?:[A-Z]\d+(?:, |: | and | ))+)/g)].flatMap(
        ([, ids = '']) => ids.match(/[A-Z]\d+/g) ?? [],
      ),
    ),
  );
}

test.skipIf(!existsSync(CASES))(
  'every row about skills and rules stands in a title of a test here (../shared is there)',
  async () => {
    const list = await readFile(join(CASES, 'skills.md'), 'utf8');
    const rows = [...list.matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, id = '']) => id);
    const titled = await titledIn('cases', /^skills-.*\.test\.ts$/);
    expect(rows.length).toBeGreaterThan(60);
    expect(rows.filter((id) => !titled.has(id))).toEqual([]);
  },
);

test.skipIf(!existsSync(CASES))(
  'every row about teams of a stage that is due stands in a title of a test (../shared is there)',
  async () => {
    const list = await readFile(join(CASES, 'teamwork.md'), 'utf8');
    const rows = [...list.matchAll(/^- \*\*([A-Z]\d+)\*\* \(stage (\d)/gm)]
      .filter(([, , stage = '']) => STAGES.includes(stage))
      .map(([, id = '']) => id);
    const titled = await titledIn('', /^(?!cases\/skills-).*\.test\.ts$/);
    expect(rows.length).toBeGreaterThan(90);
    expect(rows.filter((id) => !titled.has(id))).toEqual([]);
  },
);

test.skipIf(!existsSync(CASES)).each([
  ['a command', /^leftovers\.test\.ts$/],
  ['an engineer', /^runner-leftovers\.test\.ts$/],
])(
  'every row about child processes stands in a title of a test of %s (../shared is there)',
  async (_, files) => {
    const list = await readFile(join(CASES, 'queue-and-process.md'), 'utf8');
    const rows = [...list.matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, id = '']) => id);
    expect(rows).toEqual(expect.arrayContaining(CHILDREN));
    const titled = await titledIn('e2e', files);
    expect(CHILDREN.filter((id) => !titled.has(id))).toEqual([]);
  },
);

test.skipIf(!existsSync(CASES))(
  'every row about the queue and its client stands in a title of a test (../shared is there)',
  async () => {
    const list = await readFile(join(CASES, 'queue-and-process.md'), 'utf8');
    const rows = [...list.matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, id = '']) => id);
    expect(rows).toEqual(expect.arrayContaining(QUEUE));
    const titled = await titledIn('', /\.test\.ts$/);
    expect(QUEUE.filter((id) => !titled.has(id))).toEqual([]);
  },
);
