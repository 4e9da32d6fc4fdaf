import { access, mkdir, readdir, readFile, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { markUse } from '../../../src/delegate/workspace/mirror-use.js';
import { keepPlaces, keptBriefs, takePlaces } from '../../../src/delegate/workspace/places.js';
import { freeBytes, prunable, prune } from '../../../src/delegate/workspace/prune.js';
import { putFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';

const NOW = Date.parse('2026-03-01T00:00:00.000Z');
const DAY = 24 * 3_600_000;
const rule = { nowMs: NOW, keepMs: 7 * DAY, minFreeBytes: 0, freeBytes: 0 };

/** The folder of a brief with 1,000 bytes in its tree, kept so many days ago; null: still at work. */
async function brief(workdir: string, name: string, days: number | null): Promise<string> {
  const places = await takePlaces(workdir, name);
  if ('kind' in places) throw new Error(places.detail);
  await putFiles(places.root, { 'tree/file': 'x'.repeat(1_000) });
  const at = new Date(NOW - (days ?? 0) * DAY).toISOString();
  if (days !== null) await keepPlaces(places, { brief: name, at, why: `${name} failed` });
  return places.root;
}

const names = (list: readonly { brief: string | null; because: string }[]): string[] =>
  list.map((each) => `${each.brief} ${each.because}`);

test('one whose runner has died before it could say so goes by the time it was taken', async () => {
  const workdir = await tempDir('runner');
  const root = await brief(workdir, 'b.dead', null);
  await brief(workdir, 'b.working', null);
  const own = JSON.parse(await readFile(join(root, 'brief.json'), 'utf8'));
  const at = new Date(NOW - 9 * DAY).toISOString();
  // The same number, and another start: it is somebody else by now.
  await writeFile(
    join(root, 'brief.json'),
    JSON.stringify({ ...own, at, owner: { ...own.owner, startedAt: '1' } }),
  );
  const listed = await prunable(workdir, rule);
  expect(names(listed)).toEqual(['b.dead age']);
  expect(listed[0]?.keptFor).toContain('has died');
  expect((await prune(workdir, listed)).removed).toHaveLength(1);
});

test('what was kept too long goes, the oldest first; what is at work stays, however old', async () => {
  const workdir = await tempDir('runner');
  await brief(workdir, 'b.new', 1);
  await brief(workdir, 'b.old', 8);
  await brief(workdir, 'b.older', 20);
  const working = await brief(workdir, 'b.working', null);
  await utimes(working, new Date(0), new Date(0));
  const listed = await prunable(workdir, rule);
  expect(names(listed)).toEqual(['b.older age', 'b.old age']);
  expect(listed[0]).toMatchObject({ keptAt: '2026-02-09T00:00:00.000Z', keptFor: 'b.older failed' });
  expect(listed[0]?.bytes).toBeGreaterThan(1_000);
  // A list is no removal.
  expect(await keptBriefs(workdir)).toHaveLength(3);
  expect(await prune(workdir, listed)).toEqual({ removed: listed, left: [] });
  expect((await readdir(join(workdir, 'briefs'))).sort()).toEqual(['b.new', 'b.working']);
});

test('when room is needed the oldest go until there is enough, and no more', async () => {
  const workdir = await tempDir('runner');
  for (const [name, days] of [
    ['a', 1],
    ['b', 3],
    ['c', 2],
  ] as const)
    await brief(workdir, name, days);
  const need = (minFreeBytes: number) => prunable(workdir, { ...rule, minFreeBytes, freeBytes: 500 });
  expect(names(await need(500))).toEqual([]);
  expect(names(await need(501))).toEqual(['b space']);
  expect(names(await need(2_000))).toEqual(['b space', 'c space']);
  expect(names(await need(1e12))).toEqual(['b space', 'c space', 'a space']);
  expect(await freeBytes(workdir)).toBeGreaterThan(0);
  const { freeBytes: _, ...asked } = rule;
  expect(await prunable(workdir, { ...asked, minFreeBytes: Number.MAX_SAFE_INTEGER })).toHaveLength(3);
});

test('only folders that are ours by their own mark are listed, and none that lies behind a link', async () => {
  const workdir = await tempDir('runner');
  const away = await tempDir('away');
  const real = await brief(workdir, 'real', 30);
  await putFiles(join(workdir, 'briefs'), { 'foreign/file': 'x', 'notes.txt': 'x' });
  const moved = await brief(workdir, 'moved', 30);
  await rename(moved, join(workdir, 'briefs', 'renamed'));
  const outside = await brief(workdir, 'outside', 30);
  await rename(outside, join(away, 'outside'));
  await symlink(join(away, 'outside'), outside);
  const forged = await brief(workdir, 'forged', null);
  await writeFile(join(forged, 'kept.json'), '{"v":1,"brief":"real","at":"2020-01-01T00:00:00Z","why":""}');
  const linked = await brief(workdir, 'linked', null);
  await symlink(join(real, 'kept.json'), join(linked, 'kept.json'));
  expect(names(await prunable(workdir, rule))).toEqual(['real age']);
  expect(await prunable(await tempDir('empty'), rule)).toEqual([]);
});

test('what has changed its mark since it was listed stays; what cannot go says why', async () => {
  const workdir = await tempDir('runner');
  const root = await brief(workdir, 'b', 30);
  const listed = await prunable(workdir, rule);
  await keepPlaces({ root }, { brief: 'b', at: new Date(NOW).toISOString(), why: 'again' });
  expect((await prune(workdir, listed)).left).toEqual([{ ...listed[0], reason: 'it is not kept any more' }]);
  expect(await readFile(join(root, 'tree/file'), 'utf8')).toHaveLength(1_000);
});

test('a tree that its engineer has filled with links goes, and what they lead to stays', async () => {
  const workdir = await tempDir('runner');
  const away = await tempDir('away');
  await writeFile(join(away, 'precious'), 'x');
  const root = await brief(workdir, 'b', 30);
  await symlink(away, join(root, 'tree/link'));
  await symlink(away, join(root, 'quarantine.git'));
  const [listed] = await prunable(workdir, rule);
  expect(listed?.bytes).toBeLessThan(3_000);
  await prune(workdir, await prunable(workdir, rule));
  await access(join(away, 'precious'));
  await expect(access(root)).rejects.toThrow('ENOENT');
});

test('what a killed process left half made goes: a mirror after a day, a removal at once', async () => {
  const workdir = await tempDir('runner');
  await mkdir(join(workdir, 'mirrors', '.new-old'), { recursive: true });
  await mkdir(join(workdir, 'mirrors', '.new-fresh'));
  await mkdir(join(workdir, 'mirrors', 'abc.git'));
  await utimes(join(workdir, 'mirrors', '.new-old'), new Date(NOW - 2 * DAY), new Date(NOW - 2 * DAY));
  await utimes(join(workdir, 'mirrors', '.new-fresh'), new Date(NOW), new Date(NOW));
  const root = await brief(workdir, 'b', 30);
  await rename(root, `${root}.going`);
  await utimes(`${root}.going`, new Date(NOW - 1), new Date(NOW - 1));
  const listed = await prunable(workdir, rule);
  expect(listed.map(({ path }) => path.slice(workdir.length))).toEqual([
    '/mirrors/.new-old',
    '/briefs/b.going',
  ]);
  await prune(workdir, listed);
  expect(await readdir(join(workdir, 'briefs'))).toEqual([]);
  expect((await readdir(join(workdir, 'mirrors'))).sort()).toEqual(['.new-fresh', 'abc.git']);
});

/** A mirror that was last asked for so many days ago. */
async function mirrorOf(workdir: string, name: string, days: number): Promise<string> {
  const path = join(workdir, 'mirrors', `${name}.git`);
  await putFiles(path, { 'objects/pack': 'x'.repeat(1_000) });
  await markUse(workdir, path);
  const at = new Date(NOW - days * DAY);
  await utimes(join(workdir, 'mirror-use', `${name}.git`), at, at);
  return path;
}

test('a mirror that no brief has asked for in a month goes, with its stamp; one that is in use stays', async () => {
  const workdir = await tempDir('runner');
  const old = await mirrorOf(workdir, 'old', 31);
  await mirrorOf(workdir, 'fresh', 29);
  const listed = await prunable(workdir, rule);
  expect(listed).toMatchObject([{ path: old, what: 'mirror', because: 'age', brief: null }]);
  expect(listed[0]?.bytes).toBeGreaterThan(999);
  expect(await prune(workdir, listed)).toEqual({ removed: listed, left: [] });
  expect(await readdir(join(workdir, 'mirrors'))).toEqual(['fresh.git']);
  expect(await readdir(join(workdir, 'mirror-use'))).toEqual(['fresh.git']);
});

test('a mirror stays that was asked for since it was listed, or that a brief as old may have been made from', async () => {
  const workdir = await tempDir('runner');
  const path = await mirrorOf(workdir, 'old', 31);
  const listed = await prunable(workdir, rule);
  await markUse(workdir, path);
  expect(await prune(workdir, listed)).toEqual({
    removed: [],
    left: [{ ...listed[0], reason: 'it is used again' }],
  });
  await access(join(path, 'objects/pack'));
  await mirrorOf(workdir, 'old', 31);
  const root = await brief(workdir, 'b.working', null);
  const began = new Date(NOW - 40 * DAY);
  await utimes(join(root, 'brief.json'), began, began);
  expect(await prunable(workdir, rule)).toEqual([]);
});
