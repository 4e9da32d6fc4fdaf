import { describe, expect, test } from 'vitest';
import { chooseModels, type ModelSources } from '../../../src/models/choice/choose-model.js';
import { NO_MODEL_SETTINGS } from '../../../src/models/settings.js';

interface Wishes {
  readonly flags?: readonly string[];
  readonly lead?: string;
  readonly reader?: string;
  readonly recipe?: string;
  readonly config?: string;
}

function sources(wishes: Wishes): ModelSources {
  return {
    flags: wishes.flags ?? [],
    roles: [
      { name: 'lead', path: 'roles/lead.md', model: wishes.lead ?? null },
      { name: 'code-reader', path: 'roles/code-reader.md', model: wishes.reader ?? null },
    ],
    recipe: { path: 'recipes/q/team.md', model: wishes.recipe ?? null },
    config: { path: '~/.bnerd.yaml', model: wishes.config ?? null },
    recipeFolder: '/recipes/q',
    workingDirectory: '/srv',
  };
}

describe('the first that names a model wins', () => {
  const all = { lead: 'script/role', recipe: 'script/recipe', config: 'script/config' };
  const rows: readonly (readonly [string, Wishes, string, string])[] = [
    ['a flag for the role', { ...all, flags: ['script/all', 'lead=script/lead'] }, 'script/lead', 'flag'],
    ['a flag for all', { ...all, flags: ['script/all', 'code-reader=script/r'] }, 'script/all', 'flag'],
    ['the role', all, 'script/role', 'role'],
    ['the recipe', { ...all, lead: 'inherit' }, 'script/recipe', 'recipe'],
    ['the configuration', { config: 'script/config' }, 'script/config', 'config'],
  ];
  test.each(rows)('%s', (_what, wishes, id, origin) => {
    const { chosen, findings } = chooseModels(sources(wishes), NO_MODEL_SETTINGS);
    expect(findings).toEqual([]);
    expect(chosen.get('lead')).toMatchObject({ provider: 'script', id, origin });
    expect(chosen.size).toBe(2);
  });

  test('a flag names its role without case, hyphen and underscore; a file name may hold "="', () => {
    const flags = ['Code_Reader=script/a=b.yaml', 'script/c=d.yaml'];
    const { chosen, findings } = chooseModels(sources({ flags }), NO_MODEL_SETTINGS);
    expect(findings).toEqual([]);
    expect(chosen.get('code-reader')?.name).toBe('a=b.yaml');
    expect(chosen.get('lead')?.name).toBe('c=d.yaml');
  });
});

test('a flag and a role mean the same role in whatever Unicode form each was written', () => {
  const composed = 'pr\u00fcfer';
  const flags = [`${composed.normalize('NFD')}=script/a.yaml`, 'script/b.yaml'];
  const role = { name: composed, path: 'roles/p.md', model: null };
  const { chosen, findings } = chooseModels({ ...sources({ flags }), roles: [role] }, NO_MODEL_SETTINGS);
  expect(findings).toEqual([]);
  expect(chosen.get(composed)?.name).toBe('a.yaml');
});

describe('where a script lies', () => {
  const rows: readonly (readonly [string, Wishes, string, string])[] = [
    [
      'a recipe names it in its folder',
      { recipe: 'script/s/a.yaml' },
      '/recipes/q/s/a.yaml',
      '/recipes/q/s/a.yaml',
    ],
    [
      'a role names it in the recipe folder',
      { lead: 'script/a.yaml', config: 'script/a' },
      '/recipes/q/a.yaml',
      '/recipes/q/a.yaml',
    ],
    ['a flag names it from the working directory', { flags: ['script/../a.yaml'] }, '/a.yaml', '../a.yaml'],
    ['a flag may be absolute', { flags: ['script//x/a.yaml'] }, '/x/a.yaml', '/x/a.yaml'],
    [
      'the configuration names it from the working directory',
      { config: 'script/a.yaml' },
      '/srv/a.yaml',
      'a.yaml',
    ],
  ];
  test.each(rows)('%s', (_what, wishes, file, shown) => {
    const { chosen, findings } = chooseModels(sources(wishes), NO_MODEL_SETTINGS);
    expect(findings).toEqual([]);
    expect(chosen.get('lead')).toMatchObject({ file, shown });
  });
});

