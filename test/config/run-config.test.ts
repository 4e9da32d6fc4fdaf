import { describe, expect, test } from 'vitest';
import { type RunConfig, resolveRunConfig } from '../../src/config/run-config.js';
import { NO_SETTINGS, type Settings } from '../../src/config/settings.js';
import { type Layers, variableOf } from '../../src/config/written.js';

interface Given {
  readonly flags?: Readonly<Record<string, readonly string[]>>;
  readonly variables?: Readonly<Record<string, string>>;
  readonly file?: Readonly<Record<string, string>>;
  readonly words?: readonly string[];
}

function resolve({
  flags = {},
  variables = {},
  file = {},
  words = [],
}: Given): ReturnType<typeof resolveRunConfig> {
  const layers: Layers = {
    flags: new Map(Object.entries(flags)),
    environment: {
      variables: new Map(Object.entries(variables)),
      home: '/home/me',
      named: () => new Map(),
      secrets: () => [],
      toolEnvironment: {},
    },
  };
  const run = Object.entries(file).map(
    ([key, text]) => [key, { text, place: '~/.bnerd.yaml', line: 3 }] as const,
  );
  const settings: Settings = { ...NO_SETTINGS, run: new Map(run) };
  return resolveRunConfig(layers, settings, words);
}

function configOf(given: Given): RunConfig {
  const resolved = resolve(given);
  if (resolved.kind === 'refused') throw new Error(JSON.stringify(resolved.findings));
  return resolved.value;
}

interface Row {
  readonly flag: string;
  /** Four texts and what each comes to; without a third the file has no such key. */
  readonly typed: readonly [string, unknown];
  readonly variable: readonly [string, unknown];
  readonly file: readonly [string, unknown] | null;
  readonly fallback: unknown;
  readonly pick: (config: RunConfig) => unknown;
}

const ROWS: readonly Row[] = [
  {
    flag: 'id',
    typed: ['nightly', 'nightly'],
    variable: ['pr-142', 'pr-142'],
    file: null,
    fallback: null,
    pick: ({ id }) => id,
  },
  {
    flag: 'safety',
    typed: ['read-only', 'read-only'],
    variable: ['full', 'full'],
    file: null,
    fallback: null,
    pick: ({ safety }) => safety,
  },
  {
    flag: 'auto-approve',
    typed: ['all', 'all'],
    variable: ['safe', 'safe'],
    file: ['all', 'all'],
    fallback: 'never',
    pick: ({ autoApprove }) => autoApprove,
  },
  {
    flag: 'auto-skip-questions',
    typed: ['yes', true],
    variable: ['0', false],
    file: ['true', true],
    fallback: false,
    pick: ({ autoSkipQuestions }) => autoSkipQuestions,
  },
  {
    flag: 'request-timeout',
    typed: ['none', null],
    variable: ['2m', 120_000],
    file: ['45', 45_000],
    fallback: null,
    pick: ({ requestTimeoutMs }) => requestTimeoutMs,
  },
  {
    flag: 'grace',
    typed: ['0', 0],
    variable: ['250ms', 250],
    file: ['1h', 3_600_000],
    fallback: 5_000,
    pick: ({ graceMs }) => graceMs,
  },
  {
    flag: 'model',
    typed: ['script/a.yaml', ['script/a.yaml']],
    variable: ['lead=script/b.yaml\nscript/c.yaml\n', ['lead=script/b.yaml', 'script/c.yaml']],
    file: null,
    fallback: [],
    pick: ({ models }) => models,
  },
  {
    flag: 'limit',
    typed: ['turns=5', { turns: '5' }],
    variable: ['turns=9\ntokens=10', { turns: '9', tokens: '10' }],
    file: null,
    fallback: {},
    pick: ({ limits }) => Object.fromEntries(limits),
  },
  {
    flag: 'var',
    typed: ['topic=a=b', { topic: 'a=b' }],
    variable: ['topic= two words \nother=x', { topic: ' two words ', other: 'x' }],
    file: null,
    fallback: {},
    pick: ({ variables }) => Object.fromEntries(variables),
  },
  {
    flag: 'prompt',
    typed: ['typed', { kind: 'text', text: 'typed' }],
    variable: ['from\nthe variable', { kind: 'text', text: 'from\nthe variable' }],
    file: null,
    fallback: { kind: 'text', text: '' },
    pick: ({ prompt }) => prompt,
  },
];

