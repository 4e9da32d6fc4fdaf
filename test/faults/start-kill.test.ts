// A start among entries of every kind, killed at what it writes: every kind of file, link, folder and rename below the
// folder of the teams, counted by a preload in the real program. There is nothing of the team afterwards or all of it, and
// no text that is not whole stands under a digest.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { cleanupTeam } from '../../src/runtime/cleanup-team.js';
import { runsFolder } from '../../src/runtime/house.js';
import { resumeTeam } from '../../src/runtime/resume-team.js';
import { teamStatus } from '../../src/runtime/teams.js';
import { verifyTeam } from '../../src/runtime/verify-team.js';
import { sha256 } from '../../src/shared/digest.js';
import { type BnerdRun, bnerd, bnerdPlace } from '../helpers/bnerd.js';
import { resumeJob, type TestHouse } from '../helpers/team.js';
import { skilledTeam, WORDS } from './skilled-team.js';

const PRELOAD = pathToFileURL(join(import.meta.dirname, '../fixtures/kill/at-write.js')).href;

/** Of the many texts that are stored alike, one in so many is tried. */
const EVERY = 24;

/** Processes at once: the machine's two cores. */
const AT_ONCE = 2;

const NOBODY = { operatorPresent: false, onEntry: () => {}, takeOver: false };

interface Killed extends TestHouse {
  readonly run: BnerdRun;
  /** What was done below the folder of the teams before the end, in order. */
  readonly steps: readonly string[];
}

async function killedAt(point: string | null): Promise<Killed> {
  const at = await skilledTeam();
  const place = await bnerdPlace();
  const house = { ...at.house, home: place.state };
  const log = join(place.root, 'steps');
  const env = {
    BNERD_MISSION_REPO: at.mission,
    KILL_BELOW: runsFolder(house),
    KILL_LOG: log,
    KILL_AT: point ?? undefined,
  };
  const words = ['team', 'run', 'job', 'Do the job.', '--auto-approve', 'all'];
  const cwd = at.house.project?.root ?? '';
  const run = await bnerd(words, { place, cwd, env, node: ['--import', PRELOAD] });
  const text = await readFile(log, 'utf8').catch(() => '');
  return { ...at, house, run, steps: text.split('\n').filter((line) => line !== '') };
}

/** Where to kill: in front of each step of the making, of some of the many that store a text, and in the middle of these. */
function points(steps: readonly string[]): readonly string[] {
  const stored = steps.findLastIndex((step) => step.includes('/blobs/'));
  const written = new Map<string, number>();
  return steps.slice(0, stored + 3).flatMap((step, index) => {
    const at = index + 1;
    const [what = ''] = step.split(' ');
    if (!step.includes('/blobs/')) return step.startsWith('write ') ? [`${at}`, `${at}.5`] : [`${at}`];
    const count = written.get(what) ?? 0;
    written.set(what, count + 1);
    if (count % EVERY !== 0 && index !== stored) return [];
    return what === 'write' ? [`${at}.5`] : [`${at}`];
  });
}

test('a start that is killed at anything it writes leaves all of a team or nothing of it', {
  timeout: 300_000,
}, async () => {
  const whole = await killedAt(null);
  expect(whole.run.exit, whole.run.stderr).toBe(0);
  const seen = { none: 0, nothing: 0, all: 0 };
  await inGroups(points(whole.steps), async (point) => {
    const killed = await killedAt(point);
    const what = `killed at ${point}: ${killed.steps.at(-1)}`;
    expect(killed.run.exit, what).toBe(128 + 9);
    const there = await whatIsThere(killed, what);
    seen[there] += 1;
  });
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
});

/** All of the team, nothing of it in a folder that says so, or not even a folder. */
async function whatIsThere({ house, ...at }: Killed, what: string): Promise<'none' | 'nothing' | 'all'> {
  const folders = await readdir(runsFolder(house)).catch((): string[] => []);
  const [id] = folders;
  if (id === undefined) return 'none';
  expect(folders, what).toHaveLength(1);
  const blobs = join(runsFolder(house), id, 'blobs');
  const texts = (await readdir(blobs).catch((): string[] => [])).filter((name) => !name.startsWith('.part-'));
  // What stands under a digest is whole, whatever becomes of the team.
  for (const name of texts) expect(sha256(await readFile(join(blobs, name))), what).toBe(name);
  const status = await teamStatus(house, id);
  if (status.kind !== 'found') throw new Error(`${what}: ${JSON.stringify(status)}`);
  if (status.value.phase === 'absent') {
    expect(status.value, what).toMatchObject({ members: [], tasks: [], live: false });
    const refused = await resumeTeam(house, id, NOBODY);
    expect(refused, what).toMatchObject({ kind: 'refused', findings: [{ code: 'never-started', path: id }] });
    expect(await cleanupTeam(house, id, { purge: true }), what).toMatchObject({ kind: 'found' });
    expect(await readdir(runsFolder(house)), what).toEqual([]);
    return 'nothing';
  }
  expect(await verifyTeam(house, id), what).toMatchObject({ value: { ok: true } });
  const resumed = await resumeJob({ ...at, house }, id);
  expect(await resumed.ended(), what).toMatchObject({ reason: 'done' });
  const told = resumed.inputs('worker').join('\n');
  for (const word of [WORDS.block, WORDS.rider, WORDS.shown]) expect(told.split(word), what).toHaveLength(2);
  expect(resumed.results('worker'), what).toContain('exit 0\n{"word":"harrier"}');
  expect(await readdir(blobs), what).not.toContainEqual(expect.stringMatching(/^\.part-/));
  return 'all';
}

async function inGroups<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
