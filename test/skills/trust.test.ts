// Tier × word of the operator × kind: what instructs, what is only listed, and what a list of a role does with it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UNTRUSTED } from '../../src/catalog/trust.js';
import { hasErrors } from '../../src/shared/findings.js';
import { noAdditions } from '../../src/skills/choose/additions.js';
import { type ForceLoaded, forceLoad } from '../../src/skills/choose/force-load.js';
import type { Registry } from '../../src/skills/registry.js';
import { governedText, NAMED, openText } from './entries.js';
import { type FourTiers, fourTiers, questionOf } from './four-tiers.js';

const entry = (body: string): string => openText(NAMED, `${body}\n`);

/** The list of a role. */
function spawn(registry: Registry, ...names: string[]): ForceLoaded {
  return forceLoad({
    registry,
    role: 'worker',
    rolePath: 'roles/worker.md',
    roleSkills: names,
    additions: noAdditions(),
    granted: [],
  });
}

const bodies = (loaded: ForceLoaded): string[] => loaded.entries.map(({ body }) => body);

const BUILTIN = governedText({ name: 'an-entry' }, '\nBuilt in.\n');

/** A file of each tier that needs nobody's word, or has the word of the operator, and one that has none. */
const PLACES = [
  { tier: 'global', file: 'home/.bnerd/{}/an-entry.md', asked: null },
  { tier: 'global', file: 'home/.claude/skills/an-entry/SKILL.md', asked: null, only: 'skill' },
  { tier: 'global', file: 'home/.agents/skills/an-entry/SKILL.md', asked: null, only: 'skill' },
  { tier: 'project', file: 'repo/.bnerd/{}/an-entry.md', asked: 'project' },
  { tier: 'project', file: 'repo/app/.bnerd/{}/an-entry.md', asked: 'project' },
  { tier: 'project', file: 'repo/app/.claude/skills/an-entry/SKILL.md', asked: 'project', only: 'skill' },
  { tier: 'project', file: 'repo/.agents/skills/an-entry/SKILL.md', asked: 'project', only: 'skill' },
  { tier: 'mission', file: 'mission/orchestrator/{}/an-entry.md', asked: 'mission' },
  { tier: 'mission', file: 'mission/orchestrator/{}/an-entry/SKILL.md', asked: 'mission' },
] as const;

const ROWS = PLACES.flatMap((place) =>
  (['rule', 'skill'] as const)
    .filter((kind) => !('only' in place) || place.only === kind)
    .map((kind) => ({ ...place, kind, file: place.file.replace('{}', `${kind}s`) })),
);

/** A built-in entry of the same name and kind, and this one. */
function overBuiltin(kind: 'rule' | 'skill', file: string): Promise<FourTiers> {
  const builtin = kind === 'rule' ? 'pkg/skills/rules/an-entry.md' : 'pkg/skills/an-entry/SKILL.md';
  return fourTiers({ [builtin]: BUILTIN, [file]: entry('Theirs.') });
}

