// Cases of skills and rules, by number: settings, guards, resources, and the operator's word on entries.
import { open, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { skillSettingsOf } from '../../src/cli/skill-settings.js';
import { parseSettings } from '../../src/config/settings-file.js';
import type { Entry } from '../../src/skills/entry.js';
import { guardEntry } from '../../src/skills/guards/guard-entry.js';
import { listResources } from '../../src/skills/resources.js';
import { type AdmissionRule, DEFAULT_MAX_BYTES, DEFAULT_SKILL_SETTINGS } from '../../src/skills/settings.js';
import { putFiles } from '../helpers/repository.js';
import { tempDir } from '../helpers/temp-dir.js';
import { anEntry } from '../skills/entries.js';

const SIGNAL = new AbortController().signal;

/** What the guards say of an entry that a member of a team is about to be given. */
function hits(entry: Entry, settings: Partial<typeof DEFAULT_SKILL_SETTINGS> = {}) {
  return guardEntry(
    entry,
    { mode: 'team', role: 'worker' },
    { ...DEFAULT_SKILL_SETTINGS, ...settings },
    SIGNAL,
  );
}

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

describe('U10 an outer bundle with t.md, and a nested bundle with SKILL.md and n.md', () => {
  test('U10 the outer one has t.md only, the nested one has n.md', async () => {
    const folder = await tempDir('bundles');
    await putFiles(folder, {
      'outer/SKILL.md': 'x',
      'outer/t.md': 'x',
      'outer/inner/SKILL.md': 'x',
      'outer/inner/n.md': 'x',
    });
    const of = async (entry: string): Promise<readonly string[]> =>
      (await listResources(join(folder, entry), SIGNAL)).resources.map(({ path }) => path);
    expect(await of('outer/SKILL.md')).toEqual(['t.md']);
    expect(await of('outer/inner/SKILL.md')).toEqual(['n.md']);
  });
});

describe('U21 an admission rule for demo.*, and the rule a+*', () => {
  const denying = (name: string): AdmissionRule => ({
    for: null,
    name,
    source: null,
    guard: { kind: 'deny' },
    place: '~/.bnerd.yaml:2',
  });
  const admitted = async (pattern: string, name: string): Promise<boolean> =>
    (await hits(anEntry({ name }), { admission: [denying(pattern)] })).length === 0;

  test('U21 demo.* does not match the skill demoXa; it matches demo.a', async () => {
    expect(await admitted('demo.*', 'demoXa')).toBe(true);
    expect(await admitted('demo.*', 'demo.a')).toBe(false);
  });

  test('U21 a+* is matched literally', async () => {
    expect(await admitted('a+*', 'aaa')).toBe(true);
    expect(await admitted('a+*', 'a+b')).toBe(false);
  });
});

describe('U23 a size limit n', () => {
  test('U23 a text of n bytes passes, one of n + 1 is an error', async () => {
    const n = 1_000;
    const guards = { sizeCap: n, exfiltration: true };
    expect(await hits(anEntry({ body: 'x'.repeat(n) }), { guards })).toEqual([]);
    expect(await hits(anEntry({ body: 'x'.repeat(n + 1) }), { guards })).toEqual([
      { guard: 'size-cap', rule: null, reason: 'its body has 1001 bytes; at most 1000 are admitted' },
    ]);
  });
});

describe('U25 the marker in the description, and in a resource', () => {
  test('U25 is a hit in both', async () => {
    const folder = join(await tempDir('marked'), 'an-entry');
    await putFiles(folder, { 'SKILL.md': 'x', 'notes.md': 'Then «artifact:notes».' });
    const path = join(folder, 'SKILL.md');
    const inDescription = await hits(anEntry({ description: 'Makes «artifact:plan».' }));
    const inResource = await hits(anEntry({ path }));
    for (const [found, where] of [
      [inDescription, 'its description'],
      [inResource, 'its resource "notes.md"'],
    ] as const) {
      expect(found).toMatchObject([{ guard: 'exfiltration' }]);
      expect(found[0]?.reason).toContain(where);
    }
    const both = await hits(anEntry({ path, description: 'Makes «artifact:plan».' }));
    expect(both.map(({ guard }) => guard)).toEqual(['exfiltration', 'exfiltration']);
  });
});

describe('U30 a binary resource, and one of 100 MB', () => {
  const MB = 1024 * 1024;

  test.runIf(process.platform === 'linux')(
    'U30 are listed with type and size and not read into memory',
    async () => {
      const folder = join(await tempDir('large'), 'an-entry');
      await putFiles(folder, { 'SKILL.md': 'x', 'large.txt': 'text ' });
      await writeFile(join(folder, 'binary.dat'), Buffer.alloc(MB, 7).fill(0, 100, 200));
      await truncate(join(folder, 'large.txt'), 100 * MB);
      const file = await open(join(folder, 'large.txt'), 'r+');
      await file.write('text '.repeat(200), 0);
      await file.close();
      const before = await bytesRead();
      const { resources } = await listResources(join(folder, 'SKILL.md'), SIGNAL);
      const found = await hits(anEntry({ path: join(folder, 'SKILL.md') }));
      const read = (await bytesRead()) - before;
      expect(resources).toEqual([
        { path: 'binary.dat', type: 'application/octet-stream', bytes: MB },
        { path: 'large.txt', type: 'text/plain', bytes: 100 * MB },
      ]);
      expect(found).toEqual([]);
      // Of each file the first bytes are looked at, twice; whatever else this process reads meanwhile is small.
      expect(read).toBeLessThan(MB / 2);
    },
  );

  /** Bytes that this process has asked the system for so far. */
  async function bytesRead(): Promise<number> {
    return Number(/^rchar: (\d+)$/m.exec(await readFile('/proc/self/io', 'utf8'))?.[1]);
  }
});
