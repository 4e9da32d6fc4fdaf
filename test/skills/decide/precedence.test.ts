import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TrustVerdict } from '../../../src/catalog/trust.js';
import { compareBytes } from '../../../src/skills/byte-order.js';
import { decidePrecedence } from '../../../src/skills/decide/precedence.js';
import { ruleKeptText } from '../../../src/skills/decide/rule-guard.js';
import type { Registry } from '../../../src/skills/registry.js';
import { anEntry, fileOf, registryOf } from '../entries.js';

const warningsOf = ({ findings }: Registry): string[] =>
  findings.flatMap((finding) => ruleKeptText(finding) ?? []);

const builtinRule = anEntry({ kind: 'rule', name: 'k8s-security' });

describe('which entry of a name is used', () => {
  test('the later tier wins, the loser stays visible with both paths', () => {
    const builtin = anEntry({ name: 'a' });
    const mission = anEntry({ name: 'a', tier: 'mission', path: 'm/orchestrator/skills/a.md' });
    const registry = registryOf([mission, builtin]);
    expect(registry.entries).toEqual([mission]);
    expect(registry.shadowed).toEqual([{ entry: builtin, by: mission }]);
    expect(registry.findings).toEqual([]);
  });

  test('tier comes before form: a flat file of a later tier beats a directory of an earlier one', () => {
    const global = anEntry({ name: 'foo', tier: 'global', path: 'home/.claude/skills/foo/SKILL.md' });
    const project = anEntry({ name: 'foo', tier: 'project', path: '.bnerd/skills/foo.md' });
    expect(registryOf([global, project]).byName.get('foo')).toBe(project);
  });

  test('one tier, both forms: the directory wins, no collision error', () => {
    const flat = anEntry({ name: 'foo', tier: 'mission', path: 'm/orchestrator/skills/foo.md' });
    const directory = anEntry({ name: 'foo', tier: 'mission', path: 'm/orchestrator/skills/foo/SKILL.md' });
    const registry = registryOf([directory, flat]);
    expect(registry.entries).toEqual([directory]);
    expect(registry.shadowed).toEqual([{ entry: flat, by: directory }]);
    expect(registry.findings).toEqual([]);
  });

  test.each([
    ['a governed', true, 'error'],
    ['an open', false, 'warning'],
  ])(
    'a name twice in one form of %s tier: the first by path, and one finding that names both files',
    (_, strict, severity) => {
      const rule = anEntry({
        kind: 'rule',
        name: 'foo',
        tier: 'mission',
        path: 'm/orchestrator/rules/foo.md',
      });
      const skill = anEntry({ name: 'foo', tier: 'mission', path: 'm/orchestrator/skills/foo.md' });
      const registry = registryOf([skill, rule], { strict });
      expect(registry.entries).toEqual([rule]);
      expect(registry.shadowed).toEqual([{ entry: skill, by: rule }]);
      expect(registry.findings).toMatchObject([
        {
          code: 'duplicate-entry',
          severity,
          path: skill.path,
          message: expect.stringContaining(rule.path),
        },
      ]);
    },
  );

  test('a skill directory does not silently hide a rule of its own tier', () => {
    const skill = anEntry({ name: 'k8s-security' });
    expect(registryOf([builtinRule, skill]).findings).toMatchObject([
      { code: 'duplicate-entry', severity: 'error' },
    ]);
  });
});

describe('a built-in rule stays a rule', () => {
  const skill = anEntry({ name: 'k8s-security', tier: 'project', path: '.bnerd/skills/k8s-security.md' });

  test('a skill of a later tier: the built-in is kept, exactly one warning with tier, name, kind, remedies', () => {
    const registry = registryOf([builtinRule, skill]);
    expect(registry.entries).toEqual([builtinRule]);
    expect(registry.shadowed).toEqual([{ entry: skill, by: builtinRule }]);
    expect(warningsOf(registry)).toEqual([
      'Warning: project "k8s-security" declares kind "skill" but "k8s-security" is a\n' +
        '  built-in rule; keeping the built-in rule (rename it, or use kind: rule to override)',
    ]);
    expect(registry.findings).toMatchObject([
      {
        code: 'rule-kept',
        severity: 'warning',
        path: skill.path,
        remedy: 'rename it, or use kind: rule to override',
      },
    ]);
  });

  test('the same with kind: rule replaces, no warning', () => {
    const rule = anEntry({
      kind: 'rule',
      name: 'k8s-security',
      tier: 'project',
      path: '.bnerd/rules/k8s-security.md',
    });
    const registry = registryOf([builtinRule, rule]);
    expect(registry.entries).toEqual([rule]);
    expect(warningsOf(registry)).toEqual([]);
    expect(registry.findings).toEqual([]);
  });

  test('also when a tier between replaced it by another rule', () => {
    const rule = anEntry({
      kind: 'rule',
      name: 'k8s-security',
      tier: 'global',
      path: 'home/.bnerd/rules/k8s-security.md',
    });
    const registry = registryOf([builtinRule, rule, skill]);
    expect(registry.entries).toEqual([rule]);
    expect(warningsOf(registry)).toHaveLength(1);
  });

  test.each(['rule', 'skill'] as const)('a built-in skill may be replaced by a %s, no warning', (kind) => {
    const builtin = anEntry({ name: 'flux' });
    const mission = anEntry({ kind, name: 'flux', tier: 'mission' });
    const registry = registryOf([builtin, mission]);
    expect(registry.entries).toEqual([mission]);
    expect(warningsOf(registry)).toEqual([]);
  });
});

