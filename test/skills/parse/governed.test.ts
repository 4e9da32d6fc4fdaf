import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/shared/findings.js';
import { BOUNDS, type EntrySource, type EntryText } from '../../../src/skills/entry.js';
import { parseGoverned } from '../../../src/skills/parse/governed.js';
import { governedText, SOURCE, VALID } from '../entries.js';

function entryOf(text: string, source: EntrySource = SOURCE): EntryText {
  const parsed = parseGoverned(text, source);
  if (parsed.kind !== 'entry') throw new Error(JSON.stringify(parsed.findings));
  return parsed.entry;
}

function errorsOf(text: string, source: EntrySource = SOURCE): readonly Finding[] {
  const parsed = parseGoverned(text, source);
  expect(parsed.kind).toBe('refused');
  return parsed.findings.filter((finding) => finding.severity === 'error');
}

/** The one error of a file: code and line. */
function errorOf(text: string, source: EntrySource = SOURCE): [string, number | undefined] {
  const errors = errorsOf(text, source);
  expect(errors).toHaveLength(1);
  const [error] = errors;
  expect(error?.path).toBe(source.path);
  expect(error?.message).not.toBe('');
  expect(error?.remedy).not.toBe('');
  return [error?.code ?? '', error?.line];
}

describe('a file in order', () => {
  test('a minimal proprietary skill loads', () => {
    expect(entryOf(governedText())).toEqual({
      kind: 'skill',
      name: 'an-entry',
      version: '1.0.0',
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
      origin: 'proprietary',
      license: null,
      upstream: null,
      vetted: null,
      tier: 'builtin',
      path: 'skills/an-entry/SKILL.md',
      data: {},
      support: 'full',
      digest: expect.stringMatching(/^1:[0-9a-f]{64}$/),
    });
  });

  test('every field is read', () => {
    const text = governedText({
      kind: 'rule',
      always_on: 'false',
      keywords: '[pull request, review]',
      applies_to: '[team, code-reviewer]',
      requires: '[shell, network]',
      'allowed-tools': '[Read, Bash(git diff:*)]',
      process: 'true',
      page: 'NONE',
      origin: 'third-party',
      license: 'MIT',
      upstream: `https://github.com/example/skill@${'a'.repeat(40)}`,
      vetted: 'reviewed by A 2026-08-09',
    });
    expect(entryOf(text)).toMatchObject({
      kind: 'rule',
      alwaysOn: false,
      keywords: ['pull request', 'review'],
      appliesTo: ['team', 'code-reviewer'],
      requires: ['shell', 'network'],
      allowedTools: ['Read', 'Bash(git diff:*)'],
      process: true,
      page: 'none',
      origin: 'third-party',
      license: 'MIT',
      upstream: `https://github.com/example/skill@${'a'.repeat(40)}`,
      vetted: 'reviewed by A 2026-08-09',
    });
  });

  test('the same file with a BOM, with CRLF: parsed alike, full', () => {
    const plain = entryOf(governedText());
    expect(entryOf(`\uFEFF${governedText()}`)).toEqual(plain);
    expect(entryOf(governedText().replaceAll('\n', '\r\n'))).toEqual(plain);
    expect(plain.support).toBe('full');
  });

  test('a value is split off at the first colon, with or without a blank', () => {
    expect(entryOf(governedText({ description: 'When: always' })).description).toBe('When: always');
    expect(entryOf(governedText().replace('version: ', 'version:')).version).toBe('1.0.0');
  });

  test('quotes are part of a value', () => {
    expect(entryOf(governedText({ description: '"quoted"' })).description).toBe('"quoted"');
  });

  test('one leading line break and all trailing white space of the body are removed', () => {
    expect(entryOf(governedText({}, '\n\n  indented\n\nend \n\t\n')).body).toBe('\n  indented\n\nend');
  });

  test('a file in a rules folder is an always-on rule, a rule may say otherwise, a skill too', () => {
    const rules: EntrySource = { ...SOURCE, kind: 'rule', path: 'skills/rules/an-entry.md' };
    expect(entryOf(governedText(), rules)).toMatchObject({ kind: 'rule', alwaysOn: true });
    expect(entryOf(governedText({ always_on: 'false' }), rules)).toMatchObject({ alwaysOn: false });
    expect(entryOf(governedText({ kind: 'rule' }))).toMatchObject({ kind: 'rule', alwaysOn: true });
    expect(entryOf(governedText({ always_on: 'true' }))).toMatchObject({ kind: 'skill', alwaysOn: true });
    expect(entryOf(governedText({ kind: 'skill' }), rules)).toMatchObject({ kind: 'skill', alwaysOn: false });
  });

  test('an empty body loads with a warning', () => {
    const parsed = parseGoverned(governedText({}, '\n \n'), SOURCE);
    expect(parsed).toMatchObject({ kind: 'entry', entry: { body: '' } });
    expect(parsed.findings).toMatchObject([{ code: 'empty-body', severity: 'warning', line: 7 }]);
  });
});

