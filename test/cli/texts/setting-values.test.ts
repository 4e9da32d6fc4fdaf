import { describe, expect, test } from 'vitest';
import { RUN_ROWS } from '../../../src/cli/rows/run.js';
import { COMMANDS, VARIABLES } from '../../../src/cli/table.js';
import { settingValues, unreadVariables } from '../../../src/cli/texts/setting-values.js';
import { readEnvironment } from '../../../src/config/env.js';
import { NO_SETTINGS } from '../../../src/config/settings.js';
import { parseSettings } from '../../../src/config/settings-file.js';

const FLAGS = RUN_ROWS.flatMap((row) => (row.name === 'team run' ? row.flags : []));

function sources(flags: Record<string, string[]> = {}, env: Record<string, string> = {}, file?: string) {
  const read = file === undefined ? undefined : parseSettings(file);
  if (read?.kind === 'refused') throw new Error(JSON.stringify(read.findings));
  return {
    layers: {
      flags: new Map(Object.entries(flags)),
      environment: readEnvironment({ HOME: '/home/me', ...env }),
    },
    settings: read?.value ?? NO_SETTINGS,
    flags: FLAGS,
    variables: VARIABLES,
  };
}

function one(name: string, ...given: Parameters<typeof sources>) {
  const found = settingValues(sources(...given)).filter((value) => value.name === name);
  expect(found).toHaveLength(1);
  return found[0];
}

describe('the settings', () => {
  test('every flag of run with a variable, and every variable that is no flag, is one of them', () => {
    const names = settingValues(sources()).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(FLAGS.map(({ name }) => name)));
    const aliases = ['MISSION_REPO'];
    expect(names).toEqual(
      expect.arrayContaining(VARIABLES.map(({ name }) => name).filter((name) => !aliases.includes(name))),
    );
  });

  test('a flag beats its variable, the variable the file, the file the default', () => {
    const file = 'x: 1\nrun:\n  grace: 9s\n';
    expect(one('grace', {}, {}, undefined)).toMatchObject({
      values: null,
      default: '5s',
      origin: { kind: 'default' },
    });
    expect(one('grace', {}, {}, file)).toMatchObject({
      values: ['9s'],
      origin: { kind: 'file', place: '~/.bnerd.yaml', line: 3 },
    });
    expect(one('grace', {}, { BNERD_GRACE: '8s' }, file)).toMatchObject({
      values: ['8s'],
      origin: { kind: 'variable', place: 'BNERD_GRACE' },
    });
    expect(one('grace', { grace: ['7s'] }, { BNERD_GRACE: '8s' }, file)).toMatchObject({
      values: ['7s'],
      origin: { kind: 'flag', place: '--grace' },
    });
  });

  test('the mission repository has two variables, and the one of this program beats the other', () => {
    const file = 'mission-repo: /a\n';
    expect(one('mission-repo', {}, { MISSION_REPO: '/b' }, file)).toMatchObject({
      values: ['/b'],
      origin: { place: 'MISSION_REPO' },
    });
    expect(one('mission-repo', {}, { MISSION_REPO: '/b', BNERD_MISSION_REPO: '/c' }, file)).toMatchObject({
      values: ['/c'],
      origin: { place: 'BNERD_MISSION_REPO' },
    });
  });

  test('what may be given several times is shown several times', () => {
    expect(one('limit', { limit: ['turns=2', 'tokens=3'] })).toMatchObject({
      values: ['turns=2', 'tokens=3'],
    });
    expect(one('limit', {}, { BNERD_LIMIT: 'turns=2\ntokens=3' })).toMatchObject({
      values: ['turns=2', 'tokens=3'],
    });
  });

  test('the rest of the file has its lines; keys of other programs are left alone', () => {
    const file =
      'theirs: {token: abc}\naliases:\n  fast: openai/x\npermissions:\n  - tool: fs_write_file\n    decision: deny\n';
    const values = settingValues(sources({}, {}, file)).filter(({ origin }) => origin.kind === 'file');
    expect(
      values.map(({ name, values: texts, origin }) => [name, texts, 'line' in origin && origin.line]),
    ).toEqual([
      ['aliases.fast', ['openai/x'], 3],
      ['permissions[0].tool', ['fs_write_file'], 5],
      ['permissions[0].decision', ['deny'], 6],
    ]);
  });
});

describe('no secret is a value', () => {
  test('a variable of the table that holds a key is marked as one', () => {
    for (const { name, secret } of VARIABLES)
      expect([name, secret === true]).toEqual([name, /KEY|TOKEN|SECRET/.test(name)]);
  });

  test('of every secret variable it is said that it is set, and nothing of what it holds', () => {
    const names = VARIABLES.flatMap(({ name, secret }) => (secret === true ? [name] : []));
    const env = Object.fromEntries(names.map((name) => [name, `hush-${name}`]));
    const values = settingValues(
      sources({}, { ...env, MY_KEY: 'hush' }, 'providers: {openai: {api-key-env: MY_KEY}}\n'),
    );
    expect(JSON.stringify(values)).not.toContain('hush');
    for (const name of names)
      expect(values.find((value) => value.name === name)?.values).toEqual([`set (${name})`]);
    expect(values.find(({ name }) => name === 'providers.openai.api-key-env')?.values).toEqual([
      'set (MY_KEY)',
    ]);
    expect(
      one('providers.openai.api-key-env', {}, {}, 'providers: {openai: {api-key-env: MY_KEY}}\n'),
    ).toMatchObject({
      values: ['not set (MY_KEY)'],
    });
  });

  test('a key in the wrong place, and the password of an address, are not shown', () => {
    expect(one('model', {}, { BNERD_MODEL: 'anthropic/sk-ant-1234567890abc' })?.values).toEqual([
      '(not shown: it looks like a key)',
    ]);
    expect(one('ANTHROPIC_BASE_URL', {}, { ANTHROPIC_BASE_URL: 'https://me:hush@host/v1' })?.values).toEqual([
      'https://…@host/v1',
    ]);
  });
});

test('a variable of this family that nothing reads is found', () => {
  const flags = COMMANDS.flatMap((row) => row.flags);
  const env = { BNERD_SAFTEY: 'full', BNERD_SAFETY: 'full', BNERD_HOME: '/x', OTHER: '1' };
  expect(unreadVariables({ ...sources({}, env), flags })).toEqual(['BNERD_SAFTEY']);
});
