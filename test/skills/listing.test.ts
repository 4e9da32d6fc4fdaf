// Names and descriptions first: a listing from the heads of files says what a load of the whole files says.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EntryHead } from '../../src/skills/entry.js';
import type { EntryFile } from '../../src/skills/read/entry-file.js';
import type { Registry } from '../../src/skills/registry.js';
import { corpusSkills, hasSkillCorpus } from '../helpers/skill-corpus.js';
import { governedText, openText } from './entries.js';
import { type FourTiers, fourTiers, questionOf } from './four-tiers.js';

/** What both know of a file. */
function fileRow(file: EntryFile<EntryHead>): object {
  const { kind, path, rank, strict } = file;
  if (file.kind === 'refused') {
    const why = file.findings.filter(({ severity }) => severity === 'error');
    return { kind, path, rank, strict, name: file.name, why };
  }
  const { entry, approval } = file;
  const verdict = approval?.verdict ?? null;
  const repairs = file.findings.filter(({ code }) => code === 'repaired-frontmatter');
  return { kind, path, rank, strict, verdict, head: headRow(entry), repairs };
}

function headRow(entry: EntryHead): object {
  const { kind, name, version, description, alwaysOn, tier, path, trust } = entry;
  return { kind, name, version, description, alwaysOn, tier, path, trust };
}

/** Everything a listing promises. */
function promised(registry: Registry<EntryHead>): object {
  return {
    files: registry.files.map(fileRow),
    entries: registry.entries.map(headRow),
    shadowed: registry.shadowed.map(({ entry, by }) => [entry.path, by.path]),
    untrusted: registry.untrusted.map(({ file, remark }) => [file.path, remark]),
    disabled: registry.disabled,
    findings: registry.findings,
  };
}

async function expectSame(tiers: FourTiers, given: Parameters<FourTiers['load']>[0] = {}): Promise<void> {
  const listing = await tiers.list(given);
  expect(promised(listing)).toEqual(promised(await tiers.load(given)));
}

const skill = (name: string, ...lines: string[]): string =>
  openText([`name: ${name}`, `description: What ${name} is for`, ...lines]);

describe('a listing says what a load says', () => {
  test('of every tier, tree and form, and of what hides what', async () => {
    const tiers = await fourTiers({
      'pkg/skills/a/SKILL.md': governedText({ name: 'a' }),
      'pkg/skills/rules/r.md': governedText({ name: 'r' }),
      'home/.claude/skills/a/SKILL.md': skill('a', 'always_on: true'),
      'home/.bnerd/skills/a.md': skill('a', 'version: 1.10'),
      'home/.bnerd/rules/r.md': skill('r'),
      'home/.agents/skills/r/SKILL.md': skill('r'),
      'repo/.bnerd/skills/a.md': skill('a'),
      'mission/orchestrator/skills/b.md': skill('b', 'kind: rule'),
      'mission/orchestrator/skills/B.md': skill('B'),
    });
    await expectSame(tiers);
    await expectSame(tiers, { named: false });
    await expectSame(tiers, { settings: { globalTrust: 'reference' } });
    await expectSame(tiers, { settings: { disabled: [{ name: 'a', place: 'here' }] } });
  });

  test('of files that hold no entry, each refused for the same reason', async () => {
    const tiers = await fourTiers({
      'home/.agents/skills/none/SKILL.md': 'Text.\n',
      'home/.agents/skills/open/SKILL.md': '---\nname: x\n',
      'home/.agents/skills/unnamed/SKILL.md': openText(['description: x']),
      'home/.agents/skills/blank/SKILL.md': openText(['name: x', 'description: " "']),
      'home/.agents/skills/kind/SKILL.md': skill('kind', 'kind: rules'),
      'home/.agents/skills/on/SKILL.md': skill('on', 'always_on: yes'),
      'home/.agents/skills/tools/SKILL.md': skill('tools', 'allowed-tools: Bash(a'),
      'home/.agents/skills/metadata/SKILL.md': skill('metadata', 'metadata: x'),
      'home/.agents/skills/twice/SKILL.md': skill('twice', 'name: other'),
      'home/.agents/skills/large/SKILL.md': openText(['name: x', 'description: y'], 'x'.repeat(65_537)),
      'home/.agents/skills/just/SKILL.md': openText(['name: just', 'description: y'], 'x'.repeat(65_536)),
      'home/.agents/skills/spaces/SKILL.md': `${skill('spaces')}${' \n'.repeat(50_000)}`,
      'home/.agents/skills/head/SKILL.md': skill('head', `x: ${'y'.repeat(8_192)}`),
      'home/.agents/skills/long/SKILL.md': `---\n${'x: y\n'.repeat(5_000)}---\n`,
      'home/.agents/skills/nul/SKILL.md': skill('nul', 'x: \0'),
      'mission/orchestrator/skills/bad.md': '---\nname: bad\n---\n',
    });
    await writeFile(
      join(tiers.root, 'home/.agents/skills/none/SKILL.md'),
      Buffer.from('---\nname: \xff\n---\n', 'latin1'),
    );
    await expectSame(tiers);
    expect((await tiers.list()).entries.map(({ name }) => name)).toEqual(['just', 'spaces']);
  });

  test('of governed files everything, since they are read whole', async () => {
    const tiers = await fourTiers({
      'pkg/skills/empty/SKILL.md': governedText({ name: 'empty' }, ''),
      'pkg/skills/bad/SKILL.md': governedText({ name: 'worse' }),
      'mission/.bnerd/context.md': '---\nskills: governed\n---\n',
      'mission/orchestrator/skills/m.md': governedText({ name: 'm', colour: 'blue' }),
    });
    await expectSame(tiers);
    expect((await tiers.list()).findings.map(({ code }) => code)).toEqual([
      'unknown-field',
      'name-mismatch',
      'empty-body',
    ]);
  });
});

