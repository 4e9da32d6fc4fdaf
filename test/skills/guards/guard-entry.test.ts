// The guards on an entry, over entries in hand and bundles on disk.
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../../src/skills/entry.js';
import {
  type EntryUse,
  guardEntry,
  type MarkerLook,
  markerLook,
} from '../../../src/skills/guards/guard-entry.js';
import { suggestedTools, unresolvedSuggestions } from '../../../src/skills/guards/suggested-tools.js';
import { MAX_RESOURCE_BYTES } from '../../../src/skills/read/resources.js';
import {
  type AdmissionRule,
  DEFAULT_SKILL_SETTINGS,
  type SkillSettings,
} from '../../../src/skills/settings.js';
import { putFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { anEntry } from '../entries.js';

const TEAM: EntryUse = { mode: 'team', role: 'Code Reviewer' };

function hits(entry: Entry, settings: Partial<SkillSettings> = {}, use = TEAM) {
  return guardEntry(entry, use, { ...DEFAULT_SKILL_SETTINGS, ...settings }, new AbortController().signal);
}

const rule = (fields: Partial<AdmissionRule>): AdmissionRule => ({
  for: null,
  name: null,
  source: null,
  guard: { kind: 'deny' },
  place: '~/.bnerd.yaml:4',
  ...fields,
});

async function bundle(files: Readonly<Record<string, string>>): Promise<Entry> {
  const folder = join(await tempDir('bundle'), 'an-entry');
  await putFiles(folder, { 'SKILL.md': '', ...files });
  return anEntry({ path: join(folder, 'SKILL.md') });
}

describe('the schema', () => {
  test('an entry without a fault is admitted', async () => {
    expect(await hits(anEntry())).toEqual([]);
    expect(await hits(anEntry({ body: '' }))).toEqual([]);
  });

  test('a blank name is a hit, as is a body that is none', async () => {
    expect(await hits({ ...anEntry(), name: ' \t' })).toMatchObject([{ guard: 'schema', rule: null }]);
    const stored: unknown = { ...anEntry(), body: null };
    expect(await hits(stored as Entry)).toMatchObject([{ guard: 'schema', reason: 'it has no body' }]);
  });

  test('a suggested tool that is not there is a warning, never a hit', async () => {
    const entry = anEntry({ data: { metadata: { 'suggested-tools': ['fs_read_file', 'web_seerch', 7] } } });
    expect(await hits(entry)).toEqual([]);
    expect(suggestedTools(entry)).toEqual(['fs_read_file', 'web_seerch']);
    expect(unresolvedSuggestions(entry, (name) => name === 'fs_read_file')).toMatchObject([
      {
        code: 'suggested-tool-unknown',
        severity: 'warning',
        message: expect.stringContaining('"web_seerch"'),
      },
    ]);
    expect(suggestedTools(anEntry({ data: { metadata: { 'suggested-tools': 'a, b  a' } } }))).toEqual([
      'a',
      'b',
    ]);
    expect(suggestedTools(anEntry({ data: { metadata: 'x' } }))).toEqual([]);
  });
});

describe('the size cap', () => {
  test('counts bytes of the body, not characters', async () => {
    const entry = anEntry({ body: 'é'.repeat(50) });
    const capped = (sizeCap: number | null) => hits(entry, { guards: { sizeCap, exfiltration: true } });
    expect(await capped(100)).toEqual([]);
    expect(await capped(99)).toEqual([
      { guard: 'size-cap', rule: null, reason: 'its body has 100 bytes; at most 99 are admitted' },
    ]);
    expect(await capped(null)).toEqual([]);
  });
});

describe('the exfiltration marker', () => {
  const MARK = 'See «art\u200bifact:plan».';

  test.each(['description', 'body'] as const)('in the %s is a hit that names the field', async (field) => {
    const [hit, ...others] = await hits(anEntry({ [field]: MARK }));
    expect(others).toEqual([]);
    expect(hit).toMatchObject({ guard: 'exfiltration', rule: null });
    expect(hit?.reason).toContain(`its ${field} holds`);
  });

  test('in the name is a hit', async () => {
    expect(await hits({ ...anEntry(), name: '<<artifact:x' })).toMatchObject([{ guard: 'exfiltration' }]);
  });

  test('switched off it is not looked for, unless an admission rule says so', async () => {
    const guards = { sizeCap: null, exfiltration: false };
    const entry = anEntry({ body: MARK });
    expect(await hits(entry, { guards })).toEqual([]);
    const admission = [rule({ for: 'team', guard: { kind: 'exfiltration' } })];
    expect(await hits(entry, { guards, admission })).toMatchObject([
      { guard: 'exfiltration', rule: '~/.bnerd.yaml:4' },
    ]);
    expect(await hits(entry, { guards, admission }, { mode: 'chat', role: null })).toEqual([]);
  });

  test('in a resource is found wherever it lies in it, also across the parts that are read', async () => {
    const text = `${'x'.repeat(64 * 1024 - 4)}«artifact:plan»`;
    const entry = await bundle({ 'references/plan.md': text, 'ok.md': 'fine' });
    expect(await hits(entry)).toEqual([
      {
        guard: 'exfiltration',
        rule: null,
        reason: 'its resource "references/plan.md" holds an exfiltration marker («artifact:…»)',
      },
    ]);
  });

  test('in UTF-16, in a text that calls itself a picture, and in the name of a file', async () => {
    const entry = await bundle({ 'a.png': '«artifact:x»', '«artifact:y».txt': 'fine' });
    await writeFile(join(entry.path, '../wide.txt'), Buffer.from('\ufeff«artifact:z»', 'utf16le'));
    const reasons = (await hits(entry)).map(({ reason }) => reason);
    expect(reasons).toHaveLength(3);
    for (const name of ['a.png', 'wide.txt', '«artifact:y».txt']) {
      expect(reasons.filter((reason) => reason.includes(JSON.stringify(name)))).toHaveLength(1);
    }
  });

  test('binary files and long texts are not read', async () => {
    const entry = await bundle({
      'image.png': `\0${'«artifact:x»'}`,
      'long.txt': `${'x'.repeat(MAX_RESOURCE_BYTES)}«artifact:x»`,
    });
    expect(await hits(entry)).toEqual([]);
  });

  test('what leads out of the bundle, a pipe’s place and another bundle inside are no resources', async () => {
    const entry = await bundle({ 'inner/SKILL.md': '«artifact:x»', 'inner/n.md': '«artifact:x»' });
    const elsewhere = await tempDir('elsewhere');
    await writeFile(join(elsewhere, 'x.md'), '«artifact:x»');
    await symlink(join(elsewhere, 'x.md'), join(entry.path, '../x.md'));
    await symlink(join(elsewhere, 'gone.md'), join(entry.path, '../gone.md'));
    expect(await hits(entry)).toEqual([]);
  });

  test('a bundle that cannot be looked at whole is not admitted', async () => {
    const deep = await bundle({ [`${'d/'.repeat(18)}x.md`]: 'fine' });
    expect(await hits(deep)).toMatchObject([
      {
        guard: 'exfiltration',
        reason: expect.stringMatching(/^not all of its resources were looked at: .*deeper/),
      },
    ]);
  });

  test('those who share a look read an entry once; the next look reads it again', async () => {
    const entry = await bundle({ 'a.md': 'fine' });
    const { guards, admission } = DEFAULT_SKILL_SETTINGS;
    const { signal } = new AbortController();
    const look = markerLook();
    const ask = (shared?: MarkerLook) => guardEntry(entry, TEAM, { guards, admission }, signal, shared);
    expect(await ask(look)).toEqual([]);
    await writeFile(join(entry.path, '../a.md'), '«artifact:x»');
    expect(await ask(look)).toEqual([]);
    expect(await ask()).toMatchObject([{ guard: 'exfiltration' }]);
  });

  test('called off, nothing is thrown and nothing is admitted', async () => {
    const entry = await bundle({ 'a.md': 'fine' });
    const { guards, admission } = DEFAULT_SKILL_SETTINGS;
    expect(await guardEntry(entry, TEAM, { guards, admission }, AbortSignal.abort())).toMatchObject([
      { guard: 'exfiltration', reason: expect.stringMatching(/could not be looked at/) },
    ]);
  });

  test('a flat file has no resources: what lies beside it is its neighbours', async () => {
    const folder = await tempDir('flat');
    await mkdir(join(folder, 'rules'));
    await writeFile(join(folder, 'rules/other.md'), '«artifact:x»');
    expect(await hits(anEntry({ kind: 'rule', path: join(folder, 'rules/a.md') }))).toEqual([]);
  });
});

describe('admission rules', () => {
  const entry = anEntry({ name: 'demo.one', tier: 'project' });
  const CHAT: EntryUse = { mode: 'chat', role: null };

  test.each<[string, Partial<AdmissionRule>, EntryUse, boolean]>([
    ['everything', {}, TEAM, true],
    ['the mode', { for: 'team' }, TEAM, true],
    ['another mode', { for: 'chat' }, TEAM, false],
    ['the role, compared as roles are', { for: 'code_reviewer' }, TEAM, true],
    ['another role', { for: 'lead' }, TEAM, false],
    ['a role where there is none', { for: 'code-reviewer' }, CHAT, false],
    ['the name', { name: 'demo.one' }, TEAM, true],
    ['the beginning of the name', { name: 'demo' }, TEAM, false],
    ['the name in other letters', { name: 'Demo.one' }, TEAM, false],
    ['a glob', { name: 'demo.*' }, TEAM, true],
    ['a glob with two stars', { name: '*.on*' }, TEAM, true],
    ['the tier', { source: 'project' }, TEAM, true],
    ['another tier', { source: 'global' }, TEAM, false],
    ['all of it', { for: 'team', name: 'demo.*', source: 'project' }, TEAM, true],
    ['all but one', { for: 'team', name: 'demo.*', source: 'mission' }, TEAM, false],
  ])('match %s', async (_, fields, use, matches) => {
    const found = await hits(entry, { admission: [rule(fields)] }, use);
    expect(found).toEqual(
      matches
        ? [{ guard: 'admission', rule: '~/.bnerd.yaml:4', reason: '~/.bnerd.yaml:4 keeps it out' }]
        : [],
    );
  });

  test('a cap of a rule holds beside the general one, and each hit names its rule', async () => {
    const admission = [
      rule({ name: 'demo.*', guard: { kind: 'size-cap', bytes: 3 } }),
      rule({ place: 'x:9' }),
    ];
    const found = await hits(
      { ...entry, body: 'four' },
      { guards: { sizeCap: 2, exfiltration: false }, admission },
    );
    expect(found.map(({ guard, rule: place }) => [guard, place])).toEqual([
      ['size-cap', null],
      ['size-cap', '~/.bnerd.yaml:4'],
      ['admission', 'x:9'],
    ]);
  });
});