describe('the grammar', () => {
  test('an unknown key is refused, line number named', () => {
    expect(errorOf(governedText({ colour: 'blue' }))).toEqual(['unknown-field', 6]);
  });

  test.each(['metadata', 'tools', 'allowed_tools', 'compatibility', 'Name'])(
    'the field %s is unknown',
    (field) => {
      expect(errorOf(governedText({ [field]: 'x' }))).toEqual(['unknown-field', 6]);
    },
  );

  test('an unknown field that is nearly a known one gets a suggestion', () => {
    expect(errorsOf(governedText({ licence: 'MIT' }))[0]?.remedy).toBe('did you mean "license"?');
  });

  test('a key given twice is refused, line number named', () => {
    const text = governedText().replace('version: 1.0.0\n', 'version: 1.0.0\nversion: 1.0.1\n');
    expect(errorOf(text)).toEqual(['duplicate-field', 4]);
    expect(errorsOf(text)[0]?.message).toContain('line 3');
  });

  test('a line without colon is refused, line number named', () => {
    expect(errorOf(governedText().replace('version:', 'just words\nversion:'))).toEqual([
      'malformed-line',
      3,
    ]);
  });

  test('a missing closing line is refused, line number named', () => {
    expect(errorOf(`---\nname: an-entry\n`)).toEqual(['unclosed', 1]);
  });

  test.each(['---x', '----', '--- ', ' ---'])('the closer %j does not close', (closer) => {
    expect(errorOf(`---\nname: an-entry\n${closer}\nbody\n`)).toEqual(['unclosed', 1]);
  });

  test('a file without frontmatter is refused', () => {
    expect(errorOf('# Just text\n')).toEqual(['no-frontmatter', 1]);
    expect(errorOf('')).toEqual(['no-frontmatter', 1]);
  });

  test.each(['', '# comment', '# comment: with colon', '  - item', '  nested: x', '- a: b', 'key : value'])(
    'the line %j is malformed',
    (line) => {
      expect(errorOf(governedText().replace('version:', `${line}\nversion:`))).toEqual(['malformed-line', 3]);
    },
  );

  test('every bad line of a file is reported', () => {
    const text = governedText({ colour: 'blue', version: 'one', kind: 'tool' }).replace(
      'name:',
      'oops\nname:',
    );
    expect(errorsOf(text).map((finding) => [finding.code, finding.line])).toEqual([
      ['malformed-line', 2],
      ['unknown-field', 7],
      ['unknown-kind', 8],
      ['version-not-semantic', 4],
    ]);
  });

  test.each([
    ['description', 'a\rb', 'U+000D'],
    ['description', 'a\u2028b', 'U+2028'],
    ['description', 'a\tb', 'U+0009'],
    ['description', 'a\u001b[31mb', 'U+001B'],
    ['vetted', 'a\u0085b', 'U+0085'],
    ['vetted', 'trailing\u2029', 'U+2029'],
  ])('%s with the character in %j is refused', (field, value, shown) => {
    const [error] = errorsOf(governedText({ [field]: value }));
    expect(error).toMatchObject({ code: 'control-character', message: expect.stringContaining(shown) });
  });

  test('--> is refused in names and provenance, not in a description', () => {
    expect(errorOf(governedText({ vetted: 'a --> b' }))).toEqual(['comment-end', 6]);
    expect(errorOf(governedText({ name: 'a-->' }), { ...SOURCE, expectedName: 'a-->' })).toEqual([
      'comment-end',
      2,
    ]);
    expect(entryOf(governedText({ description: 'a --> b' })).description).toBe('a --> b');
  });

  test('a list where one value belongs is refused', () => {
    expect(errorOf(governedText({ description: '[a, b]' }))).toEqual(['not-a-scalar', 4]);
    expect(entryOf(governedText({ description: '[draft] text' })).description).toBe('[draft] text');
  });

  test.each(['keywords', 'applies_to', 'requires'])('%s takes a flat list only', (field) => {
    expect(errorOf(governedText({ [field]: 'shell' }))).toEqual(['not-a-list', 6]);
    expect(errorOf(governedText({ [field]: '' }))).toEqual(['not-a-list', 6]);
    expect(errorOf(governedText({ [field]: '[shell,]' }))).toEqual(['malformed-list', 6]);
    expect(errorOf(governedText({ [field]: '[shell, [network]]' }))).toEqual(['malformed-list', 6]);
    expect(entryOf(governedText({ [field]: '[]' }))).toBeDefined();
  });
});

