// spec/skills.md §9 through the program: the lock beside the entries, and what an audit says of what is in use or was.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { putFiles } from '../helpers/repository.js';
import { againstCycloneDx, againstSpdx } from '../helpers/sbom-schemas.js';
import {
  entryFile,
  governedFile,
  governedMission,
  lockEntries,
  PIN,
  skillTiers,
  THIRD_PARTY,
} from '../helpers/skill-tiers.js';

describe('the lock beside the entries', () => {
  const FOLDER = 'orchestrator/skills';

  test('lint: a text that changed under its version is an error, with a greater one the lock is behind', async () => {
    const at = await governedMission({ [`${FOLDER}/one/SKILL.md`]: governedFile('one', '1.0.0') });
    await lockEntries(at, ['one']);
    expect(await at.bnerd(['skills', 'lint', '--strict'])).toMatchObject({ exit: 0, stdout: '' });
    const change = (version: string): Promise<void> =>
      putFiles(at.mission, { [`${FOLDER}/one/SKILL.md`]: `${governedFile('one', version)}More.\n` });
    await change('1.0.0');
    const changed = await at.here(['skills', 'lint']);
    expect(changed.exit).toBe(1);
    expect(changed.stdout).toMatch(/one\/SKILL\.md: error version-not-bumped /);
    await change('1.1.0');
    const bumped = await at.here(['skills', 'lint']);
    expect(bumped.exit).toBe(0);
    expect(bumped.stdout).toMatch(/one\/SKILL\.md: warning lock-behind /);
    // An audit answers for what is in use: it wants the text that was agreed to.
    const audit = await at.bnerd(['skills', 'audit']);
    expect(audit.exit).toBe(1);
    expect(audit.stderr).toMatch(/one\/SKILL\.md: error lock-behind /);
  });

  test('lint: an entry that is not locked, and a locked one that is gone', async () => {
    const at = await governedMission({
      [`${FOLDER}/one/SKILL.md`]: governedFile('one', '1.0.0'),
      [`${FOLDER}/two/SKILL.md`]: governedFile('two', '1.0.0'),
    });
    await lockEntries(at, ['one']);
    await rm(join(at.mission, FOLDER, 'one'), { recursive: true });
    const { exit, stdout } = await at.bnerd(['skills', 'lint', join(at.mission, FOLDER)]);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/two\/SKILL\.md: warning not-locked /);
    expect(stdout).toMatch(/skills\.lock: warning lock-stale /);
    // A file alone is held against its own line and no other.
    const alone = await at.here(['skills', 'lint', join(at.mission, FOLDER, 'two')]);
    expect(alone.stdout).not.toContain('lock-stale');
  });

  test('audit fails for a third-party entry that did not come by import, and for one that is no longer what came', async () => {
    const at = await governedMission({ [`${FOLDER}/x/SKILL.md`]: governedFile('x', '1.0.0', THIRD_PARTY) });
    const without = await at.bnerd(['skills', 'audit']);
    expect(without.exit).toBe(1);
    expect(without.stderr).toMatch(/x\/SKILL\.md: error not-imported /);
    await lockEntries(at, ['x']);
    expect((await at.here(['skills', 'audit'])).exit).toBe(1);
    await lockEntries(at, ['x'], ['x']);
    const imported = await at.here(['skills', 'audit']);
    expect(imported.exit).toBe(0);
    expect(imported.stderr).toMatch(/^\d+ entries: no objection\n$/);
    await putFiles(at.mission, {
      [`${FOLDER}/x/SKILL.md`]: `${governedFile('x', '1.0.0', THIRD_PARTY)}More.\n`,
    });
    const edited = await at.here(['skills', 'audit']);
    expect(edited.exit).toBe(1);
    expect(edited.stderr).toMatch(/x\/SKILL\.md: error version-not-bumped /);
  });
});

