import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CataloguePlaces } from '../../src/catalog/tiers.js';
import { NO_APPROVALS } from '../../src/catalog/trust.js';
import { CancelledError } from '../../src/shared/errors.js';
import { hasErrors } from '../../src/shared/findings.js';
import { noAdditions } from '../../src/skills/choose/additions.js';
import { forceLoad } from '../../src/skills/choose/force-load.js';
import { ruleKeptText } from '../../src/skills/decide/rule-guard.js';
import { type LoadOptions, loadRegistry, type Registry, registryLoader } from '../../src/skills/registry.js';
import { renderForSystem } from '../../src/skills/render.js';
import { DEFAULT_SKILL_SETTINGS } from '../../src/skills/settings.js';
import { putFiles } from '../helpers/repository.js';
import { tempDir } from '../helpers/temp-dir.js';
import { governedText } from './entries.js';

interface Line {
  readonly fields: object;
  readonly message: string;
}

function options(lines: Line[] = []): LoadOptions {
  return {
    signal: new AbortController().signal,
    log: { info: (fields, message) => void lines.push({ fields, message }) },
    settings: DEFAULT_SKILL_SETTINGS,
  };
}

/** A package and a mission repository with these files; paths start with `pkg/` or `mission/`. */
async function placesWith(
  files: Readonly<Record<string, string>>,
): Promise<CataloguePlaces & { root: string }> {
  const root = await tempDir('skills');
  await mkdir(join(root, 'pkg'));
  await mkdir(join(root, 'mission'));
  await putFiles(root, files);
  return {
    root,
    packageRoot: join(root, 'pkg'),
    global: null,
    project: null,
    mission: { path: join(root, 'mission'), named: true },
    trust: NO_APPROVALS,
  };
}

/** The word of a mission repository that its entries are governed. */
const GOVERNED = { 'mission/.bnerd/context.md': '---\nskills: governed\n---\n' };

const named = (name: string, fields: Record<string, string> = {}): string =>
  governedText({ name, ...fields });

const load = (places: CataloguePlaces): Promise<Registry> => loadRegistry(places, options());

const codesOf = (registry: Registry): string[] => registry.findings.map(({ code }) => code);

describe('loading', () => {
  test('reads rules and skills of both tiers, in both layouts', async () => {
    const places = await placesWith({
      'pkg/skills/alpha/SKILL.md': named('alpha'),
      'pkg/skills/rules/house.md': named('house'),
      'mission/orchestrator/rules/mission-rule.md': named('mission-rule'),
      'mission/orchestrator/skills/flat.md': named('flat'),
      'mission/orchestrator/skills/nested/SKILL.md': named('nested'),
    });
    const registry = await load(places);
    expect(registry.findings).toEqual([]);
    expect(registry.entries).toMatchObject([
      { name: 'alpha', kind: 'skill', tier: 'builtin', trust: 'instruction', alwaysOn: false },
      { name: 'flat', kind: 'skill', tier: 'mission', trust: 'instruction' },
      { name: 'house', kind: 'rule', tier: 'builtin', alwaysOn: true },
      { name: 'mission-rule', kind: 'rule', tier: 'mission' },
      { name: 'nested', kind: 'skill', tier: 'mission' },
    ]);
    expect(registry.byName.get('alpha')?.path).toBe(join(places.root, 'pkg/skills/alpha/SKILL.md'));
  });

  test('without folders, without a mission: an empty registry', async () => {
    const places = await placesWith({});
    expect(await load({ ...places, mission: null })).toMatchObject({
      entries: [],
      files: [],
      findings: [],
      untrusted: [],
      quiet: new Map(),
    });
  });

  test('one bad file among ten: nine load, the one is refused with path, line and reason', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [
        `pkg/skills/s${index}/SKILL.md`,
        named(`s${index}`, index === 4 ? { colour: 'blue' } : {}),
      ]),
    );
    const places = await placesWith(files);
    const registry = await load(places);
    expect(registry.entries).toHaveLength(9);
    expect(registry.findings).toMatchObject([
      {
        code: 'unknown-field',
        severity: 'error',
        path: join(places.root, 'pkg/skills/s4/SKILL.md'),
        line: 6,
      },
    ]);
    expect(hasErrors(registry.findings)).toBe(true);
  });

  test('a mission entry of the same name replaces a built-in skill and both stay visible', async () => {
    const registry = await load(
      await placesWith({
        'pkg/skills/flux/SKILL.md': named('flux'),
        'mission/orchestrator/skills/flux.md': named('flux'),
      }),
    );
    expect(registry.entries).toMatchObject([{ name: 'flux', tier: 'mission' }]);
    expect(registry.shadowed).toMatchObject([{ entry: { tier: 'builtin' }, by: { tier: 'mission' } }]);
  });

  test('a mission skill over a built-in rule: the rule is kept, one warning', async () => {
    const registry = await load(
      await placesWith({
        'pkg/skills/rules/k8s-security.md': named('k8s-security'),
        'mission/orchestrator/skills/k8s-security/SKILL.md': named('k8s-security'),
      }),
    );
    expect(registry.entries).toMatchObject([{ kind: 'rule', tier: 'builtin' }]);
    expect(registry.findings.flatMap((finding) => ruleKeptText(finding) ?? [])).toEqual([
      'Warning: mission "k8s-security" declares kind "skill" but "k8s-security" is a\n' +
        '  built-in rule; keeping the built-in rule (rename it, or use kind: rule to override)',
    ]);
    expect(hasErrors(registry.findings)).toBe(false);
  });

  test('one info line an entry with name, path, tier and self-declared origin, and one with the count', async () => {
    const lines: Line[] = [];
    const places = await placesWith({
      'pkg/skills/a/SKILL.md': named('a'),
      'pkg/skills/b/SKILL.md': named('b'),
    });
    await loadRegistry(places, options(lines));
    expect(lines).toMatchObject([
      {
        message: 'entry loaded',
        fields: { entry: 'a', tier: 'builtin', selfDeclaredOrigin: 'proprietary', path: expect.any(String) },
      },
      { message: 'entry loaded', fields: { entry: 'b' } },
      { message: 'entries loaded', fields: { count: 2 } },
    ]);
  });
});

