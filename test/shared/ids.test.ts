import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BugError } from '../../src/shared/errors.js';
import { isChosenId, isTeamId, teamId, ulid } from '../../src/shared/ids.js';

const NO_NOISE = new Uint8Array(10);
const LAST_MS = 2 ** 48 - 1;

describe('ulid', () => {
  test('is ten characters of time and sixteen of randomness, in Crockford base 32', () => {
    // The example of the ULID specification.
    expect(ulid(1469918176385, NO_NOISE)).toBe(`01ARYZ6S41${'0'.repeat(16)}`);
    expect(ulid(0, new Uint8Array(10).fill(255))).toBe(`${'0'.repeat(10)}${'Z'.repeat(16)}`);
    expect(ulid(LAST_MS, NO_NOISE)).toBe(`7${'Z'.repeat(9)}${'0'.repeat(16)}`);
    expect(ulid(0, Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 33))).toBe(`${'0'.repeat(24)}11`);
  });

  test('sorts by time', () => {
    const time = fc.integer({ min: 0, max: LAST_MS });
    fc.assert(
      fc.property(time, time, (one, other) => {
        const [earlier, later] = [Math.min(one, other), Math.max(one, other)];
        expect(ulid(earlier, NO_NOISE) <= ulid(later, NO_NOISE)).toBe(true);
        expect(ulid(earlier)).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
      }),
    );
  });

  test('two made in the same millisecond differ', () => {
    expect(new Set(Array.from({ length: 1000 }, () => ulid(1))).size).toBe(1000);
  });

  test.each([-1, 2 ** 48, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d as a time', (wallMs) => {
    expect(() => ulid(wallMs)).toThrow(BugError);
  });
});

describe('team ids', () => {
  test('what teamId makes is a team id', () => {
    expect(teamId('quickstart', ulid(0, NO_NOISE))).toBe(`run-quickstart-${'0'.repeat(26)}`);
    expect(isTeamId(teamId('quickstart', ulid(0)))).toBe(true);
  });

  test.each(['a', 'run-x-01', 'A.b_c-9', 'x'.repeat(128)])('%s is one', (text) => {
    expect(isTeamId(text)).toBe(true);
  });

  test.each(['', '.', '..', '.hidden', '-x', '_x', 'a/b', 'a\\b', 'a b', 'a\n', 'a\0', 'é', 'x'.repeat(129)])(
    '%j is none: it could leave its folder, hide in it or read as a flag',
    (text) => {
      expect(isTeamId(text)).toBe(false);
    },
  );
});

describe('names that a person gives', () => {
  test.each(['a', 'dev', '2024-nightly', 'pr-142', 'runner', 'x'.repeat(48)])(
    '%s is one, and a team id',
    (text) => {
      expect(isChosenId(text)).toBe(true);
      expect(isTeamId(text)).toBe(true);
    },
  );

  test.each(['', 'Dev', 'a b', 'a/b', '.a', '-a', 'a.b', 'a_b', 'é', 'x'.repeat(49), 'a\n'])(
    '%j is none',
    (text) => {
      expect(isChosenId(text)).toBe(false);
    },
  );

  test.each(['r', 'ru', 'run', 'run-', 'run-quickstart', teamId('job', ulid(0)).toLowerCase()])(
    '%j is none: it could be, or begin, an id that the program gives',
    (text) => {
      expect(isChosenId(text)).toBe(false);
    },
  );
});
