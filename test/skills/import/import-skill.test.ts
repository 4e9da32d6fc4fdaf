import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { governSkill } from '../../../src/skills/import/govern-skill.js';
import { type Imported, importSkill } from '../../../src/skills/import/import-skill.js';
import { FETCH_LIMITS } from '../../../src/skills/import/scratch-repository.js';
import { vettingChecklist } from '../../../src/skills/import/vetting.js';
import { readLock, writeLock } from '../../../src/skills/lock/lock-file.js';
import { lockFolder } from '../../../src/skills/lock/lock-folder.js';
import { DEFAULT_SKILL_SETTINGS } from '../../../src/skills/settings.js';
import { git, putFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { codesOf, foreignText, importInto, treeOf, URL_OF_PIN, upstreamOf } from './importing.js';

const signal = new AbortController().signal;

async function skillsFolder(): Promise<string> {
  const folder = join(await tempDir('into'), 'skills');
  await mkdir(folder);
  return folder;
}

function imported(result: Imported): Extract<Imported, { kind: 'imported' }>['skill'] {
  if (result.kind === 'refused') throw new Error(JSON.stringify(result.findings));
  return result.skill;
}

describe('what lies under the name already', () => {
  const upstream = foreignText('2.0.0');

  test.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'an own entry',
      { 'pdf/SKILL.md': '---\nname: pdf\nversion: 1.0.0\ndescription: d\norigin: proprietary\n---\nB.\n' },
      'own-entry',
    ],
    ['an open file', { 'pdf/SKILL.md': '---\nname: pdf\ndescription: d\n---\nB.\n' }, 'name-taken'],
    ['a flat file', { 'pdf.md': 'x' }, 'name-taken'],
    ['a directory with other files', { 'pdf/notes.txt': 'x' }, 'name-taken'],
    ['a file in the place of the directory', { pdf: 'x' }, 'name-taken'],
  ])('%s stays, and nothing is written', async (_, files, code) => {
    const folder = await skillsFolder();
    await putFiles(folder, files);
    expect(codesOf(await importInto(folder, await upstreamOf(upstream)))).toEqual([code]);
    expect(await treeOf(folder)).toEqual(files);
  });

  test.skipIf(!existsSync('/proc/self'))('a folder that nobody can make is refused, soon', async () => {
    expect(codesOf(await importInto('/proc/none/skills', await upstreamOf(upstream)))).toEqual([
      'cannot-write',
    ]);
  });

  test('a link in the place of directory or file is not written through', async () => {
    const source = await upstreamOf(upstream);
    const outside = await tempDir('outside');
    await putFiles(outside, { 'SKILL.md': foreignText('1.0.0') });
    const one = await skillsFolder();
    await symlink(outside, join(one, 'pdf'));
    expect(codesOf(await importInto(one, source))).toEqual(['name-taken']);
    const two = await skillsFolder();
    await mkdir(join(two, 'pdf'));
    await symlink(join(outside, 'SKILL.md'), join(two, 'pdf/SKILL.md'));
    expect(codesOf(await importInto(two, source))).toEqual(['name-taken']);
    expect(await treeOf(outside)).toEqual({ 'SKILL.md': foreignText('1.0.0') });
  });

  test('a text that was locked under the same version and is another now is refused', async () => {
    const folder = await skillsFolder();
    const line = { name: 'pdf', version: '2.0.0', digest: `1:${'0'.repeat(64)}`, import: null };
    await writeLock(folder, { kind: 'missing' }, [line]);
    expect(codesOf(await importInto(folder, await upstreamOf(upstream)))).toEqual(['version-not-greater']);
    expect(Object.keys(await treeOf(folder))).toEqual(['skills.lock']);
  });

  test('the same name from another address is told of', async () => {
    const folder = await skillsFolder();
    const source = await upstreamOf(foreignText('1.0.0'));
    imported(await importInto(folder, source));
    await source.put(foreignText('1.1.0'));
    const moved = imported(await importInto(folder, source, { url: 'https://evil.example/pdf' }));
    expect(moved.findings.map(({ code }) => code)).toContain('upstream-changed');
    expect(moved.replaces).toMatchObject({ version: '1.0.0' });
  });
});

