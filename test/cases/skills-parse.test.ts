// Cases of the dialects, the scanner, the registry and the digest: a test for each, by its id.
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../src/shared/findings.js';
import type { EntryText } from '../../src/skills/entry.js';
import { parseGoverned } from '../../src/skills/parse/governed.js';
import { parseOpen } from '../../src/skills/parse/open.js';
import type { ParsedEntry } from '../../src/skills/parse/parsed-entry.js';
import { registryLoader } from '../../src/skills/registry.js';
import { governedText, NAMED, OPEN_SOURCE, openText, SOURCE } from '../skills/entries.js';
import { fourTiers, questionOf } from '../skills/four-tiers.js';

const open = (lines: readonly string[], body?: string): ParsedEntry =>
  parseOpen(openText(lines, body), OPEN_SOURCE);

function entryOf(parsed: ParsedEntry): EntryText {
  if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.findings));
  return parsed.entry;
}

const errorsOf = ({ findings }: { readonly findings: readonly Finding[] }): (readonly unknown[])[] =>
  findings.filter(({ severity }) => severity === 'error').map(({ code, line }) => [code, line]);

const governed = (fields: Record<string, string | null>, body?: string): ParsedEntry =>
  parseGoverned(governedText(fields, body), SOURCE);

describe('files and their fences', () => {
  test('B13: a directory without SKILL.md, with name only, with description only: skipped, zero output, one finding each', async () => {
    const tiers = await fourTiers({
      'home/.claude/skills/none/notes.md': 'x',
      'home/.claude/skills/name-only/SKILL.md': openText(['name: name-only']),
      'home/.claude/skills/description-only/SKILL.md': openText(['description: x']),
    });
    const { entries, findings, quiet } = await tiers.load();
    expect([entries, findings]).toEqual([[], []]);
    const said = [...quiet.values()].flat().map(({ code, path }) => [tiers.short(path), code]);
    expect(said.sort()).toEqual([
      ['home/.claude/skills/description-only/SKILL.md', 'name-missing'],
      ['home/.claude/skills/name-only/SKILL.md', 'description-missing'],
      ['home/.claude/skills/none', 'skill-file-missing'],
    ]);
  });

  test('N1: a valid minimal file, with a byte order mark, with CRLF: parsed alike, full', () => {
    const text = openText(NAMED);
    const plain = parseOpen(text, OPEN_SOURCE);
    expect(entryOf(plain)).toMatchObject({ name: 'an-entry', support: 'full' });
    expect(parseOpen(`\uFEFF${text}`, OPEN_SOURCE)).toEqual(plain);
    expect(parseOpen(text.replaceAll('\n', '\r\n'), OPEN_SOURCE)).toEqual(plain);
    const strict = governedText();
    expect(parseGoverned(`\uFEFF${strict.replaceAll('\n', '\r\n')}`, SOURCE)).toEqual(
      parseGoverned(strict, SOURCE),
    );
  });

  test('N3: a body of 65,536 bytes and a frontmatter of 8,192 are accepted, in both dialects', () => {
    const body = 'x'.repeat(65_536);
    const filled = (lines: readonly string[], key: string): string => {
      const used = Buffer.byteLength([...lines, `${key}: `].join('\n'));
      return 'y'.repeat(8_192 - used);
    };
    const lines = [...NAMED, `x: ${filled(NAMED, 'x')}`];
    expect(Buffer.byteLength(lines.join('\n'))).toBe(8_192);
    expect(entryOf(open(lines, `${body}\n`)).body).toBe(body);
    const fields = governedText().split('\n').slice(1, 5);
    const vetted = filled(fields, 'vetted');
    expect(entryOf(governed({ vetted }, `\n${body}\n`))).toMatchObject({ body, vetted });
  });

  test.each(['---x', '----'])('N5: a closer written %s does not close: only a bare line does', (closer) => {
    expect(errorsOf(parseOpen(`---\n${NAMED.join('\n')}\n${closer}\nBody.\n`, OPEN_SOURCE))).toEqual([
      ['unclosed', 1],
    ]);
    expect(errorsOf(parseOpen(`---\n${NAMED.join('\n')}\n${closer}\n---\nBody.\n`, OPEN_SOURCE))).not.toEqual(
      [],
    );
  });

  test('U1: no frontmatter and no description are refused; 1,025 code points load with a finding, text unchanged; 1,024 without', () => {
    expect(errorsOf(parseOpen('Text.\n', OPEN_SOURCE))).toEqual([['no-frontmatter', 1]]);
    expect(errorsOf(open(['name: an-entry']))).toEqual([['description-missing', 1]]);
    const described = (points: number): ParsedEntry =>
      open(['name: an-entry', `description: ${'😀'.repeat(points)}`]);
    expect(described(1_024).findings).toEqual([]);
    expect(described(1_025).findings).toMatchObject([{ code: 'description-too-long', line: 3 }]);
    expect(entryOf(described(1_025)).description).toBe('😀'.repeat(1_025));
  });

  test('U3: name absent: not loaded, finding name-missing whose remedy names the directory', () => {
    expect(open(['description: x'])).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'name-missing', remedy: expect.stringContaining('an-entry, as its directory') }],
    });
  });
});

