import { describe, expect, test } from 'vitest';
import { lineAt, readMapping } from '../../../src/catalog/files/written-mapping.js';

const file = (frontmatter: string, body = 'Body.'): string => `---\n${frontmatter}\n---\n${body}`;

function refusal(text: string): { code: string; line?: number; message: string; remedy: string }[] {
  const read = readMapping('x.md', text);
  if (read.kind === 'read') throw new Error(`was read: ${JSON.stringify(read.mapping.fields)}`);
  for (const finding of read.findings) expect(finding).toMatchObject({ severity: 'error', path: 'x.md' });
  return read.findings.map(({ severity: _severity, path: _path, ...rest }) => rest);
}

describe('the frontmatter of a file', () => {
  test('fields, lines of the file, body and its first line are told', () => {
    const read = readMapping('x.md', file('name: a\ntasks:\n  - id: t\n    gates: [r, s]\nempty:'));
    expect(read).toMatchObject({
      kind: 'read',
      mapping: {
        fields: { name: 'a', tasks: [{ id: 't', gates: ['r', 's'] }], empty: null },
        body: 'Body.',
        bodyLine: 8,
      },
    });
    const lines = read.kind === 'read' ? read.mapping.lines : new Map<string, number>();
    expect(lineAt(lines, ['name'])).toBe(2);
    expect(lineAt(lines, ['tasks', 0, 'gates', 1])).toBe(5);
    expect(lineAt(lines, ['tasks', 0, 'role'])).toBe(4);
    expect(lineAt(lines, ['other'])).toBeUndefined();
  });

  test('numbers, booleans and nulls keep the words they were written in', () => {
    const read = readMapping('x.md', file('version: 1.10\non: true\nempty:\nlist: [0x1F, text, "2"]'));
    if (read.kind === 'refused') throw new Error(read.findings[0]?.message);
    expect([...read.mapping.spelled]).toEqual([
      ['version', '1.10'],
      ['on', 'true'],
      ['empty', ''],
      ['list.0', '0x1F'],
    ]);
  });

  test('a byte order mark and CRLF change nothing', () => {
    const plain = readMapping('x.md', file('name: a\nb: |\n  one\n  two', 'Body.\nMore.'));
    const windows = file('name: a\nb: |\n  one\n  two', 'Body.\nMore.').replaceAll('\n', '\r\n');
    expect(readMapping('x.md', `\uFEFF${windows}`)).toEqual(plain);
  });

  test('folded and literal scalars are text', () => {
    const read = readMapping('x.md', file('a: >-\n  one\n  two\nb: |\n  one\n  two'));
    expect(read).toMatchObject({ mapping: { fields: { a: 'one two', b: 'one\ntwo\n' } } });
  });

  test('YAML 1.2 it is: `no` is text, a date is text, a merge key is a key', () => {
    const read = readMapping('x.md', file('a: no\nb: 2024-01-01\n<<: {c: 1}'));
    expect(read).toMatchObject({ mapping: { fields: { a: 'no', b: '2024-01-01', '<<': { c: 1 } } } });
  });

  test('an empty frontmatter has no fields', () => {
    expect(readMapping('x.md', '---\n---\n')).toMatchObject({ kind: 'read', mapping: { fields: {} } });
    expect(readMapping('x.md', '---\n# only a comment\n---\n')).toMatchObject({ mapping: { fields: {} } });
  });

  test('an unquoted colon is named with its line and what to do', () => {
    expect(refusal(file('name: a\ndescription: Use: this when'))).toEqual([
      {
        code: 'yaml-error',
        line: 3,
        message: 'YAML: the value holds ": ", which begins another key in text without quotes',
        remedy: 'put the value in quotes',
      },
    ]);
  });

  test('the consequences of a mistake on its line are not findings of their own', () => {
    expect(refusal(file('a: b: c: d: e\nf: g: h')).map((finding) => finding.line)).toEqual([2, 3]);
  });

  test.each([
    ['a file without frontmatter', 'Hello', 'no-frontmatter', 1, 'expected "---" on line 1'],
    ['an empty file', '', 'no-frontmatter', 1, 'expected "---" on line 1'],
    ['a fence that is not closed', '---\nname: a\n', 'unclosed', 1, 'exactly "---"'],
    ['a key used twice', file('a: 1\nb: 2\na: 3'), 'duplicate-key', 4, 'twice'],
    ['a list instead of a mapping', file('- a'), 'not-a-mapping', 2, 'key: value'],
    ['plain text instead of a mapping', file('hello'), 'not-a-mapping', 2, 'key: value'],
    ['a tag of a program', file('a: 1\nb: !!js/function x'), 'yaml-error', 3, 'tag'],
    ['binary', file('a: !!binary aGk='), 'yaml-error', 2, 'tag'],
    ['a directive', file('%YAML 1.1\n--- \na: yes'), 'yaml-error', 2, 'directive'],
    ['a second document', file('a: 1\n--- \nsafety: full'), 'yaml-error', 3, 'ends the mapping'],
    ['a prototype key', file('a: 1\n__proto__: {b: 1}'), 'bad-key', 3, '"__proto__" may not be a key'],
    ['a prototype key further in', file('a:\n  - constructor: 1'), 'bad-key', 3, '"constructor" may not'],
    ['a key that is a list', file('? [a]\n: b'), 'bad-key', 2, 'expected text'],
    ['an alias of nothing', file('a: *nope'), 'yaml-error', 1, 'nope'],
    ['a flow list left open', file('a: [1, 2'), 'yaml-error', 3, 'YAML:'],
    ['lists without end', file('['.repeat(20_000)), 'yaml-error', 2, 'too deep'],
    ['items without end', file('- '.repeat(20_000)), 'yaml-error', 2, 'too deep'],
    ['keys without end', file(`a: ${'{a: '.repeat(20_000)}`), 'yaml-error', 2, 'too deep'],
    ['an alias of itself', file('b: 1\na: &a [*a]'), 'yaml-error', 3, '"*a"'],
    [
      'a frontmatter beyond all measure',
      file(`a: ${'x'.repeat(200_000)}`),
      'frontmatter-too-large',
      1,
      '131072',
    ],
  ] as const)('%s is refused with its line', (_what, text, code, line, part) => {
    const [first] = refusal(text);
    expect(first?.code).toBe(code);
    expect(first?.line).toBe(line);
    expect(first?.message).toContain(part);
    expect(first?.remedy).not.toBe('');
  });

  test('aliases cannot multiply without bound', () => {
    const levels = [...'bcdefghi'].map(
      (name, at) => `${name}: [${Array(9).fill(`*${'abcdefgh'[at]}`).join(', ')}]`,
    );
    const anchored = levels.map((line) => line.replace(/^(.): /, '$1: &$1 '));
    const [first] = refusal(file(['a: &a [x]', ...anchored].join('\n')));
    expect(first).toMatchObject({ code: 'yaml-error', message: expect.stringContaining('alias') });
  });

  test('at most ten lines of broken YAML are named', () => {
    expect(refusal(file(Array.from({ length: 30 }, (_, at) => `k${at}: a: b`).join('\n')))).toHaveLength(10);
  });
});
