import { mkdir, realpath, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readEnvironment } from '../../src/config/env.js';
import { parseSettings } from '../../src/config/settings-file.js';
import { resolveWorkerConfig } from '../../src/config/worker-config.js';
import { tempDir } from '../helpers/temp-dir.js';

function resolve(
  flags: Record<string, string | readonly string[]>,
  variables: Record<string, string> = {},
  at = '/',
  file = '',
): ReturnType<typeof resolveWorkerConfig> {
  const given = new Map(Object.entries(flags).map(([name, texts]) => [name, [texts].flat()]));
  const settings = parseSettings(file);
  if (settings.kind === 'refused') throw new Error(JSON.stringify(settings.findings));
  const environment = readEnvironment({ HOME: '/', ...variables });
  return resolveWorkerConfig({ flags: given, environment }, settings.value, at);
}

test('nobody says anything: all pools, every safety, anywhere', async () => {
  expect(await resolve({}, { BNERD_MAX_SAFETY: 'read-only' })).toEqual({
    kind: 'resolved',
    value: {
      concurrency: 4,
      graceMs: 5_000,
      pools: ['any', 'host'],
      maxSafety: 'full',
      workspaceRoots: [],
    },
  });
});

test('what is said is in effect; a folder is relative to where the worker starts', async () => {
  const root = await tempDir('root');
  const said = { pools: ' host ', 'max-safety': 'read-only', 'workspace-root': '.', concurrency: '2' };
  expect(await resolve(said, {}, root)).toMatchObject({
    value: { pools: ['host'], maxSafety: 'read-only', workspaceRoots: [root], concurrency: 2 },
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

describe('the folders in which workspaces lie', () => {
  test('several, each once and with its links followed: flags, else the variable, else the settings file', async () => {
    const home = await realpath(await tempDir('home'));
    for (const name of ['one', 'two', 'three']) await mkdir(join(home, name));
    await symlink(join(home, 'one'), join(home, 'link'));
    const roots = (...names: readonly string[]) => ({
      value: { workspaceRoots: names.map((name) => join(home, name)) },
    });
    const file = 'worker: { workspace-root: [three, ~/one] }';
    const variable = { HOME: home, BNERD_WORKSPACE_ROOT: 'two\none' };
    const flags = { 'workspace-root': ['link', 'one', join(home, 'three')] };
    expect(await resolve({}, { HOME: home }, '/', file)).toMatchObject(roots('three', 'one'));
    expect(await resolve({}, variable, home, file)).toMatchObject(roots('two', 'one'));
    expect(await resolve(flags, variable, home, file)).toMatchObject(roots('one', 'three'));
  });

  test('every one that is not there is refused, with where it was said', async () => {
    const file = 'worker:\n  workspace-root: [/, /nowhere, /gone]\n';
    expect(await resolve({}, {}, '/', file)).toMatchObject({
      kind: 'refused',
      findings: [
        { path: '~/.bnerd.yaml', line: 2, message: expect.stringContaining('"/nowhere"') },
        { path: '~/.bnerd.yaml', line: 2, message: expect.stringContaining('"/gone"') },
      ],
    });
  });

  test.each([
    ['worker: { workspace-root: /srv }', 'worker.workspace-root is "/srv"; expected a list'],
    ['worker: { workspace-root: [""] }', 'text that is not empty'],
    ['worker: { workspace_root: [/] }', '"workspace_root" is no key; allowed: "workspace-root"'],
    ['worker: { roots: [/] }', '"roots" is no key of worker; allowed: workspace-root'],
  ])('the settings file is refused with what may stand there: %s', (text, words) => {
    const parsed = parseSettings(text);
    expect(parsed.kind === 'refused' && parsed.findings[0]?.message).toContain(words);
  });
});
