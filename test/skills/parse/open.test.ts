import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BOUNDS, type EntrySource, type EntryText } from '../../../src/skills/entry.js';
import { parseGoverned } from '../../../src/skills/parse/governed.js';
import { parseOpen } from '../../../src/skills/parse/open.js';
import { governedText, NAMED, OPEN_SOURCE, openText, VALID } from '../entries.js';

type Row = [code: string, severity: string, line: number | undefined];

function entryOf(text: string, source: EntrySource = OPEN_SOURCE): EntryText {
  const parsed = parseOpen(text, source);
  if (parsed.kind !== 'entry') throw new Error(JSON.stringify(parsed.findings));
  return parsed.entry;
}

function rowsOf(text: string, source: EntrySource = OPEN_SOURCE): Row[] {
  return parseOpen(text, source).findings.map(({ code, severity, line, path, message, remedy }) => {
    expect([path, message === '', remedy === '']).toEqual([source.path, false, false]);
    return [code, severity, line];
  });
}

const withLines = (...lines: string[]): string => openText([...NAMED, ...lines]);

describe('a file in order', () => {
  test('the least there is: every default is set, no remark', () => {
    expect(parseOpen(openText(NAMED), OPEN_SOURCE)).toEqual({
      kind: 'entry',
      findings: [],
      entry: {
        kind: 'skill',
        name: 'an-entry',
        version: null,
        description: 'What it is for',
        body: 'The body.',
        alwaysOn: false,
        keywords: [],
        appliesTo: null,
        requires: [],
        allowedTools: null,
        tools: [],
        process: false,
        page: 'optional',
        data: {},
        origin: null,
        license: null,
        upstream: null,
        vetted: null,
        tier: 'project',
        path: OPEN_SOURCE.path,
        support: 'full',
        digest: expect.stringMatching(/^1:[0-9a-f]{64}$/),
      },
    });
  });

  test('a byte order mark, CRLF and both change nothing', () => {
    const text = openText(
      ['name: an-entry', 'description: |', '  one', '  two', 'keywords:', '  - a'],
      '\nOne.\n\nTwo.\n\n',
    );
    const plain = parseOpen(text, OPEN_SOURCE);
    expect(plain).toMatchObject({ entry: { description: 'one\ntwo', body: 'One.\n\nTwo.' } });
    for (const other of [
      `\uFEFF${text}`,
      text.replaceAll('\n', '\r\n'),
      `\uFEFF${text.replaceAll('\n', '\r\n')}`,
    ])
      expect(parseOpen(other, OPEN_SOURCE)).toEqual(plain);
  });

  test('a file of a rules folder is a rule that is always on, and may say otherwise', () => {
    const rules: EntrySource = {
      ...OPEN_SOURCE,
      layout: 'flat',
      kind: 'rule',
      path: '.bnerd/rules/an-entry.md',
    };
    expect(entryOf(openText(NAMED), rules)).toMatchObject({ kind: 'rule', alwaysOn: true });
    expect(entryOf(withLines('always_on: false'), rules)).toMatchObject({ kind: 'rule', alwaysOn: false });
    expect(entryOf(withLines('kind: skill'), rules)).toMatchObject({ kind: 'skill', alwaysOn: false });
    expect(entryOf(withLines('kind: rule'))).toMatchObject({ kind: 'rule', alwaysOn: true });
  });

  test('both dialects make the same entry of a text that both can read', () => {
    const fields = {
      kind: 'rule',
      always_on: 'false',
      keywords: '[flux, pull request]',
      applies_to: '[team, code-reviewer]',
      'allowed-tools': '[Read, Bash(git diff:*)]',
      page: 'NONE',
      version: '1.2.0',
    };
    const source: EntrySource = { ...OPEN_SOURCE, expectedName: VALID.name };
    const governed = parseGoverned(governedText(fields, '\nSee references/a.md.\n'), source);
    const open = parseOpen(governedText(fields, '\nSee references/a.md.\n'), source);
    if (governed.kind !== 'entry' || open.kind !== 'entry') throw new Error(JSON.stringify([governed, open]));
    expect(open.entry).toEqual({ ...governed.entry, data: { origin: 'proprietary' } });
  });
});

