// A worker and a coordinating process, killed in front of and behind each thing that they write into the record of a run on
// Redis: whoever goes on comes to the same end, and nothing is done twice (spec/engine.md §2, §4). Each kind of write is
// tried; BNERD_TEST_KILLS=whole tries every single one.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { TranscriptEntry } from '../../src/events/transcript-entry.js';
import {
  claim,
  complete,
  create,
  does,
  expectInvariants,
  finish,
  mailTo,
  says,
  shell,
  when,
} from '../cases/play.js';
import { doubles, factsOf, type Outcome, outcomeOf } from '../helpers/outcome.js';
import { describePrivateRedis, privateRedisForTests, redisAt } from '../helpers/redis.js';
import type { Mission } from '../helpers/team.js';
import { liveTwice } from './chains.js';
import { inGroups } from './drive-team.js';
import { SharedTeam, TEAM } from './shared-team.js';

const PRELOAD = join(import.meta.dirname, '../fixtures/kill/at-redis-write.js');
const WHOLE = process.env['BNERD_TEST_KILLS'] === 'whole';

/** Teams side by side: a killed turn is waited for as long as its lease. */
const AT_ONCE = 10;

const READ = { tool: 'fs_read_file', args: { path: 'given' } };

/** Small, with every kind of write of a turn. The effect would be there twice if somebody repeated it without a look. */
const MISSION: Mission = {
  recipe: { safety: 'full', limits: { lost_turns: 100 } },
  roles: { boss: {}, worker: { base: 'write' } },
  script: {
    boss: {
      idle: 'Waiting.',
      turns: [
        when('', does(create({ id: 'one', subject: 'Do one', role: 'worker' })), says('Go.')),
        // Behind the whole turn: one that is lost when the run ends does not come to its last words.
        when('All is done\\.', finish()),
      ],
    },
    worker: {
      idle: 'Ready.',
      turns: [
        when(
          'Task #1 is ready',
          does(claim('#1')),
          does(READ, shell('echo hello >> hello'), mailTo('boss', 'It is said.')),
          { when: ['interrupted:'], ...does(shell('grep -qx hello hello || echo hello >> hello')) },
          does(complete('#1')),
          says('All is done.'),
        ),
      ],
    },
  },
  files: { given: 'What is given.\n' },
};

const RUN = ['team', 'run', 'job', '--auto-approve', 'all', '--id', TEAM, '--no-worker'];

type Killed = 'worker' | 'coordinator';

/** What each of them writes, in the order of spec/engine.md §2; kinds of facts stand behind `log`. */
const WRITES: Readonly<Record<Killed, readonly string[]>> = {
  worker: [
    'turn.started',
    't:worker opened',
    't:worker input',
    'budget.reserved',
    't:worker reply',
    'mail.delivered',
    'task.claimed',
    'request.opened',
    'tool.started',
    't:worker result',
    'task.completed',
    'run.finishing',
    'turn.ended',
  ],
  coordinator: ['blobs', 'run.started', 'run.ended'],
};

interface Point {
  /** The number of the write, or a part of what it says. */
  readonly at: string;
  readonly side: 'before' | 'after';
}

/** A team of its own, beside others on the same server, and the process that will be killed. */
class Scene {
  readonly team: SharedTeam;
  readonly #log: string;
  readonly #calm = new AbortController();
  readonly #others: Promise<unknown>[] = [];

  static async of(url: string): Promise<Scene> {
    return new Scene(await SharedTeam.of(MISSION, redisAt(url), { lease: '2s' }));
  }

  private constructor(team: SharedTeam) {
    this.team = team;
    this.#log = join(team.at.place.root, 'writes');
    onTestFinished(() => this.end());
  }