describe('fields', () => {
  test.each([null, ''])('a name that is %j: not loaded, the remedy names the directory', (name) => {
    const [error, ...others] = errorsOf(governedText({ name }));
    expect(others).toEqual([]);
    expect(error).toMatchObject({ code: 'name-missing', remedy: 'add name: an-entry' });
  });

  test.each([null, ''])('a description that is %j: not loaded', (description) => {
    expect(errorOf(governedText({ description }))[0]).toBe('description-missing');
  });

  test('a name that is not the directory name is refused', () => {
    expect(errorOf(governedText({ name: 'another' }))).toEqual(['name-mismatch', 2]);
    expect(errorOf(governedText({ name: 'An-Entry' }))).toEqual(['name-mismatch', 2]);
  });

  test.each(['../x', 'a/b', 'a\\b', '.', '..', '.hidden'])(
    'the name %j is unsafe whatever the directory',
    (name) => {
      expect(errorOf(governedText({ name }), { ...SOURCE, expectedName: name })).toEqual(['unsafe-name', 2]);
    },
  );

  test.each([null, '', '1.0', 'v1.0.0', '=1.0.0', '1.0.0 beta', 'latest', `1.0.0-${'a'.repeat(59)}`])(
    'the version %j is refused',
    (version) => {
      expect(errorOf(governedText({ version }))[0]).toBe(
        version === null ? 'version-missing' : 'version-not-semantic',
      );
    },
  );

  test.each(['0.0.0', '1.10.0', '1.0.0-rc.1', '1.0.0+build', `1.0.0-${'a'.repeat(58)}`])(
    'the version %j is taken as written',
    (version) => {
      expect(entryOf(governedText({ version })).version).toBe(version);
    },
  );

  test.each(['always_on', 'process'])('%s is true or false', (field) => {
    expect(errorOf(governedText({ [field]: 'yes' }))).toEqual(['not-a-boolean', 6]);
    expect(errorOf(governedText({ [field]: '' }))).toEqual(['not-a-boolean', 6]);
  });

  test('an unknown capability is an error with a suggestion', () => {
    expect(errorOf(governedText({ requires: '[shell, netwrok]' }))).toEqual(['unknown-capability', 6]);
    expect(errorsOf(governedText({ requires: '[netwrok]' }))[0]?.remedy).toBe('did you mean "network"?');
  });

  test('page: required for a process entry, optional otherwise, other values remarked on', () => {
    expect(entryOf(governedText()).page).toBe('optional');
    expect(entryOf(governedText({ process: 'true' })).page).toBe('required');
    expect(entryOf(governedText({ page: 'Required' })).page).toBe('required');
    const parsed = parseGoverned(governedText({ page: 'sometimes', process: 'true' }), SOURCE);
    expect(parsed).toMatchObject({ kind: 'entry', entry: { page: 'required' } });
    expect(parsed.findings).toMatchObject([{ code: 'unknown-page', severity: 'info', line: 6 }]);
  });

  test('an empty note of vetting is refused', () => {
    expect(errorOf(governedText({ vetted: '' }))).toEqual(['vetted-empty', 6]);
  });
});

