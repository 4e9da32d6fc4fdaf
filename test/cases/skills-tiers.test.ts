// Cases B10, B11, B15, B16, B18, N21, L5, U26 through the built program: of one name which file is used, what is said
// of the others, and where it is said.
import { describe, expect, test } from 'vitest';
import { entryFile, type SkillTiers, skillTiers } from '../helpers/skill-tiers.js';

/** Name, tier, state and what hides it, of every file of one name. */
async function standing(at: SkillTiers, name: string): Promise<string[]> {
  return (await at.list(name)).map(({ kind, tier, state, path, by }) =>
    [kind, tier, state, at.short(path), ...(by === null ? [] : [`by ${at.short(by)}`])].join(' '),
  );
}

/** A directory that the built-in quickstart surveys. */
const SURVEYED = {
  'README.md': '# Place\n\nA place.\n',
  'notes.md': 'One note.\n',
  'lamp.md': 'One lamp.\n',
};

/** The commands that load the entries and print nothing else of a sound catalogue on stderr. */
const LISTINGS = [
  ['skills', 'list'],
  ['skills', 'show', 'k8s-security'],
] as const;

test('B10: project flat foo.md and global directory foo/: the project flat wins, tier before format', async () => {
  const at = await skillTiers({
    global: { 'skills/foo/SKILL.md': entryFile('foo') },
    project: { '.bnerd/skills/foo.md': entryFile('foo') },
  });
  // Until the operator's word it hides nothing.
  expect(await standing(at, 'foo')).toEqual([
    'skill global in_use global/skills/foo/SKILL.md',
    'skill project untrusted project/.bnerd/skills/foo.md',
  ]);
  await at.approve('.bnerd/skills/foo.md');
  expect(await standing(at, 'foo')).toEqual([
    'skill project in_use project/.bnerd/skills/foo.md',
    'skill global shadowed global/skills/foo/SKILL.md by project/.bnerd/skills/foo.md',
  ]);
});

test('B11: one tier, both forms of foo: the directory wins, no collision error', async () => {
  const at = await skillTiers({
    global: { 'skills/foo.md': entryFile('foo'), 'skills/foo/SKILL.md': entryFile('foo') },
  });
  expect(await standing(at, 'foo')).toEqual([
    'skill global in_use global/skills/foo/SKILL.md',
    'skill global shadowed global/skills/foo.md by global/skills/foo/SKILL.md',
  ]);
  const { exit, stdout, stderr } = await at.here(['skills', 'list', '--findings']);
  expect([exit, stderr]).toEqual([0, '0 findings\n']);
  expect(stdout).not.toContain('duplicate-entry');
});

describe('B15: project k8s-security (kind omitted) over the built-in rule', () => {
  const WARNING =
    'Warning: project "k8s-security" declares kind "skill" but "k8s-security" is a\n' +
    '  built-in rule; keeping the built-in rule (rename it, or use kind: rule to override)\n';

  test('the built-in is kept; exactly one warning with tier, name, kind, remedies, in the words of the contract', async () => {
    const at = await skillTiers({
      project: { ...SURVEYED, '.bnerd/skills/k8s-security.md': entryFile('k8s-security') },
    });
    await at.approve('.bnerd/skills/k8s-security.md');
    expect(await standing(at, 'k8s-security')).toEqual([
      'rule builtin in_use package/skills/rules/k8s-security.md',
      'skill project shadowed project/.bnerd/skills/k8s-security.md by package/skills/rules/k8s-security.md',
    ]);
    for (const words of LISTINGS) expect(await at.bnerd(words)).toMatchObject({ exit: 0, stderr: WARNING });
    // Beside what else they say: once, at the head of a line.
    for (const words of [
      ['team', 'describe', 'quickstart'],
      ['team', 'describe', 'quickstart', '--prompt', 'scout'],
      ['team', 'lint'],
      ['skills', 'lint'],
      ['skills', 'audit'],
      ['skills', 'list', '--findings'],
      ['skills', 'list', '--role', 'scout'],
      ['team', 'run', 'quickstart'],
    ]) {
      const { exit, stderr } = await at.here(words);
      expect([words, exit, `\n${stderr}`.split(`\n${WARNING}`).length]).toEqual([words, 0, 2]);
    }
  });
});

test('B16: the same with kind: rule in .bnerd/rules: the project rule replaces it, no warning', async () => {
  const at = await skillTiers({
    project: { '.bnerd/rules/k8s-security.md': entryFile('k8s-security', ['kind: rule']) },
  });
  await at.approve('.bnerd/rules/k8s-security.md');
  expect(await standing(at, 'k8s-security')).toEqual([
    'rule project in_use project/.bnerd/rules/k8s-security.md',
    'rule builtin shadowed package/skills/rules/k8s-security.md by project/.bnerd/rules/k8s-security.md',
  ]);
  for (const words of LISTINGS) expect(await at.here(words)).toMatchObject({ exit: 0, stderr: '' });
});

