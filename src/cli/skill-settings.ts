/** From configuration to what the runtime is told of rules and skills in general (spec/skills.md §3, §4, §6, §8). */

import { SETTINGS_PATH, type SettingsAdmission, type SettingsSkills } from '../config/settings.js';
import { type AdmissionRule, DEFAULT_SKILL_SETTINGS, type SkillSettings } from '../skills/settings.js';

/** What the settings file says, the default where it says nothing. */
export function skillSettingsOf(said: SettingsSkills): SkillSettings {
  const { globalTrust, maxBytes, guards } = DEFAULT_SKILL_SETTINGS;
  return {
    disabled: said.disabled.map(({ name, line }) => ({ name, place: placeOf(line) })),
    globalTrust: said.globalTrust ?? globalTrust,
    maxBytes: said.maxBytes ?? maxBytes,
    guards: {
      sizeCap: said.sizeCap === 'off' ? null : (said.sizeCap ?? guards.sizeCap),
      exfiltration: said.exfiltration ?? guards.exfiltration,
    },
    admission: said.admission.map(({ guard, line, ...matched }) => ({
      ...matched,
      guard: guardOf(guard),
      place: placeOf(line),
    })),
    offered: said.offered,
  };
}

function guardOf(guard: SettingsAdmission['guard']): AdmissionRule['guard'] {
  return typeof guard === 'string' ? { kind: guard } : { kind: 'size-cap', bytes: guard['size-cap'] };
}

function placeOf(line: number): string {
  return `${SETTINGS_PATH}:${line}`;
}
