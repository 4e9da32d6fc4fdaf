// From the settings file to what the runtime is told of rules and skills.
import { expect, test } from 'vitest';
import { skillSettingsOf } from '../../src/cli/skill-settings.js';
import { NO_SETTINGS } from '../../src/config/settings.js';
import { parseSettings } from '../../src/config/settings-file.js';
import { DEFAULT_SKILL_SETTINGS, type SkillSettings } from '../../src/skills/settings.js';

function toldOf(text: string): SkillSettings {
  const parsed = parseSettings(text);
  if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.findings));
  return skillSettingsOf(parsed.value.skills);
}

test('when nobody says anything the defaults hold', () => {
  expect(skillSettingsOf(NO_SETTINGS.skills)).toEqual(DEFAULT_SKILL_SETTINGS);
});

test('what is said is taken up, with the place that refusals name', () => {
  const told = toldOf(`skills:
  disabled: [old]
  global-trust: reference
  max-bytes: 5
  guards: {size-cap: off, exfiltration: off}
  admission:
    - {for: lead, source: project, guard: {size-cap: 7}}
    - {name: x, guard: deny}
chat: {skills: [a]}
`);
  expect(told).toEqual({
    disabled: [{ name: 'old', place: '~/.bnerd.yaml:2' }],
    globalTrust: 'reference',
    maxBytes: 5,
    guards: { sizeCap: null, exfiltration: false },
    admission: [
      {
        for: 'lead',
        name: null,
        source: 'project',
        guard: { kind: 'size-cap', bytes: 7 },
        place: '~/.bnerd.yaml:7',
      },
      { for: null, name: 'x', source: null, guard: { kind: 'deny' }, place: '~/.bnerd.yaml:8' },
    ],
    offered: ['a'],
  });
});

test('a guard that is not named keeps its default', () => {
  expect(toldOf('skills: {guards: {exfiltration: off}}').guards).toEqual({
    sizeCap: DEFAULT_SKILL_SETTINGS.guards.sizeCap,
    exfiltration: false,
  });
});
