import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareBytes } from '../../../src/skills/byte-order.js';
import { type LockedEntry, lockText, parseLock } from '../../../src/skills/lock/lock-text.js';

const digest = (digit: string): string => `1:${digit.repeat(64)}`;
const own: LockedEntry = { name: 'flux', version: '1.0.0', digest: digest('a'), import: null };
const foreign: LockedEntry = {
  name: 'pdf',
  version: '2.1.0',
  digest: digest('b'),
  import: { upstream: `https://example.org/pdf@${'c'.repeat(40)}`, file: 'SKILL.md' },
};

describe('the text of a lock', () => {
  test('is a head and a line an entry, in byte order of name', () => {
    expect(lockText([foreign, own])).toBe(
      [
        '{"skills.lock":1}',
        `{"name":"flux","version":"1.0.0","digest":"${digest('a')}","import":null}`,
        `{"name":"pdf","version":"2.1.0","digest":"${digest('b')}","import":{"upstream":"https://example.org/pdf@${'c'.repeat(40)}","file":"SKILL.md"}}`,
        '',
      ].join('\n'),
    );
    expect(parseLock(lockText([foreign, own]), 'l')).toEqual({ kind: 'read', entries: [own, foreign] });
    expect(parseLock(lockText([]), 'l')).toEqual({ kind: 'read', entries: [] });
  });

  test('of any entries reads back as they are, and does not depend on their order', () => {
    const word = fc.string({ minLength: 1, maxLength: 99, unit: 'binary' });
    const entry = fc.record({
      name: fc.string({ minLength: 1, maxLength: 64, unit: 'binary' }),
      version: fc.option(fc.string({ minLength: 1, maxLength: 64, unit: 'binary' })),
      digest: fc.stringMatching(/^[0-9a-f]{64}$/).map((hex) => `1:${hex}`),
      import: fc.option(fc.record({ upstream: word, file: word })),
    });
    const entries = fc.uniqueArray(entry, { selector: ({ name }) => name, maxLength: 12 });
    fc.assert(
      fc.property(entries, (some) => {
        const text = lockText(some);
        expect(lockText([...some].reverse())).toBe(text);
        expect(text.split('\n')).toHaveLength(some.length + 2);
        const sorted = [...some].sort((one, other) => compareBytes(one.name, other.name));
        expect(parseLock(text, 'l')).toEqual({ kind: 'read', entries: sorted });
      }),
    );
  });

  test('is read with CRLF and in any order of lines, as a merge may leave it', () => {
    const [head = '', ...lines] = lockText([own, foreign]).trimEnd().split('\n');
    const merged = [head, ...lines.reverse()].join('\r\n');
    expect(parseLock(merged, 'l')).toEqual({ kind: 'read', entries: [own, foreign] });
  });

  test.each<[string, string, string, number, string]>([
    ['an empty file', '', 'lock-format', 1, 'allowed is {"skills.lock":1}'],
    ['another format', '{"skills.lock":2}\n', 'lock-format', 1, 'format 2, this program reads 1'],
    ['a line that is no JSON', `${lockText([own])}flux\n`, 'lock-line', 3, 'found "flux"'],
    ['an empty line', `${lockText([own])}\n`, 'lock-line', 3, 'locks no entry'],
    [
      'a digest in another form',
      lockText([{ ...own, digest: `1:${'A'.repeat(64)}` }]),
      'lock-line',
      2,
      'digest',
    ],
    ['a key too many', lockText([own]).replace('"import"', '"by":1,"import"'), 'lock-line', 2, 'by'],
    ['a key too few', lockText([own]).replace(',"import":null', ''), 'lock-line', 2, 'import'],
    ['a name twice', lockText([own, own]), 'lock-duplicate', 3, 'it stands on line 2 already'],
    [
      'an unfinished merge',
      lockText([own]).replace('{"name"', '<<<<<<< ours\n{"name"'),
      'lock-conflict',
      2,
      '<<<<<<< ours',
    ],
  ])('refuses %s, with line and reason', (_, text, code, line, words) => {
    const read = parseLock(text, 'skills/skills.lock');
    expect(read.kind).toBe('refused');
    const findings = read.kind === 'refused' ? read.findings : [];
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ code, line, severity: 'error', path: 'skills/skills.lock' });
    expect(findings[0]?.message).toContain(words);
    expect(findings[0]?.remedy).not.toBe('');
  });

  test('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(['read', 'refused']).toContain(parseLock(`{"skills.lock":1}\n${text}`, 'l').kind);
      }),
    );
  });
});
