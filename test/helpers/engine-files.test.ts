import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FILES_ALONE, ON_BOTH } from './engine-files.js';

test('every end-to-end file runs on both engines, or says why not', () => {
  const there = readdirSync(join(import.meta.dirname, '../e2e')).flatMap(
    (name) => /^(.*)\.test\.ts$/.exec(name)?.[1] ?? [],
  );
  const alone = Object.keys(FILES_ALONE);
  expect([...ON_BOTH, ...alone].sort()).toEqual(there.sort());
});
