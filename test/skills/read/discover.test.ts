// Real directories of all four tiers: which file of a name is used, what is said of the others and of what lies about.
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { noAdditions } from '../../../src/skills/choose/additions.js';
import { forceLoad } from '../../../src/skills/choose/force-load.js';
import { ruleKeptText } from '../../../src/skills/decide/rule-guard.js';
import { MAX_ASKED } from '../../../src/skills/read/discover.js';
import type { Registry } from '../../../src/skills/registry.js';
import { governedText, openText } from '../entries.js';
import { type FourTiers, fourTiers } from '../four-tiers.js';

const foo = (more: readonly string[] = []): string => openText(['name: foo', 'description: x', ...more]);
const governed = (name: string): string => governedText({ name });

/** The operator approves every file that waits for a word. */
async function approveAll(tiers: FourTiers): Promise<void> {
  const registry = await tiers.load({ named: false });
  const approved = registry.untrusted.flatMap(({ file }) => file.approval?.question ?? []);
  await tiers.say({ approved });
}

const warningsOf = ({ findings }: Registry): string[] =>
  findings.flatMap((finding) => ruleKeptText(finding) ?? []);

const quietOf = (registry: Registry, tiers: FourTiers): string[] =>
  [...registry.quiet.values()]
    .flat()
    .map(({ code, severity, path }) => `${severity} ${code} ${tiers.short(path)}`)
    .sort();

/** From weakest to strongest. */
const LADDER = [
  'pkg/skills/foo/SKILL.md',
  'home/.bnerd/skills/foo.md',
  'home/.agents/skills/foo/SKILL.md',
  'home/.claude/skills/foo/SKILL.md',
  'home/.bnerd/skills/foo/SKILL.md',
  'repo/.bnerd/skills/foo.md',
  'repo/.agents/skills/foo/SKILL.md',
  'repo/.claude/skills/foo/SKILL.md',
  'repo/.bnerd/skills/foo/SKILL.md',
  'repo/app/.bnerd/skills/foo.md',
  'repo/app/.agents/skills/foo/SKILL.md',
  'repo/app/.claude/skills/foo/SKILL.md',
  'repo/app/.bnerd/skills/foo/SKILL.md',
  'mission/orchestrator/skills/foo.md',
  'mission/orchestrator/skills/foo/SKILL.md',
];

describe('one name in many places', () => {
  test.each(LADDER.map((path, at) => [path, LADDER.slice(0, at + 1)] as const))(
    '%s beats all below it, without a warning; the losers stay visible',
    async (winner, paths) => {
      const tiers = await fourTiers(
        Object.fromEntries(paths.map((path) => [path, path.startsWith('pkg/') ? governed('foo') : foo()])),
      );
      await approveAll(tiers);
      const registry = await tiers.load();
      expect(registry.entries.map(({ path }) => tiers.short(path))).toEqual([winner]);
      expect(registry.shadowed).toHaveLength(paths.length - 1);
      expect(registry.findings).toEqual([]);
    },
  );

  test('two files of one layer: the first by path, one warning that names both', async () => {
    const tiers = await fourTiers({
      'home/.claude/skills/b/SKILL.md': foo(),
      'home/.claude/skills/a/SKILL.md': foo(),
    });
    const registry = await tiers.load();
    expect(registry.entries.map(({ path }) => tiers.short(path))).toEqual(['home/.claude/skills/a/SKILL.md']);
    expect(registry.findings).toEqual([
      {
        code: 'duplicate-entry',
        severity: 'warning',
        path: join(tiers.root, 'home/.claude/skills/b/SKILL.md'),
        message: `the name "foo" is taken by the skill ${join(tiers.root, 'home/.claude/skills/a/SKILL.md')} of the same tier`,
        remedy: 'rename or remove one of the two',
      },
    ]);
  });

  test('a rule and a skill of one layer: the rule, with a warning', async () => {
    const tiers = await fourTiers({ 'repo/.bnerd/rules/foo.md': foo(), 'repo/.bnerd/skills/foo.md': foo() });
    await approveAll(tiers);
    const registry = await tiers.load();
    expect(registry.entries).toMatchObject([{ kind: 'rule' }]);
    expect(registry.findings).toMatchObject([{ code: 'duplicate-entry', severity: 'warning' }]);
  });

  test('rules of a mission lie flat or in directories', async () => {
    const tiers = await fourTiers({
      'mission/orchestrator/rules/one.md': openText(['name: one', 'description: x']),
      'mission/orchestrator/rules/two/SKILL.md': openText(['name: two', 'description: x']),
    });
    expect((await tiers.load()).entries).toMatchObject([
      { kind: 'rule', name: 'one', alwaysOn: true },
      { kind: 'rule', name: 'two', alwaysOn: true },
    ]);
  });

  test('names that look alike: a warning naming both, also where one is not trusted', async () => {
    const tiers = await fourTiers({
      'pkg/skills/flux/SKILL.md': governed('flux'),
      'repo/.claude/skills/flux/SKILL.md': openText(['name: fIux', 'description: x']),
    });
    const registry = await tiers.load();
    expect(registry.entries.map(({ name }) => name)).toEqual(['flux']);
    expect(registry.findings).toMatchObject([
      {
        code: 'look-alike-name',
        severity: 'warning',
        message: expect.stringContaining('"fIux" looks like "flux"'),
      },
      { code: 'untrusted' },
    ]);
  });
});