describe('allowed tools and the badge', () => {
  test.each([
    ['[Read, Write]', ['Read', 'Write']],
    ['Read Write,Grep', ['Read', 'Write', 'Grep']],
    ['[]', []],
    ['', []],
    ['Bash(git diff, git log) Read', ['Bash(git diff, git log)', 'Read']],
  ])('allowed-tools: %s', (written, tools) => {
    expect(entryOf(governedText({ 'allowed-tools': written })).allowedTools).toEqual(tools);
  });

  test('absent allowed-tools is null', () => {
    expect(entryOf(governedText()).allowedTools).toBeNull();
  });

  test.each(['Bash(git', 'Bash git)', '[Read, Bash(x]'])(
    'unbalanced parentheses in %j are refused',
    (written) => {
      expect(errorOf(governedText({ 'allowed-tools': written }))).toEqual(['malformed-list', 6]);
    },
  );

  test('allowed-tools without a value and a clean body: partial', () => {
    expect(entryOf(governedText({ 'allowed-tools': '' })).support).toBe('partial');
  });

  test('a description with scripts/x and a clean body: partial', () => {
    expect(entryOf(governedText({ description: 'Runs scripts/x' })).support).toBe('partial');
  });

  test('a body that names a file of the bundle: partial', () => {
    expect(entryOf(governedText({}, 'See references/a.md.')).support).toBe('partial');
  });
});

describe('bounds', () => {
  /** A file whose frontmatter has this many bytes. */
  const withFrontmatter = (bytes: number): string => {
    const rest = governedText({ vetted: '' }, '').length - '---\n'.length - '\n---\n'.length;
    return governedText({
      vetted: 'é'.repeat(Math.floor((bytes - rest) / 2)) + 'x'.repeat((bytes - rest) % 2),
    });
  };

  test('body 65,536 bytes and frontmatter 8,192 bytes are accepted', () => {
    expect(entryOf(governedText({}, 'é'.repeat(BOUNDS.bodyBytes / 2))).body).toHaveLength(32_768);
    const text = withFrontmatter(8_192);
    expect(Buffer.byteLength(text.split('\n---\n')[0]?.slice(4) ?? '')).toBe(8_192);
    expect(entryOf(text)).toBeDefined();
  });

  test('one byte more of either is refused', () => {
    expect(errorOf(governedText({}, `x${'é'.repeat(32_768)}`))).toEqual(['body-too-large', 7]);
    expect(errorOf(withFrontmatter(8_193))).toEqual(['frontmatter-too-large', 1]);
  });

  test('white space that is removed does not count', () => {
    expect(entryOf(governedText({}, `\n${'x'.repeat(65_536)}\n\n\n`)).body).toHaveLength(65_536);
  });

  test('a name of 64 characters passes, 65 are refused', () => {
    const long = '😀'.repeat(64);
    expect(entryOf(governedText({ name: long }), { ...SOURCE, expectedName: long }).name).toBe(long);
    expect(errorOf(governedText({ name: `${long}x` }), { ...SOURCE, expectedName: `${long}x` })).toEqual([
      'name-too-long',
      2,
    ]);
  });

  test('a description of 1,025 code points loads with a finding, text unchanged; 1,024 without', () => {
    const longest = '😀'.repeat(1_024);
    expect(parseGoverned(governedText({ description: longest }), SOURCE).findings).toEqual([]);
    const parsed = parseGoverned(governedText({ description: `${longest}x` }), SOURCE);
    expect(parsed).toMatchObject({ kind: 'entry', entry: { description: `${longest}x` } });
    expect(parsed.findings).toMatchObject([{ code: 'description-too-long', severity: 'warning', line: 4 }]);
  });
});

test('the valid fields of these tests are the required ones', () => {
  expect(Object.keys(VALID)).toEqual(['name', 'version', 'description', 'origin']);
});