describe('what lies beside entries', () => {
  test('other files in a governed directory are warned of, one finding each', async () => {
    const places = await placesWith({
      'pkg/skills/a/SKILL.md': named('a'),
      'pkg/skills/a/notes.txt': 'x',
      'pkg/skills/a/references/guide.md': 'x',
      'pkg/skills/loose.md': named('loose'),
      'pkg/skills/rules/rule.yaml': 'x',
      'pkg/skills/rules/folder/x.md': 'x',
    });
    const registry = await load(places);
    expect(registry.entries.map(({ name }) => name)).toEqual(['a']);
    expect(
      registry.findings.map(({ code, severity, path }) => [
        code,
        severity,
        path.slice(places.root.length + 1),
      ]),
    ).toEqual([
      ['extra-file', 'warning', 'pkg/skills/a/notes.txt'],
      ['extra-file', 'warning', 'pkg/skills/a/references'],
      ['extra-file', 'warning', 'pkg/skills/loose.md'],
      ['extra-file', 'warning', 'pkg/skills/rules/folder'],
      ['extra-file', 'warning', 'pkg/skills/rules/rule.yaml'],
    ]);
  });

  test('a README, the lock file and dot files are no entries and no finding', async () => {
    const registry = await load(
      await placesWith({
        'mission/orchestrator/skills/README.md': '# Ours',
        'mission/orchestrator/skills/skills.lock': '{}',
        'mission/orchestrator/skills/.DS_Store': '',
        'mission/orchestrator/skills/.git/SKILL.md': '',
      }),
    );
    expect(registry).toMatchObject({ entries: [], findings: [] });
  });

  test.each(['skill.md', 'other.md'])(
    'a directory with %s and without SKILL.md: one finding',
    async (file) => {
      const registry = await load(
        await placesWith({ ...GOVERNED, [`mission/orchestrator/skills/x/${file}`]: 'x' }),
      );
      expect(registry.entries).toEqual([]);
      expect(codesOf(registry)).toEqual(['skill-file-missing']);
    },
  );
});

describe('files that are not what they seem', () => {
  test('a link to a file inside the tier is read', async () => {
    const places = await placesWith({ 'mission/shared/a.md': named('a') });
    await mkdir(join(places.root, 'mission/orchestrator/skills'), { recursive: true });
    await symlink('../../shared/a.md', join(places.root, 'mission/orchestrator/skills/a.md'));
    expect((await load(places)).entries).toMatchObject([{ name: 'a' }]);
  });

  test('links that lead out of the tier are refused: file, directory and folder', async () => {
    const places = await placesWith({
      ...GOVERNED,
      'outside/a/SKILL.md': named('a'),
      'outside/rule.md': named('rule'),
      'mission/orchestrator/skills/c/keep.txt': '',
    });
    await symlink(join(places.root, 'outside/a'), join(places.root, 'mission/orchestrator/skills/a'));
    await symlink(
      join(places.root, 'outside/rule.md'),
      join(places.root, 'mission/orchestrator/skills/rule.md'),
    );
    await symlink(
      join(places.root, 'outside/a/SKILL.md'),
      join(places.root, 'mission/orchestrator/skills/c/SKILL.md'),
    );
    await symlink(join(places.root, 'outside'), join(places.root, 'mission/orchestrator/rules'));
    const registry = await load(places);
    expect(registry.entries).toEqual([]);
    const errors = registry.findings.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ code, path }) => [code, path.slice(places.root.length + 1)])).toEqual([
      ['link-leads-out', 'mission/orchestrator/rules'],
      ['link-leads-out', 'mission/orchestrator/skills/a'],
      ['link-leads-out', 'mission/orchestrator/skills/c/SKILL.md'],
      ['link-leads-out', 'mission/orchestrator/skills/rule.md'],
    ]);
  });

  test('a dangling link, a pipe, a directory named SKILL.md, bytes that are no UTF-8: each an error, none hangs', async () => {
    const places = await placesWith({
      'pkg/skills/dangling/keep.txt': '',
      'pkg/skills/pipe/keep.txt': '',
      'pkg/skills/folder/SKILL.md/x': '',
      'pkg/skills/good/SKILL.md': named('good'),
    });
    await symlink('nowhere', join(places.root, 'pkg/skills/dangling/SKILL.md'));
    await execa('mkfifo', [join(places.root, 'pkg/skills/pipe/SKILL.md')]);
    await mkdir(join(places.root, 'pkg/skills/bytes'));
    await writeFile(join(places.root, 'pkg/skills/bytes/SKILL.md'), Buffer.from([0x2d, 0x2d, 0x2d, 0xff]));
    const registry = await load(places);
    expect(registry.entries.map(({ name }) => name)).toEqual(['good']);
    const errors = registry.findings.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ path }) => path.slice(places.root.length + 1))).toEqual([
      'pkg/skills/bytes/SKILL.md',
      'pkg/skills/dangling/SKILL.md',
      'pkg/skills/folder/SKILL.md',
      'pkg/skills/pipe/SKILL.md',
    ]);
  });

  test('a file in the place of a folder is an error of a governed source, and is said of an open one', async () => {
    const files = { 'mission/orchestrator/skills': 'x' };
    for (const [more, severity] of [
      [GOVERNED, 'error'],
      [{}, 'warning'],
    ] as const) {
      const registry = await load(await placesWith({ ...files, ...more }));
      expect(registry.findings).toMatchObject([{ code: 'unreadable-folder', severity }]);
    }
  });
});

