/**
 * The README and the pages of the help against the one table of what can be typed (spec/team.md §8): nothing in them is
 * unknown to the program, and together they leave no command out. Their commands are run by `e2e/readme.test.ts`; what the
 * pages say of keys is compared in `pages.test.ts`.
 */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findCommand } from '../src/cli/find-command.js';
import { parseWords } from '../src/cli/parse.js';
import { COMMANDS, EXIT_CODES, VARIABLES } from '../src/cli/table.js';
import { TOPICS } from '../src/cli/topics.js';
import { parseSettings } from '../src/config/settings-file.js';
import { helpPages, type Page, readme, wordsOf } from './helpers/readme.js';

const ROOT = join(import.meta.dirname, '..');
const README = await readme();
const PAGES = [README, ...(await helpPages())];

/** What a newcomer reads in five minutes, tables and samples included. */
const README_WORDS = 1_400;

const FLAGS = [
  '--help',
  '--version',
  ...new Set(COMMANDS.flatMap((row) => row.flags.map(({ name }) => `--${name}`))),
];
const KNOWN_VARIABLES = [
  ...COMMANDS.flatMap(({ flags }) => flags.flatMap(({ env }) => env ?? [])),
  ...VARIABLES.map(({ name }) => name),
];

/** What is wrong with a command line of a page; undefined when the program takes it. */
function problemOf(command: string, { spans }: Page): unknown {
  const found = findCommand(wordsOf(command));
  if (found.kind === 'overview') return undefined;
  if (found.kind !== 'command') return found;
  // In running text a command may be named without its arguments.
  if (found.rest.length === 0 && spans.some((span) => span.endsWith(command))) return undefined;
  const parsed = parseWords(found.row, found.rest);
  if (parsed.kind === 'refused') return parsed.problem;
  return found.row.name === 'help' ? problemOfTopic(found.rest.join(' ')) : undefined;
}

function problemOfTopic(topic: string): unknown {
  const known = topic === '' || topic.startsWith('<') || TOPICS.some(({ name }) => name === topic);
  return known || findCommand(topic.split(' ')).kind !== 'unknown-command' ? undefined : { topic };
}

describe.each(PAGES.map((page) => [page.path, page] as const))('%s', (path, page) => {
  const { text, spans, commands } = page;

  test('shows command lines that the program takes', () => {
    expect(commands.map((line) => [line, problemOf(line, page)]).filter(([, wrong]) => wrong)).toEqual([]);
  });

  test('shows flags that there are', () => {
    const shown = [...spans, ...commands].flatMap((code) => {
      // Flags of other programs are theirs.
      if (/^(npm|node|git|npx (?!bnerd)|gh|docker)\b/.test(code)) return [];
      return [...code.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag);
    });
    expect([...new Set(shown)].filter((flag) => !FLAGS.includes(flag))).toEqual([]);
  });

  test('shows variables of this program, and keys of providers, that are read', () => {
    const shown = [
      ...text.matchAll(/\b(?:BNERD_[A-Z_]+|MISSION_REPO|[A-Z_]+_(?:API_KEY|AUTH_TOKEN|BASE_URL))\b/g),
    ];
    const names = new Set(shown.map(([name]) => name));
    expect([...names].filter((name) => !KNOWN_VARIABLES.includes(name))).toEqual([]);
  });

  test('names exit codes that there are', () => {
    const shown = [...text.matchAll(/\bexit (\d+)/g)].map(([, code]) => Number(code));
    expect(shown.filter((code) => !EXIT_CODES.some((row) => row.code === code))).toEqual([]);
  });

  test('links to files that are there, and to headings that are in them', () => {
    const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)].filter(([, target = '']) => {
      if (/^https?:/.test(target)) return false;
      const [file = '', heading] = target.split('#');
      if (!existsSync(join(ROOT, dirname(path), file))) return true;
      const linked = PAGES.find((one) => one.path === join(dirname(path), file));
      return heading !== undefined && !headings(linked?.text ?? '').includes(heading);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  test('shows settings that are read without a remark', () => {
    for (const { text: yaml } of page.yaml.filter(({ file }) => file === '~/.bnerd.yaml'))
      expect(parseSettings(yaml)).toMatchObject({ kind: 'resolved', value: { findings: [] } });
  });

  test('puts npx only before a command of this clone, which is where it works', () => {
    expect([...text.matchAll(/\bnpx (?!bnerd\b)[^\s`]+/g)].map(([found]) => found)).toEqual([]);
  });
});

/** Anchors of the headings of a page, as they are made on the web. */
function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe('the README', () => {
  test('is read in five minutes', () => {
    expect(README.text.split(/\s+/).length).toBeLessThanOrEqual(README_WORDS);
  });

  test('is found by the tests: command lines, flags, links', () => {
    expect(README.shellLines.length).toBeGreaterThan(5);
    expect(README.commands.length).toBeGreaterThan(10);
  });

  test('links to every page', () => {
    for (const { path } of PAGES.slice(1)) expect(README.text).toContain(`](${path})`);
  });

  test('says how the program is called outside of the clone', () => {
    expect(README.text).toContain('npm link');
    expect(README.text).toMatch(/node \S*dist\/cli\.js/);
  });

  // What a user has to know before the first run that matters (spec/engine.md §2, spec/runner.md §3, spec/skills.md §4,
  // spec/team.md §2).
  test.each([
    ['a frozen process is fenced from the record; its running tool is not'],
    ['other places of the machine are outside what a runner can see'],
    ['that is no boundary for a member that holds `shell_exec`'],
    ['shell: { wrap:'],
    ['an approval is of words, not of what they make a model do'],
    ['the role of a message is no border'],
  ])('says: %s', (sentence) => {
    expect(README.text.toLowerCase()).toContain(sentence);
  });
});

describe('the README and the pages', () => {
  test('leave out no command', () => {
    const shown = PAGES.flatMap(({ commands }) =>
      commands.flatMap((command) => {
        const found = findCommand(wordsOf(command));
        return found.kind === 'command' ? [found.row.name] : [];
      }),
    );
    expect(COMMANDS.map(({ name }) => name).filter((name) => !shown.includes(name))).toEqual([]);
  });

  test('have the exit codes that runs end with', () => {
    const [, rows = ''] =
      PAGES.map(({ text }) => /^\| exit \|.*\n\|[-| ]+\n((?:\|.*\n)+)/m.exec(text)).find(Boolean) ?? [];
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
});
