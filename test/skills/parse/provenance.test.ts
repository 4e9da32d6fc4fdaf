import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/shared/findings.js';
import { parseGoverned } from '../../../src/skills/parse/governed.js';
import { isSpdxExpression } from '../../../src/skills/parse/provenance.js';
import { governedText, SOURCE } from '../entries.js';

const SHA = '0123456789abcdef0123456789abcdef01234567';
const UPSTREAM = `https://github.com/example/skill@${SHA}`;
const THIRD_PARTY = { origin: 'third-party', license: 'MIT', upstream: UPSTREAM };

function findingsOf(fields: Record<string, string | null>): readonly Finding[] {
  return parseGoverned(governedText(fields), SOURCE).findings;
}

function codesOf(fields: Record<string, string | null>): string[] {
  return findingsOf(fields).map((finding) => finding.code);
}

describe('origin', () => {
  test('no origin, and origin: unknown, are refused', () => {
    expect(parseGoverned(governedText({ origin: null }), SOURCE).kind).toBe('refused');
    expect(codesOf({ origin: null })).toEqual(['origin-missing']);
    expect(parseGoverned(governedText({ origin: 'unknown' }), SOURCE).kind).toBe('refused');
    expect(codesOf({ origin: 'unknown' })).toEqual(['origin-unknown']);
  });

  test('proprietary forbids license and upstream, each with its own reason', () => {
    expect(codesOf({ license: 'MIT', upstream: UPSTREAM })).toEqual([
      'license-forbidden',
      'upstream-forbidden',
    ]);
  });

  test('a third-party entry with licence and full commit has no finding', () => {
    expect(findingsOf(THIRD_PARTY)).toEqual([]);
  });
});

describe('a third-party entry is refused', () => {
  const rows: [string, Record<string, string | null>, string][] = [
    ['without license', { license: null }, 'license-missing'],
    ['without upstream', { upstream: null }, 'upstream-missing'],
    ['with a bare URL', { upstream: 'https://github.com/example/skill' }, 'upstream-unpinned'],
    ['with http://', { upstream: `http://github.com/example/skill@${SHA}` }, 'upstream-not-https'],
    ['with a trailing @', { upstream: 'https://github.com/example/skill@' }, 'upstream-empty-ref'],
  ];

  test.each(rows)('%s', (_what, fields, code) => {
    expect(parseGoverned(governedText({ ...THIRD_PARTY, ...fields }), SOURCE).kind).toBe('refused');
    expect(codesOf({ ...THIRD_PARTY, ...fields })).toEqual([code]);
  });

  test('for five different reasons', () => {
    expect(new Set(rows.map(([, , code]) => code)).size).toBe(5);
  });
});

describe('license', () => {
  test.each([
    'MIT',
    'Apache-2.0',
    'MIT OR Apache-2.0',
    '(MIT AND BSD-3-Clause)',
    'GPL-2.0-only WITH Classpath-exception-2.0',
    'LicenseRef-ours',
    'CC-BY-4.0',
  ])('%s is an SPDX expression', (license) => {
    expect(codesOf({ ...THIRD_PARTY, license })).toEqual([]);
  });

  test.each(['mit', 'Apache 2.0', 'Apache', 'UNLICENSED', 'MIT OR', '(MIT', 'MIT,ISC', '', 'see LICENSE'])(
    '%j is none',
    (license) => {
      expect(codesOf({ ...THIRD_PARTY, license })).toEqual(['license-not-spdx']);
    },
  );

  test('nesting without end is refused and does not throw', () => {
    expect(isSpdxExpression(`${'('.repeat(8_000)}MIT`)).toBe(false);
    expect(isSpdxExpression(' ')).toBe(false);
  });
});

describe('upstream', () => {
  test.each([
    ['git@github.com:example/skill@v1', 'upstream-not-https'],
    ['ssh://github.com/example/skill@v1', 'upstream-not-https'],
    ['', 'upstream-not-https'],
    [`https://user:secret@github.com/example/skill@${SHA}`, 'upstream-user-info'],
    [`https://user@github.com/example/skill@${SHA}`, 'upstream-user-info'],
    ['https://user@github.com/example/skill', 'upstream-url'],
    ['https://github.com@v1', 'upstream-url'],
    ['https://[bad/skill@v1', 'upstream-url'],
    ['https://github.com/a b@v1', 'upstream-url'],
    ['https://github.com/example/skill@main', 'upstream-moving-ref'],
    ['https://github.com/example/skill@master', 'upstream-moving-ref'],
    ['https://github.com/example/skill@HEAD', 'upstream-moving-ref'],
    ['https://github.com/example/skill@latest', 'upstream-moving-ref'],
    ['https://github.com/example/skill@refs/heads/main', 'upstream-moving-ref'],
    ['https://github.com/example/skill@v1 beta', 'upstream-ref'],
    ['https://github.com/example/skill@v1..v2', 'upstream-ref'],
  ])('%j is refused as %s', (upstream, code) => {
    expect(codesOf({ ...THIRD_PARTY, upstream })).toEqual([code]);
    const findings = findingsOf({ ...THIRD_PARTY, upstream });
    expect(findings).toMatchObject([{ severity: 'error', line: 7 }]);
    expect(JSON.stringify(findings)).not.toContain('secret');
  });

  test.each(['v2.3.0', 'release/2', 'main-2', SHA.slice(0, 12)])(
    'the ref %s loads with the warning mutable-ref',
    (ref) => {
      const upstream = `https://github.com/example/skill@${ref}`;
      const parsed = parseGoverned(governedText({ ...THIRD_PARTY, upstream }), SOURCE);
      expect(parsed).toMatchObject({ kind: 'entry', entry: { upstream } });
      expect(parsed.findings).toMatchObject([{ code: 'mutable-ref', severity: 'warning', line: 7 }]);
    },
  );

  test('the last @ splits, so a path may hold one', () => {
    const upstream = `https://registry.example.org/@scope/skill@${SHA}`;
    expect(findingsOf({ ...THIRD_PARTY, upstream })).toEqual([]);
  });
});
