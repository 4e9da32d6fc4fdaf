import * as fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, test } from 'vitest';
import type { PermissionRule } from '../../../src/events/facts/frozen.js';
import {
  coversCommand,
  isEverything,
  patternMatches,
  patternProblem,
} from '../../../src/team/policy/pattern-match.js';

type Decision = PermissionRule['decision'];

function matches(decision: Decision, tool: string, match: string, subject: string): boolean {
  return patternMatches({ tool, match, decision, origin: 'role:x' }, { tool, subject });
}

/** Which of the patterns, in order, speak of a subject: one letter each, `+` or `-`. */
function row(decision: Decision, tool: string, patterns: readonly string[], subject: string): string {
  return patterns.map((match) => (matches(decision, tool, match, subject) ? '+' : '-')).join('');
}

describe('allow patterns on commands, each cell', () => {
  const PATTERNS = [
    'git diff:*',
    'git diff *',
    'git diff*',
    'git diff',
    'npm run test:*',
    'git * main',
    'git:*',
  ];

  test.each<[command: string, cells: string]>([
    ['git diff', '++++--+'],
    ['git diff HEAD', '+++---+'],
    ['  git diff HEAD  ', '+++---+'],
    ['git diff\tHEAD', '+++---+'],
    ['git diff --output=x', '+++---+'],
    ['git diff main', '+++--++'],
    ['git push origin main', '-----++'],
    ['git diffx', '--+---+'],
    ['git difftool', '--+---+'],
    ['git diff-index HEAD', '--+---+'],
    ['git  diff', '------+'],
    ['git status', '------+'],
    ['git', '------+'],
    ['gitk', '-------'],
    ['npm run test', '----+--'],
    ['npm run test -- --watch', '----+--'],
    ['npm run test:unit', '-------'],
    ['npm run testing', '-------'],
    ['sudo git diff', '-------'],
    ['GIT_PAGER=sh git diff', '-------'],
    ['/tmp/git diff', '-------'],
    ['\u00a0git diff', '-------'],
    ['rm -rf x', '-------'],
    ['', '-------'],
    // What could be more than the one command that it begins as.
    ['git diff; rm -rf x', '-------'],
    ['git diff && x', '-------'],
    ['git diff || x', '-------'],
    ['git diff | sh', '-------'],
    ['git diff & x', '-------'],
    ['git diff $(x)', '-------'],
    ['git diff `x`', '-------'],
    ['git diff $IFS', '-------'],
    ['git diff > x', '-------'],
    ['git diff <(x)', '-------'],
    ['git diff\nrm -rf x', '-------'],
    ['git diff\r\nrm -rf x', '-------'],
    ['git diff \\\n x', '-------'],
    ['git diff {a,b}', '-------'],
    ['git diff \u0000', '-------'],
    ['(git diff)', '-------'],
  ])('%j: %s', (command, cells) => {
    expect(row('allow', 'shell_exec', PATTERNS, command)).toBe(cells);
  });

  test('whatever follows a shell character, no pattern holds', async () => {
    const special = fc.constantFrom(...';&|<>()`$\\\n\r\u0000{}');
    await fc.assert(
      fc.property(fc.string(), special, fc.string(), (head, character, tail) => {
        expect(row('allow', 'shell_exec', PATTERNS, `git diff ${head}${character}${tail} main`)).toBe(
          '-------',
        );
      }),
    );
  });
});

