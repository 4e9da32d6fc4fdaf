import { describe, expect, test } from 'vitest';
import { readEnvironment } from '../../src/config/env.js';
import { PROVIDER_VARIABLES } from '../../src/models/choice/access.js';

describe('the environment', () => {
  test('gives the variables of this program and nothing else of what is set', () => {
    const { variables } = readEnvironment({
      BNERD_SAFETY: 'full',
      MISSION_REPO: '/m',
      BLOOM_AGENT_SKILLS: 'a',
      ANTHROPIC_API_KEY: 'sk-1',
      HOME: '/h',
    });
    expect([...variables.keys()].sort()).toEqual(['BLOOM_AGENT_SKILLS', 'BNERD_SAFETY', 'MISSION_REPO']);
  });

  test('gives a key only to who asks for its variable', () => {
    const { named } = readEnvironment({
      ANTHROPIC_API_KEY: 'k-1',
      MY_KEY: 'k-2',
      OPENAI_API_KEY: '',
      OTHER: 'x',
    });
    expect([...named(['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'MY_KEY', 'constructor'])]).toEqual([
      ['ANTHROPIC_API_KEY', 'k-1'],
      ['MY_KEY', 'k-2'],
    ]);
  });

  test('counts an empty variable as one that is not set', () => {
    expect(readEnvironment({ BNERD_SAFETY: '' }).variables.size).toBe(0);
  });

  test('hands tools the allow-list, without a key, a socket, a shell or our own variables', () => {
    const { toolEnvironment } = readEnvironment({
      PATH: '/bin',
      HOME: '/h',
      LANG: 'de_DE.UTF-8',
      LC_ALL: 'C',
      TZ: 'UTC',
      TMPDIR: '/t',
      TERM: 'xterm-256color',
      SHELL: '/bin/bash',
      SSH_AUTH_SOCK: '/s',
      ...Object.fromEntries(PROVIDER_VARIABLES.map((name) => [name, 'sk-1'])),
      BNERD_HOME: '/b',
      NODE_OPTIONS: '--inspect',
    });
    expect(toolEnvironment).toEqual({
      PATH: '/bin',
      HOME: '/h',
      LANG: 'de_DE.UTF-8',
      LC_ALL: 'C',
      TZ: 'UTC',
      TMPDIR: '/t',
      TERM: 'dumb',
    });
  });

  test('takes the home directory from HOME', () => {
    expect(readEnvironment({ HOME: '/somewhere' }).home).toBe('/somewhere');
  });
});