describe('name and description', () => {
  test.each([
    ['no name', ['description: x'], 'name-missing', 1],
    ['an empty name', ['name:', 'description: x'], 'name-missing', 2],
    ['a blank name', ['name: "  "', 'description: x'], 'name-missing', 2],
    ['a list for a name', ['name: [a]', 'description: x'], 'not-text', 2],
    ['a mapping for a name', ['name: {a: b}', 'description: x'], 'not-text', 2],
    ['no description', ['name: an-entry'], 'description-missing', 1],
    ['an empty description', ['name: an-entry', 'description: ""'], 'description-missing', 3],
    ['a list for a description', ['name: an-entry', 'description: [x]'], 'not-text', 3],
    ['a line break in the name', ['name: "a\\nb"', 'description: x'], 'control-character', 2],
    ['a line separator in the name', ['name: "a\\u2028b"', 'description: x'], 'control-character', 2],
    ['an escape in the name', ['name: "a\\u001b[2Jb"', 'description: x'], 'control-character', 2],
    ['the end of a comment in the name', ['name: a-->b', 'description: x'], 'comment-end', 2],
    ['a line break in the licence', [...NAMED, 'license: "a\\nb"'], 'control-character', 4],
    ['the end of a comment in the version', [...NAMED, 'version: 1 --> 2'], 'comment-end', 4],
    ['metadata that is text', [...NAMED, 'metadata: x'], 'not-a-mapping', 4],
    ['metadata that is a list', [...NAMED, 'metadata: [x]'], 'not-a-mapping', 4],
    ['the end of a comment in metadata.origin', [...NAMED, 'metadata: {origin: "-->"}'], 'comment-end', 4],
  ])('%s: not loaded', (_, lines, code, line) => {
    const parsed = parseOpen(openText(lines), OPEN_SOURCE);
    expect(parsed.kind).toBe('refused');
    expect(parsed.findings.filter(({ severity }) => severity === 'error')).toEqual([
      expect.objectContaining({ code, line }),
    ]);
  });

  test('the remedy of a missing name or description names the directory, or the file', () => {
    const remedies = (source: EntrySource): string[] =>
      parseOpen(openText([]), source).findings.map(({ remedy }) => remedy);
    expect(remedies(OPEN_SOURCE)).toEqual([
      'add name: an-entry, as its directory is named',
      'add description: and one line that says what an-entry is for',
    ]);
    expect(remedies({ ...OPEN_SOURCE, layout: 'flat' })[0]).toBe('add name: an-entry, as its file is named');
  });

  test('a refused file tells the name it declares, where it does', () => {
    expect(parseOpen(openText(['name: x']), OPEN_SOURCE)).toMatchObject({ kind: 'refused', name: 'x' });
    expect(parseOpen(openText(['description: x']), OPEN_SOURCE)).toMatchObject({ name: null });
  });

  test.each<[string, string, Row[]]>([
    [
      '64 characters',
      'é'.repeat(64),
      [
        ['name-not-portable', 'info', 2],
        ['name-differs', 'info', 2],
      ],
    ],
    [
      '65 characters',
      'é'.repeat(65),
      [
        ['name-too-long', 'warning', 2],
        ['name-differs', 'info', 2],
      ],
    ],
    [
      'a title',
      'Write a news article',
      [
        ['name-not-portable', 'info', 2],
        ['name-differs', 'info', 2],
      ],
    ],
    ['another name than the directory', 'other', [['name-differs', 'info', 2]]],
    ['a number', '2024', [['name-differs', 'info', 2]]],
    [
      'a hyphen at the end',
      'an-entry-',
      [
        ['name-not-portable', 'info', 2],
        ['name-differs', 'info', 2],
      ],
    ],
  ])('a name of %s loads as it stands, with a remark', (_, name, rows) => {
    const text = openText([`name: ${name}`, 'description: x']);
    expect(entryOf(text).name).toBe(name);
    expect(rowsOf(text)).toEqual(rows);
  });

  test.each([
    [1_024, []],
    [1_025, [['description-too-long', 'warning', 3]]],
  ])('a description of %i code points is kept whole', (length, rows) => {
    const description = '😀'.repeat(length);
    const text = openText(['name: an-entry', `description: ${description}`]);
    expect(entryOf(text).description).toBe(description);
    expect(rowsOf(text)).toEqual(rows);
  });
});

