import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CommandRow } from '../../src/cli/command-row.js';
import { type ParsedWords, parseWords } from '../../src/cli/parse.js';
import { COMMANDS } from '../../src/cli/table.js';
import { wordFinding } from '../../src/cli/usage.js';

function row(name: string): CommandRow {
  const found = COMMANDS.find((command) => command.name === name);
  if (found === undefined) throw new Error(`no command ${name}`);
  return found;
}

function parsed(name: string, ...words: string[]): ParsedWords {
  const reading = parseWords(row(name), words);
  if (reading.kind === 'refused') throw new Error(JSON.stringify(reading.problem));
  return reading.words;
}

function refusal(
  name: string,
  ...words: string[]
): { code: string; path: string; message: string; remedy: string } {
  const reading = parseWords(row(name), words);
  if (reading.kind === 'parsed') throw new Error('was taken');
  return wordFinding(row(name), reading.problem);
}

describe('the words of a command', () => {
  test('become arguments by name, the last one taking what is left', () => {
    const { arguments: words } = parsed('team run', 'quickstart', 'look', 'at', 'it');
    expect(words).toEqual(
      new Map([
        ['slug', ['quickstart']],
        ['prompt', ['look', 'at', 'it']],
      ]),
    );
  });

  test('an optional argument that is not there is empty', () => {
    expect(parsed('team stop', 'run-x').arguments.get('member')).toEqual([]);
  });

  test('flags may stand anywhere, repeat where they may, and keep their order', () => {
    const words = ['--model', 'a=x', 'quickstart', '--limit=turns=5', 'go', '--model=y', '--quiet'];
    const { flags, arguments: args } = parsed('team run', ...words);
    expect(Object.fromEntries(flags)).toEqual({ model: ['a=x', 'y'], limit: ['turns=5'], quiet: ['yes'] });
    expect(args.get('prompt')).toEqual(['go']);
  });

  test('--json-events alone never takes the next word for its value', () => {
    const { flags, arguments: args } = parsed('team run', '--json-events', 'quickstart');
    expect(flags.get('json-events')).toEqual(['facts']);
    expect(args.get('slug')).toEqual(['quickstart']);
    expect(parsed('team run', 'x', '--json-events=all').flags.get('json-events')).toEqual(['all']);
  });

  test('"-" is a value, and "--" ends the flags', () => {
    expect(parsed('team run', 'x', '--prompt', '-').flags.get('prompt')).toEqual(['-']);
    const { arguments: args, flags } = parsed('team run', 'x', '--', '--quiet', '--json-events');
    expect(args.get('prompt')).toEqual(['--quiet', '--json-events']);
    expect(flags.size).toBe(0);
  });

  test('free text keeps every word, also what looks like a flag', () => {
    const words = ['run-x', 'lead', 'please', '--force', 'it', '-n', '--', 'now'];
    expect(parsed('team send', ...words).arguments.get('text')).toEqual(words.slice(2));
    expect(parsed('team answer', 'run-x', 'r1', '--', '-5').arguments.get('answer')).toEqual(['-5']);
  });
});

describe('words that cannot be read', () => {
  test.each([
    ['--safty', '--safety'],
    ['--auto-aprove=all', '--auto-approve'],
    ['--hlep', '--help'],
  ])('an unknown flag is refused with the one that was meant: %s', (typed, meant) => {
    const finding = refusal('team run', 'x', typed);
    expect(finding).toMatchObject({ code: 'unknown-flag', path: typed.split('=')[0] });
    expect(finding.message).toContain('"bnerd team run" has no flag');
    expect(finding.remedy).toContain(`did you mean "${meant}"?`);
  });

  test('an unknown flag like no other is refused with all there are', () => {
    expect(refusal('team list', '--colour').remedy).toBe('known: --help, --json, --mission-repo, --trust');
  });

  test.each([
    ['team run', [], /<slug> is missing/],
    ['team send', ['run-x', 'lead'], /<text> is missing/],
    ['team status', ['a', 'b'], /too many words: at most 1 is taken, <id>/],
    ['team list', ['a'], /too many words: none is taken/],
    ['team run', ['x', '--safety'], /--safety <mode> needs a value/],
    ['team run', ['x', '--grace', '1s', '--grace', '2s'], /--grace is given twice: "1s" and "2s"/],
    ['team run', ['x', '--quiet=no'], /quiet/],
  ])('%s %j is refused with what is wrong and where the help is', (name, words, message) => {
    const finding = refusal(name, ...words);
    expect(finding.message).toMatch(message);
    expect(finding.remedy).not.toBe('');
  });

  test('any words give a reading or a finding, in every command', () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '--',
        '-',
        '--json',
        '--json-events',
        '--json-events=',
        '--prompt',
        '--model',
        '--yes',
        '-x',
      ),
    );
    fc.assert(
      fc.property(fc.constantFrom(...COMMANDS), fc.array(word, { maxLength: 6 }), (command, words) => {
        const reading = parseWords(command, words);
        expect(['parsed', 'refused']).toContain(reading.kind);
      }),
    );
  });
});
