import { expect, test } from 'vitest';
import { readEnvironment } from '../../src/config/env.js';
import { resolveHealth } from '../../src/config/health-config.js';

const resolve = (text: string | undefined, variables: Record<string, string> = {}, begins?: string) =>
  resolveHealth(
    {
      flags: new Map(text === undefined ? [] : [['health', [text]]]),
      environment: readEnvironment({ HOME: '/', ...variables }),
    },
    begins,
  );

test('nobody says anything: no port is opened', () => {
  expect(resolve(undefined)).toEqual({ kind: 'resolved', value: null });
});

test.each([
  ['127.0.0.1:9464', { host: '127.0.0.1', port: 9464, reach: 'this machine' }],
  ['[::1]:0', { host: '::1', port: 0, reach: 'this machine' }],
  ['0.0.0.0:9464', { host: '0.0.0.0', port: 9464, reach: 'others' }],
])('%s', (text, value) => {
  expect(resolve(text)).toEqual({ kind: 'resolved', value });
});

test.each(['9464', 'localhost:9464', '127.0.0.1', '127.0.0.1:70000', '::1:9464', '[127.0.0.1]:1', ''])(
  '%j is refused with what is allowed',
  (text) => {
    expect(resolve(text)).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'bad-value', message: expect.stringContaining('127.0.0.1:9464') }],
    });
  },
);

test('a flag beats the variable, and each command has its own', () => {
  const variables = { BNERD_HEALTH: '127.0.0.1:1', BNERD_RUNNER_HEALTH: '127.0.0.1:2' };
  expect(resolve(undefined, variables)).toMatchObject({ value: { port: 1 } });
  expect(resolve(undefined, variables, 'BNERD_RUNNER_')).toMatchObject({ value: { port: 2 } });
  expect(resolve('127.0.0.1:3', variables, 'BNERD_RUNNER_')).toMatchObject({ value: { port: 3 } });
});
