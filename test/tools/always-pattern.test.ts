import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PermissionRule } from '../../src/events/facts/frozen.js';
import { allowingRules, grantMatches, ruleHits } from '../../src/team/policy/permission-match.js';
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

test('what is allowed in one directory is allowed in no other, by `always` and by rules', async () => {
  const at = await house();
  const sub = join(at.roots.workspace, 'a sub');
  await mkdir(sub);
  const tool = await at.tool('shell_exec');
  const called = async (command: string, cwd: string) => {
    const prepared = await tool.prepare({ command, cwd });
    if (prepared.kind === 'refused') throw new Error(prepared.text);
    return { tool: 'shell_exec', ...prepared };
  };
  const rule = (decision: PermissionRule['decision'], match: string | null): PermissionRule => ({
    tool: 'shell_exec',
    match,
    decision,
    origin: 'settings',
  });
  const here = await called('npm test', '.');
  const there = await called('npm test', 'a sub/');
  expect(await called('npm test', sub)).toMatchObject({ subject: there.subject, subjects: there.subjects });
  expect(there.subject).toBe("cd 'a sub' && npm test");
  expect(grantMatches(rule('allow', alwaysPattern('shell_exec', here)), there)).toBe(false);
  expect(grantMatches(rule('allow', alwaysPattern('shell_exec', there)), there)).toBe(true);
  expect(allowingRules([rule('allow', 'npm test')], here)).toBeDefined();
  expect(allowingRules([rule('allow', 'npm test')], there)).toBeUndefined();
  expect(allowingRules([rule('allow', 'npm test'), rule('allow', 'cd *')], there)).toBeDefined();
  expect(ruleHits(rule('deny', 'npm test'), there)).toBe(true);
  // What only reads was looked at where it is: it may be allowed by itself.
  expect(await called('ls', 'a sub')).toMatchObject({ class: 'read', subject: 'ls' });
  const more = await called('npm test > x', 'a sub');
  expect(allowingRules([rule('allow', 'npm test*'), rule('allow', 'cd *')], more)).toBeUndefined();
});
