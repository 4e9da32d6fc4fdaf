import { describe, expect, test } from 'vitest';
import { listRecipes, loadRecipe, loadRoles } from '../../src/catalog/catalogue.js';
import type { CataloguePlaces } from '../../src/catalog/tiers.js';
import { type House, placesOf } from '../../src/runtime/house.js';
import { lintCatalogue } from '../../src/runtime/lint.js';
import { prepareRun } from '../../src/runtime/plan/prepare-run.js';
import { loadRegistry, type Registry } from '../../src/skills/registry.js';
import { DEFAULT_SKILL_SETTINGS } from '../../src/skills/settings.js';
import { ORDER, writeMission } from '../helpers/team.js';

/** A machine with nothing but the package. */
async function builtins(): Promise<{ house: House; places: CataloguePlaces; registry: Registry }> {
  const { house: whole } = await writeMission({ roles: {}, script: {} });
  const house = { ...whole, mission: null };
  const places = placesOf(house);
  const log = { info: (): void => {} };
  return {
    house,
    places,
    registry: await loadRegistry(places, {
      signal: new AbortController().signal,
      log,
      settings: DEFAULT_SKILL_SETTINGS,
    }),
  };
}

describe('the built-in catalogue', () => {
  test('lints without an error and without a warning', async () => {
    const { house } = await builtins();
    const { findings } = await lintCatalogue(house, []);
    expect(findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
  });

  test('has the recipes that people run', async () => {
    const { places } = await builtins();
    const { recipes } = await listRecipes(places);
    expect(recipes.map(({ slug }) => slug)).toEqual([
      'feature',
      'incident-response',
      'pr-review',
      'quickstart',
    ]);
  });

  test('every role and every skill is used by a recipe, but the two of delegated engineers', async () => {
    const { places, registry } = await builtins();
    const { recipes } = await listRecipes(places);
    const loaded = await Promise.all(recipes.map(({ slug }) => loadRecipe(places, slug)));
    const names = loaded.flatMap((load) => (load.kind === 'loaded' ? load.recipe.roles : []));
    const { byIdentity, known } = await loadRoles(places, names);
    expect([...new Set(names)].sort()).toEqual([...known].sort());
    const listed = [...byIdentity.values()].flatMap((load) =>
      load.kind === 'loaded' ? load.role.skills : [],
    );
    const skills = registry.entries.filter(({ kind }) => kind === 'skill').map(({ name }) => name);
    const unused = skills.filter((name) => !listed.includes(name));
    expect(unused).toEqual(['implementation-craft', 'verification-before-handoff']);
  });

  test('a review runs read-only, and its reviewers hold nothing that writes or asks', async () => {
    const { places } = await builtins();
    const load = await loadRecipe(places, 'pr-review');
    expect(load).toMatchObject({
      kind: 'loaded',
      recipe: { safety: 'read-only', lead: 'product-orchestrator' },
    });
    const { byIdentity } = await loadRoles(places, ['code-reviewer', 'security-reviewer']);
    for (const role of byIdentity.values()) {
      expect(role).toMatchObject({ kind: 'loaded', role: { base: 'read' } });
      expect(JSON.stringify(role)).not.toMatch(/shell_exec|Bash/);
    }
  });

  test.each(['implementation-craft', 'verification-before-handoff'])(
    '%s needs a checkout of its own: a member is given the reason and starts without it',
    async (skill) => {
      const { house } = await builtins();
      const prepared = await prepareRun(
        { ...house, agentSkills: `scout=${skill}` },
        { ...ORDER, slug: 'quickstart' },
      );
      if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings));
      const detail = `${skill} requires repo-workspace, which this member is not granted`;
      expect(prepared.plan.entries).toEqual([
        { type: 'entry.rejected', member: 'scout', entry: skill, reason: 'capability', detail },
      ]);
      expect(JSON.stringify([...prepared.plan.prompts])).not.toContain(`[Skill: ${skill}]`);
    },
  );

  test.each([
    ['flux', 'Flux v2 API types, reconciliation loop, and image automation'],
    ['terraform', 'Terraform provider usage and module patterns'],
    ['k8s-security', 'Pod Security Standards and securityContext hardening'],
  ])('%s has the description that listings show', async (name, description) => {
    const { registry } = await builtins();
    expect(registry.byName.get(name)).toMatchObject({ name, description, tier: 'builtin' });
  });

  test('the rule on clusters comes along for the role it applies to and for no other', async () => {
    const { registry } = await builtins();
    expect(registry.byName.get('k8s-security')).toMatchObject({ kind: 'rule', alwaysOn: true });
    expect(registry.byName.get('k8s-security')?.appliesTo).toContain('platform-engineer');
    expect(registry.byName.get('k8s-security')?.appliesTo).not.toContain('team');
  });
});