describe('what decides when a text reaches a model is never guessed', () => {
  test.each([
    ['kind: Rules', 'unknown-kind'],
    ['kind: [rule]', 'unknown-kind'],
    ['always_on: yes', 'not-a-boolean'],
    ['always_on: 1', 'not-a-boolean'],
    ['always_on: [true]', 'not-a-boolean'],
    ['applies_to: {role: a}', 'not-a-list'],
    ['applies_to: [[a]]', 'not-a-list'],
    ['applies_to: [a, null]', 'not-a-list'],
    ['allowed-tools: {Read: true}', 'malformed-list'],
    ['allowed-tools: Bash(git', 'malformed-list'],
    ['allowed-tools: [[Read]]', 'malformed-list'],
  ])('%s: the file is refused', (line, code) => {
    const parsed = parseOpen(withLines(line), OPEN_SOURCE);
    expect(parsed).toMatchObject({ kind: 'refused', findings: [{ code, severity: 'error', line: 4 }] });
  });

  test.each([
    ['always_on: true', { alwaysOn: true }],
    ['always_on: "True"', { alwaysOn: true }],
    ['always_on:', { alwaysOn: false }],
    ['kind:', { kind: 'skill' }],
    ['applies_to: [team, Code Reviewer]', { appliesTo: ['team', 'Code Reviewer'] }],
    ['applies_to: team, chat', { appliesTo: ['team', 'chat'] }],
    ['applies_to: []', { appliesTo: [] }],
    ['applies_to:', { appliesTo: null }],
    ['keywords: [flux, 1.10, "  "]', { keywords: ['flux', '1.10'] }],
    ['keywords: Beeper, messaging', { keywords: ['Beeper', 'messaging'] }],
    ['process: true', { process: true, page: 'required' }],
    ['page: None', { page: 'none' }],
    ['version: 1.2.0', { version: '1.2.0' }],
    ['license: MIT', { license: 'MIT' }],
    ['metadata: {origin: us}', { origin: 'us' }],
  ])('%s', (line, fields) => {
    expect(entryOf(withLines(line))).toMatchObject(fields);
    expect(rowsOf(withLines(line)).filter(([, severity]) => severity !== 'info')).toEqual([]);
  });

  test.each<[string, Partial<EntryText>, Row]>([
    ['keywords: {a: b}', { keywords: [] }, ['not-a-list', 'warning', 4]],
    ['process: step by step', { process: false }, ['not-a-boolean', 'warning', 4]],
    ['process: [true]', { process: false }, ['not-a-boolean', 'warning', 4]],
    ['page: sometimes', { page: 'optional' }, ['unknown-page', 'info', 4]],
    ['version: 1.10', { version: '1.10' }, ['version-not-semantic', 'info', 4]],
    ['version: v2', { version: 'v2' }, ['version-not-semantic', 'info', 4]],
    ['version: [1]', { version: null }, ['not-text', 'info', 4]],
    ['requires: [shell]', { requires: [] }, ['governed-only', 'warning', 4]],
    ['origin: third-party', { origin: 'third-party' }, ['governed-only', 'info', 4]],
    ['upstream: https://example.com/x@v1', { upstream: null }, ['governed-only', 'info', 4]],
    ['vetted: by me', { vetted: null }, ['governed-only', 'info', 4]],
  ])('%s: loads, with a remark', (line, fields, row) => {
    expect(entryOf(withLines(line))).toMatchObject(fields);
    expect(rowsOf(withLines(line))).toEqual([row]);
  });
});

describe('allowed-tools', () => {
  test.each([
    ['allowed-tools: Read, Bash(git diff, git log:*) Edit', ['Read', 'Bash(git diff, git log:*)', 'Edit']],
    ['allowed-tools: [Read, "Bash(git diff:*)"]', ['Read', 'Bash(git diff:*)']],
    ['allowed_tools: [Read]', ['Read']],
    ['allowed-tools:', []],
    ['allowed-tools: []', []],
  ])('%s', (line, tools) => {
    expect(entryOf(withLines(line))).toMatchObject({ allowedTools: tools, support: 'partial' });
  });

  test('both spellings: the one with the hyphen counts, and that is said', () => {
    const text = withLines('allowed_tools: [Edit]', 'allowed-tools: [Read]');
    expect(entryOf(text).allowedTools).toEqual(['Read']);
    expect(rowsOf(text)).toEqual([['duplicate-field', 'warning', 4]]);
  });
});

