/**
 * The README and the pages of the help by their word: a clone of this package, `npm link` into a prefix of the test's own,
 * and then the commands that they show, from the shell, in their order. Nothing dials: npm is told that it is offline.
 */

import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { shell } from '../cases/play.js';
import { type BnerdPlace, bnerdPlace, CLI, expectNoControlCodes } from '../helpers/bnerd.js';
import { helpPages, type Page, readme } from '../helpers/readme.js';
import { writeMission } from '../helpers/team.js';
import { oneTask } from './missions.js';

const ROOT = join(import.meta.dirname, '../..');

/** npm takes seconds to start, and more on a machine that does other things. */
const TIMEOUT_MS = 300_000;

interface Clone {
  readonly place: BnerdPlace;
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What `git clone` and `npm ci` leave behind, as far as the program needs it. */
async function clone(): Promise<Clone> {
  const place = await bnerdPlace();
  const path = join(place.root, 'clone');
  await mkdir(join(path, 'node_modules'), { recursive: true });
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  for (const name of ['package.json', ...manifest.files.filter((file: string) => file !== 'dist')])
    await cp(join(ROOT, name), join(path, name), { recursive: true });
  await cp(dirname(CLI), join(path, 'dist'), { recursive: true });
  for (const name of Object.keys(manifest.dependencies)) {
    await mkdir(dirname(join(path, 'node_modules', name)), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), join(path, 'node_modules', name));
  }
  const prefix = join(place.root, 'prefix');
  return {
    place,
    path,
    env: {
      PATH: `${join(prefix, 'bin')}:${process.env['PATH']}`,
      HOME: place.home,
      BNERD_HOME: place.state,
      TMPDIR: place.root,
      LANG: 'C.UTF-8',
      npm_config_prefix: prefix,
      npm_config_cache: join(place.root, 'npm-cache'),
      npm_config_offline: 'true',
      npm_config_registry: 'http://127.0.0.1:9',
      npm_config_audit: 'false',
      npm_config_update_notifier: 'false',
      // The build is what the test runner has made before.
      npm_config_ignore_scripts: 'true',
    },
  };
}

async function sh(line: string, { env }: Clone, cwd: string) {
  const run = await execa('/bin/sh', ['-c', line], {
    cwd,
    env,
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
  });
  expectNoControlCodes('stdout', run.stdout);
  expectNoControlCodes('stderr', run.stderr);
  return run;
}

/** Lines that answer a team that waits: they need one, and it is made for them. */
const OF_A_WAITING_TEAM = /\bteam (requests|answer|resume)\b/;

/** Whether a line can be run here as it stands: no model, no network, no server, nothing to be filled in but an id. */
function runsOffline(line: string): boolean {
  if (!/^(npx )?bnerd /.test(line) || OF_A_WAITING_TEAM.test(line)) return false;
  if (/<(?!id>)|…|~\//.test(line)) return false;
  if (/--redis\b|\bbnerd workers?\b/.test(line)) return false; // They need a server.
  if (/\bteam run\b/.test(line)) return /\bteam run quickstart\b/.test(line);
  return !/\b(trust|chat|team new|team describe (?!quickstart|pr-review))\b/.test(line);
}

describe('the README', () => {
  test(
    'inside the clone npx finds this program; linked, it is found from anywhere; and so is its path',
    async () => {
      const at = await clone();
      const version = JSON.parse(await readFile(join(at.path, 'package.json'), 'utf8')).version;
      expect(await sh('npx bnerd --version', at, at.path)).toMatchObject({ exitCode: 0, stdout: version });
      const linked = await sh('npm link', at, at.path);
      expect(linked.exitCode, linked.stderr).toBe(0);
      expect(await sh('command -v bnerd', at, at.place.work)).toMatchObject({
        exitCode: 0,
        stdout: join(at.place.root, 'prefix/bin/bnerd'),
      });
      expect(await sh('bnerd --version', at, at.place.work)).toMatchObject({ exitCode: 0, stdout: version });
      const byPath = await sh(`node ${at.path}/dist/cli.js team list`, at, at.place.work);
      expect(byPath).toMatchObject({ exitCode: 0, stderr: '' });
      expect(byPath.stdout).toMatch(/^quickstart {11}/m);
    },
    TIMEOUT_MS,
  );

  test(
    'its commands can be typed as they stand there, in their order',
    async () => {
      const at = await linkedByHand();
      const lines = linesOf(await readme());
      expect(lines.length).toBeGreaterThan(6);
      expect(lines[0]).toMatch(/team run quickstart/);
      await typeAll(lines, at);
    },
    TIMEOUT_MS,
  );

  test(
    'the commands of the pages can be typed as they stand there, where a team has run',
    async () => {
      const at = await linkedByHand();
      await typeAll(['bnerd team run quickstart'], at);
      const ofReadme = linesOf(await readme()).map(bare);
      const lines = new Set((await helpPages()).flatMap(linesOf).map(bare));
      for (const line of ofReadme) lines.delete(line);
      expect(lines.size).toBeGreaterThan(10);
      // A page tells how a team is put away; the other lines need the one there is.
      await typeAll(
        [...lines].filter((line) => !/ cleanup /.test(line)),
        at,
      );
    },
    TIMEOUT_MS,
  );

  test(
    'a team that waits goes on with the three commands shown for it',
    async () => {
      const at = await linkedByHand();
      const { mission, workspace } = await writeMission(oneTask([{ calls: [shell('echo hi > said.txt')] }]));
      const waiting = { ...at, env: { ...at.env, BNERD_MISSION_REPO: mission } };
      expect((await sh('bnerd team run job', waiting, workspace)).exitCode).toBe(4);
      const lines = (await readme()).shellLines.filter((line) => OF_A_WAITING_TEAM.test(line));
      expect(lines.map((line) => OF_A_WAITING_TEAM.exec(line)?.[1])).toEqual([
        'requests',
        'answer',
        'resume',
      ]);
      for (const line of lines) {
        const run = await sh(withId(bare(line), 'run-job'), waiting, workspace);
        expect(run.exitCode, `${line}\n${run.stderr}`).toBe(0);
      }
      expect(await readFile(join(workspace, 'said.txt'), 'utf8')).toBe('hi\n');
    },
    TIMEOUT_MS,
  );
});

/** What can be run here of a page: its shell lines, then those in running text. */
function linesOf({ shellLines, spans }: Page): string[] {
  const started = shellLines.map((line) => /&& (npx bnerd .*)$/.exec(line)?.[1] ?? line);
  return [...started, ...spans].filter(runsOffline);
}

/** A line as it is typed where the program is on PATH. */
function bare(line: string): string {
  return line.replace(/^npx /, '');
}

/** Types each line into a shell in the clone: it ends with 0. */
async function typeAll(lines: readonly string[], at: Clone): Promise<void> {
  for (const line of lines) {
    // More than one team of this name may have run.
    const [first = ''] = /<id>/.test(line) ? await readdir(join(at.place.state, 'runs')) : [];
    const run = await sh(withId(bare(line), first), at, at.path);
    expect(run.exitCode, `${line}\n${run.stderr}`).toBe(0);
  }
}

/** A clone whose program is on PATH as `npm link` puts it there, without waiting for npm. */
async function linkedByHand(): Promise<Clone> {
  const at = await clone();
  await mkdir(join(at.place.root, 'prefix/bin'), { recursive: true });
  await symlink(join(at.path, 'dist/cli.js'), join(at.place.root, 'prefix/bin/bnerd'));
  return at;
}

/** A placeholder filled with the beginning of an id, which is enough. */
function withId(line: string, id: string): string {
  return line.replaceAll('<id>', id);
}
