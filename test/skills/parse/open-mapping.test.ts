// A frontmatter that is no YAML is read a second time, its prose literally, and said to have been.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readOpenMapping } from '../../../src/skills/parse/open-mapping.js';

type Row = readonly [line: number | undefined, code: string];

const HEAD = ['name: a', 'description: What it is for'] as const;

function read(lines: readonly string[]): { fields: unknown; rows: readonly Row[] } {
  const result = readOpenMapping('a/SKILL.md', `${lines.join('\n')}\n`);
  if (result.kind === 'refused') throw new Error(JSON.stringify(result.findings));
  return { fields: result.mapping.fields, rows: result.repairs.map(({ line, code }) => [line, code]) };
}

const codes = (lines: readonly string[]): readonly string[] => {
  const result = readOpenMapping('a/SKILL.md', `${lines.join('\n')}\n`);
  return result.kind === 'read' ? [] : result.findings.map(({ code }) => code);
};

test('YAML is read as it stands, and nothing is said', () => {
  expect(read([...HEAD, 'metadata:', '  a: [b, c]'])).toEqual({
    fields: { name: 'a', description: 'What it is for', metadata: { a: ['b', 'c'] } },
    rows: [],
  });
});

describe('a line of prose that is no YAML is read literally to its end', () => {
  test.each([
    ['an unquoted colon', 'Use when: asked', 'Use when: asked'],
    ['a comment behind a colon', 'Use when: asked # 1', 'Use when: asked # 1'],
    ['a quote that ends early', '"Quoted" and more', '"Quoted" and more'],
    ['brackets that end early', '[title] [message]', '[title] [message]'],
    ['a mention', '@someone asks', '@someone asks'],
    ['emphasis', '*asked*', '*asked*'],
    ['a tag', '!!js/function "y"', '!!js/function "y"'],
    ['another script', '使用時：a: b', '使用時：a: b'],
  ])('%s', (_, written, value) => {
    expect(read(['name: a', `description: ${written}`, 'always_on: true'])).toEqual({
      fields: { name: 'a', description: value, always_on: true },
      rows: [[3, 'repaired-frontmatter']],
    });
  });

  test('the finding names key and cause, and how to write it', () => {
    const result = readOpenMapping('a/SKILL.md', 'name: a\ndescription: Use: it\n');
    expect(result).toMatchObject({
      kind: 'read',
      repairs: [
        {
          code: 'repaired-frontmatter',
          severity: 'warning',
          path: 'a/SKILL.md',
          line: 3,
          message:
            '`description` was read literally to the end of its line: YAML: the value holds ": ", which begins another key in text without quotes',
          remedy: 'write `description: >-` and the text on the next line, indented by two blanks',
        },
      ],
    });
  });
});

describe('what decides is never guessed', () => {
  test.each([
    ['kind', 'rule: yes'],
    ['always_on', 'true: x'],
    ['keywords', '[a: b: c'],
    ['applies_to', 'team: chat'],
    ['tools', 'Bash(a: b)'],
    ['requires', '@shell'],
    ['allowed-tools', 'Read, Bash(a: b)'],
    ['allowed_tools', 'Read, Bash(a: b)'],
    ['process', 'true: x'],
    ['page', 'none: x'],
  ])('%s: %s refuses the file', (key, value) => {
    expect(codes([...HEAD, `${key}: ${value}`])).toContain('yaml-error');
    // Nor is it read beside prose that can be repaired, nor pair by pair.
    expect(codes(['name: a', 'description: Use: it', `${key}: ${value}`])).toContain('yaml-error');
    expect(codes([...HEAD, 'a line of text', `${key}: ${value}`])).toContain('yaml-error');
  });

  test.each([
    ['kind: rule'],
    ['"always_on": true'],
    ['  keywords: [a]'],
    ['Tools: x'],
    ['- process: true'],
    ['applies_to team'],
  ])('a file in which %j stands is not read pair by pair', (line) => {
    expect(codes([...HEAD, 'a line of text', line])).toContain('yaml-error');
  });

  test('a key that only begins like one of them does not matter', () => {
    expect(read([...HEAD, 'a line of text', 'kind-of: x'])).toMatchObject({
      fields: { 'kind-of': 'x' },
      rows: [[4, 'repaired-frontmatter']],
    });
  });
});