describe('the word of the operator', () => {
  const FILES = {
    'repo/.bnerd/skills/approved.md': skill('approved'),
    'repo/.bnerd/skills/changed.md': skill('changed'),
    'repo/.bnerd/skills/revoked.md': skill('revoked'),
    'repo/.bnerd/skills/this-text.md': skill('this-text'),
    'repo/.bnerd/skills/nobody.md': skill('nobody'),
    'repo/app/.bnerd/rules/rule.md': skill('rule'),
  };

  test('is what it is for the whole file', async () => {
    const tiers = await fourTiers(FILES);
    const registry = await tiers.load();
    const path = (name: string): string => `.bnerd/skills/${name}.md`;
    const digest = (name: string): string => questionOf(registry, `/${name}.md`).digest;
    await tiers.say({
      approved: [
        { path: path('approved'), digest: digest('approved') },
        { path: path('changed'), digest: digest('approved') },
        { path: path('revoked'), digest: digest('revoked') },
      ],
      revoked: [{ path: path('revoked') }, { path: path('this-text'), digest: digest('this-text') }],
    });
    await expectSame(tiers);
    const { files } = await tiers.list();
    const verdicts = files.map((file) => file.kind === 'loaded' && file.approval?.verdict.kind);
    expect(verdicts).toEqual(['trusted', 'untrusted', 'untrusted', 'revoked', 'revoked', 'untrusted']);
  });

  test('asks for the text only where a text was named: others are read no further than their heads', async () => {
    const tiers = await fourTiers({
      'repo/.bnerd/skills/a.md': `${skill('a')}${'x'.repeat(40_000)}\n`,
      'repo/.bnerd/skills/b.md': `${skill('b')}${'x'.repeat(40_000)}\n`,
    });
    const registry = await tiers.load();
    const { path, digest } = questionOf(registry, '/a.md');
    await tiers.say({ approved: [{ path, digest }] });
    const unread = (await tiers.list()).files.map(
      (file) => file.kind === 'loaded' && file.entry.unreadBytes > 0,
    );
    expect(unread).toEqual([false, true]);
  });
});

