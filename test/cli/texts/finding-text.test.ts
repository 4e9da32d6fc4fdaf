import { describe, expect, test } from 'vitest';
import { notUsed } from '../../../src/catalog/trust.js';
import { findingLines, findingText } from '../../../src/cli/texts/finding-text.js';
import type { Finding } from '../../../src/shared/findings.js';

const VERDICT = { kind: 'untrusted', changed: false } as const;

test('a file that is not used is told in the words of the contract, as it is typed here', () => {
  const finding = notUsed('/repo/.claude/agents/a.md', VERDICT);
  expect(findingText(finding, '/repo/sub')).toBe('not used: ../.claude/agents/a.md (untrusted; bnerd trust)');
});

test.each([
  ['##[add-matcher]x.md', 'not used: ## [add-matcher]x.md (untrusted; bnerd trust)'],
  ['x\n::set-output name=a::b.md', 'not used: x\\n::set-output name=a::b.md (untrusted; bnerd trust)'],
  ['\u001b]0;x\u0007\u202ea.md', 'not used: ]0;xa.md (untrusted; bnerd trust)'],
])('the name of a file is one line that no terminal and no build log obeys: %j', (name, line) => {
  expect(findingText(notUsed(`/repo/${name}`, VERDICT), '/repo')).toBe(line);
});

test('a line does not begin as a command of a build does', () => {
  const finding = { code: 'x', severity: 'error', path: '::error::y', message: 'm', remedy: 'r' } as const;
  expect(findingText(finding, '/repo')).toBe('./::error::y: error x m (r)');
});

const finding = (severity: Finding['severity'], path: string, code = 'bad-key'): Finding => ({
  code,
  severity,
  path,
  message: 'found',
  remedy: 'do',
});
const unused = (path: string): Finding => finding('info', path, 'untrusted');

describe('findings for a person', () => {
  test('stand from the least to the worst, and otherwise in their order', () => {
    const all = [
      finding('error', 'a'),
      unused('/work/.claude/agents/x.md'),
      finding('warning', 'b'),
      finding('error', 'c'),
      finding('info', 'd'),
      unused('/work/.bnerd/teams/y/team.md'),
    ];
    expect(findingLines(all, '/work')).toEqual([
      'not used: .claude/agents/x.md (untrusted; bnerd trust)',
      'not used: .bnerd/teams/y/team.md (untrusted; bnerd trust)',
      'd: info bad-key found (do)',
      'b: warning bad-key found (do)',
      'a: error bad-key found (do)',
      'c: error bad-key found (do)',
    ]);
  });

  test('are said once each, whoever has found them', () => {
    const path = '/work/.claude/agents/x.md';
    const twice = [unused(path), finding('error', path), { ...unused(path), message: 'other' }];
    expect(findingLines([...twice, finding('error', path)], '/work')).toHaveLength(2);
  });

  test('an unused file that is needed is an error like another, in its place', () => {
    const needed = finding('error', '/work/.bnerd/teams/y/team.md', 'untrusted');
    expect(findingLines([needed, unused('/work/z.md')], '/work')).toEqual([
      'not used: z.md (untrusted; bnerd trust)',
      '.bnerd/teams/y/team.md: error untrusted found (do)',
    ]);
  });

  test('name files of the directory as they are typed there, and others whole', () => {
    const paths = ['/work/a/b.md', '/elsewhere/b.md', '--model', '~/.bnerd.yaml'];
    expect(
      findingLines(
        paths.map((path) => finding('error', path)),
        '/work',
      ).map((line) => line.split(': ')[0]),
    ).toEqual(['a/b.md', '/elsewhere/b.md', '--model', '~/.bnerd.yaml']);
  });
});
