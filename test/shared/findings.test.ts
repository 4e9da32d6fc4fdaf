import { describe, expect, test } from 'vitest';
import { type Finding, formatFinding, hasErrors } from '../../src/shared/findings.js';

const FINDING: Finding = {
  code: 'unknown-role',
  severity: 'error',
  path: 'recipes/x.md',
  line: 7,
  message: 'no role "writr"',
  remedy: 'did you mean "writer"?',
};

describe('formatFinding', () => {
  test('says where, how bad, what and what to do, on one line', () => {
    expect(formatFinding(FINDING)).toBe(
      'recipes/x.md:7: error unknown-role no role "writr" (did you mean "writer"?)',
    );
  });

  test('names no line when the remark is on the whole of it', () => {
    const { line: _, ...whole } = FINDING;
    expect(formatFinding({ ...whole, path: '--safety' })).toBe(
      '--safety: error unknown-role no role "writr" (did you mean "writer"?)',
    );
  });
});

describe('hasErrors', () => {
  test('is true for one error among others, and false for warnings, remarks and nothing', () => {
    const warning: Finding = { ...FINDING, severity: 'warning' };
    const info: Finding = { ...FINDING, severity: 'info' };
    expect(hasErrors([warning, FINDING, info])).toBe(true);
    expect(hasErrors([warning, info])).toBe(false);
    expect(hasErrors([])).toBe(false);
  });
});