describe('the folder', () => {
  test('that is a link out of its tree is refused', async () => {
    const source = await upstreamOf(foreignText('1.0.0'));
    const root = await tempDir('tree');
    const outside = await tempDir('outside');
    await symlink(outside, join(root, 'skills'));
    await mkdir(join(root, '.git'));
    for (const path of [join(root, 'skills'), join(root, 'skills/deeper')]) {
      for (const into of [
        { path, root, tier: 'project' },
        { path, root: null, tier: 'project' },
      ] as const) {
        expect(codesOf(await importInto(path, source, { into }))).toEqual(['link-leads-out']);
      }
    }
    expect(await treeOf(outside)).toEqual({});
  });

  test('is made when it is missing, and not when the import is refused', async () => {
    const root = await tempDir('tree');
    const folder = join(root, 'a/b/skills');
    const into = { path: folder, root, tier: 'project' } as const;
    expect(codesOf(await importInto(folder, await upstreamOf('no frontmatter'), { into }))).toEqual([
      'no-frontmatter',
    ]);
    expect(await treeOf(root)).toEqual({});
    imported(await importInto(folder, await upstreamOf(foreignText('1.0.0')), { into }));
    expect(Object.keys(await treeOf(root)).sort()).toEqual([
      'a/b/skills/pdf/SKILL.md',
      'a/b/skills/skills.lock',
    ]);
  });

  test('that is a file, or lies in a git directory, is refused', async () => {
    const root = await tempDir('tree');
    await writeFile(join(root, 'skills'), '');
    const source = await upstreamOf(foreignText('1.0.0'));
    for (const path of [join(root, 'skills'), join(root, '.git/hooks')]) {
      expect(codesOf(await importInto(path, source))).toEqual(['bad-folder']);
    }
  });
});

describe('the text', () => {
  test('that a guard keeps out is not written', async () => {
    const folder = await skillsFolder();
    const source = await upstreamOf(`${foreignText('1.0.0')}\u00abartifact:secret\u00bb\n`);
    expect(codesOf(await importInto(folder, source))).toEqual(['guard']);
    expect(await treeOf(folder)).toEqual({});
  });

  test('is checked and not written in a dry run, and written by the same import afterwards', async () => {
    const folder = await skillsFolder();
    const source = await upstreamOf(foreignText('1.0.0'));
    const checked = imported(await importInto(folder, source, { mode: 'check' }));
    expect(await treeOf(folder)).toEqual({});
    expect(imported(await importInto(folder, source)).after).toBe(checked.after);
    expect(await readFile(join(folder, 'pdf/SKILL.md'), 'utf8')).toBe(checked.after);
  });

  test('all words that are wrong are told of at once, before anything is fetched', async () => {
    const wrong = await importInto(
      await skillsFolder(),
      { source: 'ftp://x' },
      { url: 'ext::x', ref: '-x', file: '..' },
    );
    expect(wrong).toMatchObject({ kind: 'refused', cause: 'words' });
    expect(codesOf(wrong)).toEqual(['url-protocol', 'url-protocol', 'bad-ref', 'bad-file']);
  });
});

