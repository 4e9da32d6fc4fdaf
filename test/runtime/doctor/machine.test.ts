// What the doctor says of a machine (spec/engine.md §3).
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { EngineerSettings } from '../../../src/delegate/engineers/engineer.js';
import { NO_MODEL_SETTINGS } from '../../../src/models/settings.js';
import type { Check } from '../../../src/runtime/doctor/check.js';
import { machineChecks, nodeCheck } from '../../../src/runtime/doctor/machine.js';
import type { House } from '../../../src/runtime/house.js';
import { writeMission } from '../../helpers/team.js';
import { tempDir } from '../../helpers/temp-dir.js';

const FOREVER = new AbortController().signal;

async function look(
  more: Partial<House> = {},
  engineers: ReadonlyMap<string, EngineerSettings> = new Map(),
): Promise<ReadonlyMap<string, Check>> {
  const { house } = await writeMission({ roles: { boss: {} }, script: {} });
  const checks = await machineChecks({ ...house, ...more }, 'v20.19.0', { engineers, wrap: [] }, FOREVER);
  return new Map(checks.map((check) => [check.check, check]));
}

const engineer = (path: string): EngineerSettings => ({
  path,
  args: [],
  env: {},
  projectSettings: false,
  mayBeFull: false,
});

test.each([
  ['v18.20.4', 'error'],
  ['v20.18.3', 'error'],
  ['v20.19.0', 'ok'],
  ['v22.1.0', 'ok'],
])('Node %s is %s', (version, state) => {
  expect(nodeCheck(version)).toMatchObject({ state, found: version, wanted: '20.19 or later' });
});

test('a machine that has what is needed', async () => {
  const checks = await look();
  expect(checks.get('node')?.state).toBe('ok');
  expect(checks.get('git')?.found).toMatch(/^git version \d/);
  expect(checks.get('home')?.state).toBe('ok');
  expect(checks.get('engineers')?.state).toBe('ok');
});

test('a git that is not there, and a folder that cannot be, are errors with a remedy', async () => {
  const file = join(await tempDir('doctor'), 'file');
  await writeFile(file, '');
  const checks = await look({ toolEnvironment: { PATH: '/nowhere' }, home: join(file, 'state') });
  expect(checks.get('git')).toMatchObject({ state: 'error', found: 'there is no program "git" in PATH' });
  expect(checks.get('home')).toMatchObject({ state: 'error', remedy: expect.stringContaining('BNERD_HOME') });
});

test('a home that is not there yet is looked for above', async () => {
  const root = await tempDir('doctor');
  const checks = await look({ home: join(root, 'a', 'b') });
  expect(checks.get('home')).toMatchObject({ state: 'ok', found: `${root}/a/b, which will be made` });
});

test('providers are named, their keys never shown; with none it says what to set', async () => {
  const key = 'sk-ant-nobody-has-this-key';
  const models = { ...NO_MODEL_SETTINGS, variables: new Map([['ANTHROPIC_API_KEY', key]]) };
  const with1 = await look({ models });
  expect(with1.get('providers')).toMatchObject({ state: 'ok', found: 'anthropic' });
  expect(JSON.stringify([...with1])).not.toContain(key);
  expect((await look()).get('providers')).toMatchObject({
    state: 'warning',
    remedy: expect.stringContaining('ANTHROPIC_API_KEY'),
  });
});

test('engineers that are set up are looked for, with their versions', async () => {
  const folder = await tempDir('doctor');
  await mkdir(folder, { recursive: true });
  const program = join(folder, 'claude');
  await writeFile(program, '#!/bin/sh\necho 2.0.1 "(a program)"\n');
  await chmod(program, 0o755);
  const there = await look({}, new Map([['claude-code', engineer(program)]]));
  expect(there.get('engineer-claude-code')).toMatchObject({
    state: 'ok',
    found: `${program} 2.0.1 (a program)`,
  });
  const gone = await look({}, new Map([['codex', engineer('/nowhere/codex')]]));
  expect(gone.get('engineer-codex')).toMatchObject({
    state: 'error',
    found: expect.stringContaining('/nowhere/codex'),
    remedy: expect.stringContaining('runner:'),
  });
});
