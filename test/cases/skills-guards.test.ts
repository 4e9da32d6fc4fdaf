// Cases of skills and rules, by number: settings, guards, resources, and the operator's word on entries.
import { describe, expect, test } from 'vitest';
import { skillSettingsOf } from '../../src/cli/skill-settings.js';
import { parseSettings } from '../../src/config/settings-file.js';
import { DEFAULT_MAX_BYTES } from '../../src/skills/settings.js';

describe('N25 the limit of the reference block is "", "0", "-5", "x", a list or absent: 24,000', () => {
  const read = (text: string) => {
    const parsed = parseSettings(text);
    if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.findings));
    return { maxBytes: skillSettingsOf(parsed.value.skills).maxBytes, findings: parsed.value.findings };
  };

  test.each([
    '""',
    '"0"',
    '0',
    '"-5"',
    '-5',
    'x',
    '[24]',
    '[]',
    '{a: 1}',
    '1.5',
    '~',
    'true',
    '.inf',
    '1e400',
  ])('N25 max-bytes: %s', (written) => {
    const { maxBytes, findings } = read(`skills:\n  max-bytes: ${written}\n`);
    expect(maxBytes).toBe(24_000);
    expect(findings).toMatchObject([
      { code: 'default-max-bytes', severity: 'warning', path: '~/.bnerd.yaml', line: 2 },
    ]);
    expect(findings[0]?.message).toContain(`${DEFAULT_MAX_BYTES} bytes holds`);
  });

  test.each(['', 'skills: {}\n', 'skills: {disabled: [a]}\n'])('N25 absent: %j', (text) => {
    expect(read(text)).toEqual({ maxBytes: 24_000, findings: [] });
  });

  test.each([
    ['1', 1],
    ['24001', 24_001],
    ['"300"', 300],
  ])('N25 a limit that can be read is the limit: %s', (written, bytes) => {
    expect(read(`skills: {max-bytes: ${written}}`)).toEqual({ maxBytes: bytes, findings: [] });
  });
});
