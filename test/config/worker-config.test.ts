import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readEnvironment } from '../../src/config/env.js';
import { resolveWorkerConfig } from '../../src/config/worker-config.js';
import { tempDir } from '../helpers/temp-dir.js';

function resolve(
  flags: Record<string, string>,
  variables: Record<string, string> = {},
  at = '/',
): ReturnType<typeof resolveWorkerConfig> {
  const given = new Map(Object.entries(flags).map(([name, text]) => [name, [text]]));
  return resolveWorkerConfig({ flags: given, environment: readEnvironment({ HOME: '/', ...variables }) }, at);
}

test('nobody says anything: all pools, every safety, anywhere', async () => {
  expect(await resolve({}, { BNERD_MAX_SAFETY: 'read-only' })).toEqual({
    kind: 'resolved',
    value: {
      concurrency: 4,
      graceMs: 5_000,
      pools: ['any', 'host'],
      maxSafety: 'full',
      workspaceRoot: null,
    },
  });
});

test('what is said is in effect; a folder is relative to where the worker starts', async () => {
  const root = await tempDir('root');
  const said = { pools: ' host ', 'max-safety': 'read-only', 'workspace-root': '.', concurrency: '2' };
  expect(await resolve(said, {}, root)).toMatchObject({
    value: { pools: ['host'], maxSafety: 'read-only', workspaceRoot: root, concurrency: 2 },
  });
  expect(await resolve({ pools: 'host,any' })).toMatchObject({ value: { pools: ['any', 'host'] } });
});

test('what cannot be is refused, all at once', async () => {
  const root = join(await tempDir('root'), 'gone');
  const said = { pools: 'any,gpu', 'max-safety': 'none', 'workspace-root': root, concurrency: '0' };
  const refused = await resolve(said);
  expect(refused.kind === 'refused' && refused.findings.map(({ path }) => path).sort()).toEqual([
    '--concurrency',
    '--max-safety',
    '--pools',
    '--workspace-root',
  ]);
});
