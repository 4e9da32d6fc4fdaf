import { describe, expect, test } from 'vitest';
import { compareWithLock, isBump, type LockableEntry } from '../../../src/skills/lock/lock-changes.js';
import type { LockedEntry } from '../../../src/skills/lock/lock-text.js';

const upstream = `https://example.org/pdf@${'c'.repeat(40)}`;
const entry: LockableEntry = {
  name: 'pdf',
  version: '1.0.0',
  digest: `1:${'a'.repeat(64)}`,
  origin: 'third-party',
  upstream,
  path: 'skills/pdf/SKILL.md',
};
const line: LockedEntry = {
  name: 'pdf',
  version: '1.0.0',
  digest: entry.digest,
  import: { upstream, file: 'SKILL.md' },
};
const other = `1:${'b'.repeat(64)}`;

function compare(entries: readonly LockableEntry[], locked: readonly LockedEntry[]) {
  const { entries: lines, findings } = compareWithLock(entries, locked, 'skills/skills.lock');
  return { lines, codes: findings.map(({ code, severity }) => `${severity} ${code}`), findings };
}

describe('a lock and the entries beside it', () => {
  test('agree: nothing is said, and the lock stays', () => {
    expect(compare([entry], [line])).toMatchObject({ lines: [line], codes: [] });
  });

  test('a text that changed under its version is an error, under a smaller one too', () => {
    for (const version of ['1.0.0', '0.9.0', '1.0.0+build', '1.0.0-rc.1']) {
      const { codes } = compare([{ ...entry, version, digest: other, origin: 'proprietary' }], [line]);
      expect(codes).toEqual(['error version-not-bumped']);
    }
    const unversioned = { ...entry, version: null, digest: other, origin: null };
    expect(compare([unversioned], [{ ...line, version: null }]).codes).toEqual(['error version-not-bumped']);
  });

  test('a text that changed with a greater version is agreed to', () => {
    const bumped = { ...entry, version: '1.1.0', digest: other, origin: 'proprietary' };
    const { lines, codes } = compare([bumped], [line]);
    expect(codes).toEqual([]);
    expect(lines).toEqual([{ name: 'pdf', version: '1.1.0', digest: other, import: null }]);
  });

  test.each<[string, Partial<LockableEntry>, readonly LockedEntry[]]>([
    ['in no lock', {}, []],
    ['locked without an import', {}, [{ ...line, import: null }]],
    ['edited with a greater version', { version: '1.1.0', digest: other }, [line]],
    [
      'with another pin than the imported one',
      { upstream: `https://example.org/x@${'d'.repeat(40)}` },
      [line],
    ],
  ])('a third-party entry %s is not one that came by import, and no lock claims it', (_, changed, locked) => {
    const { lines, codes } = compare([{ ...entry, ...changed }], locked);
    expect(codes).toContain('warning not-imported');
    expect(lines.map((each) => each.import)).toEqual([null]);
  });

  test('an entry that is not locked, and a line without an entry, are said', () => {
    expect(compare([{ ...entry, origin: 'proprietary' }], []).codes).toEqual(['info not-locked']);
    expect(compare([], [line])).toMatchObject({ lines: [], codes: ['info lock-stale'] });
  });

  test.each<[string | null, string | null, boolean]>([
    ['1.10.0', '1.9.0', true],
    ['1.9.0', '1.9.0-rc.1', true],
    ['1.0.0-rc.1', '1.0.0', false],
    ['1.0.0', '1.0.0', false],
    ['1.0.0+2', '1.0.0+1', false],
    ['1.0', '1.0.0', true],
    ['1.0', '1.0', false],
    [null, '1.0.0', true],
    ['1.0.0', null, true],
    [null, null, false],
  ])('%s over %s: %s', (version, over, right) => {
    expect(isBump(version, over)).toBe(right);
  });
});
