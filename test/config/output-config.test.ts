import { describe, expect, test } from 'vitest';
import { resolveOutputConfig } from '../../src/config/output-config.js';

function resolve(
  flags: Readonly<Record<string, readonly string[]>>,
  variables: Readonly<Record<string, string>> = {},
): ReturnType<typeof resolveOutputConfig> {
  return resolveOutputConfig({
    flags: new Map(Object.entries(flags)),
    environment: {
      variables: new Map(Object.entries(variables)),
      home: '/home/me',
      named: () => new Map(),
      secrets: () => [],
      toolEnvironment: {},
    },
  });
}

describe('what stdout carries', () => {
  test.each([
    ['nothing said', {}, {}, 'text'],
    ['the flag alone', { 'json-events': ['facts'] }, {}, 'facts'],
    ['the flag with all', { 'json-events': ['all'] }, {}, 'all'],
    ['the variable', {}, { BNERD_JSON_EVENTS: 'all' }, 'all'],
    ['the variable saying yes', {}, { BNERD_JSON_EVENTS: '1' }, 'facts'],
    ['the variable saying no', {}, { BNERD_JSON_EVENTS: 'no' }, 'text'],
    ['the flag against the variable', { 'json-events': ['facts'] }, { BNERD_JSON_EVENTS: 'all' }, 'facts'],
  ])('%s', (_, flags, variables, events) => {
    expect(resolve(flags, variables)).toMatchObject({ kind: 'resolved', value: { events } });
  });

  test('is refused in another form, with the place and what is allowed', () => {
    expect(resolve({ 'json-events': ['xml'] })).toMatchObject({
      kind: 'refused',
      findings: [{ path: '--json-events', message: expect.stringMatching(/"xml".*facts, all/) }],
    });
  });
});

describe('quiet', () => {
  test.each([
    ['nothing said', {}, {}, false],
    ['the flag', { quiet: ['yes'] }, {}, true],
    ['the variable', {}, { BNERD_QUIET: 'true' }, true],
    ['the flag against the variable', { quiet: ['yes'] }, { BNERD_QUIET: 'no' }, true],
  ])('%s', (_, flags, variables, quiet) => {
    expect(resolve(flags, variables)).toMatchObject({ kind: 'resolved', value: { quiet } });
  });

  test('is refused when it is neither yes nor no', () => {
    expect(resolve({}, { BNERD_QUIET: 'perhaps' })).toMatchObject({
      kind: 'refused',
      findings: [{ path: 'BNERD_QUIET' }],
    });
  });
});
