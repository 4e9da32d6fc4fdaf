import { expect, test } from 'vitest';
import { NO_APPROVALS } from '../../../src/catalog/trust.js';
import { dialectOf, isStrict } from '../../../src/skills/read/dialect.js';

test('the built-in tier is governed, global and project are open, a mission is what it says', () => {
  for (const mission of ['open', 'governed'] as const) {
    expect(dialectOf({ tier: 'builtin' }, mission)).toBe('governed');
    expect(dialectOf({ tier: 'global' }, mission)).toBe('open');
    expect(dialectOf({ tier: 'project' }, mission)).toBe('open');
    expect(dialectOf({ tier: 'mission' }, mission)).toBe(mission);
  }
});

test('only a governed source that counts by where it lies can refuse a run', () => {
  const approval = { tier: 'mission', trust: NO_APPROVALS } as const;
  expect(isStrict({ tier: 'builtin', approval: null }, 'governed')).toBe(true);
  expect(isStrict({ tier: 'mission', approval: null }, 'governed')).toBe(true);
  expect(isStrict({ tier: 'mission', approval }, 'governed')).toBe(false);
  expect(isStrict({ tier: 'global', approval: null }, 'open')).toBe(false);
});
