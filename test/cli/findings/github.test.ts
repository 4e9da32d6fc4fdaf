import { describe, expect, test } from 'vitest';
import { githubText } from '../../../src/cli/findings/github.js';
import type { Finding } from '../../../src/shared/findings.js';
import { folders, ODD } from './odd-findings.js';

/**
 * The far side: how the runner reads a line of a log. A line is a command when `::` stands at its head, behind white
 * space; properties and text are turned back in this order.
 */
function runnerReads(line: string): { name: string; properties: Record<string, string>; text: string } {
  const match = /^\s*::(\S+?)(?: (.*?))?::(.*)$/s.exec(line);
  if (match === null) throw new Error(`no command: ${line}`);
  const back = (text: string): string => text.replaceAll('%0D', '\r').replaceAll('%0A', '\n');
  const pairs = (match[2] ?? '').split(',').map((pair) => {
    const equals = pair.indexOf('=');
    const value = back(pair.slice(equals + 1))
      .replaceAll('%3A', ':')
      .replaceAll('%2C', ',');
    return [pair.slice(0, equals).trim(), value.replaceAll('%25', '%')];
  });
  return {
    name: match[1] ?? '',
    properties: Object.fromEntries(pairs),
    text: back(match[3] ?? '').replaceAll('%25', '%'),
  };
}

const plain: Finding = { code: 'odd', severity: 'error', path: 'a.md', message: 'm', remedy: 'r' };

describe('annotations', () => {
  test.each([
    ['error', 'error'],
    ['warning', 'warning'],
    ['info', 'notice'],
  ] as const)('severity %s is the command %s, with file, line and code', (severity, command) => {
    expect(githubText([{ ...plain, severity, line: 3 }], folders)).toBe(
      `::${command} file=sub/a.md,line=3,title=odd::m (r)\n`,
    );
  });

  test('a path is relative to the repository when it lies there, else absolute', () => {
    const of = (path: string) => githubText([{ ...plain, path }], folders);
    expect(of('/repo/roles/a.md')).toBe('::error file=roles/a.md,title=odd::m (r)\n');
    expect(of('../roles/a.md')).toBe('::error file=roles/a.md,title=odd::m (r)\n');
    expect(of('/elsewhere/a.md')).toBe('::error file=/elsewhere/a.md,title=odd::m (r)\n');
  });

  test.each(['--var', '~/.bnerd.yaml', 'BNERD_HOME', 'jobb'])(
    '%s is no file: it is named in the text',
    (path) => {
      expect(githubText([{ ...plain, path, line: 2 }], folders)).toBe(`::error title=odd::${path}: m (r)\n`);
    },
  );

  test('percent signs, colons and commas come back as they were', () => {
    const path = '/repo/100%25,a:b=c.md';
    const line = githubText([{ ...plain, path, message: '50% of %0A is a,b::c' }], folders);
    expect(line.trimEnd().split('\n')).toHaveLength(1);
    expect(runnerReads(line.trimEnd())).toEqual({
      name: 'error',
      properties: { file: '100%25,a:b=c.md', title: 'odd' },
      text: '50% of %0A is a,b::c (r)',
    });
  });

  test.each(ODD)('%s: one line, one command, no control code', (_, finding) => {
    const text = githubText([finding], folders);
    expect(text.endsWith('\n')).toBe(true);
    expect(text.slice(0, -1)).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029\u202e]/);
    expect(runnerReads(text.slice(0, -1))).toMatchObject({
      name: 'error',
      properties: { title: finding.code },
    });
  });
});
