import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSettings } from '../../../src/config/settings-file.js';
import { BUILT_IN_ALIASES } from '../../../src/models/choice/aliases.js';
import { knownModel } from '../../../src/models/choice/known-model.js';
import { modelFacts } from '../../../src/models/choice/model-facts.js';
import { parseModelName } from '../../../src/models/choice/model-name.js';
import { resolveName } from '../../../src/models/choice/resolve-name.js';
import { NO_MODEL_SETTINGS } from '../../../src/models/settings.js';
import { type Said, settingsOf } from '../../helpers/model-settings.js';

describe('what a name means', () => {
  const rows: readonly (readonly [string, Said, string])[] = [
    ['opus', {}, 'anthropic/claude-opus-5-5'],
    ['sonnet', {}, 'anthropic/claude-sonnet-5-5'],
    ['haiku', {}, 'anthropic/claude-haiku-5-5'],
    [' Sonnet ', {}, 'anthropic/claude-sonnet-5-5'],
    ['openai/default', {}, 'openai/gpt-6.2-sol'],
    ['google/default', {}, 'google/gemini-3.8-flash'],
    ['amazon-bedrock/default', {}, 'amazon-bedrock/global.anthropic.claude-sonnet-5-5'],
    ['anthropic/claude-sonnet-4-5-20250929', {}, 'anthropic/claude-sonnet-4-5-20250929'],
    // As role files of Claude Code and others write them.
    ['claude-opus-4-6', {}, 'anthropic/claude-opus-4-6'],
    ['claude-sonnet-4-20250514', {}, 'anthropic/claude-sonnet-4-20250514'],
    ['GPT-5', {}, 'openai/gpt-5'],
    ['gpt-5-2025-08-07', {}, 'openai/gpt-5-2025-08-07'],
    ['gemini-2.5-flash', {}, 'google/gemini-2.5-flash'],
    // The operator's own.
    ['fast', { aliases: { fast: 'openai/gpt-6-luna' } }, 'openai/gpt-6-luna'],
    ['Fast', { aliases: { fast: 'haiku' } }, 'anthropic/claude-haiku-5-5'],
    ['sonnet', { aliases: { sonnet: 'openai/default' } }, 'openai/gpt-6.2-sol'],
    ['a', { aliases: { a: 'b', b: 'c', c: 'google/gemini-2.5-pro' } }, 'google/gemini-2.5-pro'],
    ['claude-opus-4-6', { aliases: { 'claude-opus-4-6': 'google/default' } }, 'google/gemini-3.8-flash'],
    [
      'openai-compatible/default',
      { aliases: { 'openai-compatible/default': 'openai-compatible/llama3:8b' } },
      'openai-compatible/llama3:8b',
    ],
    ['openai-compatible/org/model:free', {}, 'openai-compatible/org/model:free'],
  ];
  test.each(rows)('%j', (text, said, id) => {
    const resolved = resolveName(text, settingsOf(said));
    expect(resolved.kind === 'provider' ? `${resolved.provider}/${resolved.name}` : resolved).toBe(id);
  });

  test('inherit, also by an alias, is as if nothing had been written', () => {
    expect(resolveName('Inherit', NO_MODEL_SETTINGS).kind).toBe('inherit');
    expect(resolveName('mine', settingsOf({ aliases: { mine: 'inherit' } })).kind).toBe('inherit');
  });

  test('every alias of the installation names a model whose facts are known', () => {
    for (const target of BUILT_IN_ALIASES.values()) {
      const name = parseModelName(target);
      if (name.kind !== 'provider') throw new Error(target);
      const { facts, windowKnown } = modelFacts(name.provider, name.name, NO_MODEL_SETTINGS);
      expect(windowKnown, target).toBe(true);
      if (name.provider !== 'amazon-bedrock') expect(facts.price, target).not.toBeNull();
    }
  });

  test('every Claude that the installed library lists is known', () => {
    const entry = createRequire(import.meta.url).resolve('@ai-sdk/anthropic');
    const types = readFileSync(join(dirname(entry), 'index.d.ts'), 'utf8');
    const line = /^type AnthropicMessagesModelId = (.*);$/m.exec(types)?.[1] ?? '';
    const ids = [...line.matchAll(/'([^']+)'/g)].map((match) => match[1] ?? '');
    expect(ids.length).toBeGreaterThan(10);
    expect(ids.filter((id) => knownModel('anthropic', id) === undefined)).toEqual([]);
  });
});

test('a recorded model is another model with a mark, an alias as well; a recorded team is named by its id', () => {
  const settings = settingsOf({ aliases: { again: 'replay/run-job-01J' } });
  expect(resolveName('record/sonnet', settings)).toMatchObject({
    kind: 'provider',
    provider: 'anthropic',
    name: 'claude-sonnet-5-5',
    recorded: true,
  });
  expect(resolveName('sonnet', settings)).toMatchObject({ kind: 'provider', recorded: false });
  expect(resolveName('record/script/a.yaml', settings)).toMatchObject({
    kind: 'script',
    name: 'a.yaml',
    recorded: true,
  });
  expect(resolveName('again', settings)).toEqual({ kind: 'replay', team: 'run-job-01J', byOperator: true });
});

