import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PermissionRule } from '../../src/events/facts/frozen.js';
import { ruleMatches } from '../../src/team/permission-match.js';

function matches(decision: PermissionRule['decision'], match: string | null, line: string): boolean {
  return ruleMatches({ tool: 'shell_exec', match, decision, origin: 'settings' }, 'shell_exec', line);
}

/** Lines that are, or could be, more than the one simple command their beginning promises. */
const COMPOUND = [
  'npm test; rm -rf /',
  'npm test ;rm -rf /',
  'npm test && rm -rf /',
  'npm test || rm -rf /',
  'npm test | sh',
  'npm test |& sh',
  'npm test & rm -rf /',
  'npm test &',
  'npm test\nrm -rf /',
  'npm test\r\nrm -rf /',
  'npm test\rrm -rf /',
  'npm test $(rm -rf /)',
  'npm test "$(rm -rf /)"',
  'npm test `rm -rf /`',
  'npm test $HOME',
  `npm test $\{HOME}`,
  "npm test $'\\n'rm",
  'npm test > /etc/passwd',
  'npm test >> ~/.bashrc',
  'npm test 2>/dev/null',
  'npm test < /etc/passwd',
  'npm test <(rm -rf /)',
  'npm test << EOF',
  '(npm test)',
  '{ npm test; }',
  'npm test {a,b}',
  'npm test \\\n rm',
  'npm test \u0000 rm',
];

describe('an allow rule for a shell line', () => {
  test.each(COMPOUND)('never matches %j', (line) => {
    expect(matches('allow', 'npm test', line)).toBe(false);
    expect(matches('allow', 'npm test*', line)).toBe(false);
    expect(matches('allow', '*', line)).toBe(false);
    expect(matches('allow', line, line)).toBe(false);
    expect(matches('allow', null, line)).toBe(false);
  });

  test.each(['npm test', '  npm test  '])('matches the simple command %j', (line) => {
    expect(matches('allow', 'npm test', line)).toBe(true);
    expect(matches('allow', null, line)).toBe(true);
  });

  test('matches from the first character to the last', () => {
    expect(matches('allow', 'npm test', 'npm test --watch')).toBe(false);
    expect(matches('allow', 'npm test', 'sudo npm test')).toBe(false);
    expect(matches('allow', 'npm test *', 'npm test --watch')).toBe(true);
    expect(matches('allow', '* --version', 'git --version')).toBe(true);
  });

  test('takes no letter of its pattern for anything but itself, * apart', () => {
    expect(matches('allow', 'npm run a.b', 'npm run axb')).toBe(false);
    expect(matches('allow', 'ls [ab]?', 'ls a1')).toBe(false);
    expect(matches('allow', 'ls [ab]?', 'ls [ab]?')).toBe(true);
    expect(matches('allow', '^npm', 'npm')).toBe(false);
  });

  test('matches no line at all that holds a character of the shell', () => {
    const special = fc.constantFrom(...';&|<>()`$\\\n\r\u0000{}');
    void fc.assert(
      fc.property(fc.string(), special, fc.string(), (head, character, tail) => {
        const line = `npm ${head}${character}${tail} end`;
        expect(matches('allow', '*', line)).toBe(false);
        expect(matches('allow', null, line)).toBe(false);
      }),
    );
  });
});

describe.each(['deny', 'ask'] as const)('a %s rule for a shell line', (decision) => {
  test.each(COMPOUND.filter((line) => line.includes('rm -rf /')))(
    'finds the second command of %j',
    (line) => {
      expect(matches(decision, 'rm *', line)).toBe(true);
    },
  );

  test('is not evaded by the width of a blank', () => {
    expect(matches(decision, 'rm *', 'rm\t-rf /')).toBe(true);
    expect(matches(decision, 'git push *', 'git  push   origin')).toBe(true);
  });

  test('without a pattern speaks of every line', () => {
    for (const line of COMPOUND) expect(matches(decision, null, line)).toBe(true);
  });

  test('does not speak of what only holds its words', () => {
    expect(matches(decision, 'rm *', 'echo rm -rf')).toBe(false);
    expect(matches(decision, 'rm *', 'npm test')).toBe(false);
  });
});

test('another tool is matched on its whole subject, and only by its own rules', () => {
  const rule = (tool: string, match: string | null): PermissionRule => ({
    tool,
    match,
    decision: 'allow',
    origin: 'x',
  });
  expect(ruleMatches(rule('web_fetch', 'docs.example.org'), 'web_fetch', 'docs.example.org')).toBe(true);
  expect(ruleMatches(rule('web_fetch', '*.example.org'), 'web_fetch', 'evil.org')).toBe(false);
  expect(ruleMatches(rule('web_fetch', 'example.org'), 'web_fetch', 'example.org.evil')).toBe(false);
  expect(ruleMatches(rule('fs_write_file', 'a;b'), 'fs_write_file', 'a;b')).toBe(true);
  expect(ruleMatches(rule('fs_write_file', null), 'fs_delete', 'a')).toBe(false);
  expect(ruleMatches(rule('*', null), 'fs_delete', 'a')).toBe(true);
  expect(ruleMatches(rule('*', null), 'shell_exec', 'npm test; rm -rf /')).toBe(false);
});
