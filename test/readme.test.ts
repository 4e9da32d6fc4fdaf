/**
 * The README against the one table of what can be typed (spec/team.md §8): nothing in it is unknown to the program,
 * and no command is left out. Its commands are run by `e2e/readme.test.ts`.
 */

import { describe, expect, test } from 'vitest';
import type { CommandRow } from '../src/cli/command-row.js';
import { findCommand } from '../src/cli/find-command.js';
import { parseWords } from '../src/cli/parse.js';
import { COMMANDS, EXIT_CODES, VARIABLES } from '../src/cli/table.js';
import { parseSettings } from '../src/config/settings-file.js';
import { readme, wordsOf } from './helpers/readme.js';

const { text, spans, commands, shellLines } = await readme();

const FLAGS = [
  '--help',
  '--version',
  ...new Set(COMMANDS.flatMap((row) => row.flags.map(({ name }) => `--${name}`))),
];
const KNOWN_VARIABLES = [
  ...COMMANDS.flatMap(({ flags }) => flags.flatMap(({ env }) => env ?? [])),
  ...VARIABLES.map(({ name }) => name),
];

/** The row that a command line of the README names; a placeholder (`<id>`, `…`) is a word like another. */
function rowOf(command: string): CommandRow | undefined {
  const found = findCommand(wordsOf(command));
  return found.kind === 'command' ? found.row : undefined;
}

describe('what the README shows', () => {
  test('is found by the test: command lines, flags, exit codes', () => {
    expect(shellLines.length).toBeGreaterThan(5);
    expect(commands.length).toBeGreaterThan(10);
  });

  test.each(commands.map((command) => [command]))(
    '%s is a command line that the program takes',
    (command) => {
      const words = wordsOf(command);
      const found = findCommand(words);
      expect(['command', 'overview']).toContain(found.kind);
      // In running text a command may be named without its arguments.
      if (
        found.kind !== 'command' ||
        (found.rest.length === 0 && spans.some((span) => span.endsWith(command)))
      )
        return;
      expect(parseWords(found.row, found.rest)).toMatchObject({ kind: 'parsed' });
    },
  );

  test('every flag is one of the table', () => {
    const shown = [...spans, ...commands].flatMap((code) => {
      // Flags of other programs are theirs.
      if (/^(npm|node|git|npx (?!bnerd)|gh|docker)\b/.test(code)) return [];
      return [...code.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag);
    });
    expect(shown.length).toBeGreaterThan(2);
    expect([...new Set(shown)].filter((flag) => !FLAGS.includes(flag))).toEqual([]);
  });

  test('every variable of this program, and every key of a provider, is one of the table', () => {
    const shown = [
      ...text.matchAll(/\b(?:BNERD_[A-Z_]+|MISSION_REPO|[A-Z_]+_(?:API_KEY|AUTH_TOKEN|BASE_URL))\b/g),
    ];
    expect(shown.length).toBeGreaterThan(1);
    const names = new Set(shown.map(([name]) => name));
    expect([...names].filter((name) => !KNOWN_VARIABLES.includes(name))).toEqual([]);
  });

  test('its table of exit codes is the one that runs end with', () => {
    const [, rows = ''] = /^\| exit \|.*\n\|[-| ]+\n((?:\|.*\n)+)/m.exec(text) ?? [];
    const cells = [...rows.matchAll(/\| *([\d, ]+?) *\| *([^|]*?) *(?=\|)/g)];
    const shown = cells.flatMap(([, codes = '', says = '']) =>
      codes.split(',').map((code) => [Number(code), says] as const),
    );
    expect(shown.map(([code]) => code).sort((a, b) => a - b)).toEqual(EXIT_CODES.map(({ code }) => code));
    for (const [code, says] of shown) {
      const name = EXIT_CODES.find((row) => row.code === code)?.name ?? '';
      expect(says).toMatch(code === 2 ? /refused/ : new RegExp(`\`${name}\``));
    }
  });

  test('npx stands only before a command of this clone, which is where it works', () => {
    const others = [...text.matchAll(/\bnpx (?!bnerd\b)[^\s`]+/g)].map(([found]) => found);
    expect(others).toEqual([]);
    expect(text).toContain('npm link');
    expect(text).toMatch(/node \S*dist\/cli\.js/);
  });
});

describe('the settings that the README shows', () => {
  test('are read without a remark, and say what the README says of them', () => {
    const [, yaml = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(text) ?? [];
    expect(yaml).toContain('~/.bnerd.yaml');
    const read = parseSettings(yaml);
    expect(read).toMatchObject({ kind: 'resolved', value: { findings: [] } });
    for (const key of ['model', 'aliases', 'providers', 'models'])
      expect(yaml).toMatch(new RegExp(`^${key}:`, 'm'));
  });
});

describe('what the README leaves out', () => {
  test('no command', () => {
    const shown = new Set(commands.flatMap((command) => rowOf(command)?.name ?? []));
    expect(COMMANDS.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
  });
});
