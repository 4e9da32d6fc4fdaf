import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keepPlaces, takePlaces } from '../../../src/delegate/workspace/places.js';
import { keepInOrder } from '../../../src/runtime/runners/folder-upkeep.js';
import { systemClock } from '../../../src/shared/clock.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { until } from '../../helpers/until.js';

const HOUR = 3_600_000;

/** The folder of a brief that was kept so long ago; null: it is at work. */
async function brief(workdir: string, name: string, agoMs: number | null): Promise<void> {
  const places = await takePlaces(workdir, name);
  if ('kind' in places) throw new Error(places.detail);
  const at = new Date(systemClock.wallMs() - (agoMs ?? 0)).toISOString();
  if (agoMs !== null) await keepPlaces(places, { brief: name, at, why: 'it ended completed' });
}

function upkeep(workdir: string, keepMs: number): { readonly notes: string[]; end(): Promise<void> } {
  const notes: string[] = [];
  const note = (text: string): void => void notes.push(text);
  const end = keepInOrder({ runner: { workdir, clock: systemClock }, keepMs, note });
  onTestFinished(end);
  return { notes, end };
}

const left = (workdir: string): Promise<string[]> => readdir(join(workdir, 'briefs'));

test('what was kept long enough goes at the start, and it is said; what is newer or at work stays', async () => {
  const workdir = await tempDir('runner');
  await brief(workdir, 'old', 3 * HOUR);
  await brief(workdir, 'older', 30 * HOUR);
  await brief(workdir, 'new', HOUR);
  await brief(workdir, 'working', null);
  const { notes } = upkeep(workdir, 2 * HOUR);
  await until(() => notes.length > 0, { what: 'it says what was removed' });
  expect((await left(workdir)).sort()).toEqual(['new', 'working']);
  expect(notes).toEqual([
    expect.stringMatching(/^2 folders were kept long enough and are removed: \d+ bytes$/),
  ]);
});

test('it looks again while it stands: what is kept later goes as well; behind its end nothing does', async () => {
  const workdir = await tempDir('runner');
  const { end } = upkeep(workdir, 0);
  await brief(workdir, 'first', HOUR);
  await until(async () => (await left(workdir)).length === 0, { what: 'it is removed' });
  await end();
  await brief(workdir, 'second', HOUR);
  expect(await left(workdir)).toEqual(['second']);
});

test('a folder that cannot be looked through is told, and looked through when it can be', async () => {
  const workdir = await tempDir('runner');
  await writeFile(join(workdir, 'briefs'), 'no folder');
  const { notes } = upkeep(workdir, 0);
  await until(() => notes.length > 0, { what: 'it says what is wrong' });
  expect(notes[0]).toMatch(/^what was kept could not be looked through: .*ENOTDIR/);
  await rm(join(workdir, 'briefs'));
  await mkdir(join(workdir, 'briefs'), { mode: 0o700 });
  await brief(workdir, 'old', HOUR);
  await until(async () => (await left(workdir)).length === 0, { what: 'it is removed' });
});
