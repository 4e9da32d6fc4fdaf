import { describe, expect, test } from 'vitest';
import { resolveRunnerConfig } from '../../src/config/runner-config.js';
import { NO_SETTINGS } from '../../src/config/settings.js';
import { parseSettings } from '../../src/config/settings-file.js';
import { ENGINEER_KINDS as CONFIGURED } from '../../src/config/settings-keys.js';
import type { Layers } from '../../src/config/written.js';
import { ENGINEER_KINDS } from '../../src/delegate/engineers/kinds.js';

const layers = (
  flags: Readonly<Record<string, string[]>> = {},
  variables: Readonly<Record<string, string>> = {},
): Layers => ({
  flags: new Map(Object.entries(flags)),
  environment: {
    variables: new Map(Object.entries(variables)),
    home: '/home/me',
    named: (names) =>
      new Map(names.flatMap((name) => (name === 'UNSET' ? [] : [[name, `value of ${name}`] as const]))),
    secrets: () => [],
    toolEnvironment: {},
  },
});

const resolved = (given: Layers, text = '') => {
  const settings = text === '' ? { kind: 'resolved' as const, value: NO_SETTINGS } : parseSettings(text);
  if (settings.kind === 'refused') throw new Error(JSON.stringify(settings.findings));
  return resolveRunnerConfig(given, settings.value, '/work/here');
};

const FILE = `
runner:
  pool: vm
  labels: [gpu, big]
  workdir: ~/runner
  repos: [/srv/*, https://git.example/a]
  max-safety: read-only
  engineers:
    claude-code: {path: /opt/claude, args: [--debug], env: {LEVEL: 1}, project-settings: true}
    command: {path: /opt/mine}
  engineer-wrap: [bwrap, --ro-bind, /, /]
  env-grants: [ANTHROPIC_API_KEY, UNSET]
  git-env: [SSH_AUTH_SOCK]
  concurrency: 3
  same-user: true
  grace: 9s
  keep-failed: 2h
  min-free: 2GB
`;

test('without a word of anybody: no repository, nothing looser than non-destructive, what is found of engineers', () => {
  expect(resolved(layers())).toMatchObject({
    kind: 'resolved',
    value: {
      workdir: null,
      concurrency: 1,
      sameUser: false,
      graceMs: 5_000,
      pool: null,
      labels: [],
      repos: [],
      maxSafety: 'non-destructive',
      engineers: new Map([
        ['claude-code', { path: 'claude', args: [], env: {}, projectSettings: false }],
        ['codex', { path: 'codex', args: [], env: {}, projectSettings: false }],
        ['gemini', { path: 'gemini', args: [], env: {}, projectSettings: false }],
      ]),
      engineerWrap: [],
      envGrants: {},
      gitEnv: {},
      minFreeBytes: 500_000_000,
      engineerSkills: '',
    },
  });
});

test('the settings file says it all', () => {
  expect(resolved(layers(), FILE)).toMatchObject({
    value: {
      workdir: '/home/me/runner',
      pool: 'vm',
      labels: ['gpu', 'big'],
      repos: ['/srv/*', 'https://git.example/a'],
      maxSafety: 'read-only',
      engineers: new Map([
        [
          'claude-code',
          { path: '/opt/claude', args: ['--debug'], env: { LEVEL: '1' }, projectSettings: true },
        ],
        ['command', { path: '/opt/mine', args: [], env: {}, projectSettings: false }],
      ]),
      engineerWrap: ['bwrap', '--ro-bind', '/', '/'],
      envGrants: { ANTHROPIC_API_KEY: 'value of ANTHROPIC_API_KEY' },
      gitEnv: { SSH_AUTH_SOCK: 'value of SSH_AUTH_SOCK' },
      keepFailedMs: 7_200_000,
      minFreeBytes: 2_000_000_000,
    },
  });
});

test('a flag beats its variable, which beats the file', () => {
  const variables = {
    BNERD_RUNNER_POOL: 'of-variable',
    BNERD_RUNNER_REPOS: '/a\n/b',
    BNERD_RUNNER_WORKDIR: 'there',
    BNERD_POOL: 'of nobody',
    BLOOM_RUNNER_ENGINEER_SKILLS: 'a,b',
  };
  expect(
    resolved(layers({ pool: ['of-flag'], engineer: ['claude-code', 'codex=/opt/codex'] }, variables), FILE),
  ).toMatchObject({
    value: {
      pool: 'of-flag',
      repos: ['/a', '/b'],
      workdir: '/work/here/there',
      engineers: new Map([
        [
          'claude-code',
          { path: '/opt/claude', args: ['--debug'], env: { LEVEL: '1' }, projectSettings: true },
        ],
        ['codex', { path: '/opt/codex', args: [], env: {}, projectSettings: false }],
      ]),
      engineerSkills: 'a,b',
    },
  });
});

test('a pool of the file is no pool where a flag says none', () => {
  expect(resolved(layers({ pool: ['none'] }), FILE)).toMatchObject({ value: { pool: null } });
});

describe('what does not fit is refused by its place', () => {
  test.each([
    ['max-safety', 'reckless', '--max-safety'],
    ['engineer', 'opencode', '--engineer'],
    ['keep-failed', 'long', '--keep-failed'],
    ['min-free', '2 ducks', '--min-free'],
  ])('--%s %s', (flag, value, place) => {
    expect(resolved(layers({ [flag]: [value] }))).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'bad-value', path: place }],
    });
  });

  test.each([
    ['runner: {max-safety: reckless}', { kind: 'resolved' }],
    ['runner: {engineers: {opencode: {path: x}}}', { findings: [{ code: 'unknown-key' }] }],
    [
      'runner: {engineer-user: bob}',
      {
        findings: [
          {
            code: 'bad-value',
            message: expect.stringMatching(/engineer-user.*user of its runner.*engineer-wrap/),
          },
        ],
      },
    ],
    ['runner: {concurrency: 0}', { findings: [{ code: 'bad-value' }] }],
    ['runner: {engineers: {codex: {project_settings: true}}}', { findings: [{ code: 'key-spelling' }] }],
    ['runner: {env-grants: ["A=b"]}', { findings: [{ code: 'bad-value' }] }],
    [
      'runner: {engineers: {codex: {env: {HOME: /root}}}}',
      { findings: [{ code: 'bad-value', message: expect.stringContaining('fresh home folder') }] },
    ],
  ])('%s', (text, expected) => {
    expect(parseSettings(text)).toMatchObject(expected);
  });
});

test.each(['HOME', 'TMPDIR'])(
  '%s is not granted, since it would be without effect, wherever it is written',
  (name) => {
    const finding = { code: 'bad-value', message: expect.stringContaining('folders of its own') };
    const refused = { kind: 'refused', findings: [finding] };
    expect(resolved(layers(), `runner: {env-grants: [${name}, ANTHROPIC_API_KEY]}`)).toMatchObject(refused);
    expect(resolved(layers({ 'env-grants': [name] }))).toMatchObject(refused);
    expect(resolved(layers({}, { BNERD_RUNNER_ENV_GRANTS: name }))).toMatchObject(refused);
  },
);

test('each kind of engineer that there is an adapter for can be set up', () => {
  expect([...CONFIGURED].sort()).toEqual([...ENGINEER_KINDS].sort());
});