describe('what is still no YAML is read pair by pair', () => {
  test('lines that are no pair are left out, one finding each', () => {
    const merge = ['<<<<<<< ours', 'metadata:', '  author: b', '=======', '>>>>>>> theirs'];
    expect(read(['name: a', 'description: Use: it', ...merge])).toEqual({
      fields: { name: 'a', description: 'Use: it', metadata: { author: 'b' } },
      rows: [
        [3, 'repaired-frontmatter'],
        [4, 'repaired-frontmatter'],
        [7, 'repaired-frontmatter'],
        [8, 'repaired-frontmatter'],
      ],
    });
  });

  test('what belongs to a line that is left out goes with it', () => {
    expect(read([...HEAD, 'Usage', '  further in', '- item', 'x: 1'])).toEqual({
      fields: { name: 'a', description: 'What it is for', x: 1 },
      rows: [4, 5, 6].map((line) => [line, 'repaired-frontmatter']),
    });
  });

  test('a value that its line does not close is left out, whatever belongs to it', () => {
    expect(read([...HEAD, 'metadata: {"a":{"b":["c"]}', 'x: 1']).fields).toEqual({
      name: 'a',
      description: 'What it is for',
      x: 1,
    });
  });

  test('after ten lines the others are counted', () => {
    const { rows } = read([...HEAD, ...Array.from({ length: 12 }, (_, at) => `text ${at}`)]);
    expect(rows).toHaveLength(11);
    expect(rows.at(-1)).toEqual([undefined, 'repaired-frontmatter']);
  });

  test.each([
    ['a description in half a quote', ['name: a', 'description: "Use it', 'text']],
    ['a name in half a bracket', ['name: [a', 'description: x', 'text']],
    ['a line that looks like the closing fence', [...HEAD, '---x', 'text']],
    ['a line that ends a document', [...HEAD, '... more', 'text']],
    ['a directive', [...HEAD, '%YAML 1.1', 'text']],
    ['text that goes on further in', ['name: a', 'description: Use: it', '  and: more', 'text']],
  ])('%s is refused', (_, lines) => {
    expect(codes(lines)).toContain('yaml-error');
  });

  test.each([
    ['a key twice', [...HEAD, 'name: b'], 'duplicate-key'],
    ['a key of a prototype', [...HEAD, '__proto__: {a: b}'], 'bad-key'],
    ['a list', ['- a'], 'not-a-mapping'],
  ])('%s is refused for what it is', (_, lines, code) => {
    expect(codes(lines)).toEqual([code]);
    expect(codes([...lines, 'a line of text'])).not.toEqual([]);
  });
});

test('whatever comes in: YAML keeps its values, and a reading that is not strict is told', async () => {
  const piece = fc.constantFrom(
    'name: a',
    'description: b',
    'description: b: c',
    'x: "y',
    'x: [y',
    'kind: rule',
    '  z: 1',
    '- q',
    'text',
    '# c',
    '',
    '---x',
    '__proto__: 1',
    'é: ü',
    'w: &w 1',
    'v: *w',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(piece, fc.string({ maxLength: 8 })), { maxLength: 8 }),
      async (lines) => {
        const text = `${lines.join('\n').replaceAll('\r', '')}\n`;
        const result = readOpenMapping('x', text);
        if (result.kind === 'refused') {
          expect(result.findings.length).toBeGreaterThan(0);
          return;
        }
        for (const { code, line = 2 } of result.repairs) {
          expect(code).toBe('repaired-frontmatter');
          expect(line >= 2 && line <= lines.length + 1).toBe(true);
        }
        if (result.repairs.length > 0) return;
        expect(result.mapping.fields).toEqual(parse(text, { version: '1.2', schema: 'core' }) ?? {});
      },
    ),
    { numRuns: 500 },
  );
});
