import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Config, resolveConfig } from '../../src/config/config.js';
import type { Resolved } from '../../src/config/written.js';
import { tempDir } from '../helpers/temp-dir.js';

interface House {
  readonly root: string;
  readonly home: string;
  readonly work: string;
}

async function house(): Promise<House> {
  const root = await tempDir('config');
  for (const name of ['home', 'work', 'flag', 'ours', 'theirs', 'home/filed']) await mkdir(join(root, name));
  return { root, home: join(root, 'home'), work: join(root, 'work') };
}

function resolve(
  { home, work }: House,
  given: {
    readonly flag?: string;
    readonly variables?: Readonly<Record<string, string>>;
    readonly needs?: 'catalogue' | 'records';
  },
): Promise<Resolved<Config>> {
  const { flag, variables = {}, needs = 'catalogue' } = given;
  return resolveConfig(
    {
      flags: new Map(flag === undefined ? [] : [['mission-repo', [flag]]]),
      environment: {
        variables: new Map(Object.entries(variables)),
        home,
        named: () => new Map(),
        secrets: () => [],
        toolEnvironment: {},
      },
    },
    { needs, workingDirectory: work },
  );
}

async function missionOf(...given: Parameters<typeof resolve>): Promise<string | null> {
  const config = await resolve(...given);
  if (config.kind === 'refused') throw new Error(JSON.stringify(config.findings));
  return config.value.missionRepository;
}

describe('the mission repository', () => {
  test('is the flag, then BNERD_MISSION_REPO, then MISSION_REPO, then the file, then none', async () => {
    const at = await house();
    await writeFile(join(at.home, '.bnerd.yaml'), 'mission-repo: filed\n');
    const variables = { BNERD_MISSION_REPO: '../ours', MISSION_REPO: join(at.root, 'theirs') };
    const { MISSION_REPO } = variables;
    expect(await missionOf(at, { flag: '../flag', variables })).toBe(join(at.root, 'flag'));
    expect(await missionOf(at, { variables })).toBe(join(at.root, 'ours'));
    expect(await missionOf(at, { variables: { MISSION_REPO } })).toBe(join(at.root, 'theirs'));
    expect(await missionOf(at, {})).toBe(join(at.home, 'filed'));
    await writeFile(join(at.home, '.bnerd.yaml'), '');
    expect(await missionOf(at, {})).toBeNull();
  });

  test('is its real path, and "~/" is the home directory', async () => {
    const at = await house();
    await symlink(join(at.root, 'ours'), join(at.root, 'link'));
    expect(await missionOf(at, { flag: join(at.root, 'link') })).toBe(join(at.root, 'ours'));
    expect(await missionOf(at, { flag: '~/filed' })).toBe(join(at.home, 'filed'));
  });

  test.each([
    ['--mission-repo', { flag: 'nowhere' }, /does not exist/],
    ['BNERD_MISSION_REPO', { variables: { BNERD_MISSION_REPO: '../file' } }, /is no directory/],
    ['MISSION_REPO', { variables: { MISSION_REPO: '../file/x' } }, /cannot be read: ENOTDIR/],
  ])('is refused by the name of its place when it is none: %s', async (place, given, message) => {
    const at = await house();
    await writeFile(join(at.root, 'file'), '');
    expect(await resolve(at, given)).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'bad-value', path: place, message: expect.stringMatching(message) }],
    });
  });

  test('is refused with its line when the file names it', async () => {
    const at = await house();
    await writeFile(join(at.home, '.bnerd.yaml'), '# here\nmission-repo: gone\n');
    expect(await resolve(at, {})).toMatchObject({
      kind: 'refused',
      findings: [{ path: '~/.bnerd.yaml', line: 2, message: expect.stringContaining('does not exist') }],
    });
  });
});

describe('BNERD_HOME', () => {
  const homeOf = async (at: House, text: string): Promise<Resolved<Config>> =>
    resolve(at, { variables: { BNERD_HOME: text }, needs: 'records' });

  test('need not be there yet, and is told as a real path', async () => {
    const at = await house();
    await symlink(join(at.root, 'ours'), join(at.root, 'link'));
    expect(await homeOf(at, join(at.root, 'link', 'deep', 'state'))).toMatchObject({
      kind: 'resolved',
      value: { bnerdHome: join(at.root, 'ours', 'deep', 'state') },
    });
  });

  test.each(['.', 'state', '../link'])('is refused inside the working directory: %s', async (text) => {
    const at = await house();
    await symlink(at.work, join(at.root, 'link'));
    expect(await homeOf(at, text)).toMatchObject({
      kind: 'refused',
      findings: [
        { path: 'BNERD_HOME', message: expect.stringContaining(`outside the working directory ${at.work}`) },
      ],
    });
  });

  test('is refused when it cannot be a directory', async () => {
    const at = await house();
    await writeFile(join(at.root, 'file'), '');
    for (const text of ['../file', '../file/state']) {
      expect(await homeOf(at, text)).toMatchObject({ kind: 'refused', findings: [{ path: 'BNERD_HOME' }] });
    }
  });

  test('is nothing when it is not set', async () => {
    expect(await resolve(await house(), {})).toMatchObject({ kind: 'resolved', value: { bnerdHome: null } });
  });
});

describe('a command that only looks at records', () => {
  test('is not kept from it by a broken settings file or a repository that is gone', async () => {
    const at = await house();
    await writeFile(join(at.home, '.bnerd.yaml'), 'a: [');
    const variables = { BNERD_MISSION_REPO: '/gone' };
    expect(await resolve(at, { variables, needs: 'records' })).toMatchObject({ kind: 'resolved' });
    const config = await resolve(at, { variables });
    expect(config.kind === 'refused' && config.findings.map(({ code }) => code)).toEqual([
      'yaml-error',
      'bad-value',
    ]);
  });
});

describe('added skills', () => {
  test.each([
    [{ BNERD_AGENT_SKILLS: 'a', BLOOM_AGENT_SKILLS: 'b' }, 'a'],
    [{ BLOOM_AGENT_SKILLS: 'b' }, 'b'],
    [{}, ''],
  ])('%j gives %j', async (variables, agentSkills) => {
    expect(await resolve(await house(), { variables })).toMatchObject({
      kind: 'resolved',
      value: { agentSkills },
    });
  });
});

test('trust files: the flag replaces BNERD_TRUST, which has one a line; each is absolute, and named once', async () => {
  const at = await house();
  const trustFiles = async (flags: readonly string[], variable = ''): Promise<readonly string[]> => {
    const config = await resolveConfig(
      {
        flags: new Map(flags.length === 0 ? [] : [['trust', flags]]),
        environment: {
          variables: new Map([['BNERD_TRUST', variable]]),
          home: at.home,
          named: () => new Map(),
          secrets: () => [],
          toolEnvironment: {},
        },
      },
      { needs: 'catalogue', workingDirectory: at.work },
    );
    if (config.kind === 'refused') throw new Error(JSON.stringify(config.findings));
    return config.value.trustFiles;
  };
  expect(await trustFiles([])).toEqual([]);
  expect(await trustFiles([], '~/a.yaml\n../b.yaml\n')).toEqual([
    join(at.home, 'a.yaml'),
    join(at.root, 'b.yaml'),
  ]);
  expect(await trustFiles(['c.yaml', './c.yaml'], '/a.yaml')).toEqual([join(at.work, 'c.yaml')]);
});
