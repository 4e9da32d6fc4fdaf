/** The rules of the house, held against the real tree. That each finds a breach: `helpers/architecture.test.ts`. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FACT_TYPES } from '../src/events/event.js';
import * as rules from './helpers/architecture.js';

const ROOT = join(import.meta.dirname, '..');

/** Every TypeScript file of `src` and `test`, by path from the top of the repository; peers of the benchmarks are not ours. */
function readTree(): Map<string, string> {
  const paths = ['src', 'test'].flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' })
      .map((path) => `${top}/${path.replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith('.ts') && !/^test\/(fixtures|bench\/node_modules)\//.test(path)),
  );
  return new Map(paths.sort().map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

const RULES: readonly (readonly [title: string, rule: rules.Rule])[] = [
  ['a folder imports only what its row of the layer table lists', rules.layers],
  ['no import goes round, types included', rules.noCycle],
  [`a file has at most ${rules.MAX_LINES} lines`, rules.fileLength],
  ['every edge of the program has one owner', rules.owners],
  ['no exception is kept that nothing needs', rules.exceptionsAreUsed],
  ['nothing is of type any', rules.noAny],
  [
    'Q6 no option of the Redis client sends a command that its sender was told has failed',
    rules.noTrapsOfRedis,
  ],
  ['nothing is a default export', rules.noDefaultExport],
  ['no state stands in a module variable', rules.noModuleState],
  ['no folder has an index.ts of its own', rules.noInnerIndex],
  ['every file opens with a head comment', rules.headComments],
  ['every name is kebab-case and says what is in the file', rules.fileNames],
  ['every folder of src has its folder in test', rules.mirroredInTest],
  ['every fact is folded into the state', rules.everyFactIsFolded(FACT_TYPES)],
  ['every port has a contract suite that a test runs', rules.everyPortHasItsSuite],
  ['texts that a prompt is read by are written in one file', rules.writtenOnce],
];

describe('the source keeps the rules', () => {
  const tree = readTree();

  test('the tree is read', () => {
    expect(tree.has('src/events/event.ts')).toBe(true);
    expect(tree.has('test/architecture.test.ts')).toBe(true);
  });

  test.each(RULES)('%s', (_, rule) => {
    expect(rule(tree)).toEqual([]);
  });
});
