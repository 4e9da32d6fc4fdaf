import { describe, expect, test } from 'vitest';
import { readEnvironment } from '../../src/config/env.js';
import { isSecretName } from '../../src/config/secret-names.js';
import { PROVIDER_VARIABLES } from '../../src/models/choice/access.js';

test.each([
  'OPENAI_API_KEY',
  'KEY',
  'MY_APIKEY',
  'GITHUB_TOKEN',
  'npm_config_//registry.example/:_authToken',
  'CLIENT_SECRET',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_ACCESS_KEY_ID',
  'AWS_BEARER_TOKEN_BEDROCK',
  'PGPASSWORD',
  'MYSQL_PWD',
  'DB_PASS',
  'GPG_PASSPHRASE',
  'AZURE_CREDENTIALS',
  'SENTRY_DSN',
  'AUTHORIZATION',
  'AUTH_HEADER',
  'REDISCLI_AUTH',
  'TLS_PRIVATE_KEY',
])('%s holds a secret', (name) => expect(isSecretName(name)).toBe(true));

test.each([
  'PATH',
  'PWD',
  'OLDPWD',
  'HOME',
  'SSH_AUTH_SOCK',
  'SSH_ASKPASS',
  'GIT_AUTHOR_NAME',
  'AUTHOR',
  'XAUTHORITY',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'AWS_SHARED_CREDENTIALS_FILE',
  'POSTGRES_PASSWORD_FILE',
  'GPG_KEY',
  'SSH_PUBLIC_KEY',
  'MAX_TOKENS',
  'TOKENIZERS_PARALLELISM',
  'KEYBOARD',
  'MONKEY',
  'BYPASS',
  'AUTH_TYPE',
  'ANTHROPIC_BASE_URL',
])('%s holds none', (name) => expect(isSecretName(name)).toBe(false));

test('of the variables of providers all but addresses and regions hold secrets', () => {
  const others = PROVIDER_VARIABLES.filter((name) => !isSecretName(name));
  expect(others.every((name) => /_(BASE_URL|REGION)$/.test(name))).toBe(true);
});

describe('the secrets of an environment', () => {
  const { secrets } = readEnvironment({
    HOME: '/h',
    MY_TOKEN: 'abcdefghij',
    EMPTY_TOKEN: '',
    PLAIN: 'nothing to see',
    MINE: 'named by the operator',
    DATABASE_URL: 'postgres://ada:p%40ssw0rd!@db.example/x',
    PROXY: 'http://tokentoken@proxy.example',
    CLONE: 'ssh://somebody@host.example/x',
    SENTRY_DSN: 'https://0123456789abcdef@sentry.example/1',
    SORT_KEY: 'date_and_name',
    CACHES: 'redis://:first-pass@a:6379,rediss://u:second-pass@b:6379/0',
    JDBC: 'jdbc:postgresql://db.example/x?user=ada&password=third%2Fpass&ssl=true',
    STORAGE: 'DefaultEndpointsProtocol=https;AccountName=ours;AccountKey=Zm91cnRoLXBhc3M=;',
    SERVER: 'Server=db;User Id=ada;Pwd=fifth-pass;Timeout=30',
    MAIL: 'write to ada@example.com; see https://example.com/a?page=2&sort=name@x',
    COLORS: 'rs=0:di=01;34:ln=01;36',
  });

  test('a long value takes no more than a little time', () => {
    const long = `${'a'.repeat(60_000)}://;${'a=b '.repeat(20_000)};${'a '.repeat(20_000)}`;
    expect(readEnvironment({ LONG: long }).secrets({ names: [], except: [] })).toEqual([]);
  });

  test('are values of names that say so, passwords of addresses, and what the operator names', () => {
    expect(secrets({ names: ['MINE'], except: ['SORT_KEY'] })).toEqual([
      { name: 'MY_TOKEN', value: 'abcdefghij' },
      { name: 'MINE', value: 'named by the operator' },
      { name: 'DATABASE_URL', value: 'p@ssw0rd!' },
      { name: 'PROXY', value: 'tokentoken' },
      { name: 'SENTRY_DSN', value: 'https://0123456789abcdef@sentry.example/1' },
      { name: 'SENTRY_DSN', value: '0123456789abcdef' },
      { name: 'CACHES', value: 'first-pass' },
      { name: 'CACHES', value: 'second-pass' },
      { name: 'JDBC', value: 'third/pass' },
      { name: 'STORAGE', value: 'Zm91cnRoLXBhc3M=' },
      { name: 'SERVER', value: 'fifth-pass' },
    ]);
  });
});