describe('whatever files there are', () => {
  const entry = fc
    .record({
      kind: fc.constantFrom('rule' as const, 'skill' as const),
      alwaysOn: fc.boolean(),
      name: fc.constantFrom('a', 'B', 'b', 'é', '\uffff', '😀'),
      tier: fc.constantFrom('builtin' as const, 'global' as const, 'project' as const, 'mission' as const),
      form: fc.constantFrom(
        'skills/NAME/SKILL.md',
        'skills/NAME.md',
        'rules/NAME.md',
        '.claude/skills/NAME/SKILL.md',
      ),
    })
    .map(({ form, ...fields }) =>
      anEntry({ ...fields, path: `${fields.tier}/${form.replace('NAME', fields.name)}` }),
    );
  const entries = fc.uniqueArray(entry, { selector: ({ path }) => path, maxLength: 20 });

  test('their order decides nothing, entries stand in byte order of name, no file is lost', () => {
    fc.assert(
      fc.property(
        entries.chain((list) =>
          fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
        ),
        ([one, other]) => {
          const registry = registryOf(one);
          expect(registryOf(other)).toEqual(registry);
          const names = registry.entries.map(({ name }) => name);
          expect(names).toEqual([...new Set(one.map(({ name }) => name))].sort(compareBytes));
          expect(registry.entries.length + registry.shadowed.length).toBe(one.length);
        },
      ),
    );
  });

  test('untrusted ones are not used and hide nothing: the rest is decided as if they were not there', () => {
    const verdict = fc.constantFrom<TrustVerdict>(
      { kind: 'untrusted', changed: false },
      { kind: 'untrusted', changed: true },
      { kind: 'revoked', by: 'x' },
    );
    const asked = fc.tuple(
      entry.filter(({ tier }) => tier === 'project' || tier === 'mission'),
      verdict,
    );
    fc.assert(
      fc.property(entries, fc.array(asked, { maxLength: 10 }), (trusted, strangers) => {
        const files = trusted.map((one) => fileOf(one));
        const untrusted = strangers.map(([one, word]) =>
          fileOf({ ...one, trust: 'reference' }, { verdict: word }),
        );
        const alone = decidePrecedence(files);
        const together = decidePrecedence([...untrusted, ...files]);
        expect(together.entries).toEqual(alone.entries);
        expect(together.shadowed).toEqual(alone.shadowed);
        expect(together.untrusted).toHaveLength(untrusted.length);
        expect(together.entries.every(({ trust }) => trust === 'instruction')).toBe(true);
      }),
    );
  });

  test('a built-in rule, and a global one that is always on, never becomes a skill', () => {
    fc.assert(
      fc.property(entries, (list) => {
        const later = list.filter(({ tier }) => tier !== 'builtin');
        const { byName } = registryOf([
          builtinRule,
          ...later,
          anEntry({ ...builtinRule, name: 'a', path: 'builtin/rules/a.md' }),
        ]);
        expect(byName.get('a')?.kind).toBe('rule');
        const globalRules = later.filter(
          (one) => one.tier === 'global' && one.kind === 'rule' && one.alwaysOn,
        );
        const used = registryOf(later);
        for (const rule of globalRules) {
          const stronger = used.shadowed.find(({ entry: one }) => one === rule);
          if (stronger?.by.tier !== 'global') expect(used.byName.get(rule.name)?.kind).toBe('rule');
        }
      }),
    );
  });
});

test('byte order is that of UTF-8, not of UTF-16', () => {
  expect(['😀', '\uffff', 'é', 'b', 'B'].sort(compareBytes)).toEqual(['B', 'b', 'é', '\uffff', '😀']);
});

test('of many files that nobody has approved a hundred are told, those of a name in use among them', () => {
  const used = anEntry({ name: 'zz-used', tier: 'global', path: 'home/.bnerd/skills/zz-used.md' });
  const verdict = { kind: 'untrusted', changed: false } as const;
  const names = [...Array.from({ length: 130 }, (_, count) => `s${count}`), 'zz-used'];
  const strangers = names.map((name) =>
    fileOf(anEntry({ name, tier: 'project', path: `.bnerd/skills/${name}.md` }), { verdict }),
  );
  const { findings, untrusted } = decidePrecedence([fileOf(used), ...strangers]);
  expect(untrusted).toHaveLength(131);
  const told = findings.filter(({ code }) => code === 'untrusted').map(({ path }) => path);
  expect(told).toHaveLength(101);
  expect(told).toContain('.bnerd/skills/zz-used.md');
  expect(told.at(-1)).toBe('31 more files');
});