describe('bnerd skills audit', () => {
  const FILES = {
    'orchestrator/skills/x/SKILL.md': governedFile('x', '1.0.0', [
      ...THIRD_PARTY,
      'vetted: by Ada 2026-08-09',
    ]),
    'orchestrator/skills/own/SKILL.md': governedFile('own', '2.0.0'),
    'orchestrator/roles/envoy.md': '---\nname: envoy\ndescription: Goes.\nskills: [x]\n---\nGo.\n',
  };

  test('the inventory: name, version, origin, license, upstream, vetted, digest, who uses it', async () => {
    const at = await governedMission(FILES);
    await lockEntries(at, ['x', 'own'], ['x']);
    const { entries } = JSON.parse((await at.here(['skills', 'audit', '--json'])).stdout);
    const [x] = entries.filter(({ name }: { name: string }) => name === 'x');
    expect(x).toEqual({
      kind: 'skill',
      name: 'x',
      version: '1.0.0',
      description: 'About x.',
      origin: 'third-party',
      license: 'MIT',
      upstream: PIN,
      vetted: 'by Ada 2026-08-09',
      digest: (await at.list('x'))[0]?.digest,
      tier: 'mission',
      path: 'orchestrator/skills/x/SKILL.md',
      trust: 'instruction',
      users: ['role envoy'],
    });
    const table = await at.bnerd(['skills', 'audit']);
    expect(table.exit).toBe(0);
    expect(table.stdout.split('\n')[0]).toMatch(
      /^NAME +KIND +VERSION +TIER +TRUST +ORIGIN +LICENSE +DIGEST /,
    );
    expect(table.stdout).toMatch(
      /^x +skill +1\.0\.0 +mission +instruction +third-party +MIT +1:[0-9a-f]{12} +by Ada 2026-08-09 +role envoy +https:/m,
    );
    expect(table.stdout).toMatch(/^evidence-first +rule .* team \(always on\) +-$/m);
  });

  test('a skill that nobody approved is in it when a role names it: it may go as reference text', async () => {
    const at = await skillTiers({
      global: { 'roles/envoy.md': '---\nname: envoy\ndescription: Goes.\nskills: [lore]\n---\nGo.\n' },
      project: { '.bnerd/skills/lore.md': entryFile('lore'), '.bnerd/skills/idle.md': entryFile('idle') },
    });
    const { entries } = JSON.parse((await at.here(['skills', 'audit', '--json'])).stdout);
    const project = entries.filter(({ tier }: { tier: string }) => tier === 'project');
    expect(project).toMatchObject([{ name: 'lore', trust: 'reference', users: ['role envoy'] }]);
  });

  test('CycloneDX and SPDX of the program validate against the published schemas, the same bytes each time', async () => {
    const at = await governedMission(FILES);
    await lockEntries(at, ['x', 'own'], ['x']);
    const cyclonedx = await at.bnerd(['skills', 'audit', '--format', 'cyclonedx']);
    expect([cyclonedx.exit, await againstCycloneDx(cyclonedx.stdout)]).toEqual([0, null]);
    const spdx = await at.bnerd(['skills', 'audit', '--format', 'spdx']);
    expect([spdx.exit, againstSpdx(JSON.parse(spdx.stdout))]).toEqual([0, null]);
    for (const [format, first] of [
      ['cyclonedx', cyclonedx],
      ['spdx', spdx],
    ] as const) {
      const elsewhere = { env: { TZ: 'Asia/Tokyo', LC_ALL: 'tr_TR.UTF-8' }, cwd: at.mission };
      expect((await at.bnerd(['skills', 'audit', '--format', format], elsewhere)).stdout).toBe(first.stdout);
      expect(first.stdout).not.toContain(at.place.root);
    }
    const dated = await at.here([
      'skills',
      'audit',
      '--format',
      'cyclonedx',
      '--created',
      '2026-08-09T12:00:00+02:00',
    ]);
    expect(await againstCycloneDx(dated.stdout)).toBeNull();
    expect(JSON.parse(dated.stdout).metadata.timestamp).toBe('2026-08-09T10:00:00Z');
    const wrong = await at.here(['skills', 'audit', '--created', 'yesterday']);
    expect(wrong).toMatchObject({ exit: 2, stdout: '' });
    expect(wrong.stderr).toMatch(/^--created: error bad-value "yesterday" .*now/);
  });

  test('--online compares what came by import, and nothing else; a record has nothing to fetch', async () => {
    const at = await governedMission({ 'orchestrator/skills/own/SKILL.md': governedFile('own', '1.0.0') });
    const { exit, stderr } = await at.bnerd(['skills', 'audit', '--online']);
    expect(exit).toBe(0);
    expect(stderr).toMatch(
      /^0 imported entries were fetched again and compared\n\d+ entries: no objection\n$/,
    );
    const both = await at.here(['skills', 'audit', 'run-x', '--online']);
    expect(both).toMatchObject({ exit: 2, stdout: '' });
    expect(both.stderr).toMatch(/^--online: error wrong-use /);
  });
});
