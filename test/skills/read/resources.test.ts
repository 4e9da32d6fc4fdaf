import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CancelledError } from '../../../src/shared/errors.js';
import { resourceType } from '../../../src/skills/read/resource-type.js';
import {
  bundleDirectory,
  listResources,
  MAX_RESOURCE_BYTES,
  MAX_RESOURCES,
  type Resource,
  readResourceText,
} from '../../../src/skills/read/resources.js';
import { putFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';

const SIGNAL = new AbortController().signal;

/** A bundle with these files; gives the path of its entry. */
async function bundle(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(await tempDir('bundle'), 'outer');
  await putFiles(folder, { 'SKILL.md': '---\nname: outer\n---\n', ...files });
  return join(folder, 'SKILL.md');
}

async function readAll(entry: string, resource: Resource, signal = SIGNAL) {
  const parts: string[] = [];
  const left = await readResourceText(entry, resource, (part) => parts.push(part), signal);
  return { text: parts.join(''), parts: parts.length, left };
}

const NOBODY = 65_534;

/** Looks as somebody whom the rights of files bind; root, whom they do not, is nobody for as long, and owns the folder. */
async function asReader<T>(folder: string, look: () => Promise<T>): Promise<T> {
  const { seteuid } = process;
  if (process.getuid?.() !== 0 || seteuid === undefined) return look();
  const inside = await readdir(folder, { recursive: true });
  for (const name of ['', ...inside]) await chown(join(folder, name), NOBODY, NOBODY);
  seteuid(NOBODY);
  try {
    return await look();
  } finally {
    seteuid(0);
  }
}

const resource = (path: string, bytes = 1, type = 'text/plain'): Resource => ({ path, type, bytes });

describe('what is listed', () => {
  test('every other file, in byte order of its path, with type and size', async () => {
    const entry = await bundle({
      'references/b.md': '# B',
      'a.txt': 'é',
      'scripts/run.py': 'print(1)',
      'scripts/empty': '',
      '.hidden.json': '{}',
      '.git/config': 'x',
    });
    expect(await listResources(entry, SIGNAL)).toEqual({
      resources: [
        { path: '.hidden.json', type: 'application/json', bytes: 2 },
        { path: 'a.txt', type: 'text/plain', bytes: 2 },
        { path: 'references/b.md', type: 'text/markdown', bytes: 3 },
        { path: 'scripts/empty', type: 'text/plain', bytes: 0 },
        { path: 'scripts/run.py', type: 'text/x-python', bytes: 8 },
      ],
      findings: [],
    });
  });

  test('an entry that is a single file has none, nor has one that is gone', async () => {
    const folder = await tempDir('flat');
    await putFiles(folder, { 'a.md': '', 'b.md': '' });
    expect(bundleDirectory(join(folder, 'a.md'))).toBeNull();
    expect(await listResources(join(folder, 'a.md'), SIGNAL)).toEqual({ resources: [], findings: [] });
    expect(await listResources(join(folder, 'gone/SKILL.md'), SIGNAL)).toEqual({
      resources: [],
      findings: [],
    });
  });

  test('links inside the bundle are followed, also those that lead in a circle', async () => {
    const entry = await bundle({ 'docs/a.md': 'x' });
    await symlink('docs/a.md', join(entry, '../b.md'));
    await symlink('..', join(entry, '../docs/up'));
    const { resources, findings } = await listResources(entry, SIGNAL);
    expect(resources.map(({ path }) => path)).toEqual(['b.md', 'docs/a.md']);
    expect(findings).toEqual([]);
  });

  test('a bundle that is itself a link is looked at', async () => {
    const entry = await bundle({ 'a.md': 'x' });
    const other = await tempDir('linked');
    await symlink(join(entry, '..'), join(other, 'outer'));
    const { resources } = await listResources(join(other, 'outer/SKILL.md'), SIGNAL);
    expect(resources.map(({ path }) => path)).toEqual(['a.md']);
  });

  test('links out of the bundle, dangling ones and pipes are no part of it; nothing waits for them', async () => {
    const entry = await bundle({ 'a.md': 'x' });
    const elsewhere = await tempDir('elsewhere');
    await putFiles(elsewhere, { 'secret.md': 'x', 'folder/b.md': 'x' });
    const at = (name: string): string => join(entry, '..', name);
    await symlink(join(elsewhere, 'secret.md'), at('file'));
    await symlink(join(elsewhere, 'folder'), at('folder'));
    await symlink('nothing', at('gone'));
    execFileSync('mkfifo', [at('pipe')]);
    const { resources, findings } = await listResources(entry, SIGNAL);
    expect(resources.map(({ path }) => path)).toEqual(['a.md']);
    expect(findings.map(({ code, severity, path }) => [code, severity, path])).toEqual([
      ['link-leads-out', 'info', at('file')],
      ['link-leads-out', 'info', at('folder')],
      ['file-missing', 'info', at('gone')],
      ['not-a-file', 'info', at('pipe')],
    ]);
  });

  test('a folder and a file that cannot be read are told, and hide no other', async () => {
    const entry = await bundle({ 'a/x.md': 'x', 'b/y.md': 'y', 'c.md': 'z' });
    const { resources, findings } = await asReader(dirname(dirname(entry)), async () => {
      await chmod(join(entry, '../a'), 0o000);
      await chmod(join(entry, '../c.md'), 0o000);
      return listResources(entry, SIGNAL);
    });
    expect(resources.map(({ path }) => path)).toEqual(['b/y.md']);
    expect(findings.map(({ code, severity }) => [code, severity])).toEqual([
      ['unreadable-folder', 'warning'],
      ['unreadable-resource', 'warning'],
    ]);
  });

  test('the number is bounded, and what was not listed is told', async () => {
    const entry = await bundle({});
    await mkdir(join(entry, '../many'));
    const names = Array.from({ length: MAX_RESOURCES + 3 }, (_, at) => `many/${String(at).padStart(5, '0')}`);
    await Promise.all(names.map((name) => writeFile(join(entry, '..', name), '')));
    const { resources, findings } = await listResources(entry, SIGNAL);
    expect(resources).toHaveLength(MAX_RESOURCES);
    expect(findings.map(({ code, severity }) => [code, severity])).toEqual([
      ['too-many-resources', 'warning'],
    ]);
  });

  test('called off, it ends', async () => {
    const entry = await bundle({ 'a.md': 'x' });
    await expect(listResources(entry, AbortSignal.abort())).rejects.toThrow(CancelledError);
  });
});

describe('the type of a file', () => {
  const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

  test.each([
    ['a.md', '# x', 'text/markdown'],
    ['a.MD', '# x', 'text/markdown'],
    ['Makefile', 'all:', 'text/plain'],
    ['a.png', 'no picture', 'text/plain'],
    ['a.png', '\x89PNG\r\n\x1a\n\0', 'image/png'],
    ['a.txt', '\x89PNG\r\n\x1a\n\0', 'image/png'],
    ['a.md', 'x\0y', 'application/octet-stream'],
    ['a.bin', '\xff\xfe\xfd', 'text/plain'],
    ['a.bin', '\xc3\x28', 'application/octet-stream'],
    ['a.svg', '<svg/>', 'image/svg+xml'],
    ['a.docx', 'PK\x03\x04\0', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['a.zip', 'PK\x03\x04\0', 'application/zip'],
    ['a.woff2', 'wOF2\0', 'font/woff2'],
    ['run', '\x7fELF\x02', 'application/x-executable'],
    ['a.pdf', '%PDF-1.7', 'application/pdf'],
  ])('%s of %j: %s', (path, head, type) => {
    expect(resourceType(path, bytes(head))).toBe(type);
  });

  test('a character cut by the end of what is looked at makes no text binary', () => {
    expect(resourceType('a.txt', Buffer.from(`${'x'.repeat(511)}é`).subarray(0, 512))).toBe('text/plain');
  });
});

describe('the text of a resource', () => {
  test('is given in parts that are cut between characters', async () => {
    const text = 'é€😀'.repeat(20_000);
    const entry = await bundle({ 'a.txt': text });
    const read = await readAll(entry, resource('a.txt', Buffer.byteLength(text)));
    expect(read.left).toBeNull();
    expect(read.text === text).toBe(true);
    expect(read.parts).toBeGreaterThan(1);
  });

  test('exactly at the bound it is read; one byte more and it is not', async () => {
    const entry = await bundle({
      'a.txt': 'x'.repeat(MAX_RESOURCE_BYTES),
      'b.txt': 'x'.repeat(MAX_RESOURCE_BYTES + 1),
    });
    expect(await readAll(entry, resource('a.txt', MAX_RESOURCE_BYTES))).toMatchObject({ left: null });
    for (const said of [MAX_RESOURCE_BYTES + 1, 5]) {
      const read = await readAll(entry, resource('b.txt', said));
      expect(read).toMatchObject({ text: '', left: { code: 'resource-too-large', severity: 'warning' } });
    }
  });

  test('what is no text, leads out, is gone or belongs to no bundle is a finding', async () => {
    const entry = await bundle({ 'a.png': 'x' });
    const elsewhere = join(await tempDir('elsewhere'), 'x.md');
    await writeFile(elsewhere, 'x');
    await symlink(elsewhere, join(entry, '../out.md'));
    const code = async (path: string, given: Resource): Promise<string | undefined> =>
      (await readAll(path, given)).left?.code;
    expect(await code(entry, resource('a.png', 1, 'image/png'))).toBe('not-text');
    expect(await code(entry, resource('out.md'))).toBe('link-leads-out');
    expect(await code(entry, resource('../../escape.md'))).toBe('unreadable-resource');
    expect(await code(entry, resource('gone.md'))).toBe('unreadable-resource');
    expect(await code(join(entry, '../a.md'), resource('a.png'))).toBe('no-bundle');
  });

  test('called off, it ends', async () => {
    const entry = await bundle({ 'a.md': 'x' });
    await expect(readAll(entry, resource('a.md'), AbortSignal.abort())).rejects.toThrow(CancelledError);
  });
});
