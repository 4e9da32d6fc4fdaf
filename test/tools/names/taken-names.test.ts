import { describe, expect, test } from 'vitest';
import { TOOLS } from '../../../src/tools/catalogue.js';
import { ABSENT_NAMES, CLAUDE_NAMES } from '../../../src/tools/names/foreign-names.js';
import { isTakenName } from '../../../src/tools/names/taken-names.js';
import { translateToolNames } from '../../../src/tools/names/tool-names.js';

describe('names that no tool of an entry may have', () => {
  test('all that mean something in a list of tools', () => {
    for (const name of [...TOOLS.map((row) => row.name), ...CLAUDE_NAMES.keys(), ...ABSENT_NAMES])
      expect(isTakenName(name), name).toBe(true);
    expect(isTakenName('mcp__server__tool')).toBe(true);
  });

  test('those that a list takes for a slip of one of ours', () => {
    for (const name of ['bash', 'WRITE', 'Fs_Read_File', 'fs-read-file', 'webfetch'])
      expect(isTakenName(name), name).toBe(true);
  });

  test.each(['deploy', 'lint_chart', 'monitor', 'reader', 'task', 'workflow'])('not %s', (name) => {
    expect(isTakenName(name)).toBe(false);
    const { names, patterns } = translateToolNames([name], { path: 'x', key: 'disallowedTools' });
    expect([names, patterns]).toEqual([[], []]);
  });
});
