import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FILES_ALONE, ON_BOTH } from './engine-files.js';
import { describeRedis } from './redis.js';

test('every end-to-end file runs on both engines, or says why not', () => {
  const there = readdirSync(join(import.meta.dirname, '../e2e')).flatMap(
    (name) => /^(.*)\.test\.ts$/.exec(name)?.[1] ?? [],
  );
  const alone = Object.keys(FILES_ALONE);
  expect([...ON_BOTH, ...alone].sort()).toEqual(there.sort());
});

describeRedis('end-to-end tests on Redis', () => {
  test('run in a project of their own', async () => {
    const { default: config } = await import('../vitest.config.js');
    const names = JSON.stringify(config);
    for (const name of ON_BOTH) expect(names.split(`"test/e2e/${name}.test.ts"`).length, name).toBe(2);
  });
});
