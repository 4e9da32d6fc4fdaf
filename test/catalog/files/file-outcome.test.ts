import { expect, test } from 'vitest';
import { type FileOutcome, fileOutcome } from '../../../src/catalog/files/file-outcome.js';
import type { Finding, Severity } from '../../../src/shared/findings.js';

const finding = (path: string, severity: Severity, code = 'odd'): Finding => ({
  code,
  severity,
  path,
  message: 'm',
  remedy: 'r',
});
const REPAIRED = finding('a.md', 'warning', 'repaired-frontmatter');

test.each<[FileOutcome, readonly Finding[]]>([
  ['loaded', []],
  ['loaded', [finding('a.md', 'warning'), finding('a.md', 'info')]],
  ['loaded', [finding('b.md', 'error'), { ...REPAIRED, path: 'b.md' }]],
  ['repaired', [REPAIRED, finding('a.md', 'info')]],
  ['refused', [finding('a.md', 'error')]],
  ['refused', [REPAIRED, finding('a.md', 'error')]],
])('%s, for the findings %j', (outcome, findings) => {
  expect(fileOutcome('a.md', findings)).toBe(outcome);
});