describe('guarded rules', () => {
  const builtin = { 'pkg/skills/rules/foo.md': governed('foo') };
  const outside = (tier: string): string =>
    `Warning: ${tier} "foo" declares kind "skill" but "foo" is a\n  built-in rule; keeping the built-in rule (rename it, or use kind: rule to override)`;
  const underClaude = (tier: string): string =>
    `Warning: ${tier} "foo" declares kind "skill" but "foo" is a\n  built-in rule; keeping the built-in rule (rename it, or move it to .bnerd/rules/)`;

  test.each([
    ['home/.bnerd/skills/foo.md', outside('global')],
    ['home/.claude/skills/foo/SKILL.md', underClaude('global')],
    ['home/.agents/skills/foo/SKILL.md', outside('global')],
    ['repo/.bnerd/skills/foo/SKILL.md', outside('project')],
    ['repo/.claude/skills/foo/SKILL.md', underClaude('project')],
    ['mission/orchestrator/skills/foo.md', outside('mission')],
  ])('the built-in rule stays against %s, with one warning in its words', async (path, warning) => {
    const tiers = await fourTiers({
      ...builtin,
      [path]: foo(path.includes('.claude') ? ['kind: rule'] : []),
    });
    await approveAll(tiers);
    const registry = await tiers.load();
    expect(registry.entries).toMatchObject([{ kind: 'rule', tier: 'builtin' }]);
    expect(registry.shadowed).toMatchObject([{ by: { tier: 'builtin' } }]);
    expect(warningsOf(registry)).toEqual([warning]);
    expect(registry.findings).toHaveLength(1);
  });

  test('an untrusted skill warns of nothing: it is not used', async () => {
    const tiers = await fourTiers({ ...builtin, 'repo/.claude/skills/foo/SKILL.md': foo() });
    const registry = await tiers.load();
    expect(warningsOf(registry)).toEqual([]);
    expect(registry.findings).toMatchObject([{ code: 'untrusted' }]);
  });

  test('a rule may replace it, and then stands against skills as well', async () => {
    const tiers = await fourTiers({
      ...builtin,
      'home/.bnerd/rules/foo.md': foo(['always_on: false']),
      'mission/orchestrator/skills/foo.md': foo(),
    });
    const registry = await tiers.load();
    expect(registry.entries).toMatchObject([{ kind: 'rule', tier: 'global', alwaysOn: false }]);
    expect(warningsOf(registry)).toEqual([outside('mission')]);
  });

  test.each([
    ['home/.claude/skills/foo/SKILL.md', 'global', 'rename it, or move it to .bnerd/rules/'],
    ['repo/.bnerd/skills/foo.md', 'project', 'rename it, or use kind: rule to override'],
    ['mission/orchestrator/skills/foo/SKILL.md', 'mission', 'rename it, or use kind: rule to override'],
  ])('a global rule of the operator that is always on stays against %s', async (path, tier, remedy) => {
    const tiers = await fourTiers({ 'home/.bnerd/rules/foo.md': foo(), [path]: foo() });
    await approveAll(tiers);
    const registry = await tiers.load();
    expect(registry.entries).toMatchObject([{ kind: 'rule', tier: 'global' }]);
    expect(warningsOf(registry)).toEqual([
      `Warning: ${tier} "foo" declares kind "skill" but "foo" is a\n  global rule; keeping the global rule (${remedy})`,
    ]);
  });

  test('one that is not always on may be replaced by a skill of a later tier', async () => {
    const tiers = await fourTiers({
      'home/.bnerd/rules/foo.md': foo(['always_on: false']),
      'mission/orchestrator/skills/foo.md': foo(),
    });
    expect((await tiers.load()).entries).toMatchObject([{ kind: 'skill', tier: 'mission' }]);
  });
});