describe('what is not YAML we read', () => {
  test.each([
    ['a tag on what decides', [...NAMED, 'always_on: !!js/function "y"'], 'yaml-error'],
    ['a key of a prototype', [...NAMED, '__proto__: {always_on: true}'], 'bad-key'],
    ['a constructor', [...NAMED, 'metadata: {constructor: x}'], 'bad-key'],
    ['a key twice', [...NAMED, 'name: other'], 'duplicate-key'],
    ['a list', ['- a'], 'not-a-mapping'],
    ['lists without end', [...NAMED, `keywords: ${'['.repeat(2_000)}${']'.repeat(2_000)}`], 'yaml-error'],
    ['an alias of nothing', [...NAMED, 'x: &y 1', 'keywords: *nowhere'], 'yaml-error'],
  ])('%s: refused with a line', (_, lines, code) => {
    const parsed = parseOpen(openText(lines), OPEN_SOURCE);
    expect(parsed).toMatchObject({ kind: 'refused', findings: [{ code, severity: 'error' }] });
    expect(parsed.findings[0]?.line).toBeGreaterThan(0);
  });

  test('aliases that multiply are refused, and quickly', () => {
    const rounds = Array.from(
      { length: 20 },
      (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}, *a${at}]`,
    );
    const parsed = parseOpen(withLines('a0: &a0 [x, x, x]', ...rounds), OPEN_SOURCE);
    expect(parsed).toMatchObject({ kind: 'refused', findings: [{ code: 'yaml-error' }] });
  });

  test('the fence closes only on a line that is exactly ---', () => {
    expect(parseOpen('---\nname: a\n---x\n', OPEN_SOURCE)).toMatchObject({
      findings: [{ code: 'unclosed' }],
    });
    expect(parseOpen('name: a\n', OPEN_SOURCE)).toMatchObject({
      findings: [{ code: 'no-frontmatter' }],
    });
  });

  test('exactly at a bound passes, one byte over does not; an empty body is a warning', () => {
    const frontmatter = (bytes: number): string[] => {
      const used = Buffer.byteLength([...NAMED, 'x: '].join('\n'));
      return [...NAMED, `x: ${'é'.repeat(Math.floor((bytes - used) / 2))}${'y'.repeat((bytes - used) % 2)}`];
    };
    const body = (bytes: number): string => `${'é'.repeat(bytes / 2)}\n`;
    expect(entryOf(openText(frontmatter(BOUNDS.frontmatterBytes)))).toMatchObject({ name: 'an-entry' });
    expect(rowsOf(openText(frontmatter(BOUNDS.frontmatterBytes + 1)))).toEqual([
      ['frontmatter-too-large', 'error', 1],
    ]);
    expect(entryOf(openText(NAMED, body(BOUNDS.bodyBytes))).body).toHaveLength(BOUNDS.bodyBytes / 2);
    expect(rowsOf(openText(NAMED, `${body(BOUNDS.bodyBytes)}x`))).toEqual([['body-too-large', 'error', 5]]);
    expect(rowsOf(openText(NAMED, ' \n'))).toEqual([['empty-body', 'warning', 5]]);
  });

  test('every text gives an entry without an error, or a refusal with one', () => {
    const piece = fc.constantFrom(
      '---\n',
      'name: x\n',
      'description: y\n',
      'kind: rule\n',
      'tools:\n',
      '- a\n',
      ': ',
      '"',
      '[',
      '{',
      '&a ',
      '*a',
      '!',
      '\uFEFF',
      '\r\n',
      '%',
      '?',
      '|',
      '>',
      'é',
      '\0',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 20 }), (pieces) => {
        const parsed = parseOpen(`---\n${pieces.join('')}`, OPEN_SOURCE);
        expect(parsed.findings.some(({ severity }) => severity === 'error')).toBe(parsed.kind === 'refused');
      }),
      { numRuns: 500 },
    );
  });
});