describe('one load', () => {
  test('32 concurrent calls: one load, the same result', async () => {
    const lines: Line[] = [];
    const places = await placesWith({ 'pkg/skills/a/SKILL.md': named('a') });
    const loader = registryLoader(places, options(lines));
    const results = await Promise.all(Array.from({ length: 32 }, () => loader()));
    expect(new Set(results).size).toBe(1);
    expect(lines.filter(({ message }) => message === 'entries loaded')).toHaveLength(1);
    await putFiles(places.root, { 'pkg/skills/b/SKILL.md': named('b') });
    expect(await loader()).toBe(results[0]);
  });

  test('a load that is called off throws, and is forgotten', async () => {
    const places = await placesWith({ 'pkg/skills/a/SKILL.md': named('a') });
    const controller = new AbortController();
    controller.abort();
    const loader = registryLoader(places, { ...options(), signal: controller.signal });
    const first = loader();
    await expect(first).rejects.toBeInstanceOf(CancelledError);
    expect(loader()).not.toBe(first);
    await expect(loader()).rejects.toBeInstanceOf(CancelledError);
  });

  test('a thousand entries load, each validated whole', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [
        `pkg/skills/entry-${index}/SKILL.md`,
        governedText({ name: `entry-${index}` }, `\n${'Knowledge in a line of text.\n'.repeat(100)}`),
      ]),
    );
    const registry = await load(await placesWith(files));
    expect(registry.entries).toHaveLength(1_000);
    expect(registry.findings).toEqual([]);
  });
});

function compose(registry: Registry): string {
  const { entries } = forceLoad({
    registry,
    role: 'r',
    rolePath: 'r.md',
    roleSkills: registry.entries.map(({ name }) => name),
    additions: noAdditions(),
    granted: ['shell'],
  });
  return entries.map((entry) => renderForSystem(entry)).join('\n\n');
}

test('50 rounds over files written in any order, in other directories and time zones: the same bytes', async () => {
  const files: [string, string][] = [
    ['pkg/skills/Zeta/SKILL.md', named('Zeta')],
    ['pkg/skills/alpha/SKILL.md', named('alpha', { requires: '[shell]' })],
    ['pkg/skills/éclair/SKILL.md', named('éclair')],
    ['pkg/skills/rules/zz.md', named('zz')],
    ['pkg/skills/rules/a-rule.md', named('a-rule')],
    ['mission/orchestrator/skills/alpha.md', named('alpha', { description: 'Ours' })],
    ['mission/orchestrator/skills/more/SKILL.md', named('more')],
    ['mission/orchestrator/rules/zz.md', named('zz', { description: 'Ours' })],
  ];
  const zones = ['UTC', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Kiritimati'];
  const before = process.env['TZ'];
  const seen = new Set<string>();
  try {
    const orders = fc.sample(fc.shuffledSubarray(files, { minLength: files.length }), 50);
    for (const [round, order] of orders.entries()) {
      process.env['TZ'] = zones[round % zones.length];
      seen.add(compose(await load(await placesWith(Object.fromEntries(order)))));
    }
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
  expect(seen.size).toBe(1);
  expect([...[...seen].join('').matchAll(/^\[(\w+: [^\]]+)\]/gm)].map((match) => match[1])).toEqual([
    'Rule: a-rule',
    'Rule: zz',
    'Skill: Zeta',
    'Skill: alpha',
    'Skill: more',
    'Skill: éclair',
  ]);
});