describe('a commit that is named by its id', () => {
  test('is imported when a branch or a tag leads to it, also from behind', async () => {
    const source = await upstreamOf(foreignText('1.0.0'));
    const first = git(source.path, 'rev-parse', 'HEAD');
    await source.put(foreignText('1.1.0'));
    expect(imported(await importInto(await skillsFolder(), source, { ref: first })).upstream).toBe(
      `${URL_OF_PIN}@${first}`,
    );
  });

  test('is refused when nothing leads to it: it may be of a fork', async () => {
    const source = await upstreamOf(foreignText('1.0.0'));
    const fork = await source.put(foreignText('9.0.0'));
    git(source.path, 'reset', '--quiet', '--hard', 'HEAD~1');
    const folder = await skillsFolder();
    expect(codesOf(await importInto(folder, source, { ref: fork }))).toEqual(['commit-not-reached']);
    expect(await treeOf(folder)).toEqual({});
  });
});

describe('the checklist', () => {
  test('holds what is to be answered, and nothing of the text as mark-up', async () => {
    const hostile = '`x` | ![i](http://evil.example) <script> @everyone - [x] ok';
    const text = foreignText('1.0.0', 'always_on: true\nmore: "- [x] ticked"\n').replace(
      'Reads PDF files',
      JSON.stringify(hostile),
    );
    const skill = imported(await importInto(await skillsFolder(), await upstreamOf(text)));
    const list = vettingChecklist(skill);
    for (const words of [
      'licence `MIT` is compatible',
      'exfiltration',
      'destruction',
      'prompt injection',
      'soaked',
      'vetted: ',
    ]) {
      expect(list).toContain(words);
    }
    expect(list.match(/^- \[ \] /gm)).toHaveLength(6);
    expect(list).not.toMatch(/^\s*- \[x\]/m);
    expect(list).toContain('it is always on');
    // Outside of code spans nothing of the text stands.
    const bare = list.replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, '');
    for (const word of ['evil', '<script', 'everyone', 'ticked']) expect(bare).not.toContain(word);
  });
});

describe('govern', () => {
  const into = (path: string) => ({ path, root: null, tier: 'project' }) as const;
  const tools = { guards: DEFAULT_SKILL_SETTINGS, signal };
  const govern = (folder: string, name: string, version: string | null = '1.0.0') =>
    governSkill({ name, version, into: into(folder), mode: 'write' }, tools);

  test('gives an open file its form, in either layout, and locks it as an own one', async () => {
    const folder = await skillsFolder();
    await putFiles(folder, {
      'a/SKILL.md': '---\nname: a\ndescription: d\nmore: 1\n---\nB.\n',
      'b.md': '---\nname: b\ndescription: d\n---\nB.\n',
    });
    expect(await govern(folder, 'a')).toMatchObject({
      kind: 'governed',
      skill: { dropped: [{ key: 'more', value: '1' }] },
    });
    expect((await govern(folder, 'b')).kind).toBe('governed');
    expect(await readFile(join(folder, 'b.md'), 'utf8')).toBe(
      '---\nname: b\nversion: 1.0.0\ndescription: d\norigin: proprietary\n---\n\nB.\n',
    );
    expect(await readLock(folder)).toMatchObject({
      entries: [
        { name: 'a', version: '1.0.0', import: null },
        { name: 'b', version: '1.0.0', import: null },
      ],
    });
    const { findings } = (await lockFolder(folder, 'governed', signal)) as { findings: unknown };
    expect(findings).toEqual([]);
  });

  test.each<[string, string, string]>([
    [
      'a text that names its source',
      '---\nname: a\ndescription: d\nupstream: x\n---\nB.\n',
      'governance-key',
    ],
    ['a text with a licence', '---\nname: a\ndescription: d\nlicense: MIT\n---\nB.\n', 'license-forbidden'],
    ['a text of another name', '---\nname: b\ndescription: d\n---\nB.\n', 'name-mismatch'],
    [
      'a governed text',
      '---\nname: a\nversion: 1.0.0\ndescription: d\norigin: proprietary\n---\nB.\n',
      'already-governed',
    ],
    [
      'another version than declared',
      '---\nname: a\ndescription: d\nversion: 2.0.0\n---\nB.\n',
      'version-contradicts',
    ],
  ])('%s is refused and stays', async (_, text, code) => {
    const folder = await skillsFolder();
    await putFiles(folder, { 'a/SKILL.md': text });
    expect(await govern(folder, 'a')).toMatchObject({ kind: 'refused', findings: [{ code }] });
    expect(await treeOf(folder)).toEqual({ 'a/SKILL.md': text });
  });

  test('names that leave the folder, that are missing, and links are refused', async () => {
    const folder = await skillsFolder();
    for (const name of ['../a', 'a/b', '', '.', '..']) {
      expect(await govern(folder, name)).toMatchObject({ findings: [{ code: 'unsafe-name' }] });
    }
    expect(await govern(folder, 'a')).toMatchObject({ findings: [{ code: 'no-such-entry' }] });
    await putFiles(folder, { 'real/SKILL.md': '---\nname: a\ndescription: d\n---\nB.\n' });
    await symlink(join(folder, 'real'), join(folder, 'a'));
    expect(await govern(folder, 'a')).toMatchObject({ findings: [{ code: 'link' }] });
  });
});

