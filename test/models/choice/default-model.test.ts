import { describe, expect, test } from 'vitest';
import { chooseModels, type ModelSources } from '../../../src/models/choice/choose-model.js';
import { unpricedModels } from '../../../src/models/choice/chosen-facts.js';
import { openModels } from '../../../src/models/open-model.js';
import type { Finding } from '../../../src/shared/findings.js';
import { NO_SECRETS } from '../../../src/shared/secrets/redactor.js';
import { type Said, settingsOf } from '../../helpers/model-settings.js';

const PAIR = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };

/** A lead and a reader; what is not said is not written anywhere. */
function sources(models: { lead?: string; reader?: string; recipe?: string; config?: string }): ModelSources {
  return {
    flags: [],
    roles: [
      { name: 'lead', path: 'roles/lead.md', model: models.lead ?? null, line: 3 },
      { name: 'reader', path: 'roles/reader.md', model: models.reader ?? null },
    ],
    recipe: { path: 'teams/q/team.md', model: models.recipe ?? null, line: 7 },
    config: { path: '~/.bnerd.yaml', model: models.config ?? null },
    recipeFolder: '/teams/q',
    workingDirectory: '/srv',
  };
}

function ids(models: Parameters<typeof sources>[0], said: Said): Record<string, string> {
  const { chosen, findings } = chooseModels(sources(models), settingsOf(said));
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  return Object.fromEntries([...chosen].map(([role, { id, origin }]) => [role, `${id} ${origin}`]));
}

/** What choosing and opening refuse with. */
async function refusal(models: Parameters<typeof sources>[0], said: Said): Promise<readonly Finding[]> {
  const settings = settingsOf(said);
  const choices = chooseModels(sources(models), settings);
  const opened = await openModels({ ...choices, settings, secrets: NO_SECRETS });
  return [...choices.findings, ...opened.findings].filter(({ severity }) => severity === 'error');
}

describe('when nobody names a model', () => {
  test.each([
    [{ ANTHROPIC_API_KEY: 'k' }, 'anthropic/claude-sonnet-5-5 default'],
    [{ OPENAI_API_KEY: 'k' }, 'openai/gpt-6.2-sol default'],
    [{ GEMINI_API_KEY: 'k' }, 'google/gemini-3.8-flash default'],
    [PAIR, 'amazon-bedrock/global.anthropic.claude-sonnet-5-5 default'],
  ])('the one key says it, for the lead and for members: %j', (variables, id) => {
    expect(ids({}, { variables })).toEqual({ lead: id, reader: id });
  });

  test('and the operator says what the default of a provider is', () => {
    const aliases = { 'anthropic/default': 'opus' };
    expect(ids({}, { variables: { ANTHROPIC_API_KEY: 'k' }, aliases })).toMatchObject({
      lead: 'anthropic/claude-opus-5-5 default',
    });
  });

  test('what is written anywhere goes before it, with two keys as well', () => {
    const variables = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'b' };
    expect(ids({ config: 'openai/default', reader: 'haiku' }, { variables })).toEqual({
      lead: 'openai/gpt-6.2-sol config',
      reader: 'anthropic/claude-haiku-5-5 role',
    });
    expect(
      ids({ lead: 'inherit', recipe: 'opus', reader: 'mine' }, { variables, aliases: { mine: 'inherit' } }),
    ).toEqual({
      lead: 'anthropic/claude-opus-5-5 recipe',
      reader: 'anthropic/claude-opus-5-5 recipe',
    });
  });

  test('and there is no key: everything that was looked at', async () => {
    const [finding, ...others] = await refusal({}, {});
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ code: 'no-model', path: 'teams/q/team.md' });
    expect(finding?.message).toBe(
      'no model for lead, reader; looked at: --model <m>, --model <role>=<m>, roles/lead.md, roles/reader.md, teams/q/team.md, ~/.bnerd.yaml; and for a key in ANTHROPIC_AUTH_TOKEN, ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENAI_COMPATIBLE_API_KEY, OPENAI_COMPATIBLE_BASE_URL, AWS_BEARER_TOKEN_BEDROCK, AWS_ACCESS_KEY_ID, GOOGLE_GENERATIVE_AI_API_KEY, GEMINI_API_KEY, GOOGLE_API_KEY',
    );
  });

  test('and there are two keys: which, and how to choose', async () => {
    const findings = await refusal({}, { variables: { ANTHROPIC_API_KEY: 'a', ...PAIR } });
    expect(findings).toMatchObject([{ code: 'several-keys', path: 'teams/q/team.md' }]);
    expect(findings[0]?.message).toContain(
      'keys of several providers are set: ANTHROPIC_API_KEY (anthropic), AWS_ACCESS_KEY_ID (amazon-bedrock)',
    );
    expect(findings[0]?.remedy).toBe(
      'choose one: --model anthropic/default, --model amazon-bedrock/default; for good: write "model: anthropic/default" into ~/.bnerd.yaml',
    );
  });

  test('and the one key is of a provider without a default', async () => {
    const variables = { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1/v1' };
    const findings = await refusal({}, { variables });
    expect(findings).toMatchObject([{ code: 'no-default', path: 'OPENAI_COMPATIBLE_BASE_URL' }]);
  });
});