describe('what is refused', () => {
  const rows: readonly (readonly [string, Wishes, string, string, string, string])[] = [
    [
      'nothing said anywhere',
      {},
      'no-model',
      'recipes/q/team.md',
      'no model for lead, code-reader; looked at: --model <m>, --model <role>=<m>, roles/lead.md, roles/code-reader.md, recipes/q/team.md, ~/.bnerd.yaml',
      'set the key of one provider, give --model <provider>/<name>',
    ],
    [
      'an unknown provider',
      { recipe: 'scrpt/a' },
      'unknown-provider',
      'recipes/q/team.md',
      'model "scrpt/a": unknown provider "scrpt"; known: script',
      'did you mean "script"?',
    ],
    [
      'a recording of a recording',
      { flags: ['record/replay/run-x'] },
      'bad-model',
      '--model',
      'allowed: record/<provider>/<name>, record/script/<file>',
      'name the model whose answers are to be recorded',
    ],
    [
      'a word that nothing is known by',
      { recipe: 'sonet' },
      'unknown-alias',
      'recipes/q/team.md',
      'model "sonet" is neither an alias nor a model that is known here; allowed: <provider>/<name> (providers: script, anthropic,',
      'did you mean "sonnet"? else give it a meaning in ~/.bnerd.yaml: aliases: {sonet: <provider>/<model>}',
    ],
    [
      'an empty name',
      { flags: ['script/'] },
      'bad-model',
      '--model',
      'model "script/" names no model',
      'script/<file>',
    ],
    ['an empty flag', { flags: [''] }, 'bad-model', '--model', 'model "" names no model', 'script/<file>'],
    [
      'inherit on the command line',
      { flags: ['inherit'] },
      'bad-model',
      '--model',
      'model "inherit" names no model',
      'leave the flag out',
    ],
    [
      'an absolute path in a recipe',
      { recipe: 'script//etc/a' },
      'script-path',
      'recipes/q/team.md',
      'an absolute path; allowed here: a relative one',
      'put the script beside the recipe',
    ],
    [
      'an absolute path in the configuration',
      { config: 'script//etc/a' },
      'script-path',
      '~/.bnerd.yaml',
      'an absolute path; allowed here: a relative one',
      'relative to the working directory',
    ],
    [
      'a path out of the recipe',
      { recipe: 'script/a/../../b' },
      'script-path',
      'recipes/q/team.md',
      "leads out of the recipe's folder; allowed: a file in it",
      'put the script beside the recipe',
    ],
    [
      'the folder of the recipe itself',
      { recipe: 'script/.' },
      'script-path',
      'recipes/q/team.md',
      'allowed: a file in it',
      'put the script beside',
    ],
    [
      'two models for all',
      { flags: ['script/a', 'script/b'] },
      'duplicate-model',
      '--model',
      'two models for all roles: "script/a" and "script/b"; allowed: one',
      'keep one',
    ],
    [
      'two models for a role',
      { flags: ['script/c', 'lead=script/a', 'LEAD=script/b'] },
      'duplicate-model',
      '--model',
      'two models for the role "LEAD": "script/a" and "script/b"',
      'keep one',
    ],
    [
      'a role that the team does not have',
      { flags: ['raeder=script/a'], recipe: 'script/a' },
      'unknown-role',
      '--model',
      'the team has no role "raeder"; its roles: lead, code-reader',
      'known: code-reader, lead',
    ],
  ];
  test.each(rows)('%s', (_what, wishes, code, path, message, remedy) => {
    const { findings } = chooseModels(sources(wishes), NO_MODEL_SETTINGS);
    expect(findings).toMatchObject([{ code, severity: 'error', path }]);
    expect(findings[0]?.message).toContain(message);
    expect(findings[0]?.remedy).toContain(remedy);
  });

  test('a script beside a recipe that counts by its text alone is not played, but for the word of the operator', () => {
    const from = { ...sources({ recipe: 'script/a', lead: 'script/b' }), recipeFolder: null };
    const { chosen, findings } = chooseModels(from, NO_MODEL_SETTINGS);
    expect(chosen.size).toBe(0);
    expect(findings.map(({ code, path }) => [code, path])).toEqual([
      ['untrusted', 'roles/lead.md'],
      ['untrusted', 'recipes/q/team.md'],
    ]);
    const told = chooseModels({ ...from, flags: ['script/c'] }, NO_MODEL_SETTINGS);
    expect(told.findings).toEqual([]);
    expect(told.chosen.get('lead')).toMatchObject({ file: '/srv/c' });
  });

  test('a fault of one role leaves the choice of the others', () => {
    const { chosen, findings } = chooseModels(
      sources({ lead: 'gpt/x', recipe: 'script/a' }),
      NO_MODEL_SETTINGS,
    );
    expect([...chosen.keys()]).toEqual(['code-reader']);
    expect(findings).toMatchObject([{ code: 'unknown-provider', path: 'roles/lead.md' }]);
  });
});
