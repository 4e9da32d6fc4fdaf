import { describe, expect, test } from 'vitest';
import { lookAlikes, NameIndex } from '../../../src/skills/decide/look-alikes.js';
import { anEntry } from '../entries.js';

const codes = (...names: string[]): string[] =>
  lookAlikes(names.map((name) => anEntry({ name }))).map(({ code }) => code);

describe('names that a reader takes for one another', () => {
  test.each([
    ['case', 'Flux', 'flux'],
    ['full width', 'ｆｌｕｘ', 'flux'],
    ['a ligature', 'ﬂux', 'flux'],
    ['Cyrillic letters', 'сode-rеview', 'code-review'],
    ['Greek letters', 'flυx', 'flux'],
    ['a capital I for an l', 'fIux', 'flux'],
    ['a digit for an l', 'f1ux', 'flux'],
    ['a zero for an o', 'hell0', 'hello'],
    ['an underscore for a hyphen', 'code_review', 'code-review'],
    ['another dash', 'code–review', 'code-review'],
    ['a zero-width space', 'fl\u200bux', 'flux'],
    ['a tag character', 'flux\u{e0061}', 'flux'],
    ['a sharp s', 'STRASSE', 'straße'],
    ['composed and decomposed', 'e\u0301tude', '\u00e9tude'],
  ])('%s: %j and %j', (_, one, other) => {
    expect(codes(one, other)).toEqual(['look-alike-name']);
    expect(codes(other, one)).toEqual(['look-alike-name']);
  });

  test.each([
    ['flux', 'flus'],
    ['étude', 'etude'],
    ['a-b', 'ab'],
    ['รูป', 'รป'],
  ])('%j and %j are two names', (one, other) => {
    expect(codes(one, other)).toEqual([]);
  });

  test('one name in several tiers is no look-alike of itself', () => {
    expect(codes('flux', 'flux')).toEqual([]);
  });

  test('the warning stands at the later entry and names both', () => {
    const first = anEntry({ name: 'flux', path: 'skills/flux/SKILL.md' });
    const second = anEntry({ name: 'fIux', path: '.bnerd/skills/x/SKILL.md' });
    expect(lookAlikes([first, second])).toEqual([
      {
        code: 'look-alike-name',
        severity: 'warning',
        path: '.bnerd/skills/x/SKILL.md',
        message: 'the name "fIux" looks like "flux" of skills/flux/SKILL.md',
        remedy: 'look at both files, and rename one of them',
      },
    ]);
  });
});

test('of thousands of such names fifty are told, and the others are counted', () => {
  const names = Array.from({ length: 120 }, (_, count) => `flux${'\u200b'.repeat(count)}`);
  const findings = lookAlikes(names.map((name) => anEntry({ name })));
  expect(findings).toHaveLength(51);
  expect(findings.at(-1)).toMatchObject({ code: 'look-alike-name', path: '69 more files' });
});

test('of one name that looks like thousands the first ten are told, those of the weakest tiers before', () => {
  const flood = Array.from({ length: 2_000 }, (_, count) =>
    anEntry({ name: `flux${'\u200b'.repeat(count + 1)}`, path: `/p/.bnerd/skills/f${count}.md` }),
  );
  const own = anEntry({ name: 'fIux', path: '/home/.bnerd/skills/flux.md' });
  const index = new NameIndex([own, ...flood]);
  const remarks = flood.map((entry) => index.remarksOn(entry));
  expect(remarks.every((told) => told.length === 11)).toBe(true);
  expect(
    remarks.every(([first]) => first?.message.endsWith('looks like "fIux" of /home/.bnerd/skills/flux.md')),
  ).toBe(true);
  expect(remarks[0]?.at(-1)).toMatchObject({
    path: '/p/.bnerd/skills/f0.md',
    message: expect.stringMatching(/looks like 1990 more$/),
  });
});
