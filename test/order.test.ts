import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ALONE, LONG } from './order.js';

test('long files that are named are there', () => {
  expect(LONG.filter((path) => !existsSync(join(import.meta.dirname, '..', path)))).toEqual([]);
});

test('a file that changes its process has one of its own', () => {
  expect(ALONE).toContain('test/models/providers/environment.test.ts');
  expect(ALONE).toContain('test/shared/abort.test.ts');
  expect(ALONE).not.toContain('test/readme.test.ts');
});