describe('bodies on demand', () => {
  test('of a large file the head is read, and how much is left is said', async () => {
    const text = `${skill('large')}${'é'.repeat(20_000)}\n`;
    const tiers = await fourTiers({ 'home/.agents/skills/large/SKILL.md': text });
    const listing = await tiers.list();
    const [file] = listing.files;
    if (file?.kind !== 'loaded') throw new Error('not listed');
    expect(file.entry.unreadBytes).toBe(Buffer.byteLength(text) - 4_096);
    const whole = await listing.entryOf(file);
    expect(whole).toEqual((await tiers.load()).files[0]);
    expect(whole).toMatchObject({ entry: { body: `The body.\n${'é'.repeat(20_000)}` } });
  });

  test('bytes behind the head that are no text are found when the entry is asked for', async () => {
    const tiers = await fourTiers({ 'home/.agents/skills/odd/SKILL.md': 'x' });
    const text = Buffer.concat([Buffer.from(`${skill('odd')}${'x'.repeat(30_000)}`), Buffer.from([0xff])]);
    await writeFile(join(tiers.root, 'home/.agents/skills/odd/SKILL.md'), text);
    const listing = await tiers.list();
    const [file] = listing.files;
    if (file?.kind !== 'loaded') throw new Error('not listed');
    expect(file.entry.unreadBytes).toBeGreaterThan(0);
    expect(await listing.entryOf(file)).toMatchObject({ kind: 'refused', findings: [{ code: 'not-text' }] });
  });

  test('the settings hold for them as well', async () => {
    const tiers = await fourTiers({ 'home/.agents/skills/a/SKILL.md': skill('a') });
    const listing = await tiers.list({ settings: { globalTrust: 'reference' } });
    const [file] = listing.files;
    if (file === undefined) throw new Error('not listed');
    expect(await listing.entryOf(file)).toMatchObject({ entry: { trust: 'reference' } });
  });
});

test('whatever is written in the heads of files, both say the same', async () => {
  const line = fc.constantFrom(
    ...['name: a', 'name: b', 'name: "c d"', "name: 'e'", 'name:', 'name: 12', 'name: [x]', 'name: a: b'],
    ...['description: x', 'description: x: y', 'description: >-\n  folded\n  text', 'description: "q\\n"'],
    ...['kind: rule', 'kind: skill', 'kind: x', 'always_on: true', 'always_on: maybe', 'version: 1.2.3'],
    ...[
      'version: 1.10',
      'version: "a\\u0007b"',
      'license: MIT',
      'license: [a]',
      'metadata:\n  a: b',
      'metadata: x',
    ],
    ...[
      'allowed-tools: [Read, Grep]',
      'allowed-tools: Bash(a',
      'allowed-tools:',
      'keywords: [a]',
      'keywords: {a: b}',
    ],
    ...[
      'applies_to: team',
      'applies_to:\n- chat',
      'process: true',
      'page: none',
      'text',
      '# remark',
      '',
      '---x',
    ],
    ...[
      'x: &a b',
      'y: *a',
      'z: !!binary aGk=',
      '__proto__: x',
      'tools: [{name: a, description: b, run: [c]}]',
    ],
  );
  const body = fc.constantFrom('', 'The body.\n', '\n\n---\n', 'x'.repeat(20_000), 'x'.repeat(65_600));
  const file = fc
    .tuple(fc.array(line, { maxLength: 6 }), body, fc.constantFrom('', '\uFEFF'), fc.boolean())
    .map(([lines, end, mark, windows]) => {
      const text = `${mark}${openText(lines, end)}`;
      return windows ? text.replaceAll('\n', '\r\n') : text;
    });
  await fc.assert(
    fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 12 }), async (texts) => {
      const folders = [
        'home/.agents/skills',
        'home/.bnerd/skills',
        'repo/.bnerd/skills',
        'mission/orchestrator/skills',
      ];
      await expectSame(
        await fourTiers(
          Object.fromEntries(texts.map((text, at) => [`${folders[at % 4]}/n${at}/SKILL.md`, text])),
        ),
      );
    }),
    { numRuns: 60 },
  );
}, 60_000);

test.skipIf(!hasSkillCorpus)(
  'of skills by strangers both say the same (needs ../shared)',
  async () => {
    const at = (place: number): string => String(place).padStart(4, '0');
    const tiers = await fourTiers(
      Object.fromEntries(
        corpusSkills().map(({ text }, place) => [`home/.agents/skills/${at(place)}/SKILL.md`, text]),
      ),
    );
    await expectSame(tiers);
  },
  120_000,
);
