import { describe, expect, test } from 'vitest';
import { readEnvironment } from '../../src/config/env.js';

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
      ANTHROPIC_API_KEY: 'sk-1',
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
