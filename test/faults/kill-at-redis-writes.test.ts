// The coordinating process and a worker, killed in front of and behind what they write into the record of a run: whoever
// goes on comes to the same end (spec/engine.md §2, §4). BNERD_TEST_KILLS=all kills at each write; else at a sample of them.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { does, expectInvariants, shell } from '../cases/play.js';
import { oneTask } from '../e2e/missions.js';
import { doubles, type Outcome, outcomeOf } from '../helpers/outcome.js';
import { describePrivateRedis, privateRedisForTests, redisAt } from '../helpers/redis.js';
import { liveTwice } from './chains.js';
import { inGroups } from './drive-team.js';
import { SharedTeam } from './shared-team.js';

const PRELOAD = join(import.meta.dirname, '../fixtures/kill/at-redis-write.js');
const EVERY = process.env['BNERD_TEST_KILLS'] === 'all' ? 1 : 7;

/** The same words whether it runs the first time or makes sure. */
const EFFECT = does(shell('grep -qx hello hello || echo hello >> hello'));
const MISSION = oneTask([EFFECT, { when: ['interrupted:'], ...EFFECT }], {
  recipe: { safety: 'full', limits: { lost_turns: 100 } },
});

type Killed = 'worker' | 'coordinator';

interface Point {
  readonly at: number;
  readonly side: 'before' | 'after';
}

describePrivateRedis('a process that is killed at what it writes', () => {
  const redis = privateRedisForTests();
  let wanted: Outcome;

  async function begun(): Promise<{ team: SharedTeam; log: string }> {
    const team = await SharedTeam.of(MISSION, redisAt(redis().url), { lease: '1s' });
    return { team, log: join(team.at.place.root, 'writes') };
  }

  async function writes(log: string): Promise<number> {
    return (await readFile(log, 'utf8').catch(() => '')).split('\n').length - 1;
  }

  async function expectSame(team: SharedTeam, what: string): Promise<void> {
    const log = await team.log();
    expect(outcomeOf(log), what).toEqual(wanted);
    expect(await team.at.file('hello'), what).toBe('hello\n');
    expect(doubles(log), what).toEqual([]);
    expect(liveTwice(log), what).toEqual([]);
    expectInvariants({ entries: log });
  }

  /** How many writes a process of this kind makes when nobody disturbs it. */
  async function undisturbed(killed: Killed): Promise<number> {
    const { team, log } = await begun();
    const preload = { node: ['--import', PRELOAD], env: { KILL_LOG: log } };
    const coordinator = await team.coordinate([], killed === 'coordinator' ? preload : {});
    await team.launch([], killed === 'worker' ? preload : {});
    expect((await coordinator.ended).exit).toBe(0);
    wanted = outcomeOf(await team.log());
    return writes(log);
  }

  async function killedAt(killed: Killed, { at, side }: Point): Promise<void> {
    const what = `the ${killed}, ${side} write ${at}`;
    const { team, log } = await begun();
    const env = { KILL_LOG: log, KILL_AT: String(at), KILL_SIDE: side };
    const preload = { node: ['--import', PRELOAD], env };
    if (killed === 'worker') {
      const coordinator = await team.coordinate();
      const worker = await team.launch([], preload);
      const ended = coordinator.ended.then(({ exit }) => exit);
      await Promise.race([worker.ended, ended]);
      await team.launch();
      expect(await ended, what).toBe(0);
    } else {
      await team.launch();
      const words = ['--auto-approve', 'all', '--id', 'one', '--no-worker'];
      const { exit } = await (await team.at.start(words, team.start(preload))).ended;
      if (exit === 137) {
        const resumed = await (await team.resume()).ended;
        const began = (await team.log().catch(() => [])).length > 0;
        const run = began ? resumed : await (await team.at.start(words, team.start())).ended;
        expect(run.exit, `${what}: ${run.stderr}`).toBe(0);
      } else expect(exit, what).toBe(0);
    }
    await expectSame(team, what);
  }

  function pointsOf(many: number): Point[] {
    const all = Array.from({ length: many * 2 }, (_, place): Point => ({
      at: Math.floor(place / 2) + 1,
      side: place % 2 === 0 ? 'before' : 'after',
    }));
    return all.filter((_, place) => place % EVERY === EVERY - 1 || EVERY === 1);
  }

  test.each<Killed>(['worker', 'coordinator'])('the %s: the same end', { timeout: 900_000 }, async (killed) => {
    const many = await undisturbed(killed);
    const points = pointsOf(many);
    process.stdout.write(`kill the ${killed}: ${points.length} of ${2 * many} places\n`);
    expect(many).toBeGreaterThan(killed === 'worker' ? 15 : 0);
    await inGroups(points, (point) => killedAt(killed, point));
  });
});