describe('values', () => {
  test('U5: allowed-tools as text, list, nothing and mapping: text reads like the convention, a mapping is refused', () => {
    const tools = (written: string): readonly string[] | null =>
      entryOf(open([...NAMED, `allowed-tools: ${written}`])).allowedTools;
    expect(tools('Read, Grep Bash(git diff:*, git log)')).toEqual([
      'Read',
      'Grep',
      'Bash(git diff:*, git log)',
    ]);
    expect(tools('[Read, Grep]')).toEqual(['Read', 'Grep']);
    expect(tools('')).toEqual([]);
    expect(errorsOf(open([...NAMED, 'allowed-tools: {Read: true}']))).toEqual([['malformed-list', 4]]);
  });

  test('U6: metadata: x is refused', () => {
    expect(errorsOf(open([...NAMED, 'metadata: x']))).toEqual([['not-a-mapping', 4]]);
  });

  test('U8: unknown keys and compatibility load, and known nested fields are set', () => {
    const entry = entryOf(
      open([
        ...NAMED,
        'colour: blue',
        'compatibility: Needs git',
        'metadata:',
        '  origin: user-bundle',
        '  author: someone',
        '  version: "1.0"',
      ]),
    );
    expect(entry.origin).toBe('user-bundle');
    expect(entry.data).toEqual({
      colour: 'blue',
      compatibility: 'Needs git',
      metadata: { origin: 'user-bundle', author: 'someone', version: '1.0' },
    });
  });

  test('N6: allowed-tools without a value and a clean body: partial, in both dialects', () => {
    expect(entryOf(open([...NAMED, 'allowed-tools:'])).support).toBe('partial');
    expect(entryOf(open([...NAMED, 'allowed-tools: null'])).support).toBe('partial');
    expect(entryOf(governed({ 'allowed-tools': '' })).support).toBe('partial');
  });

  test('N8: a frontmatter value scripts/x and a clean body: partial', () => {
    expect(entryOf(open(['name: an-entry', 'description: Runs scripts/x'])).support).toBe('partial');
    expect(entryOf(open([...NAMED, 'keywords: [scripts/x]'])).support).toBe('partial');
    expect(entryOf(governed({ description: 'Runs scripts/x' })).support).toBe('partial');
    expect(entryOf(open(NAMED)).support).toBe('full');
  });
});

