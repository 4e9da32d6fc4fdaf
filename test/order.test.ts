import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ALONE, LONG } from './order.js';

const ROOT = join(import.meta.dirname, '..');

/** What changes the process for the files that come after. */
const CHANGES =
  /process\.env\[[^\]]+\] (\?\?)?= |delete process\.env|stubEnv|stubGlobal|useFakeTimers|vi\.(do)?[mM]ock|process\.(chdir|umask)\(|process\.on\('|globalThis\.\w+ = /;

test('files that are named are there', () => {
  expect([...ALONE, ...LONG].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('a file that changes its process has one of its own', () => {
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/^(fixtures|helpers)\//.test(path))
    .map((path) => `test/${path}`);
  const changing = files.filter((path) => CHANGES.test(readFileSync(join(ROOT, path), 'utf8')));
  expect(changing.filter((path) => path !== 'test/order.test.ts').sort()).toEqual([...ALONE].sort());
});