describe.each(ROWS)('a $kind in $file that may instruct', ({ tier, file, asked, kind }) => {
  test('it replaces the built-in one: by where it lies, or by the approval of its text', async () => {
    const tiers = await overBuiltin(kind, file);
    if (asked !== null) {
      const question = questionOf(await tiers.load({ named: false }), file);
      expect(question).toMatchObject({ kind: 'entry', tier, path: file.replace(/^(repo|mission)\//, '') });
      await tiers.say({ approved: [{ path: question.path, digest: question.digest, tier: asked }] });
    }
    const registry = await tiers.load({ named: asked === null });
    expect(registry.entries).toMatchObject([{ kind, tier, trust: 'instruction', body: 'Theirs.' }]);
    expect(registry.shadowed).toMatchObject([{ entry: { tier: 'builtin' }, by: { tier } }]);
    expect(registry.findings).toEqual([]);
    expect(bodies(spawn(registry, 'an-entry'))).toEqual(['Theirs.']);
  });
});

const ASKED = ROWS.flatMap(({ asked, ...row }) => (asked === null ? [] : [{ ...row, asked }]));

describe.each(ASKED)('a $kind in $file that nobody is bound to trust', ({ tier, file, asked, kind }) => {
  test('without anybody’s word it is listed, hides nothing and is never composed', async () => {
    const tiers = await overBuiltin(kind, file);
    const registry = await tiers.load({ named: false });
    expect(registry.entries).toMatchObject([{ tier: 'builtin', body: 'Built in.' }]);
    expect(registry.shadowed).toEqual([]);
    expect(registry.untrusted).toMatchObject([{ file: { entry: { tier, trust: 'reference' } } }]);
    expect(registry.findings).toMatchObject([
      {
        code: UNTRUSTED,
        severity: 'info',
        path: join(tiers.root, file),
        message: 'not used: nobody has approved it',
      },
    ]);
    const loaded = spawn(registry, 'an-entry');
    expect(bodies(loaded)).toEqual(['Built in.']);
    expect(loaded.refusals).toEqual([]);
  });

  test('needed and untrusted: a skill is reference text, a rule refuses the spawn with both ways out', async () => {
    const tiers = await fourTiers({ [file]: entry('Theirs.') });
    const registry = await tiers.load({ named: false });
    expect(spawn(registry)).toMatchObject({ entries: [], references: [] });
    const loaded = spawn(registry, 'an-entry');
    expect(loaded.entries).toEqual([]);
    const path = join(tiers.root, file);
    if (kind === 'skill') {
      expect(loaded.refusals).toEqual([]);
      expect(loaded.references).toMatchObject([{ path, body: 'Theirs.', trust: 'reference' }]);
      expect(loaded.notes).toMatchObject([
        {
          code: 'reference-text',
          severity: 'info',
          path,
          message:
            'skill "an-entry" is used as reference text, not as an instruction: nobody has approved it',
        },
      ]);
      return;
    }
    expect(loaded.references).toEqual([]);
    expect(loaded.refusals).toEqual([
      {
        code: UNTRUSTED,
        severity: 'error',
        path,
        message: `rule "an-entry" (named by roles/worker.md) is needed and not used: nobody has approved it`,
        remedy: expect.stringMatching(/bnerd trust .*an-entry.* bnerd trust --repo$/),
      },
    ]);
  });

  test('an edit takes the approval away, an edit back restores it, a revocation ends it', async () => {
    const tiers = await fourTiers({ [file]: entry('Theirs.') });
    const { path, digest } = questionOf(await tiers.load({ named: false }), file);
    const word = { path, digest, tier: asked };
    await tiers.say({ approved: [word] });
    const used = async (): Promise<string[]> =>
      (await tiers.load({ named: false })).entries.map(({ body }) => body);
    expect(await used()).toEqual(['Theirs.']);
    await writeFile(join(tiers.root, file), entry('Changed.'));
    expect(await used()).toEqual([]);
    expect((await tiers.load({ named: false })).findings).toMatchObject([
      { code: UNTRUSTED, message: 'not used: it has changed since it was approved' },
    ]);
    await writeFile(join(tiers.root, file), entry('Theirs.'));
    expect(await used()).toEqual(['Theirs.']);
    await tiers.say({ approved: [word], revoked: [{ path, tier: asked }] });
    expect(await used()).toEqual([]);
    expect((await tiers.load({ named: false })).findings).toMatchObject([
      { message: expect.stringMatching(/^not used: its approval was revoked by the operator in /) },
    ]);
  });
});

test('files of a named mission repository count by where they lie, nobody is asked', async () => {
  const tiers = await fourTiers({ 'mission/orchestrator/skills/an-entry.md': entry('Ours.') });
  expect((await tiers.load()).files).toMatchObject([{ approval: null, entry: { trust: 'instruction' } }]);
  expect((await tiers.load({ named: false })).files).toMatchObject([
    { approval: { verdict: { kind: 'untrusted' } }, entry: { trust: 'reference' } },
  ]);
});

test('an approval is for one file: the same text elsewhere needs its own', async () => {
  const tiers = await fourTiers({
    'repo/.bnerd/skills/an-entry.md': entry('Same.'),
    'repo/app/.bnerd/skills/an-entry.md': entry('Same.'),
  });
  const { path, digest } = questionOf(await tiers.load(), 'repo/.bnerd/skills/an-entry.md');
  await tiers.say({ approved: [{ path, digest }] });
  const registry = await tiers.load();
  expect(registry.entries.map((one) => tiers.short(one.path))).toEqual(['repo/.bnerd/skills/an-entry.md']);
  expect(registry.untrusted.map(({ file }) => tiers.short(file.path))).toEqual([
    'repo/app/.bnerd/skills/an-entry.md',
  ]);
});

test('what does not reach a model needs no new word: another page, licence or key', async () => {
  const file = 'repo/.bnerd/skills/an-entry.md';
  const tiers = await fourTiers({ [file]: entry('Same.') });
  const { path, digest } = questionOf(await tiers.load(), file);
  await tiers.say({ approved: [{ path, digest }] });
  await writeFile(
    join(tiers.root, file),
    openText([...NAMED, 'page: none', 'license: MIT', 'stars: 3'], 'Same.\n'),
  );
  expect((await tiers.load()).entries).toMatchObject([{ body: 'Same.', page: 'none' }]);
  await writeFile(join(tiers.root, file), openText([...NAMED, 'always_on: true'], 'Same.\n'));
  expect((await tiers.load()).entries).toEqual([]);
});

test('a name that only an untrusted file has is no suggestion, and a directory name finds it too', async () => {
  const tiers = await fourTiers({
    'repo/.claude/skills/news/SKILL.md': openText(['name: Write news', 'description: x']),
  });
  const registry = await tiers.load();
  expect(spawn(registry, 'news')).toMatchObject({ refusals: [], references: [{ name: 'Write news' }] });
  expect(spawn(registry, 'Write newz').refusals).toMatchObject([
    { code: 'unknown-skill', remedy: 'none is known here' },
  ]);
});

test('files of a found repository that says it is governed refuse nobody’s run', async () => {
  const tiers = await fourTiers({
    'mission/.bnerd/context.md': '---\nskills: governed\n---\n',
    'mission/orchestrator/skills/an-entry/SKILL.md': entry('No version, no origin.'),
    'mission/orchestrator/rules': 'a file in the place of a folder',
  });
  const found = await tiers.load({ named: false });
  expect([hasErrors(found.findings), found.findings]).toEqual([false, []]);
  expect([...found.quiet.values()].flat()).toContainEqual(
    expect.objectContaining({ code: 'version-missing', severity: 'warning' }),
  );
  const named = await tiers.load();
  expect(hasErrors(named.findings)).toBe(true);
  expect(new Set(named.findings.map(({ code }) => code))).toEqual(
    new Set(['unreadable-folder', 'version-missing', 'origin-missing']),
  );
});