  /** What the process has written so far, a line each. */
  async written(): Promise<string[]> {
    return (await readFile(this.#log, 'utf8').catch(() => '')).split('\n').slice(0, -1);
  }

  /**
   * Plays the run, in which a process of this kind is killed at this point, and another goes on.
   * @param point none is given, then nobody is killed
   * @returns whether it was killed
   */
  async play(killed: Killed, point?: Point): Promise<boolean> {
    const where = point === undefined ? {} : { KILL_AT: point.at, KILL_SIDE: point.side };
    const preload = { node: ['--import', PRELOAD], env: { KILL_LOG: this.#log, ...where } };
    return killed === 'worker' ? this.#worker(preload) : this.#coordinator(preload);
  }

  async #worker(preload: Parameters<SharedTeam['launch']>[1]): Promise<boolean> {
    const run = this.team.here(RUN);
    const worker = await this.team.launch([], preload);
    await Promise.race([run, worker.ended]);
    this.#work();
    const { exit, stderr } = await run;
    expect(exit, stderr).toBe(0);
    worker.signal('SIGTERM'); // Of one that was killed nothing hears it.
    return (await worker.ended).exit === 137;
  }

  async #coordinator(preload: Parameters<SharedTeam['start']>[0]): Promise<boolean> {
    this.#work();
    const run = await (await this.team.at.startBnerd(RUN, this.team.start(preload))).ended;
    if (run.exit !== 137) {
      expect(run.exit, run.stderr).toBe(0);
      return false;
    }
    const resumed = await this.team.here(['team', 'resume', TEAM, '--no-worker']);
    // Of a run that was killed before its first entry there is nothing to go on with; a worker may have put that away.
    const nothing = /error (never-started|unknown-team) /.test(resumed.stderr);
    const after = nothing ? await this.team.here(RUN) : resumed;
    expect(after.exit, after.stderr).toBe(0);
    return true;
  }

  async end(): Promise<void> {
    this.#calm.abort();
    await Promise.all(this.#others);
  }

  /** A worker that nobody kills. */
  #work(): void {
    this.#others.push(this.team.here(['worker'], this.#calm.signal));
  }
}

describePrivateRedis('a process that is killed at what it writes into a record on Redis', () => {
  const redis = privateRedisForTests();

  test.each<Killed>(['worker', 'coordinator'])(
    'the %s: the same end',
    { timeout: 900_000 },
    async (killed) => {
      const calm = await Scene.of(redis().url);
      expect(await calm.play(killed)).toBe(false);
      await calm.end();
      const wanted = outcomeOf(await calm.team.log());
      expect(wanted.end).toMatchObject({ reason: 'done', exit: 0 });
      const writes = await calm.written();
      for (const what of WRITES[killed]) expect(writes.join('\n')).toContain(what);
      const places = WHOLE ? writes.map((_, place) => String(place + 1)) : WRITES[killed];
      const points = places.flatMap((at): Point[] => [
        { at, side: 'before' },
        { at, side: 'after' },
      ]);
      let kills = 0;
      const work = async (point: Point): Promise<void> => {
        const scene = await Scene.of(redis().url);
        if (await scene.play(killed, point)) kills++;
        await scene.end();
        const what = `${point.side} write ${point.at}: ${(await scene.written()).at(-1)}`;
        await expectSame(scene.team, wanted, what);
      };
      await inGroups(points, work, AT_ONCE);
      process.stdout.write(`kill the ${killed}: ${points.length} places, ${kills} kills\n`);
      // With numbers, what is written at once on a busy machine is less than in the calm run.
      expect(kills).toBeGreaterThan(points.length * 0.8);
    },
  );
});

async function expectSame(team: SharedTeam, wanted: Outcome, what: string): Promise<void> {
  const log = await team.log();
  // Whoever hears that a call was interrupted asks for another.
  expect({ ...outcomeOf(log), requests: [] }, what).toEqual({ ...wanted, requests: [] });
  expect(await team.at.file('hello'), what).toBe('hello\n');
  expect(doubles(log), what).toEqual([]);
  expect(liveTwice(log), what).toEqual([]);
  expectInvariants({ entries: log });
  const memory = await team.transcript('worker');
  const results = memory.flatMap((entry) => (entry.kind === 'result' ? [entry] : []));
  const of = (outcome: string): string[] =>
    results.filter((result) => result.outcome === outcome).map(({ place }) => place);
  expect(results.map(({ place }) => place).sort(), what).toEqual(callsOf(memory));
  // What reads is repeated and has its answer; what has an effect is never repeated, and its member is told.
  expect(results.filter(({ text }) => text.includes('What is given.')).length, what).toBe(1);
  const started = factsOf(log).flatMap((fact) => (fact.type === 'tool.started' ? [fact.place] : []));
  for (const place of of('interrupted')) expect(started, what).toContain(place);
  expect(started.length, what).toBe(1 + of('interrupted').length);
  expect(
    results.filter(({ outcome }) => outcome !== 'ok' && outcome !== 'interrupted'),
    what,
  ).toEqual([]);
}

/** The places of all calls that a member has asked for. */
function callsOf(memory: readonly TranscriptEntry[]): string[] {
  return memory
    .flatMap((entry) => (entry.kind === 'reply' ? entry.calls.map((_, at) => `${entry.id}.${at}`) : []))
    .sort();
}
