// The sections `skills` and `chat` of the settings file, and what the runtime is told of them.
import { describe, expect, test } from 'vitest';
import { NO_SETTINGS, type Settings } from '../../src/config/settings.js';
import { parseSettings } from '../../src/config/settings-file.js';

function settingsOf(text: string): Settings {
  const parsed = parseSettings(text);
  if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.findings));
  return parsed.value;
}

function findingsOf(text: string) {
  const parsed = parseSettings(text);
  return parsed.kind === 'refused' ? parsed.findings : [];
}

describe('what the settings file says of rules and skills', () => {
  test('is read whole, with the lines that refusals name', () => {
    const settings = settingsOf(`skills:
  disabled:
    - old-style
    - two words
  global-trust: reference
  max-bytes: 12000
  guards: {size-cap: 4096, exfiltration: off}
  admission:
    - {for: chat, name: demo.*, guard: deny}
    - source: project
      guard: {size-cap: 100}
    - {guard: exfiltration}
chat:
  skills: [house-*, flux]
`);
    expect(settings.skills).toEqual({
      disabled: [
        { name: 'old-style', line: 3 },
        { name: 'two words', line: 4 },
      ],
      globalTrust: 'reference',
      maxBytes: 12_000,
      sizeCap: 4_096,
      exfiltration: false,
      admission: [
        { for: 'chat', name: 'demo.*', source: null, guard: 'deny', line: 9 },
        { for: null, name: null, source: 'project', guard: { 'size-cap': 100 }, line: 10 },
        { for: null, name: null, source: null, guard: 'exfiltration', line: 12 },
      ],
      offered: ['house-*', 'flux'],
    });
    expect(settings.findings).toEqual([]);
    expect(settings.written).toContainEqual({
      name: 'skills.guards.size-cap',
      text: '4096',
      place: '~/.bnerd.yaml',
      line: 7,
    });
  });

  test.each(['', 'skills: {}', 'chat: {}', 'skills: {guards: {}, disabled: []}'])(
    'nothing is said by %j',
    (text) => {
      expect(settingsOf(text).skills).toEqual(NO_SETTINGS.skills);
    },
  );

  test.each([
    ['on', true],
    ['off', false],
    ['true', true],
    ['false', false],
  ])('exfiltration: %s', (word, value) => {
    expect(settingsOf(`skills: {guards: {exfiltration: ${word}}}`).skills.exfiltration).toBe(value);
  });

  test('the size cap may be off, which is not the same as not said', () => {
    expect(settingsOf('skills: {guards: {size-cap: off}}').skills.sizeCap).toBe('off');
  });

  test('an empty list of what a chat offers is not the same as none', () => {
    const { skills, written } = settingsOf('chat: {skills: []}');
    expect(skills.offered).toEqual([]);
    expect(written).toEqual([{ name: 'chat.skills', text: '[]', place: '~/.bnerd.yaml', line: 1 }]);
  });
});

describe('what does not fit is refused, with line, find and allowed', () => {
  test.each([
    ['skills: [a]', 1, 'bad-value', /skills is \["a"\]; expected a mapping/],
    ['skills:\n  disabled: old', 2, 'bad-value', /skills\.disabled is "old"; expected a list/],
    ['skills:\n  disabled: [""]', 2, 'bad-value', /disabled\[0\].*text that is not empty/],
    ['skills:\n  global-trust: none', 2, 'bad-value', /expected one of instruction, reference/],
    [
      'skills:\n  guards: {size-cap: 0}',
      2,
      'bad-value',
      /size-cap is 0; expected a whole number of bytes, or off/,
    ],
    ['skills:\n  guards: {size-cap: big}', 2, 'bad-value', /a whole number of bytes, or off/],
    ['skills:\n  guards: {exfiltration: maybe}', 2, 'bad-value', /"maybe"; expected on or off/],
    ['skills:\n  guards: {exfil: off}', 2, 'unknown-key', /"exfil".*allowed: size-cap, exfiltration/],
    ['skills:\n  gards: {}', 2, 'unknown-key', /"gards".*allowed: disabled, global-trust, max-bytes, guards/],
    ['skills:\n  admission: [{guard: allow}]', 2, 'bad-value', /deny, exfiltration, or \{size-cap:/],
    ['skills:\n  admission: [{guard: {size-cap: x}}]', 2, 'bad-value', /deny, exfiltration, or/],
    ['skills:\n  admission: [{name: x}]', 2, 'missing-field', /admission\[0\]\.guard is missing/],
    [
      'skills:\n  admission: [{source: disk, guard: deny}]',
      2,
      'bad-value',
      /one of builtin, global, project, mission/,
    ],
    [
      'skills:\n  admission: [{role: a, guard: deny}]',
      2,
      'unknown-key',
      /"role".*allowed: for, name, source, guard/,
    ],
    ['chat:\n  skills: flux', 2, 'bad-value', /chat\.skills is "flux"; expected a list/],
    ['chat:\n  skils: []', 2, 'unknown-key', /"skils".*allowed: skills/],
    ['skills:\n  maxBytes: 9', 2, 'key-spelling', /"maxBytes".*"max-bytes"/],
    ['skills:\n  admission: [{Guard: deny}]', 2, 'key-spelling', /"Guard".*"guard"/],
  ])('%j', (text, line, code, message) => {
    const findings = findingsOf(text);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ code, line, severity: 'error', path: '~/.bnerd.yaml' });
    expect(findings[0]?.message).toMatch(message);
    expect(findings[0]?.remedy).not.toBe('');
  });
});
