import { describe, expect, test } from 'vitest';
import { resolveChatConfig } from '../../src/config/chat-config.js';
import type { Layers } from '../../src/config/written.js';

function layers(
  flags: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>> = {},
): Layers {
  return {
    flags: new Map(Object.entries(flags).map(([name, text]) => [name, [text]])),
    environment: {
      variables: new Map(Object.entries(variables)),
      home: '/home/me',
      named: () => new Map(),
      secrets: () => [],
      toolEnvironment: {},
    },
  };
}

describe('what a chat is given', () => {
  test('nothing said: the mode chat, nobody approved, the floor of the mode', () => {
    expect(resolveChatConfig(layers({}))).toEqual({
      kind: 'resolved',
      value: { mode: 'chat', role: null, safety: null, autoApprove: 'never', models: [] },
    });
  });

  test('flags beat variables; mode and role have none', () => {
    const flags = {
      mode: 'code',
      role: ' keeper ',
      safety: 'read-only',
      'auto-approve': 'safe',
      model: 'opus',
    };
    const variables = {
      BNERD_MODE: 'pa',
      BNERD_ROLE: 'boss',
      BNERD_SAFETY: 'full',
      BNERD_AUTO_APPROVE: 'all',
      BNERD_MODEL: 'haiku',
    };
    expect(resolveChatConfig(layers(flags, variables))).toMatchObject({
      value: { mode: 'code', role: 'keeper', safety: 'read-only', autoApprove: 'safe', models: ['opus'] },
    });
    expect(resolveChatConfig(layers({}, variables))).toMatchObject({
      value: { mode: 'chat', role: null, safety: 'full', autoApprove: 'all', models: ['haiku'] },
    });
  });

  test('every value that may not stand is refused at once, with what may', () => {
    const resolved = resolveChatConfig(layers({ mode: 'talk', safety: 'none', 'auto-approve': 'yes' }));
    expect(resolved).toMatchObject({
      kind: 'refused',
      findings: [
        { path: '--mode', message: '"talk" is not allowed here; allowed: chat, code, pa' },
        { path: '--safety' },
        { path: '--auto-approve' },
      ],
    });
  });
});