describe('a model without its key', () => {
  const rows: readonly (readonly [string, Parameters<typeof sources>[0], Said, object, string, string])[] = [
    [
      'a Claude alias beside the key of another provider',
      { lead: 'sonnet', reader: 'openai/default' },
      { variables: { OPENAI_API_KEY: 'k' } },
      { code: 'no-key', path: 'roles/lead.md', line: 3 },
      'model "sonnet" (anthropic/claude-sonnet-5-5) of lead: there is no key of anthropic: looked for ANTHROPIC_AUTH_TOKEN, ANTHROPIC_API_KEY in the environment; keys that are set: OPENAI_API_KEY (openai)',
      'set ANTHROPIC_AUTH_TOKEN or ANTHROPIC_API_KEY; or write into ~/.bnerd.yaml: aliases: {sonnet: openai/default}',
    ],
    [
      'a vendor’s own name of a model, as other programs write it',
      { recipe: 'claude-opus-4-6' },
      { variables: { GEMINI_API_KEY: 'k' } },
      { code: 'no-key', path: 'teams/q/team.md', line: 7 },
      'model "claude-opus-4-6" (anthropic/claude-opus-4-6) of lead, reader',
      'aliases: {claude-opus-4-6: google/default}',
    ],
    [
      'a full name, and no key at all',
      { config: 'openai/gpt-6-sol' },
      {},
      { code: 'no-key', path: '~/.bnerd.yaml' },
      'model "openai/gpt-6-sol" of lead, reader: there is no key of openai: looked for OPENAI_API_KEY in the environment; keys that are set: none',
      'set OPENAI_API_KEY; or choose another model: --model <provider>/<model>',
    ],
    [
      'the provider whose key is set, behind an address that cannot be one',
      { config: 'openai/gpt-6-sol' },
      { variables: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'not-a-url' } },
      { code: 'bad-base-url', path: '~/.bnerd.yaml' },
      'model "openai/gpt-6-sol" of lead, reader: OPENAI_BASE_URL: the address of the provider cannot be used',
      'or take it away; or choose another model: --model <provider>/<model>',
    ],
    [
      'an address that cannot be one',
      { recipe: 'openai/gpt-6-sol' },
      { variables: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'gateway' } },
      { code: 'bad-base-url' },
      'OPENAI_BASE_URL: the address of the provider cannot be used: it is no http or https address; allowed: https://<host>/<path>',
      'correct OPENAI_BASE_URL',
    ],
    [
      'a server without an address',
      { recipe: 'openai-compatible/llama' },
      {},
      { code: 'no-base-url' },
      'openai-compatible has no address',
      'providers: {openai-compatible: {base-url: <url>}}',
    ],
  ];
  test.each(rows)('%s', async (_what, models, said, finding, message, remedy) => {
    const findings = await refusal(models, said);
    expect(findings).toMatchObject([{ severity: 'error', ...finding }]);
    expect(findings[0]?.message).toContain(message);
    expect(findings[0]?.remedy).toContain(remedy);
  });

  test('no value of a key stands in any finding', async () => {
    const key = 'planted-value-5d1f';
    const variables = { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: key, OPENAI_BASE_URL: `https://${key}@x` };
    for (const models of [{}, { recipe: 'openai/gpt-6-sol' }, { recipe: 'google/default' }, { lead: 'x' }]) {
      const findings = await refusal(models, { variables });
      expect(findings).not.toEqual([]);
      expect(JSON.stringify(findings)).not.toContain(key);
    }
  });
});

describe('a bound on costs', () => {
  const unpriced = (models: Parameters<typeof sources>[0], said: Said): readonly Finding[] => {
    const settings = settingsOf(said);
    return unpricedModels(chooseModels(sources(models), settings), settings, 2.5);
  };

  test('refuses a model of unknown price, once, with the line to write', () => {
    expect(unpriced({ recipe: 'openai-compatible/llama' }, {})).toEqual([
      {
        code: 'unpriced-model',
        severity: 'error',
        path: 'teams/q/team.md',
        line: 7,
        message: 'cost_usd is 2.5, and the price of openai-compatible/llama (lead, reader) is not known',
        remedy:
          'say it in ~/.bnerd.yaml, in US dollars per million tokens: models: {openai-compatible/llama: {price: {input: <usd>, output: <usd>}}}, or choose another model',
      },
    ]);
  });

  test('takes a price from the table or from the operator, and a script for nothing', () => {
    const price = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 };
    const declared = { 'openai-compatible/llama': { price } };
    expect(unpriced({ lead: 'openai-compatible/llama', reader: 'opus' }, { declared })).toEqual([]);
    expect(unpriced({ recipe: 'script/a.yaml' }, {})).toEqual([]);
  });
});
