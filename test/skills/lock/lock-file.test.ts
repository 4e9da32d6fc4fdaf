import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { processIdentity, systemProcessSource } from '../../../src/shared/process-identity.js';
import { governedSource } from '../../../src/skills/lock/governed-source.js';
import { LOCK_FILE, readLock, writeLock } from '../../../src/skills/lock/lock-file.js';
import { type LockedEntry, lockText } from '../../../src/skills/lock/lock-text.js';
import { holdFolder, nextLock, workFolder } from '../../../src/skills/lock/work-folder.js';
import { parseGoverned } from '../../../src/skills/parse/governed.js';
import { putFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';

const MISSING = { kind: 'missing' } as const;

function governed(version: string): { readonly text: string; readonly line: LockedEntry } {
  const text = `---\nname: pdf\nversion: ${version}\ndescription: d\norigin: proprietary\n---\n\nBody of ${version}.\n`;
  const parsed = parseGoverned(text, governedSource('skills', 'x', 'pdf'));
  if (parsed.kind === 'refused') throw new Error('the sample is refused');
  return { text, line: { name: 'pdf', version, digest: parsed.entry.digest, import: null } };
}

/** The identity of a process that has ended. */
async function deadProcess(): Promise<Awaited<ReturnType<typeof processIdentity>>> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const { pid } = child;
  if (pid === undefined) throw new Error('no process');
  const identity = await processIdentity({ ...systemProcessSource(), pid });
  child.kill('SIGKILL');
  await once(child, 'exit');
  return identity;
}

describe('a lock file', () => {
  test('is written whole and read back; nothing else is left', async () => {
    const folder = await tempDir('lock');
    expect(await readLock(folder)).toEqual(MISSING);
    const { line } = governed('1.0.0');
    expect(await writeLock(folder, MISSING, [line])).toEqual({ kind: 'written' });
    expect(await readLock(folder)).toEqual({ kind: 'read', entries: [line] });
    expect(await readFile(join(folder, LOCK_FILE), 'utf8')).toBe(lockText([line]));
    expect(await readdir(folder)).toEqual([LOCK_FILE]);
  });

  test('that is no lock refuses, and is not written over', async () => {
    const folder = await tempDir('lock');
    await writeFile(join(folder, LOCK_FILE), 'mine\n');
    expect(await readLock(folder)).toMatchObject({ kind: 'refused', findings: [{ code: 'lock-format' }] });
    const written = await writeLock(folder, MISSING, []);
    expect(written).toMatchObject({ kind: 'refused', findings: [{ code: 'changed-meanwhile' }] });
    expect(await readFile(join(folder, LOCK_FILE), 'utf8')).toBe('mine\n');
  });

  test('that another has changed since it was read is not written over', async () => {
    const folder = await tempDir('lock');
    const [one, two] = [governed('1.0.0').line, governed('2.0.0').line];
    await writeLock(folder, MISSING, [one]);
    const before = { kind: 'read', entries: [two] } as const;
    expect(await writeLock(folder, before, [two])).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'changed-meanwhile' }],
    });
    expect(await readLock(folder)).toEqual({ kind: 'read', entries: [one] });
  });

  test('in a folder that cannot be written is a finding', async () => {
    const folder = join(await tempDir('lock'), 'absent');
    expect(await writeLock(folder, MISSING, [])).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'cannot-write', path: folder, message: expect.stringContaining('ENOENT') }],
    });
  });
});

describe('a lock to come', () => {
  const one = governed('1.0.0');
  const two = governed('2.0.0');

  async function begun(text: string): Promise<string> {
    const folder = await tempDir('lock');
    await putFiles(folder, { 'pdf/SKILL.md': text, [LOCK_FILE]: lockText([one.line]) });
    await mkdir(workFolder(folder));
    await writeFile(join(workFolder(folder), 'writer.1'), JSON.stringify(await deadProcess()));
    await writeFile(nextLock(folder), lockText([two.line]));
    return folder;
  }

  test('counts when the entry it changes lies there, and the next writer puts it in place', async () => {
    const folder = await begun(two.text);
    expect(await readLock(folder)).toEqual({ kind: 'read', entries: [two.line] });
    expect(await readFile(join(folder, LOCK_FILE), 'utf8')).toBe(lockText([one.line]));
    const held = { kind: 'read', entries: [two.line] } as const;
    expect(await writeLock(folder, held, [two.line])).toEqual({ kind: 'written' });
    expect(await readFile(join(folder, LOCK_FILE), 'utf8')).toBe(lockText([two.line]));
    expect((await readdir(folder)).sort()).toEqual(['pdf', LOCK_FILE]);
  });

  test('does not count while the entry is the old one, and the next writer takes it away', async () => {
    const folder = await begun(one.text);
    const before = await readLock(folder);
    expect(before).toEqual({ kind: 'read', entries: [one.line] });
    if (before.kind === 'refused') return;
    expect(await writeLock(folder, before, [one.line])).toEqual({ kind: 'written' });
    expect(await readFile(join(folder, LOCK_FILE), 'utf8')).toBe(lockText([one.line]));
    expect((await readdir(folder)).sort()).toEqual(['pdf', LOCK_FILE]);
  });
});

describe('the hold on a folder', () => {
  test('is one writer at a time; the second is told who has it', async () => {
    const folder = await tempDir('lock');
    const first = await holdFolder(folder);
    expect(first.kind).toBe('held');
    const second = await holdFolder(folder);
    expect(second).toMatchObject({ kind: 'refused', findings: [{ code: 'folder-busy', path: folder }] });
    expect(JSON.stringify(second)).toContain(`process ${process.pid} on `);
    if (first.kind === 'held') await first.release();
    expect(await readdir(folder)).toEqual([]);
    const third = await holdFolder(folder);
    expect(third.kind).toBe('held');
    if (third.kind === 'held') await third.release();
  });

  test('of many that want it at once, one has it', async () => {
    const folder = await tempDir('lock');
    const all = await Promise.all(Array.from({ length: 16 }, () => holdFolder(folder)));
    const held = all.filter((each) => each.kind === 'held');
    expect(held).toHaveLength(1);
    for (const each of held) if (each.kind === 'held') await each.release();
    expect(await readdir(folder)).toEqual([]);
  });

  test('passes on from a dead process, again to one of many', async () => {
    const folder = await tempDir('lock');
    const dead = await deadProcess();
    expect((await holdFolder(folder, dead)).kind).toBe('held');
    const all = await Promise.all(Array.from({ length: 16 }, () => holdFolder(folder)));
    const held = all.filter((each) => each.kind === 'held');
    expect(held).toHaveLength(1);
    for (const each of held) if (each.kind === 'held') await each.release();
    expect(await readdir(folder)).toEqual([]);
  });

  test('stays with a process of another machine, and with one that cannot be understood', async () => {
    const folder = await tempDir('lock');
    const self = await processIdentity();
    const elsewhere = { ...self, bootId: 'another', machineId: 'another', host: 'far' };
    expect((await holdFolder(folder, elsewhere)).kind).toBe('held');
    expect(JSON.stringify(await holdFolder(folder))).toContain('on far');
    await writeFile(join(workFolder(folder), 'writer.1'), 'x');
    expect(await holdFolder(folder)).toMatchObject({ findings: [{ code: 'folder-busy' }] });
  });
});