describe('the governed dialect', () => {
  test('L1: a minimal proprietary skill loads', () => {
    expect(governed({})).toMatchObject({
      kind: 'entry',
      entry: { name: 'an-entry', version: '1.0.0', origin: 'proprietary', body: 'The body.' },
      findings: [],
    });
  });

  test('L3: third-party without license, without upstream, with a bare URL, with http://, with a trailing @: refused, five different reasons', () => {
    const upstream = 'https://example.com/skill@v1';
    const refused = [
      governed({ origin: 'third-party', upstream }),
      governed({ origin: 'third-party', license: 'MIT' }),
      governed({ origin: 'third-party', license: 'MIT', upstream: 'https://example.com/skill' }),
      governed({ origin: 'third-party', license: 'MIT', upstream: 'http://example.com/skill@v1' }),
      governed({ origin: 'third-party', license: 'MIT', upstream: 'https://example.com/skill@' }),
    ];
    const reasons = refused.map((parsed) => {
      expect(parsed.kind).toBe('refused');
      return errorsOf(parsed).map(([code]) => code);
    });
    expect(reasons).toEqual([
      ['license-missing'],
      ['upstream-missing'],
      ['upstream-unpinned'],
      ['upstream-not-https'],
      ['upstream-empty-ref'],
    ]);
  });

  test('L6: unknown key, key twice, line without colon, missing closing line: refused, line number named', () => {
    expect(errorsOf(governed({ colour: 'blue' }))).toEqual([['unknown-field', 6]]);
    const text = governedText();
    const with6 = (line: string): ParsedEntry =>
      parseGoverned(text.replace('origin: proprietary\n', `origin: proprietary\n${line}\n`), SOURCE);
    expect(errorsOf(with6('version: 2.0.0'))).toEqual([['duplicate-field', 6]]);
    expect(errorsOf(with6('no colon here'))).toEqual([['malformed-line', 6]]);
    expect(errorsOf(parseGoverned(text.replace('\n---\n', '\n'), SOURCE))).toEqual([['unclosed', 1]]);
  });
});

describe('what a digest covers', () => {
  test('N13: a change of page only: digest equal, still enabled, still approved', async () => {
    const skill = (page: string): string => openText([...NAMED, `page: ${page}`]);
    const path = 'repo/.bnerd/skills/an-entry.md';
    const before = await fourTiers({ [path]: skill('none') });
    const { digest } = questionOf(await before.load(), '/an-entry.md');
    const after = await fourTiers({ [path]: skill('required') });
    await after.say({ approved: [{ path: '.bnerd/skills/an-entry.md', digest }] });
    const registry = await after.load();
    expect(registry.entries).toMatchObject([{ name: 'an-entry', digest, page: 'required' }]);
    expect(registry.files).toMatchObject([{ approval: { verdict: { kind: 'trusted' } } }]);
  });

  test('N15: tools [b,a,a] against [a,b] are equal, absent against [] is different', () => {
    const digest = (...lines: readonly string[]): string => entryOf(open([...NAMED, ...lines])).digest;
    expect(digest('allowed-tools: [b, a, a]')).toBe(digest('allowed-tools: [a, b]'));
    expect(digest()).not.toBe(digest('allowed-tools: []'));
  });

  test('N16: an unknown key added: digest equal', () => {
    expect(entryOf(open([...NAMED, 'colour: blue'])).digest).toBe(entryOf(open(NAMED)).digest);
  });
});

describe('many files', () => {
  test('U28: 32 concurrent calls: one load, the same result', async () => {
    const tiers = await fourTiers({
      'home/.agents/skills/a/SKILL.md': openText(['name: a', 'description: x']),
      'home/.agents/skills/b/SKILL.md': openText(['name: b', 'description: x']),
    });
    const lines: string[] = [];
    const load = await tiers.within({}, async (places, options) =>
      registryLoader(places, { ...options, log: { info: (_, message) => void lines.push(message) } }),
    );
    const results = await Promise.all(Array.from({ length: 32 }, () => load()));
    expect(new Set(results).size).toBe(1);
    expect(results[0]?.entries.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(lines).toEqual(['entry loaded', 'entry loaded', 'entries loaded']);
  });
});