describe.each(ROWS)('--$flag', ({ flag, typed, variable, file, fallback, pick }) => {
  const flags = { [flag]: [typed[0]] };
  const variables = { [variableOf(flag)]: variable[0] };
  const inFile = file === null ? {} : { [flag]: file[0] };

  test('beats the variable, the file and the default', () => {
    expect(pick(configOf({ flags, variables, file: inFile }))).toEqual(typed[1]);
  });

  test('its variable beats the file and the default', () => {
    expect(pick(configOf({ variables, file: inFile }))).toEqual(variable[1]);
  });

  test('its key in the file beats the default, where the file has one', () => {
    expect(pick(configOf({ file: inFile }))).toEqual(file === null ? fallback : file[1]);
  });

  test('has a default', () => {
    expect(pick(configOf({}))).toEqual(fallback);
  });
});

const BAD: readonly (readonly [string, Given, string, RegExp])[] = [
  [
    'a safety mode that is none',
    { flags: { safety: ['loose'] } },
    '--safety',
    /"loose".*read-only, non-destructive, full/,
  ],
  ['the same in a variable', { variables: { BNERD_SAFETY: 'Full' } }, 'BNERD_SAFETY', /"Full".*read-only/],
  [
    'a way to approve that is none',
    { file: { 'auto-approve': 'yes' } },
    '~/.bnerd.yaml',
    /"yes".*never, safe, all/,
  ],
  [
    'neither yes nor no',
    { variables: { BNERD_AUTO_SKIP_QUESTIONS: 'maybe' } },
    'BNERD_AUTO_SKIP_QUESTIONS',
    /"maybe".*yes, true/,
  ],
  ['a duration that is none', { flags: { grace: ['soon'] } }, '--grace', /"soon".*duration/],
  ['a duration below zero', { flags: { grace: ['-5s'] } }, '--grace', /"-5s".*duration/],
  [
    'a request timeout of nothing',
    { flags: { 'request-timeout': ['0'] } },
    '--request-timeout',
    /"0".*at least 1ms/,
  ],
  ['a limit without a value', { flags: { limit: ['turns'] } }, '--limit', /"turns".*<name>=<value>/],
  ['a variable without a name', { flags: { var: ['=x'] } }, '--var', /"=x".*<name>=<value>/],
  ['two values for one variable', { flags: { var: ['a=1', 'a=2'] } }, '--var', /"a=2".*which has "1"/],
  [
    'a prompt typed twice',
    { flags: { prompt: ['one'] }, words: ['two', 'three'] },
    'prompt',
    /"two three".*--prompt/,
  ],
];

describe('a value that is not allowed', () => {
  test.each(BAD)(
    '%s: is refused with its place, what was found and what is allowed',
    (_, given, place, message) => {
      const resolved = resolve(given);
      if (resolved.kind === 'resolved') throw new Error('was taken');
      expect(resolved.findings).toHaveLength(1);
      const [finding] = resolved.findings;
      expect(finding).toMatchObject({ code: 'bad-value', severity: 'error', path: place });
      expect(finding?.message).toMatch(message);
      expect(finding?.remedy).not.toBe('');
    },
  );

  test('is told with its line when it stands in the file', () => {
    const resolved = resolve({ file: { grace: 'x' } });
    expect(resolved).toMatchObject({ kind: 'refused', findings: [{ line: 3 }] });
  });

  test('does not hide another', () => {
    const resolved = resolve({ flags: { safety: ['x'], grace: ['y'], var: ['z'] } });
    expect(resolved.kind === 'refused' && resolved.findings.map(({ path }) => path)).toEqual([
      '--var',
      '--safety',
      '--grace',
    ]);
  });

  test('is not printed whole when it is long', () => {
    const resolved = resolve({ flags: { safety: ['x'.repeat(5_000)] } });
    expect(resolved.kind === 'refused' && resolved.findings[0]?.message.length).toBeLessThan(300);
  });
});

describe('the prompt', () => {
  test('is all the words behind the slug', () => {
    expect(configOf({ words: ['look', 'at', 'it'] }).prompt).toEqual({ kind: 'text', text: 'look at it' });
  });

  test('typed on the command line beats the variable', () => {
    const config = configOf({ words: ['typed'], variables: { BNERD_PROMPT: 'standing' } });
    expect(config.prompt).toEqual({ kind: 'text', text: 'typed' });
  });

  test.each([
    ['the flag', { flags: { prompt: ['-'] } }],
    ['the variable', { variables: { BNERD_PROMPT: '-' } }],
  ])('is stdin when %s says "-"', (_, given) => {
    expect(configOf(given).prompt).toEqual({ kind: 'stdin' });
  });
});
