import { describe, expect, test } from 'vitest';
import { BRIEF_BYTES } from '../../../src/delegate/brief/brief.js';
import { readBrief, readResult } from '../../../src/delegate/brief/read.js';
import { newKeyPair, signed } from '../../../src/shared/signature.js';
import { aBrief, BASE, resultOrder } from '../../helpers/briefs.js';

const pair = newKeyPair();
const brief = aBrief(pair);
const read = (change: object) => readBrief(JSON.stringify({ ...brief, ...change }));

/** Lists in lists, deeper than JSON can be written. */
const DEEP = '['.repeat(100_000) + ']'.repeat(100_000);

describe('a brief is read', () => {
  test('as it was written', () => {
    expect(readBrief(JSON.stringify(brief))).toEqual({ kind: 'read', value: brief });
  });

  test.each([
    ['a field that nobody knows', { also: 1 }, /Unrecognized key: "also"/],
    ['such a field deeper in it', { limits: { ...brief.limits, also: 1 } }, /Unrecognized key: "also"/],
    ['a field that is missing', { goal: undefined }, /goal: .*found nothing/],
    [
      'a goal that is too long',
      { goal: 'x'.repeat((256 << 10) + 1) },
      /goal: .*262145 characters|goal: .*<=262144/,
    ],
    [
      'a base that is no full commit',
      { workspace: { ...brief.workspace, base: 'main' } },
      /workspace\.base: .*found "main"/,
    ],
    [
      'a folder that leads out',
      { workspace: { ...brief.workspace, subdir: '../x' } },
      /workspace\.subdir: .*found "\.\.\/x"/,
    ],
    [
      'an artifact that leads out',
      { artifacts: ['a', '/etc/passwd'] },
      /artifacts\[1\]: .*found "\/etc\/passwd"/,
    ],
    ['a command without words', { verify: [{ key: 'test', argv: [] }] }, /verify\[0\]\.argv: /],
    ['a safety nobody knows', { safety: 'loose' }, /safety: .*found "loose"/],
    [
      'the id of another attempt',
      { id: 'run-feature-01.t1.a2.o1' },
      /id is "run-feature-01\.t1\.a2\.o1"; for this attempt it is run-feature-01\.t1\.a1\.o1/,
    ],
    [
      'the branch of another task',
      { workspace: { ...brief.workspace, branch: 'main' } },
      /workspace\.branch is "main"; .* bnerd\/run-feature-01\/1-1/,
    ],
    ['a line break where one line is allowed', { from: 'a\nb' }, /from: .*found "a\\nb"/],
  ])('never with %s: the field is named', (_, change, message) => {
    expect(read(change)).toMatchObject({
      kind: 'refused',
      code: 'invalid',
      message: expect.stringMatching(message),
    });
  });

  test.each([
    ['nothing', '', 'unreadable'],
    ['half of one', JSON.stringify(brief).slice(0, 99), 'unreadable'],
    ['a list', '[]', 'unreadable'],
    ['one of a newer program', JSON.stringify({ ...brief, v: 2, new_field: true }), 'unsupported_version'],
    ['one that is too large', `${JSON.stringify(brief)}${' '.repeat(BRIEF_BYTES)}`, 'too_large'],
  ])('never from %s', (_, text, code) => {
    expect(readBrief(text)).toMatchObject({ kind: 'refused', code });
  });

  test.each([
    [
      'as a field',
      JSON.stringify({ ...brief, goal: 0 }).replace('"goal":0', `"goal":${DEEP}`),
      /^brief: goal: .*found a value that is nested too deep/,
    ],
    [
      'in a field that nobody knows',
      JSON.stringify(brief).replace('{', `{"also":${DEEP},`),
      /Unrecognized key: "also", found a value/,
    ],
    ['as the whole', DEEP, /not a JSON object/],
  ])('not from what is nested without end, %s', (_, text, message) => {
    expect(readBrief(text)).toMatchObject({ kind: 'refused', message: expect.stringMatching(message) });
  });

  test('not with a member that would be its prototype, nor with a number that is none', () => {
    const text = JSON.stringify(brief);
    for (const other of [
      text.replace('{', '{"__proto__":{"goal":"another"},'),
      text.replace('"limits":{', '"limits":{"__proto__":{"wall_minutes":1},'),
      text.replace('"attempt":1', '"attempt":9007199254740993'),
      text.replace('"wall_minutes":10', '"wall_minutes":0'),
      text.replace('"wall_minutes":10', '"wall_minutes":1e400'),
    ])
      expect(readBrief(other)).toMatchObject({ kind: 'refused', code: 'invalid' });
  });
});

test('a result with a word that its signature does not cover is none', () => {
  const result = signed('result', resultOrder(brief), pair);
  expect(readResult(JSON.stringify(result)).kind).toBe('read');
  for (const change of [
    { usage: { ...result.usage, also: 1 } },
    { diffstat: { ...result.diffstat, also: 1 } },
    { commits: [{ sha: BASE, subject: 'one', also: 1 }] },
    { verify: [{ key: 'k', argv: ['k'], exit: 0, outcome: 'passed', tail: '', ms: 1, also: 1 }] },
  ])
    expect(readResult(JSON.stringify({ ...result, ...change }))).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('Unrecognized key: "also"'),
    });
});
