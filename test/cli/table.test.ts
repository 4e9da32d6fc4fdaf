import { describe, expect, test } from 'vitest';
import { LOADABLE, loadCommand } from '../../src/cli/commands.js';
import { commandText, environmentText, exitCodesText, overviewText } from '../../src/cli/help-text.js';
import { parseWords } from '../../src/cli/parse.js';
import * as shared from '../../src/cli/rows/shared.js';
import { COMMANDS, EXIT_CODES, VARIABLES } from '../../src/cli/table.js';
import { TOPICS } from '../../src/cli/topics.js';
import { resolveOutputConfig } from '../../src/config/output-config.js';
import { resolveRunConfig } from '../../src/config/run-config.js';
import { NO_SETTINGS } from '../../src/config/settings.js';
import { RUN_KEYS } from '../../src/config/settings-keys.js';
import { type Layers, RUNNER_VARIABLES, variableOf } from '../../src/config/written.js';
import { endReason } from '../../src/events/facts/run.js';
import { PROVIDER_VARIABLES } from '../../src/models/choice/access.js';
import { exitCode } from '../../src/team/end.js';

const ROWS = COMMANDS.map((row) => [row.name, row] as const);
const FLAGS = COMMANDS.flatMap((row) => row.flags.map((flag) => [row.name, flag.name, flag] as const));
/** The flags that several commands have. */
const SHARED = Object.values(shared).map(({ name }) => name);
const RUN = COMMANDS.find(({ name }) => name === 'team run');

describe('the table of commands', () => {
  test('names each command once, and each has a file that runs it', async () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect([...names].sort()).toEqual([...LOADABLE].sort());
    for (const name of names) expect(typeof (await loadCommand(name)).run).toBe('function');
  });

  test.each(FLAGS)('%s --%s: its variable, if any, is the one the configuration reads', (row, name, flag) => {
    const begins = row.startsWith('runner') ? RUNNER_VARIABLES : undefined;
    if (flag.env !== null) expect(flag.env).toBe(variableOf(name, begins));
  });

  test('every flag of run has its variable', () => {
    expect(RUN?.flags.filter(({ env }) => env === null)).toEqual([]);
  });

  test('the same flag says the same in every command', () => {
    for (const [, name, flag] of FLAGS) {
      if (!SHARED.includes(name)) continue;
      expect(flag).toEqual(FLAGS.find(([, other]) => other === name)?.[2]);
    }
  });

  test('every key of the section run of the settings file is a flag of run', () => {
    const flags = RUN?.flags.map(({ name }) => name);
    for (const key of RUN_KEYS) expect(flags).toContain(key);
  });

  test('every default in words is what holds when nobody says anything', () => {
    const layers: Layers = {
      flags: new Map(),
      environment: {
        variables: new Map(),
        home: '/home/me',
        named: () => new Map(),
        secrets: () => [],
        toolEnvironment: {},
      },
    };
    const words = new Map(RUN?.flags.map(({ name, default: fallback }) => [name, fallback ?? '']));
    const said = (flag: string): Layers => ({ ...layers, flags: new Map([[flag, [words.get(flag) ?? '']]]) });
    for (const flag of ['auto-approve', 'auto-skip-questions', 'request-timeout', 'grace']) {
      expect(resolveRunConfig(said(flag), NO_SETTINGS, [])).toEqual(
        resolveRunConfig(layers, NO_SETTINGS, []),
      );
    }
    for (const flag of ['json-events', 'quiet']) {
      expect(resolveOutputConfig(said(flag))).toEqual(resolveOutputConfig(layers));
    }
  });

  test('the exit code of every reason is the one a run ends with', () => {
    for (const reason of endReason.options) {
      const codes = EXIT_CODES.filter(({ name }) => name === reason).map(({ code }) => code);
      const ends =
        reason === 'cancelled'
          ? (['hangup', 'interrupt', 'terminate'] as const).map((cause) => exitCode(reason, cause))
          : [exitCode(reason)];
      expect(codes).toEqual(ends);
    }
    expect(EXIT_CODES.filter(({ name }) => name === 'refused').map(({ code }) => code)).toEqual([2]);
  });

  test.each(ROWS)('%s: has examples that its own parser takes', (_, row) => {
    expect(row.examples.length).toBeGreaterThan(0);
    for (const { line } of row.examples) {
      const command = line.split(/ [|>] /).find((part) => part.startsWith('bnerd '));
      const typed = command?.slice(`bnerd ${row.name}`.length).match(/"[^"]*"|\S+/g) ?? [];
      expect(command).toMatch(new RegExp(`^bnerd ${row.name}( |$)`));
      const words = typed.map((word) => word.replaceAll('"', ''));
      expect(parseWords(row, words)).toMatchObject({ kind: 'parsed' });
    }
  });
});

test('every variable that is read for a provider is in the table', () => {
  const names = VARIABLES.map(({ name }) => name);
  for (const name of PROVIDER_VARIABLES) expect(names).toContain(name);
});

describe('the help', () => {
  test('overview has every command with its summary', () => {
    const text = overviewText(null);
    for (const { name, summary } of COMMANDS)
      expect(text).toMatch(new RegExp(`^  ${name} +${literal(summary)}$`, 'm'));
  });

  test('overview has every topic with its summary, that of a group none', () => {
    for (const { name, summary } of TOPICS)
      expect(overviewText(null)).toMatch(new RegExp(`^  ${name} +${literal(summary)}$`, 'm'));
    expect(overviewText('team')).not.toContain('exit-codes');
  });

  test.each(ROWS)('of %s has its arguments, flags, variables, defaults and examples', (_, row) => {
    const text = commandText(row);
    expect(text).toMatch(new RegExp(`^usage: bnerd ${row.name}`));
    for (const { name, help } of row.arguments)
      expect(text).toMatch(new RegExp(`^  ${name} +${literal(help)}$`, 'm'));
    for (const flag of row.flags) {
      expect(text).toContain(`  --${flag.name}`);
      expect(text).toContain(flag.help);
      if (flag.env !== null) expect(text).toContain(`variable: ${flag.env}`);
      if (flag.default !== null) expect(text).toContain(`default: ${flag.default}`);
    }
    for (const { line } of row.examples) expect(text).toContain(`  ${line}`);
  });

  test('of the environment has every variable, once', () => {
    const text = environmentText();
    const flags = FLAGS.flatMap(([, , { env }]) => (env === null ? [] : [env]));
    for (const name of new Set([...flags, ...VARIABLES.map((row) => row.name)])) {
      expect(text.match(new RegExp(`^  ${name} `, 'gm'))).toHaveLength(1);
    }
  });

  test('of the exit codes has every number', () => {
    for (const { code, name } of EXIT_CODES) {
      expect(exitCodesText()).toMatch(new RegExp(`^ +${code}  ${name} `, 'm'));
    }
  });
});

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
