import { describe, expect, test } from 'vitest';
import { offsetOf, readYaml } from '../../src/shared/yaml-document.js';

describe('readYaml', () => {
  test.each([
    ['nesting that would take the stack', '['.repeat(50_000), 'too-deep', 1],
    ['nesting one level too deep', `${'[\n'.repeat(34)}`, 'too-deep', 33],
    ['a directive', '%YAML 1.1\n---\na: 1', 'directive', 1],
    ['a second document', 'a: 1\n---\nb: 2', 'second-document', 2],
    // Each is looked for in the whole document: without the bound this one takes minutes.
    ['aliases without end', `a: &a 1\nb: [${'*a,'.repeat(40_000)}1]`, 'too-many-aliases', 2],
  ] as const)('refuses %s with its line', (_, text, reason, line) => {
    expect(readYaml(text)).toEqual({ kind: 'refused', reason, line });
  });

  test('counts keys and list items, wherever they stand, when it is told how many there may be', () => {
    const text = 'a: [x, {y: 1}]\nb:\n  - z\n'; // a, x, the mapping, y, b, z
    expect(readYaml(text, 6)).toMatchObject({ kind: 'parsed', problems: [] });
    expect(readYaml(text, 5)).toMatchObject({ kind: 'refused', reason: 'too-many-items' });
    expect(readYaml(`a: [${','.repeat(40_000)}]`, 1_000)).toMatchObject({ reason: 'too-many-items' });
  });

  test('makes no value of a tag, and says so', () => {
    const yaml = readYaml('a: !!binary aGk=');
    expect(yaml.kind === 'parsed' && yaml.problems.map((problem) => problem.code)).toEqual([
      'TAG_RESOLVE_FAILED',
    ]);
  });

  test.each([
    [['a', 'b', 1], 4],
    [['a', 'missing', 'deeper'], 1],
    [['c', 'b', 0], 3],
    [['nowhere'], 1],
  ] as const)('finds the line of %j, or of what there is of it', (path, line) => {
    const yaml = readYaml('a: &x\n  b:\n    - one\n    - two\nc: *x\n');
    if (yaml.kind !== 'parsed') throw new Error(yaml.reason);
    expect(yaml.lineOf(offsetOf(yaml.document, path))).toBe(line);
  });
});