describe('B18: the earlier rule is kept, and the warning fits the tree', () => {
  test('a .claude/skills entry with kind: rule over a built-in rule', async () => {
    const path = '.claude/skills/k8s-security/SKILL.md';
    const at = await skillTiers({ project: { [path]: entryFile('k8s-security', ['kind: rule']) } });
    await at.approve(path);
    expect(await standing(at, 'k8s-security')).toEqual([
      'rule builtin in_use package/skills/rules/k8s-security.md',
      `skill project shadowed project/${path} by package/skills/rules/k8s-security.md`,
    ]);
    expect((await at.here(['skills', 'list'])).stderr).toBe(
      'Warning: project "k8s-security" declares kind "skill" but "k8s-security" is a\n' +
        '  built-in rule; keeping the built-in rule (rename it, or move it to .bnerd/rules/)\n',
    );
  });

  test("a project skill over the user's own global always-on rule", async () => {
    const at = await skillTiers({
      global: { 'rules/tone.md': entryFile('tone') },
      project: { '.bnerd/skills/tone.md': entryFile('tone') },
    });
    await at.approve('.bnerd/skills/tone.md');
    expect(await standing(at, 'tone')).toEqual([
      'rule global in_use global/rules/tone.md',
      'skill project shadowed project/.bnerd/skills/tone.md by global/rules/tone.md',
    ]);
    expect((await at.here(['skills', 'list'])).stderr).toBe(
      'Warning: project "tone" declares kind "skill" but "tone" is a\n' +
        '  global rule; keeping the global rule (rename it, or use kind: rule to override)\n',
    );
  });

  test('a project skill over a built-in rule that the global tier replaced by a rule', async () => {
    const at = await skillTiers({
      global: { 'rules/k8s-security.md': entryFile('k8s-security') },
      project: { '.bnerd/skills/k8s-security.md': entryFile('k8s-security') },
    });
    await at.approve('.bnerd/skills/k8s-security.md');
    expect(await standing(at, 'k8s-security')).toEqual([
      'rule global in_use global/rules/k8s-security.md',
      'skill project shadowed project/.bnerd/skills/k8s-security.md by global/rules/k8s-security.md',
      'rule builtin shadowed package/skills/rules/k8s-security.md by global/rules/k8s-security.md',
    ]);
    const { stderr } = await at.here(['skills', 'list']);
    expect(stderr.match(/^Warning: /gm)).toHaveLength(1);
    expect(stderr).toMatch(/keeping the built-in rule \(rename it, or use kind: rule to override\)\n$/);
  });
});

test('N21: the same identifier from two sources: the later trusted tier wins, both are listed', async () => {
  const at = await skillTiers({
    global: { 'skills/lore/SKILL.md': entryFile('lore', [], 'Of the operator.') },
    project: { '.bnerd/skills/lore/SKILL.md': entryFile('lore', [], 'Of strangers.') },
    mission: { 'orchestrator/skills/lore/SKILL.md': entryFile('lore', [], 'Of the mission.') },
  });
  expect(await standing(at, 'lore')).toEqual([
    'skill mission in_use mission/orchestrator/skills/lore/SKILL.md',
    'skill project untrusted project/.bnerd/skills/lore/SKILL.md',
    'skill global shadowed global/skills/lore/SKILL.md by mission/orchestrator/skills/lore/SKILL.md',
  ]);
  const { stdout } = await at.here(['skills', 'list']);
  expect(stdout).toMatch(/^skill +lore +mission +in use +What lore is for\.$/m);
  expect(stdout).toMatch(
    /^skill +lore +global +shadowed by \S+mission\/orchestrator\/skills\/lore\/SKILL\.md +/m,
  );
  expect((await at.here(['skills', 'show', 'lore', '--rendered'])).stdout).toBe(
    '[Skill: lore]\nWhat lore is for.\n\nOf the mission.',
  );
});

describe('L5: no origin; origin: unknown', () => {
  const governed = (more: string): string =>
    `---\nname: one\nversion: 1.0.0\ndescription: One.\n${more}---\nText.\n`;

  test.each([
    ['no origin', '', 'origin'],
    ['origin: unknown', 'origin: unknown\n', 'unknown'],
  ])('%s: refused, and the listing says why', async (_, more, word) => {
    const at = await skillTiers({
      mission: {
        '.bnerd/context.md': '---\nskills: governed\n---\nA mission.\n',
        'orchestrator/skills/one/SKILL.md': governed(more),
      },
    });
    const [one, ...others] = await at.list('one');
    expect(others).toEqual([]);
    expect(one).toMatchObject({ tier: 'mission', state: 'refused', description: null, digest: null });
    expect(one?.why).toContain(word);
    const { stdout } = await at.here(['skills', 'list', '--findings']);
    expect(stdout).toMatch(
      /^\S+orchestrator\/skills\/one\/SKILL\.md(:\d+)?: error [a-z-]+ .*origin.* \(.+\)$/m,
    );
    expect((await at.bnerd(['team', 'run', 'quickstart'])).exit).toBe(2);
  });
});

test('U26: one bad bundle among ten: nine load, one is quarantined with the reason', async () => {
  const names = Array.from({ length: 10 }, (_, at) => `bundle-${at}`);
  const files = names.map((name) => [`skills/${name}/SKILL.md`, entryFile(name)] as const);
  const at = await skillTiers({
    project: SURVEYED,
    global: { ...Object.fromEntries(files), 'skills/bundle-4/SKILL.md': '---\nname: bundle-4\n---\nText.\n' },
  });
  const listed = (await at.list()).filter(({ name }) => names.includes(name));
  expect(listed.filter(({ state }) => state === 'in_use').map(({ name }) => name)).toEqual(
    names.filter((name) => name !== 'bundle-4'),
  );
  expect(listed.filter(({ state }) => state !== 'in_use')).toMatchObject([
    { name: 'bundle-4', state: 'refused', why: 'description is missing or blank' },
  ]);
  const { exit, stdout } = await at.here(['skills', 'list', '--findings']);
  expect(exit).toBe(0);
  expect(stdout).toMatch(
    /^\S+\/skills\/bundle-4\/SKILL\.md(:\d+)?: warning [a-z-]+ not loaded: description is missing or blank \(.+\)$/m,
  );
  // Without being asked nothing is said of it, and a run goes on without it.
  expect((await at.here(['skills', 'list'])).stderr).toBe('');
  expect((await at.bnerd(['team', 'run', 'quickstart'])).exit).toBe(0);
});
