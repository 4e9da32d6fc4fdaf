// What the settings file says of entries in general, over real folders: disabled names, own folders as reference text.
import { describe, expect, test } from 'vitest';
import { noAdditions } from '../../src/skills/choose/additions.js';
import { forceLoad } from '../../src/skills/choose/force-load.js';
import type { Registry } from '../../src/skills/registry.js';
import { governedText, openText } from './entries.js';
import { fourTiers } from './four-tiers.js';

const open = (name: string, ...more: string[]): string =>
  openText([`name: ${name}`, 'description: x', ...more], `Text of ${name}.`);

function spawn(registry: Registry, ...names: string[]) {
  return forceLoad({
    registry,
    role: 'worker',
    rolePath: 'roles/worker.md',
    roleSkills: names,
    additions: noAdditions(),
    granted: [],
  });
}

describe('disabled names', () => {
  const FILES = {
    'home/.bnerd/rules/tone.md': open('tone'),
    'home/.bnerd/rules/Tone.md': open('Tone'),
    'mission/.bnerd/context.md': '---\nskills: {disabled: [tone, flux]}\n---\n',
    'mission/orchestrator/skills/flux/SKILL.md': open('flux'),
  };

  test('are listed with who says so, the settings before the mission, compared as entries are named', async () => {
    const tiers = await fourTiers(FILES);
    const disabled = [{ name: 'tone', place: '~/.bnerd.yaml:2' }];
    const registry = await tiers.load({ settings: { disabled } });
    expect(registry.entries.map(({ name }) => name)).toEqual(['Tone', 'flux', 'tone']);
    expect(
      [...registry.disabled.values()].map(({ place, ...one }) => ({ ...one, place: tiers.short(place) })),
    ).toEqual([
      { name: 'flux', place: 'mission/.bnerd/context.md:2' },
      { name: 'tone', place: '~/.bnerd.yaml:2' },
    ]);
  });

  test('a name that nothing has and that is nearly one is told, one that is like none is not', async () => {
    const tiers = await fourTiers(FILES);
    const disabled = [
      { name: 'tones', place: '~/.bnerd.yaml:3' },
      { name: 'another-thing', place: '~/.bnerd.yaml:4' },
    ];
    const { findings } = await tiers.load({ settings: { disabled } });
    expect(findings).toMatchObject([
      { code: 'look-alike-name' },
      {
        code: 'disabled-unknown',
        severity: 'info',
        path: '~/.bnerd.yaml',
        line: 3,
        remedy: 'did you mean "tone"?',
      },
    ]);
  });

  test('an always-on rule that is disabled does not come along; the one in other letters does', async () => {
    const tiers = await fourTiers(FILES);
    expect(spawn(await tiers.load()).entries.map(({ name }) => name)).toEqual(['Tone']);
  });

  test('a mission repository that was only found disables nothing', async () => {
    const tiers = await fourTiers(FILES);
    const registry = await tiers.load({ named: false });
    expect(registry.disabled.size).toBe(0);
    expect(spawn(registry).entries.map(({ name }) => name)).toEqual(['Tone', 'tone']);
  });
});

describe('global-trust: reference', () => {
  const settings = { globalTrust: 'reference' } as const;

  test('files of the own folders are listed, hide nothing, and a rule of theirs is not used and says so', async () => {
    const tiers = await fourTiers({
      'pkg/skills/flux/SKILL.md': governedText({ name: 'flux' }),
      'home/.claude/skills/flux/SKILL.md': open('flux'),
      'home/.bnerd/rules/tone.md': open('tone'),
    });
    const registry = await tiers.load({ settings });
    expect(registry.entries).toMatchObject([{ name: 'flux', tier: 'builtin', trust: 'instruction' }]);
    expect(registry.shadowed).toEqual([]);
    expect(registry.untrusted).toMatchObject([
      { file: { entry: { name: 'tone', trust: 'reference' } } },
      { file: { entry: { name: 'flux', tier: 'global', trust: 'reference' } } },
    ]);
    expect(registry.findings).toMatchObject([
      { code: 'reference-only', severity: 'info', path: expect.stringMatching(/rules\/tone\.md$/) },
    ]);
    expect(JSON.stringify(registry.findings)).not.toContain('bnerd trust');
    expect(spawn(registry).entries).toEqual([]);
  });

  test('a skill of theirs that a role names is shown as reference text, and instructs nobody', async () => {
    const tiers = await fourTiers({ 'home/.agents/skills/flux/SKILL.md': open('flux') });
    const loaded = spawn(await tiers.load({ settings }), 'flux');
    expect(loaded.entries).toEqual([]);
    expect(loaded.refusals).toEqual([]);
    expect(JSON.stringify(loaded)).not.toContain('bnerd trust');
    expect(loaded.references).toMatchObject([{ name: 'flux', tier: 'global', trust: 'reference' }]);
  });

  test('a rule of theirs that is named refuses the spawn, and is not sent to an approval that would not help', async () => {
    const tiers = await fourTiers({ 'home/.bnerd/rules/tone.md': open('tone') });
    const { refusals } = spawn(await tiers.load({ settings }), 'tone');
    expect(refusals).toMatchObject([{ code: 'reference-only', severity: 'error' }]);
    expect(refusals[0]?.remedy).toContain('global-trust');
    expect(refusals[0]?.remedy).not.toContain('bnerd trust');
  });

  test('an always-on rule of theirs guards its name no more, and other tiers are as they were', async () => {
    const tiers = await fourTiers({
      'home/.bnerd/rules/tone.md': open('tone'),
      'mission/orchestrator/skills/tone/SKILL.md': open('tone'),
    });
    const registry = await tiers.load({ settings });
    expect(registry.entries).toMatchObject([
      { name: 'tone', kind: 'skill', tier: 'mission', trust: 'instruction' },
    ]);
    expect(registry.findings.map(({ code }) => code)).toEqual(['reference-only']);
  });

  test('without that word they instruct', async () => {
    const tiers = await fourTiers({ 'home/.bnerd/rules/tone.md': open('tone') });
    expect((await tiers.load()).entries).toMatchObject([{ name: 'tone', trust: 'instruction' }]);
  });
});
