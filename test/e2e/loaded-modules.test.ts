/** What the smallest commands load, by the list of modules that Node resolved: speed is designed in. */

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type BnerdRun, bnerd, bnerdPlace } from '../helpers/bnerd.js';
import { describeRedis, redisForTests } from '../helpers/redis.js';

const LISTING = join(import.meta.dirname, '../fixtures/programs/list-modules.js');

/** Modules that a command loaded, `dist/…` or `<package>`, without what Node brings along. */
async function loadedBy(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ run: BnerdRun; modules: string[] }> {
  const place = await bnerdPlace();
  const run = await bnerd(args, { place, env, node: ['--import', LISTING] });
  const urls = run.stderr
    .split('\n')
    .filter((line) => line.startsWith('loaded '))
    .map((line) => line.slice('loaded '.length));
  const modules = urls
    .filter((url) => !url.startsWith('node:'))
    .map(
      (url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? url.replace(/^.*?\/(?=dist\/)/, ''),
    );
  return { run, modules: [...new Set(modules)] };
}

describe('the modules a command loads', () => {
  test('--version: the program itself and its streams, nothing else', async () => {
    const { run, modules } = await loadedBy(['--version']);
    expect(run.exit).toBe(0);
    expect(run.stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
    expect(modules.sort()).toEqual(['dist/cli.js', 'dist/cli/output.js']);
  });

  test('team list: no package at all, and no room that it does not enter', async () => {
    const { run, modules } = await loadedBy(['team', 'list']);
    expect(run.exit).toBe(0);
    expect(run.stdout).toMatch(/^quickstart {11}/m);
    const packages = modules.filter((module) => !module.startsWith('dist/'));
    expect(packages).toEqual([]);
    const rooms = new Set(modules.map((module) => module.split('/')[1]));
    expect([...rooms].sort()).toEqual(['catalog', 'cli', 'cli.js', 'config', 'shared']);
    const unused = /dist\/(cli\/(parse|help-text|usage|live\/|trust\/)|config\/(run-config|settings-file))/;
    expect(modules.filter((module) => unused.test(module))).toEqual([]);
    expect(modules.filter((module) => /cli\/commands\//.test(module))).toEqual([
      'dist/cli/commands/team-list.js',
    ]);
  });

  test('team list with a flag loads the parser of the command line for it, and still nothing of the runtime', async () => {
    const { run, modules } = await loadedBy(['team', 'list', '--json']);
    expect(run.exit).toBe(0);
    expect(modules.filter((module) => !module.startsWith('dist/')).sort()).toEqual(['commander']);
    expect(modules.filter((module) => /dist\/(runtime|models|skills|team|events)\//.test(module))).toEqual(
      [],
    );
  });

  test('a scripted team loads nothing of any provider', async () => {
    const { run, modules } = await loadedBy(['team', 'run', 'quickstart']);
    // An empty directory gives no report; that turns were played is what counts here.
    expect(run.stderr).toContain('[scout] task #1: Survey the directory');
    expect(modules).toContain('dist/models/script/open-script.js');
    expect(modules.filter((module) => /@ai-sdk|models\/providers\/(?!base-url|door)/.test(module))).toEqual(
      [],
    );
  });

  describeRedis('with a Redis', () => {
    const redis = redisForTests();

    test('a look at its teams, and a word to one, load neither the queue nor what takes turns', async () => {
      const { url, prefix } = redis();
      const env = { BNERD_REDIS_URL: url, BNERD_REDIS_PREFIX: prefix };
      for (const [words, exit] of [
        [['team', 'ps'], 0],
        [['team', 'stop', 'nobody'], 2],
      ] as const) {
        const { run, modules } = await loadedBy(words, env);
        expect(run.exit, run.stderr).toBe(exit);
        expect(modules).toContain('ioredis');
        const ofARun = /^bullmq$|dist\/(dispatch\/bullmq|runtime\/(workers\/worker|turns\/turn-runner))/;
        expect(modules.filter((module) => ofARun.test(module))).toEqual([]);
      }
    });
  });

  test('the listing sees what a bigger command loads, so that it can be believed', async () => {
    const { modules } = await loadedBy(['schema', 'events']);
    expect(modules).toContain('zod');
    expect(modules).toContain('dist/cli/live/event-line.js');
  });
});