describe('what lies about in open folders', () => {
  test('resources, nested bundles and strange files: no remark, and nothing of them is an entry', async () => {
    const tiers = await fourTiers({
      'home/.claude/skills/foo/SKILL.md': foo(),
      'home/.claude/skills/foo/scripts/run.sh': 'x',
      'home/.claude/skills/foo/inner/SKILL.md': openText(['name: inner', 'description: x']),
      'home/.claude/skills/LICENSE': 'x',
      'home/.claude/skills/loose.md': openText(['name: loose', 'description: x']),
      'home/.bnerd/skills/notes.txt': 'x',
      'home/.bnerd/skills/README.md': 'x',
    });
    const registry = await tiers.load();
    expect(registry.entries.map(({ name }) => name)).toEqual(['foo']);
    expect([registry.findings, quietOf(registry, tiers)]).toEqual([[], []]);
  });

  test('a directory without SKILL.md, and SKILL.md without a directory: one note each', async () => {
    const tiers = await fourTiers({
      'home/.claude/skills/templates/a.md': 'x',
      'home/.bnerd/skills/SKILL.md': foo(),
    });
    const registry = await tiers.load();
    expect([registry.entries, registry.findings]).toEqual([[], []]);
    expect(quietOf(registry, tiers)).toEqual([
      'info skill-file-missing home/.claude/skills/templates',
      'info skill-without-directory home/.bnerd/skills/SKILL.md',
    ]);
  });

  test('a bad file is left out alone, quietly; whoever names it is told why', async () => {
    const tiers = await fourTiers({
      'home/.claude/skills/good/SKILL.md': openText(['name: good', 'description: x']),
      'home/.claude/skills/bad/SKILL.md': openText(['name: bad', 'description: x', 'kind: a: b']),
      'mission/orchestrator/skills/worse.md': openText(['name: worse']),
    });
    const registry = await tiers.load();
    expect(registry.entries.map(({ name }) => name)).toEqual(['good']);
    expect(registry.findings).toEqual([]);
    expect(quietOf(registry, tiers)).toEqual([
      'warning description-missing mission/orchestrator/skills/worse.md',
      'warning yaml-error home/.claude/skills/bad/SKILL.md',
    ]);
    const request = { registry, role: 'r', rolePath: 'r.md', additions: noAdditions(), granted: [] };
    const { refusals } = forceLoad({ ...request, roleSkills: ['bad', 'worse', 'none'] });
    expect(refusals.map(({ code, message }) => [code, message.replaceAll(`${tiers.root}/`, '')])).toEqual([
      [
        'unknown-skill',
        'no skill or rule is named "bad"; home/.claude/skills/bad/SKILL.md is not loaded: YAML: the value holds ": ", which begins another key in text without quotes',
      ],
      [
        'unknown-skill',
        'no skill or rule is named "worse"; mission/orchestrator/skills/worse.md is not loaded: description is missing or blank',
      ],
      ['unknown-skill', 'no skill or rule is named "none"'],
    ]);
  });

  test('a bad file of a name that another tier has: that one is used, and whoever names it is told', async () => {
    const tiers = await fourTiers({
      'pkg/skills/foo/SKILL.md': governed('foo'),
      'home/.bnerd/skills/foo.md': openText(['name: foo']),
      'repo/.bnerd/skills/foo.md': openText(['name: foo']),
    });
    const registry = await tiers.load();
    const { entries, notes } = forceLoad({
      ...{ registry, role: 'r', rolePath: 'r.md', additions: noAdditions(), granted: [] },
      roleSkills: ['foo'],
    });
    expect(entries).toMatchObject([{ tier: 'builtin' }]);
    expect(notes).toMatchObject([
      { code: 'entry-not-loaded', severity: 'warning', path: join(tiers.root, 'home/.bnerd/skills/foo.md') },
    ]);
  });

  test('of a folder that needs approvals only so much is looked at', async () => {
    const files = Object.fromEntries(
      Array.from({ length: MAX_ASKED + 1 }, (_, at) => [
        `repo/.bnerd/rules/n${String(at).padStart(4, '0')}.md`,
        'x',
      ]),
    );
    const tiers = await fourTiers(files);
    const registry = await tiers.load();
    expect(registry.refused).toHaveLength(MAX_ASKED);
    // Said aloud: what is not looked at may have been approved.
    expect(registry.findings).toMatchObject([
      {
        code: 'too-many-entries',
        severity: 'warning',
        path: join(tiers.root, 'repo/.bnerd/rules'),
        message: expect.stringContaining('2001 items'),
      },
    ]);
  });

  test('of all such folders together only so much is looked at, those of the strongest places', async () => {
    const half = MAX_ASKED / 2 + 1;
    const many = (folder: string) =>
      Array.from({ length: half }, (_, at) => [`repo/${folder}/n${at}.md`, 'x'] as const);
    const tiers = await fourTiers({
      'pkg/skills/an-entry/SKILL.md': governedText({ name: 'an-entry' }, '\nBuilt in.\n'),
      ...Object.fromEntries([...many('.bnerd/rules'), ...many('app/.bnerd/rules')]),
    });
    const registry = await tiers.load();
    expect(registry.entries).toHaveLength(1);
    const refused = registry.refused.map(({ path }) => path);
    expect(refused).toHaveLength(MAX_ASKED);
    expect(refused.filter((path) => path.includes('repo/app/'))).toHaveLength(half);
    expect(registry.findings).toMatchObject([
      { code: 'too-many-entries', path: join(tiers.root, 'repo/.bnerd/rules') },
    ]);
  });

  test('links that lead out are left out: of an entry quietly, of a whole folder of the operator with a word', async () => {
    const tiers = await fourTiers({
      'outside/foo/SKILL.md': foo(),
      'home/.claude/skills/good/SKILL.md': 'x',
    });
    await symlink(join(tiers.root, 'outside/foo'), join(tiers.root, 'home/.claude/skills/foo'));
    await symlink(join(tiers.root, 'outside'), join(tiers.root, 'home/.bnerd/skills'));
    await mkdir(join(tiers.root, 'repo/.claude'));
    await symlink(join(tiers.root, 'outside'), join(tiers.root, 'repo/.claude/skills'));
    const registry = await tiers.load();
    expect(registry.entries).toEqual([]);
    expect(registry.findings).toMatchObject([
      { code: 'link-leads-out', severity: 'warning', path: join(tiers.root, 'home/.bnerd/skills') },
    ]);
    expect(quietOf(registry, tiers)).toEqual([
      'warning link-leads-out home/.claude/skills/foo',
      'warning link-leads-out repo/.claude/skills',
      'warning no-frontmatter home/.claude/skills/good/SKILL.md',
    ]);
  });
});
