import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isGovernanceKey } from '../../../src/skills/import/foreign-marks.js';
import { type GovernedText, governText } from '../../../src/skills/import/governed-text.js';
import { governedSource } from '../../../src/skills/lock/governed-source.js';
import { parseGoverned } from '../../../src/skills/parse/governed.js';

const upstream = `https://example.org/pdf@${'a'.repeat(40)}`;

function govern(
  text: string,
  flags: { version?: string; license?: string; own?: true; folder?: string } = {},
) {
  const folder = flags.folder ?? 'skills';
  return governText(text, {
    source: governedSource(folder, 'upstream:SKILL.md', 'pdf'),
    folderKind: governedSource(folder, '', '').kind,
    origin: flags.own ? { kind: 'proprietary' } : { kind: 'third-party', upstream },
    version: flags.version ?? null,
    license: flags.license ?? null,
  });
}

const HEAD = 'name: pdf\ndescription: d\n';
const file = (fields: string, body = 'Body.\n'): string => `---\n${fields}---\n${body}`;
const codes = (made: GovernedText): readonly string[] =>
  made.kind === 'refused'
    ? made.findings.filter(({ severity }) => severity === 'error').map((one) => one.code)
    : [made.kind];

describe('a text of the Agent Skills standard', () => {
  test('is reduced to the governed grammar; what has no place is listed', () => {
    const made = govern(
      file(
        [
          'name: pdf',
          'description: >',
          '  Reads: files',
          '  of PDF',
          'license: Apache-2.0',
          'compatibility: needs a shell',
          'metadata: {author: someone, version: "2.1.0"}',
          'allowed-tools: Read, Bash(git diff, git log)',
          'keywords: [pdf, forms]',
          'always_on: false',
          'tools: [{name: t, description: d, parameters: {type: object}, run: [x]}]',
          '',
        ].join('\n'),
        '\r\n# Title\r\n\r\nText.  \r\n\r\n',
      ),
    );
    expect(made).toMatchObject({ kind: 'governed', license: 'Apache-2.0' });
    if (made.kind !== 'governed') return;
    expect(made.text).toBe(
      [
        '---',
        'name: pdf',
        'version: 2.1.0',
        'description: Reads: files of PDF',
        'origin: third-party',
        'license: Apache-2.0',
        `upstream: ${upstream}`,
        'keywords: [pdf, forms]',
        'allowed-tools: [Read, Bash(git diff, git log)]',
        '---',
        '',
        '# Title',
        '',
        'Text.',
        '',
      ].join('\n'),
    );
    expect(made.dropped.map(({ key }) => key)).toEqual(['compatibility', 'metadata', 'tools']);
    expect(made.dropped[1]).toEqual({ key: 'metadata', value: '{"author":"someone","version":"2.1.0"}' });
  });

  test('says which kind it is only where the folder would say otherwise', () => {
    const text = file(`${HEAD}version: 1.0.0\nlicense: MIT\n`);
    expect(govern(text)).toMatchObject({ entry: { kind: 'skill' } });
    expect(JSON.stringify(govern(text))).not.toContain('kind: ');
    expect(govern(text.replace('version', 'kind: rule\nversion'))).toMatchObject({
      text: expect.stringContaining('\nkind: rule\n'),
      entry: { kind: 'rule', alwaysOn: true },
    });
  });

  test('with any description, body, lists and switches that it takes reads back as they are', () => {
    const words = fc.array(fc.stringMatching(/^[A-Za-z][A-Za-z0-9 .*-]{0,12}[a-z]$/), { maxLength: 4 });
    const text = fc.record({
      description: fc.string({ minLength: 1, maxLength: 80, unit: 'grapheme' }),
      body: fc.string({ maxLength: 200, unit: 'grapheme' }),
      keywords: fc.option(words),
      applies_to: fc.option(words),
      always_on: fc.option(fc.boolean()),
      process: fc.option(fc.boolean()),
      page: fc.option(fc.constantFrom('required', 'optional', 'none')),
    });
    let governed = 0;
    fc.assert(
      fc.property(text, ({ body, ...fields }) => {
        const said = Object.entries(fields).filter(([, value]) => value !== null);
        const frontmatter = said.map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`).join('');
        const made = govern(file(`name: pdf\nversion: 1.0.0\nlicense: MIT\n${frontmatter}`, `\n${body}\n`));
        if (made.kind === 'refused') return;
        governed += 1;
        const again = parseGoverned(made.text, governedSource('skills', 'x', 'pdf'));
        expect(again).toMatchObject({
          kind: 'entry',
          entry: {
            description: fields.description.replace(/\s+/g, ' ').trim(),
            body: body.replaceAll('\r\n', '\n').trimEnd(),
            keywords: fields.keywords ?? [],
            appliesTo: fields.applies_to,
            alwaysOn: fields.always_on ?? false,
            process: fields.process ?? false,
            page: fields.page ?? (fields.process === true ? 'required' : 'optional'),
            digest: made.entry.digest,
          },
        });
      }),
    );
    expect(governed).toBeGreaterThan(20);
  });
});

describe('what is refused', () => {
  const GOOD = `${HEAD}version: 1.0.0\nlicense: MIT\n`;
  test.each<[string, string]>([
    ['no frontmatter', 'Body.\n'],
    ['a fence that is not closed', '---\nname: pdf\n'],
    ['no name', file('description: d\nversion: 1.0.0\nlicense: MIT\n')],
    ['no description', file('name: pdf\nversion: 1.0.0\nlicense: MIT\n')],
    ['a body beyond its bound', file(GOOD, 'x'.repeat(65_537))],
    ['frontmatter beyond its bound', file(`${GOOD}more: ${'x'.repeat(8_192)}\n`)],
  ])('%s', (_, text) => {
    expect(codes(govern(text))[0]).toMatch(/^[a-z-]+$/);
    expect(govern(text).kind).toBe('refused');
  });

  test.each([
    ['../x'],
    ['a/b'],
    ['.'],
    ['..'],
    ['PDF'],
    ['a b'],
    ['a--b'],
    ['-a'],
    ['a\u0430'],
    ['x'.repeat(65)],
  ])('the name %j', (name) => {
    expect(codes(govern(file(GOOD.replace('name: pdf', `name: ${JSON.stringify(name)}`))))).toContain(
      'unsafe-name',
    );
  });

  test.each([
    'origin: proprietary',
    'origin: third-party',
    'upstream: https://example.org/x@v1',
    'vetted: reviewed by me',
    'Origin: x',
    'ORIGIN: x',
    'UpStream: x',
    'up-stream: x',
    'up_stream: x',
    '"vet ted": x',
    '"vetted ": x',
    '"\u043erigin": x',
    '"or\u00edgin": x',
    '"\uff4frigin": x',
    '"0rigin": x',
    'metadata: {origin: x}',
    'metadata: {Vetted: x}',
    'metadata: {deep: {er: [{upstream: x}]}}',
    'origin:',
    'vetted: null',
  ])('%s, which only the importer and its reviewers may say', (line) => {
    expect(codes(govern(file(`${GOOD}${line}\n`)))).toContain('governance-key');
  });

  test('such a key where the frontmatter is no YAML', () => {
    const broken = file(`name: pdf\ndescription: a: b: c\nversion: 1.0.0\nlicense: MIT\n "origin: x\n`);
    expect(govern(broken).kind).toBe('refused');
    const repaired = govern(file('name: pdf\ndescription: a: b\nversion: 1.0.0\nlicense: MIT\norigin: x\n'));
    expect(codes(repaired)).toContain('governance-key');
  });

  test('keys that only look a little like them are no such keys', () => {
    for (const key of ['original', 'originator', 'upstreams', 'vet', 'vetting', 'author', '']) {
      expect(isGovernanceKey(key), key).toBe(false);
    }
  });

  test.each<[string, string, { version?: string; license?: string }, string]>([
    ['no version, no flag', 'license: MIT', {}, 'version-missing'],
    ['no licence, no flag', 'version: 1.0.0', {}, 'license-missing'],
    ['a version that is none', 'version: latest\nlicense: MIT', {}, 'version-form'],
    ['a version of two numbers', 'version: 1.0\nlicense: MIT', {}, 'version-form'],
    ['a flag that is no version', 'license: MIT', { version: '1.0' }, 'version-form'],
    ['a flag against a version', 'version: 1.0.0\nlicense: MIT', { version: '1.0.1' }, 'version-contradicts'],
    ['a flag against two numbers', 'version: 1.0\nlicense: MIT', { version: '1.1.0' }, 'version-contradicts'],
    ['a flag against a word', 'version: latest\nlicense: MIT', { version: '1.0.0' }, 'version-contradicts'],
    ['two versions', 'version: 1.0.0\nlicense: MIT\nmetadata: {version: 1.0.1}', {}, 'version-contradicts'],
    ['an unknown licence', 'version: 1.0.0\nlicense: Mine', {}, 'license-form'],
    [
      'a file for a licence',
      'version: 1.0.0\nlicense: see LICENSE.txt',
      { license: 'MIT' },
      'license-contradicts',
    ],
    ['a flag that is no licence', 'version: 1.0.0', { license: 'Mine' }, 'license-form'],
    [
      'a flag against a licence',
      'version: 1.0.0\nlicense: MIT',
      { license: 'Apache-2.0' },
      'license-contradicts',
    ],
    [
      'a flag with another plus',
      'version: 1.0.0\nlicense: GPL 2.0+',
      { license: 'GPL-2.0' },
      'license-contradicts',
    ],
  ])('%s', (_, fields, flags, right) => {
    expect(codes(govern(file(`${HEAD}${fields}\n`), flags))).toContain(right);
  });

  test('no remedy leads to a refusal whose remedy leads back', () => {
    const remedy = (license: string, flags: { license?: string }): string => {
      const made = govern(file(`${HEAD}version: 1.0.0\nlicense: ${license}\n`), flags);
      return made.kind === 'refused' ? made.findings.map((found) => found.remedy).join() : '';
    };
    expect(remedy('see LICENSE.txt', {})).toMatch(
      /spell the same in that form.*mended where the text comes from$/,
    );
    expect(remedy('see LICENSE.txt', { license: 'MIT' })).toMatch(/mend it where the text comes from$/);
    expect(remedy('MIT', { license: 'Apache-2.0' })).toMatch(/^leave --license out/);
  });

  test.each<[string, string, { version?: string; license?: string }]>([
    ['flags where nothing is declared', '', { version: '1.0.0', license: 'MIT' }],
    ['flags that say the same', 'version: 1.0.0\nlicense: MIT\n', { version: '1.0.0', license: 'MIT' }],
    [
      'flags that spell it',
      'version: 1.0\nlicense: apache 2.0\n',
      { version: '1.0.0', license: 'Apache-2.0' },
    ],
    ['an expression', 'version: 1.0.0\nlicense: MIT OR Apache-2.0\n', {}],
  ])('but not %s', (_, fields, flags) => {
    expect(codes(govern(file(`${HEAD}${fields}`), flags))).toEqual(['governed']);
  });

  test('what a reviewer cannot see, with its line', () => {
    const made = govern(file(GOOD, 'One.\nTwo\u200b.\n\u{e0041}\n'));
    expect(made).toMatchObject({
      kind: 'refused',
      findings: [
        { code: 'unseen-character', line: 8, message: expect.stringContaining('U+200B') },
        { code: 'unseen-character', line: 9, message: expect.stringContaining('U+E0041') },
      ],
    });
    expect(codes(govern(file(GOOD, 'An emoji ❤\ufe0f.\n')))).toEqual(['governed']);
  });

  test.each<[string, string]>([
    ['a description in brackets', 'description: "[a, b]"'],
    ['a keyword with a comma', 'description: d\nkeywords: ["a, b"]'],
    ['an unknown capability', 'description: d\nrequires: [everything]'],
  ])('%s, which the governed grammar cannot hold', (_, fields) => {
    expect(govern(file(`name: pdf\nversion: 1.0.0\nlicense: MIT\n${fields}\n`)).kind).toBe('refused');
  });

  test('an own text with a licence, most likely not an own one', () => {
    expect(codes(govern(file(GOOD), { own: true }))).toContain('license-forbidden');
    expect(codes(govern(file(`${HEAD}requires: [shell]\n`), { own: true, version: '1.0.0' }))).toEqual([
      'governed',
    ]);
  });
});