describe('deny patterns on commands, each cell', () => {
  const PATTERNS = ['rm:*', 'git push *', 'npm run deploy:*', 'git commit', '* --force'];

  test.each<[command: string, cells: string]>([
    ['rm', '+----'],
    ['rm -rf x', '+----'],
    ['rmdir x', '-----'],
    ['/bin/rm x', '+----'],
    ['sudo -n rm x', '+----'],
    ['X=1 rm x', '+----'],
    ['env -i rm x', '+----'],
    ['timeout 5 rm x', '+----'],
    ['ls; rm x', '+----'],
    ['ls && rm x', '+----'],
    ['ls | xargs rm', '+----'],
    ['find . -exec rm {} +', '+----'],
    ['ls\nrm x', '+----'],
    ['(rm x)', '+----'],
    ['echo $(rm x)', '+----'],
    ['echo `rm x`', '+----'],
    ['sh -c "rm x"', '+----'],
    ['r"m" x', '+----'],
    ["'rm' x", '+----'],
    ['\\rm x', '+----'],
    ['r\\\nm x', '+----'],
    ["$'rm' x", '+----'],
    ['{rm,-rf,x}', '+----'],
    ['rm\tx', '+----'],
    ['RM x', '+----'],
    ['ls', '-----'],
    ['farm x', '-----'],
    ['git push', '-+---'],
    ['git  push origin', '-+---'],
    ['git push --force', '-+--+'],
    ['git pushy', '-----'],
    ['npm run deploy', '--+--'],
    ['npm run deploy:prod', '--+--'],
    ['npm run deploys', '-----'],
    ['git commit', '---+-'],
    ['git commit -m x', '-----'],
  ])('%j: %s', (command, cells) => {
    expect(row('deny', 'shell_exec', PATTERNS, command)).toBe(cells);
  });

  test('what an allow pattern takes, a deny of the same text denies', async () => {
    const text = fc.string({ unit: fc.constantFrom('git', ' ', '*', 'diff', ':', 'x', '-'), maxLength: 8 });
    await fc.assert(
      fc.property(text, text, (match, command) => {
        fc.pre(match.trim() === match && match !== '');
        if (matches('allow', 'shell_exec', match, command))
          expect([match, command, matches('deny', 'shell_exec', match, command)]).toEqual([
            match,
            command,
            true,
          ]);
      }),
      { numRuns: 3_000, examples: [['diff * :', 'diff  :']] },
    );
  });

  test('a long line is looked through without delay', () => {
    const line = `${'a/b '.repeat(8_000)}\n`;
    expect(matches('deny', 'shell_exec', 'x * y * z:*', line)).toBe(false);
  });
});

