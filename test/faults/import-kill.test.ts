// An import, and a govern, killed at each thing it writes: every file, link, folder and rename below the folder of the
// entries, counted by a preload in the real program. Whoever looks afterwards finds the tree of before or that of
// after, lock included, and the next one to write tidies up.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { governSkill } from '../../src/skills/import/govern-skill.js';
import { entriesOf, LOCK_FILE, readLock } from '../../src/skills/lock/lock-file.js';
import { lockFolder } from '../../src/skills/lock/lock-folder.js';
import { lockText } from '../../src/skills/lock/lock-text.js';
import { DEFAULT_SKILL_SETTINGS } from '../../src/skills/settings.js';
import { type BnerdRun, bnerd, bnerdPlace } from '../helpers/bnerd.js';
import { putFiles } from '../helpers/repository.js';
import {
  codesOf,
  foreignText,
  importInto,
  treeOf,
  type Upstream,
  URL_OF_PIN,
  upstreamOf,
} from '../skills/import/importing.js';

const PRELOAD = pathToFileURL(join(import.meta.dirname, '../fixtures/kill/at-write.js')).href;

/** Some sixty starts of the program. */
const TIMEOUT_MS = 600_000;

interface Look {
  /** Text of the entry; null: none. */
  readonly text: string | null;
  /** The lock as every reader of it reads it. */
  readonly lock: string;
}

/** What a program that reads the tree finds. */
async function look(folder: string, file: string): Promise<Look> {
  const lock = await readLock(folder);
  if (lock.kind === 'refused') throw new Error('the lock cannot be read');
  const text = await readFile(join(folder, file), 'utf8').catch(() => null);
  return { text, lock: lockText(entriesOf(lock)) };
}

interface Killed {
  readonly folder: string;
  readonly run: BnerdRun;
  /** What was done below the folder before the end, in order. */
  readonly steps: readonly string[];
}

interface Scenario {
  readonly file: string;
  /** Puts the tree of before into a folder. */
  readonly begin: (folder: string) => Promise<void>;
  readonly args: readonly string[];
}

/** Runs the command on a tree of its own, to the given step, or to its end. */
async function killedAt(scenario: Scenario, at: string | null): Promise<Killed> {
  const place = await bnerdPlace();
  const folder = join(place.work, 'skills');
  await scenario.begin(folder);
  const log = join(place.root, 'steps');
  const env = { KILL_BELOW: folder, KILL_LOG: log, KILL_AT: at ?? undefined };
  const run = await bnerd(scenario.args, { place, env, node: ['--import', PRELOAD] });
  const text = await readFile(log, 'utf8').catch(() => '');
  return { folder, run, steps: text.split('\n').filter((line) => line !== '') };
}

/** The points: in front of each step, in the middle of each writing, and after the last step. */
function points(steps: readonly string[]): readonly string[] {
  return steps.flatMap((step, index) =>
    step.startsWith('write ') ? [`${index + 1}`, `${index + 1}.5`] : [`${index + 1}`],
  );
}

async function check(scenario: Scenario, again: (folder: string) => Promise<void>): Promise<void> {
  const { file } = scenario;
  const empty = join((await bnerdPlace()).work, 'skills');
  await scenario.begin(empty);
  const before = await look(empty, file);
  const whole = await killedAt(scenario, null);
  expect(whole.run.exit).toBe(0);
  const after = await look(whole.folder, file);
  expect(after).not.toEqual(before);
  const names = whole.steps.map((step) => step.split(' ')[0]);
  for (const name of ['mkdir', 'open', 'write', 'link', 'rename']) expect(names).toContain(name);
  const seen = new Set<string>();
  for (const at of points(whole.steps)) {
    const { folder, run, steps } = await killedAt(scenario, at);
    expect(run.exit, `${at}: ${steps.at(-1)}`).toBe(128 + 9);
    const now = await look(folder, file);
    expect([before, after], `killed at ${at}: ${steps.at(-1)}`).toContainEqual(now);
    const literal = await readFile(join(folder, LOCK_FILE), 'utf8').catch(() => lockText([]));
    expect([before.lock, after.lock]).toContain(literal);
    const visible = Object.keys(await treeOf(folder)).filter((path) => !path.startsWith('.'));
    expect([file, LOCK_FILE]).toEqual(expect.arrayContaining(visible));
    seen.add(JSON.stringify(now));
    // Whoever writes next leaves nothing of it: an order that was not carried out can be given again, …
    if (JSON.stringify(now) === JSON.stringify(before)) await again(folder);
    // … and one that was is finished.
    else {
      const locked = await lockFolder(folder, null, new AbortController().signal);
      expect(locked.kind).toBe('locked');
    }
    expect(await treeOf(folder), `tidied after ${at}`).toEqual(await treeOf(whole.folder));
  }
  expect(seen.size).toBe(2);
}

function importing({ source }: Upstream, begin: Scenario['begin']): Scenario {
  const args = ['skills', 'import', '--url', URL_OF_PIN, '--ref', 'main', '--source', source];
  return { file: 'pdf/SKILL.md', begin, args };
}

describe('killed at each write and rename', () => {
  test(
    'an import of something new leaves nothing or all of it',
    async () => {
      const upstream = await upstreamOf(foreignText('1.0.0'));
      await check(
        importing(upstream, async () => {}),
        async (folder) => {
          expect(codesOf(await importInto(folder, upstream))).toEqual([]);
        },
      );
    },
    TIMEOUT_MS,
  );

  test(
    'an import over an older version leaves the old or the new one',
    async () => {
      const upstream = await upstreamOf(foreignText('1.0.0'));
      const seed = join((await bnerdPlace()).work, 'skills');
      await importInto(seed, upstream);
      const old = await treeOf(seed);
      await upstream.put(foreignText('1.1.0'));
      await check(
        importing(upstream, (folder) => putFiles(folder, old)),
        async (folder) => {
          expect(codesOf(await importInto(folder, upstream))).toEqual([]);
        },
      );
    },
    TIMEOUT_MS,
  );

  test(
    'a govern leaves the open or the governed file',
    async () => {
      const open = '---\nname: own\ndescription: "o: o"\nmore: 1\n---\nBody.\n';
      const scenario: Scenario = {
        file: 'own/SKILL.md',
        begin: (folder) => putFiles(folder, { 'own/SKILL.md': open }),
        args: ['skills', 'govern', 'own', '--version', '1.0.0', '--origin', 'proprietary'],
      };
      await check(scenario, async (folder) => {
        const into = { path: folder, root: null, tier: 'project' } as const;
        const order = { name: 'own', version: '1.0.0', into, mode: 'write' } as const;
        const governed = await governSkill(order, {
          guards: DEFAULT_SKILL_SETTINGS,
          signal: new AbortController().signal,
        });
        expect(governed.kind).toBe('governed');
      });
    },
    TIMEOUT_MS,
  );
});
