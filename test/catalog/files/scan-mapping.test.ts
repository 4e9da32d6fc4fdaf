// The scanner of plain frontmatter gives what the parser gives, or hands back.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanMapping } from '../../../src/catalog/files/scan-mapping.js';
import { readMapping } from '../../../src/catalog/files/written-mapping.js';
import { corpusSkills, hasSkillCorpus } from '../../helpers/skill-corpus.js';

/** What the parser makes of the same text. */
function parsed(frontmatter: string): unknown {
  const read = readMapping('x.md', `---\n${frontmatter}---\n`, 1_000);
  if (read.kind === 'refused') return read;
  const { fields, lines, spelled } = read.mapping;
  return { fields, lines, spelled };
}

function scanned(frontmatter: string): unknown {
  const scan = scanMapping(frontmatter);
  return scan === undefined ? undefined : { fields: scan.fields, lines: scan.lines, spelled: scan.spelled };
}

describe('it reads', () => {
  test.each([
    'name: a-b\ndescription: Reviews pull requests, quickly',
    'name: "a b"\ndescription: \'it\'\'s "fine": really # yes\'',
    '# head\n\nname: x\n\n  # further in\n\ndescription: y',
    'name: x\nversion: 1.2.3\ndate: 2024-01-31\ncount: 12\nratio: 1.50\nlive: true',
    'name: x\nnothing:\ndescription: y\nlast:',
    'name: x\ntags: [a, "b c", \'d\', 1.5, true]\nnone: []',
    'name: x\ntags:\n- a\n- "b: c"\ndescription: y',
    'name: x\ntags:\n    - a\n\n    - 2\ndescription: y',
    'name: x\nmetadata:\n  author: b\n  version: "1.0"\n  live: false\n  none:\ndescription: y',
    'name: x\ndescription: "a \\"b\\" \\\\ \\n\\t/\\/"',
    'name: x\nmetadata: {"a":{"b":["c","d e"],"f":1,"g":true,"h":null,"i":{}},"j":-2.5}\nmore: y',
    'name: x\nmetadata: { "a": "b, {c}: [d] #e" }\ntags: ["a", ["b"]]',
    'name: x\ndescription: >-\n  one # two\n  "three": four\nmore: y',
    'name: x\ndescription: >\n    one\n    two\n\nmore: y',
    'description: |\n  one\n  # two\n',
    'description: |-\n one\n---x\n'.replace('---x\n', ''),
    'name: x\ndescription: Use it\n  when asked, and\n    otherwise not\n\n# remark\nmore: y',
    'name: x\nallowed-tools: Read, Grep, Bash(git:*)',
    '',
  ])('%j', (text) => {
    expect(scanned(`${text}\n`)).toEqual(parsed(`${text}\n`));
  });
});

describe('it hands back', () => {
  test.each([
    'description: >\n  one\n\n  two',
    'description: >\n  one\n   two',
    'description: >\n   one\n  two',
    'description: >\n  one \n  two',
    'description: >\n  one\n\n  # two',
    'description: >+\n  one',
    'description: >2\n  one',
    'description: |\n\n  one',
    'description: |',
    'description: one\n\n  two',
    'description: one\n  two: three',
    'description: one\n  # two',
    'description: one\n  - two',
    'description: "one\n  two"',
    'a:\n  b: one\n    two',
    'description: Use: this',
    'description: a # comment',
    'description: *alias',
    'description: &a b',
    'description: !!str b',
    'description: "a\\x41"',
    'description: "a\\u0041"',
    'a: {"b": 1, "b": 2}',
    'a: {"b": 1.0}',
    'a: {"1": 2}',
    'a: {"": 2}',
    'a: {"__proto__": 2}',
    'a: {"b": "\\n"}',
    'a: {"b": 1} # c',
    'a: {"b": 1',
    'a: {"b": 1,}',
    `a: ${'{"b":'.repeat(9)}1${'}'.repeat(9)}`,
    `a: [${'1,'.repeat(250)}["b"]]`,
    'description: "open',
    'description: Null',
    'description: ~',
    'description: 0x1F',
    'description: 1e3',
    'description: 007',
    'description: - x',
    'name: a\nname: b',
    '"name": a',
    '? name',
    'name:\ta',
    'name : a',
    '__proto__: a',
    'constructor: a',
    'true: a',
    '--- ',
    '...',
    '%YAML 1.1',
    'a: {b: c}',
    'a: [b: c]',
    'a: [b,]',
    'a: [[b]]',
    'a:\n  b:\n    c: d',
    'a:\n  b:\n  - c',
    'a:\n  - b: c',
    'a:\n  b: c\n d: e',
    'a:\n  b: c\n  b: d',
    'a:\n- b\n - c',
    'a:\n-\n- c',
    '  a: b',
  ])('%j', (text) => {
    expect(scanned(`${text}\n`)).toBeUndefined();
  });

  test('what is longer than anybody writes', () => {
    const many = Array.from({ length: 301 }, (_, at) => `k${at}: v\n`).join('');
    expect(scanned(many)).toBeUndefined();
    expect(scanned(`a: [${'b,'.repeat(400)}b]\n`)).toBeUndefined();
  });
});