describe('what is refused, or said', () => {
  const gateway = { variables: { ANTHROPIC_BASE_URL: 'https://gateway.example' } };
  const rows: readonly (readonly [string, Said, string, string, string, string])[] = [
    [
      'anthropic/claude-opus-55',
      {},
      'unknown-model',
      'error',
      'model "anthropic/claude-opus-55": no model of anthropic is known by this name; did you mean "anthropic/claude-opus-5-5"?',
      'models: {anthropic/claude-opus-55: {context: 32768}}',
    ],
    ['google/palm', {}, 'unknown-model', 'error', 'no model of google is known by this name', 'google/palm'],
    [
      'anthropic/house-model',
      gateway,
      'unknown-model',
      'warning',
      'no model of anthropic is known by this name; its context window counts as 32768 tokens',
      '~/.bnerd.yaml',
    ],
    [
      'amazon-bedrock/meta.llama-9-v1:0',
      {},
      'context-assumed',
      'warning',
      'the context window of amazon-bedrock/meta.llama-9-v1:0 is not known; it counts as 32768 tokens',
      'models: {"amazon-bedrock/meta.llama-9-v1:0": {context: <tokens>}}',
    ],
    ['openai-compatible/x', {}, 'context-assumed', 'warning', 'counts as 32768 tokens', 'context: <tokens>'],
    [
      'openai-compatible/default',
      {},
      'no-default',
      'error',
      'openai-compatible has no model that is the same for everybody',
      'aliases: {openai-compatible/default: openai-compatible/<model>}',
    ],
    [
      'a',
      { aliases: { a: 'b', b: 'A' } },
      'alias-circle',
      'error',
      'model "a": aliases go in a circle: a -> b -> A',
      'let one of them name a model',
    ],
    [
      'fast',
      { aliases: { fast: 'openai/gpt-99' } },
      'unknown-model',
      'error',
      'model "fast" (an alias of "openai/gpt-99"): no model of openai is known by this name',
      'models: {openai/gpt-99: {context: 32768}}',
    ],
    [
      'Claude Sonnet 4.6',
      {},
      'unknown-alias',
      'error',
      'model "Claude Sonnet 4.6" is neither an alias nor a model',
      'did you mean "claude-sonnet-4-6"?',
    ],
    [
      'anthropc/opus',
      {},
      'unknown-provider',
      'error',
      'unknown provider "anthropc"',
      'did you mean "anthropic"',
    ],
    [
      'record/record/opus',
      {},
      'bad-model',
      'error',
      'what is recorded is the answers of a model',
      'name the model',
    ],
    ['record/sonet', {}, 'unknown-alias', 'error', 'neither an alias nor a model', 'did you mean "sonnet"'],
  ];
  test.each(rows)('%j', (text, said, code, severity, message, remedy) => {
    const resolved = resolveName(text, settingsOf(said));
    const remarks =
      resolved.kind === 'fault' ? [resolved.remark] : 'remarks' in resolved ? resolved.remarks : [];
    expect(remarks[0]).toMatchObject({ code, severity });
    expect(remarks[0]?.message).toContain(message);
    expect(remarks[0]?.remedy).toContain(remedy);
  });

  test('the line that is shown for declaring a model is one that declares it', () => {
    for (const id of ['anthropic/claude-next', 'openai/ft:gpt-4o:me::1', 'google/gemini-9']) {
      const refused = resolveName(id, NO_MODEL_SETTINGS);
      const line =
        refused.kind === 'fault' ? (/models: \{.*\}\}/.exec(refused.remark.remedy)?.[0] ?? '') : '';
      const parsed = parseSettings(line);
      if (parsed.kind === 'refused') throw new Error(`${line}: ${JSON.stringify(parsed.findings)}`);
      expect(parsed.value.models.get(id)).toEqual({
        contextTokens: 32_768,
        maxOutputTokens: null,
        price: null,
      });
      const declared = { ...NO_MODEL_SETTINGS, declared: parsed.value.models };
      expect(resolveName(id, declared)).toMatchObject({ kind: 'provider', remarks: [] });
    }
  });

  test('a key in the place of a model is refused and not shown', () => {
    const key = 'sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaa';
    const places: readonly (readonly [string, Said])[] = [
      [key, {}],
      [`openai-compatible/${key}`, {}],
      ['mine', { aliases: { mine: key } }],
    ];
    for (const [text, said] of places) {
      const resolved = resolveName(text, settingsOf(said));
      expect(resolved).toMatchObject({ kind: 'fault', remark: { code: 'bad-model' } });
      expect(JSON.stringify(resolved)).not.toContain(key);
    }
    // A key without marks is known by its value.
    const variables = { MY_KEY: 'ordinary-words', OPENAI_BASE_URL: 'http://ordinary' };
    for (const text of ['ordinary-words', 'openai-compatible/ordinary-words']) {
      const resolved = resolveName(text, settingsOf({ variables }));
      expect(resolved).toMatchObject({ kind: 'fault', remark: { code: 'bad-model' } });
      expect(JSON.stringify(resolved)).not.toContain('ordinary');
    }
  });

  test.each(['openai-compatible/a b', 'openai-compatible/a\u001b[31m', 'openai/\u202egpt', 'openai/a\nb'])(
    'a name that no vendor gives is none: %j',
    (text) => {
      expect(resolveName(text, NO_MODEL_SETTINGS)).toMatchObject({
        kind: 'fault',
        remark: { code: 'bad-model' },
      });
    },
  );

  test('any text gives an answer', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'aop-/: .{}"sknet5') });
    fc.assert(
      fc.property(letters, fc.dictionary(letters, letters, { maxKeys: 4 }), (text, aliases) => {
        expect(['provider', 'script', 'inherit', 'fault']).toContain(
          resolveName(text, settingsOf({ aliases })).kind,
        );
      }),
    );
  });
});
