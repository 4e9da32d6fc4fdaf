import { expect, test } from 'vitest';
import { notUsed } from '../../../src/catalog/trust.js';
import { findingText } from '../../../src/cli/texts/finding-text.js';

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