const hostile = fc.constantFrom(
  ...[
    'true',
    'Null',
    '~',
    '1e3',
    '0x1F',
    '.5',
    '5.',
    '-1',
    '1_0',
    '1.2.3',
    '1.2',
    '2024-01-31',
    '.inf',
    'NaN',
  ],
  ...[
    'a: b',
    'a:b',
    'a :b',
    ':a',
    'a:',
    '::',
    'x #y',
    'x#y',
    '#y',
    "it's",
    '"q"',
    "'q'",
    '"q" r',
    "''''",
    '"',
  ],
  ...[
    '!t',
    '!!str x',
    '&a',
    '&a b',
    '*a',
    '*a b',
    '<<',
    '%',
    '%x',
    '@x',
    '`x`',
    '|',
    '>-',
    '|2',
    '-',
    '- x',
    '?',
  ],
  ...[
    '[a]',
    '[a, b]',
    '[a',
    '[a b]',
    '["a", \'b\']',
    '[]',
    '[ ]',
    '[,]',
    '[a,,b]',
    '[1, 2.0]',
    '{a: b}',
    '{}',
  ],
  ...[
    'é',
    'ß: ü',
    '中文',
    '\u{1F600}',
    'e\u0301',
    '\u00a0',
    '\u0085',
    '\u2028',
    '\uFEFF',
    '\ud800',
    '\t',
    'a\tb',
    '\r',
  ],
  ...['---', '--- a', '...', '=', 'y', 'no', 'on', '__proto__', 'a\\b', '"a\\tb"', '"a\\', "a'b", ' ', '  '],
);
const word = fc.oneof(
  { weight: 3, arbitrary: hostile },
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const key = fc.constantFrom(
  'name',
  'description',
  'a',
  'b-c',
  'd_e',
  'true',
  'é',
  '"q"',
  'a b',
  '',
  'constructor',
);
const indent = fc.constantFrom('', '', '', '', ' ', '  ', '    ', '\t');
const line = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(indent, key, fc.constantFrom(':', ': ', ':  ', ' :', ':\t'), word) },
  { weight: 2, arbitrary: fc.tuple(indent, fc.constantFrom('- ', '-  ', '-', '# ', ''), word) },
  fc.tuple(word),
);
const text = fc
  .array(
    line.map((parts) => parts.join('')),
    { maxLength: 7 },
  )
  .chain((lines) =>
    fc.constantFrom(`${lines.join('\n')}\n`, `${lines.join('\r\n')}\r\n`, `\uFEFF${lines.join('\n')}\n`),
  );

/** A frontmatter that is nearly as people write it, with one thing out of place: most of these are YAML. */
const mild = fc
  .tuple(
    fc.subarray(
      [
        'name: a',
        'description: Use it, when asked',
        'version: 1.2.3',
        'tags:\n- a\n- "b"',
        'more:\n  - x y\n  - 2',
        'metadata:\n  author: b\n  live: true',
        'list: [a, b-c]',
        'none:',
        'text: >-\n  one\n  two',
        'block: |\n  one\n  two',
        'plain: one\n  two',
        '# remark',
        '',
      ],
      { minLength: 1 },
    ),
    fc.nat(12),
    fc.oneof(
      word.map((value) => `x: ${value}`),
      word.map((value) => `"x": ${value}`),
      word.map((value) => `y:\n  - ${value}`),
      word.map((value) => `y:\n- ${value}\n- b`),
      word.map((value) => `z:\n  a: ${value}\n  b: c`),
      word.map((value) => `w: [${value}, b]`),
      word.map((value) => `v: >\n  ${value}\n  b`),
      word.map((value) => `v: |-\n  a\n  ${value}`),
      word.map((value) => `v: a b\n  ${value}\n  c`),
      word.map((value) => `v: ${value}\n  b`),
      fc.constant('\n  # further in'),
      fc.constant('   '),
      word.map((value) => `# ${value}`),
      line.map((parts) => parts.join('')),
      fc.constant('name: b'),
      fc.constant('  further: in'),
      fc.constant('- item'),
    ),
  )
  .map(([lines, at, odd]) => `${[...lines.slice(0, at), odd, ...lines.slice(at)].join('\n')}\n`);

test('whatever stands there, it gives what the parser gives, or hands back', async () => {
  let read = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(text, { weight: 3, arbitrary: mild }), async (frontmatter) => {
      const scan = scanned(frontmatter);
      if (scan === undefined) return;
      read++;
      expect(scan).toEqual(parsed(frontmatter));
    }),
    { numRuns: 5_000 },
  );
  expect(read).toBeGreaterThan(500);
});

describe.skipIf(!hasSkillCorpus)('over the corpus of skills by strangers (needs ../shared)', () => {
  test('it gives what the parser gives, and hands back one in three at most', () => {
    let scans = 0;
    let all = 0;
    for (const { path, text } of corpusSkills()) {
      const [, frontmatter] =
        /^\uFEFF?---\n((?:.*\n)*?)---(?:\n|$)/.exec(text.replaceAll('\r\n', '\n')) ?? [];
      if (frontmatter === undefined) continue;
      all++;
      const scan = scanned(frontmatter);
      if (scan === undefined) continue;
      scans++;
      expect([path, scan]).toEqual([path, parsed(frontmatter)]);
    }
    expect(all).toBeGreaterThan(1_000);
    expect(scans).toBeGreaterThan((all * 2) / 3);
  });
});