describe('patterns on paths, each cell', () => {
  const PATTERNS = ['src/**', 'docs/*.md', '*.md', 'docs/', 'src/**/test/*', '.env', './a/b'];

  test.each<[path: string, allow: string, deny: string]>([
    ['src/a.ts', '+------', '+------'],
    ['src/a/b.ts', '+------', '+------'],
    ['src/a/test/b.ts', '+---+--', '+---+--'],
    ['src/test/b.ts', '+---+--', '+---+--'],
    ['src/test/b/c.ts', '+------', '+---+--'],
    ['SRC/a.ts', '-------', '+------'],
    ['srcx/a.ts', '-------', '-------'],
    ['lib/src/a.ts', '-------', '-------'],
    ['docs/a.md', '-+-+---', '-+++---'],
    ['docs/a/b.md', '---+---', '--++---'],
    ['docs/a.txt', '---+---', '---+---'],
    ['sub/docs/x', '-------', '---+---'],
    ['a.md', '--+----', '--+----'],
    ['.env', '-----+-', '-----+-'],
    ['x/.env', '-------', '-----+-'],
    ['.env/x', '-------', '-----+-'],
    ['a/b', '------+', '------+'],
    ['a/b/c', '-------', '------+'],
    ['reads:1/src/a.ts', '-------', '+------'],
    // What leads out or cannot be told is in no allow and in every deny.
    ['src/../x', '-------', '+++++++'],
    ['/src/a.ts', '-------', '+++++++'],
    ['src\\a.ts', '-------', '+++++++'],
  ])('%j: allow %s, deny %s', (path, allow, deny) => {
    expect(row('allow', 'fs_read_file', PATTERNS, path)).toBe(allow);
    expect(row('deny', 'fs_edit_file', PATTERNS, path)).toBe(deny);
  });

  test.each<[folder: string, deny: string]>([
    ['.', '+++++++'],
    ['src', '+-++++-'],
    ['src/a', '+-++++-'],
    ['docs', '-+++-+-'],
    ['lib', '--++-+-'],
    ['a', '--++-++'],
  ])('a search in %j may reach: %s', (folder, deny) => {
    expect(row('deny', 'fs_grep', PATTERNS, folder)).toBe(deny);
    expect(row('allow', 'fs_grep', PATTERNS, folder)).toBe('-------');
  });

  test('an allow takes no path that the same glob would not take elsewhere', async () => {
    const name = fc.constantFrom('a', 'b.md', 'src', '.x', 'ab');
    const piece = fc.oneof(name, fc.constantFrom('*', '**', '*.md', 'a*', '.*'));
    const glob = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('/'));
    const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join('/'));
    await fc.assert(
      fc.property(glob, path, (match, subject) => {
        const ours = matches('allow', 'fs_read_file', match, subject);
        if (ours)
          expect([match, subject, picomatch.isMatch(subject, match, { dot: true })]).toEqual([
            match,
            subject,
            true,
          ]);
        if (ours) expect(matches('deny', 'fs_read_file', match, subject)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});

test.each<[host: string, allow: string, deny: string]>([
  ['example.org', '+--', '+--'],
  ['EXAMPLE.org', '+--', '+--'],
  ['docs.example.org', '-+-', '++-'],
  ['example.org.evil', '---', '---'],
  ['evilexample.org', '---', '---'],
  ['other.net', '--+', '--+'],
])('hosts, each cell: %j', (host, allow, deny) => {
  const patterns = ['domain:example.org', 'domain:*.example.org', 'domain:other.*'];
  expect(row('allow', 'web_fetch', patterns, host)).toBe(allow);
  expect(row('deny', 'web_fetch', patterns, host)).toBe(deny);
});

test.each<[tool: string, match: string, why: RegExp | undefined]>([
  ['shell_exec', 'git diff:*', undefined],
  ['shell_exec', 'curl * | sh', /one simple command/],
  ['shell_exec', 'a && b', /one simple command/],
  ['shell_exec', '$(x)', /one simple command/],
  ['shell_exec', '', /empty/],
  ['shell_exec', 'x'.repeat(301), /longer than 300/],
  ['fs_read_file', 'src/**', undefined],
  ['fs_read_file', '//etc/**', /no path inside/],
  ['fs_read_file', '~/x', /no path inside/],
  ['fs_read_file', '../x', /leads upwards/],
  ['fs_read_file', 'a/{b,c}', /only \* and \*\*/],
  ['fs_read_file', 'a/[bc]', /only \* and \*\*/],
  ['fs_read_file', '!a', /only \* and \*\*/],
  ['web_fetch', 'domain:example.org', undefined],
  ['web_fetch', 'https://example.org/x', /domain/],
  ['fs_glob', 'x', /not told apart/],
])('%s(%s) can be expressed or says why not', (tool, match, why) => {
  if (why === undefined) expect(patternProblem(tool, match)).toBeUndefined();
  else expect(patternProblem(tool, match)).toMatch(why);
});

test('a pattern that names everything is told, and one that covers a command', () => {
  for (const match of ['*', ':*', '**', '* *']) expect(isEverything('shell_exec', match)).toBe(true);
  for (const match of ['g*', '* x', ': *x']) expect(isEverything('shell_exec', match)).toBe(false);
  expect(isEverything('shell_exec', `${'*'.repeat(10_000)}x`)).toBe(false);
  for (const match of ['**', './**', '**/*', '**/', './', '**//**', '**/**/*', '**/***']) {
    expect(isEverything('fs_edit_file', match), match).toBe(true);
  }
  for (const match of [
    '*',
    'src/**',
    '**/x',
    '*/**',
    '**/*/**',
    '/**',
    '/',
    '~/**',
    '',
    '.',
    '***',
    '**/*.md',
  ]) {
    expect(isEverything('fs_edit_file', match), match).toBe(false);
  }
  for (const match of ['domain:*', 'domain:**', 'DOMAIN:*'])
    expect(isEverything('web_fetch', match)).toBe(true);
  for (const match of ['domain:*.org', '**', '']) expect(isEverything('web_fetch', match)).toBe(false);
  for (const match of ['git diff:*', 'git diff *', 'git diff*', 'git:*', 'git *', 'git d*'])
    expect([match, coversCommand(match, 'git diff')]).toEqual([match, true]);
  for (const match of [
    'git diff',
    'git diff --stat:*',
    'git diff --stat *',
    'git log:*',
    'git * main',
    '* diff',
  ])
    expect([match, coversCommand(match, 'git diff')]).toEqual([match, false]);
});

test('a pattern speaks of its own tool only', () => {
  expect(
    patternMatches(
      { tool: 'shell_exec', match: 'git:*', decision: 'deny', origin: 'x' },
      { tool: 'git_diff', subject: 'git diff' },
    ),
  ).toBe(false);
  expect(matches('deny', 'unheard_of', 'x', 'y')).toBe(true);
  expect(matches('allow', 'unheard_of', 'x', 'x')).toBe(false);
});
