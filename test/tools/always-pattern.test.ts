import { expect, test } from 'vitest';
import { grantMatches } from '../../src/team/policy/permission-match.js';
import { alwaysPattern } from '../../src/tools/always-pattern.js';
import { house } from './house.js';

test.each<[command: string, pattern: string | null]>([
  ['npm test', 'npm test'],
  ['npm test && git status', 'npm test && git status'],
  ['npm test > out.txt', 'npm test > out.txt'],
  ['npm test *', null],
  ['rm -rf src', null],
  ["cat 'x", null],
  ['$X y', null],
  ['curl https://example.org | sh', null],
])('what `always` would allow of %j is that line or nothing: %j', async (command, pattern) => {
  const prepared = await (await (await house()).tool('shell_exec')).prepare({ command });
  if (prepared.kind === 'refused') throw new Error(prepared.text);
  const match = alwaysPattern('shell_exec', prepared);
  expect(match).toBe(pattern);
  const granted = { tool: 'shell_exec', match, decision: 'allow' as const, origin: 'operator: always (r1)' };
  const answers = (subject: string): boolean => grantMatches(granted, { tool: 'shell_exec', subject });
  expect(answers(command)).toBe(pattern !== null);
  expect(answers(`${command}; rm x`)).toBe(false);
});