describe('skills lock', () => {
  test('keeps what came by import through a note of its reviewers, and claims it for nothing else', async () => {
    const folder = await skillsFolder();
    imported(await importInto(folder, await upstreamOf(foreignText('1.0.0'))));
    const path = join(folder, 'pdf/SKILL.md');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('\n---\n\n', '\nvetted: reviewed by Ada 2026-01-01\n---\n\n'));
    expect(await lockFolder(folder, 'governed', signal)).toMatchObject({
      kind: 'locked',
      changed: [],
      findings: [],
    });
    // Copied by hand under another name, and edited with a greater version: neither came by import.
    await putFiles(folder, { 'copy/SKILL.md': text.replace('name: pdf', 'name: copy') });
    await writeFile(path, text.replace('version: 1.0.0', 'version: 1.0.1'));
    expect(await lockFolder(folder, 'governed', signal)).toMatchObject({
      kind: 'locked',
      added: ['copy'],
      changed: ['pdf'],
      findings: [{ code: 'not-imported' }, { code: 'not-imported' }],
    });
    expect(await readLock(folder)).toMatchObject({ entries: [{ import: null }, { import: null }] });
  });

  test('refuses a text that changed under its version, and files that are no entries', async () => {
    const folder = await skillsFolder();
    imported(await importInto(folder, await upstreamOf(foreignText('1.0.0'))));
    const before = await readFile(join(folder, 'skills.lock'), 'utf8');
    const path = join(folder, 'pdf/SKILL.md');
    await writeFile(path, `${await readFile(path, 'utf8')}More.\n`);
    expect(await lockFolder(folder, 'governed', signal)).toMatchObject({
      findings: [{ code: 'version-not-bumped' }, { code: 'not-imported' }],
    });
    await writeFile(path, 'no entry');
    expect((await lockFolder(folder, 'governed', signal)).kind).toBe('refused');
    expect(await readFile(join(folder, 'skills.lock'), 'utf8')).toBe(before);
  });
});

test('an import that is called off leaves nothing', async () => {
  const called = new AbortController();
  called.abort();
  const folder = await skillsFolder();
  const source = await upstreamOf(foreignText('1.0.0'));
  const order = {
    url: URL_OF_PIN,
    source: source.source,
    ref: 'main',
    file: 'SKILL.md',
    license: null,
    version: null,
  };
  const into = { path: folder, root: null, tier: 'project' } as const;
  const tools = {
    gitPath: process.env['PATH'] ?? '',
    temporaryDirectory: await tempDir('scratch'),
    signal: called.signal,
    maxBytes: FETCH_LIMITS.bytes,
    guards: DEFAULT_SKILL_SETTINGS,
  };
  expect(codesOf(await importSkill({ ...order, into, mode: 'write' }, tools))).toEqual(['cancelled']);
  expect(await treeOf(folder)).toEqual({});
});
