/** The rows of whole turns: what a turn of ours costs beside a job of the library that sends the same commands. */

import { missingForRedis, RowRedis } from './redis.js';
import { taken } from './tape.js';
import { openTeam } from './team.js';

/** Members, and so turns of a round: each gets one mail. */
const TURNS = 100;

/** The row of turns of members that say "ok", so many at once. */
export function teamTurnsRow(atOnce) {
  const scene = new Scene(atOnce);
  return {
    name: `team-turns-${atOnce}`,
    measures: `${TURNS} members get mail, and each has a turn whose model says "ok", ${atOnce} at once`,
    reference: 'as many jobs of the library whose handler sends the same commands to the same Redis',
    // At least 75 % of its rate, and never less than half.
    goal: 1.33,
    floor: 2,
    rounds: 9,
    // The engine of the language compiles what is called often; a team runs for longer than it takes.
    warmup: 12,
    cpu: 'self',
    counts: { what: 'turns', perRun: TURNS, goalPerSecond: null },
    missing: missingForRedis,
    serverCpuMs: () => scene.serverCpuMs(),
    release: () => scene.close(),
    ours: { prepare: () => scene.rested(), run: (team) => team.turns() },
    theirs: { prepare: () => scene.library('same'), run: (jobs) => jobs.run() },
    beside: {
      'a handler that does nothing': {
        prepare: () => scene.library('none'),
        run: (jobs) => jobs.run(),
      },
    },
  };
}

/** One server for all rounds; a team and two workers of the library, each opened when it is first asked for. */
class Scene {
  #atOnce;
  #redis = new RowRedis();
  #team;
  #libraries = {};
  #releases = [];

  constructor(atOnce) {
    this.#atOnce = atOnce;
  }

  team() {
    this.#team ??= this.#openTeam();
    return this.#team;
  }

  async rested() {
    const team = await this.team();
    await team.rest();
    return team;
  }

  library(commands) {
    this.#libraries[commands] ??= this.#openLibrary(commands);
    return this.#libraries[commands];
  }

  serverCpuMs() {
    return this.#redis.cpuMs();
  }

  async close() {
    for (const release of this.#releases.reverse()) await release();
    await this.#redis.stop();
  }

  async #openTeam() {
    const { connection, names, address, release } = await this.#redis.connect();
    const team = await openTeam(TURNS, this.#atOnce, address, names);
    this.#releases.push(async () => {
      await team.close();
      await release(await connection.client.keys(names.everyKey));
    });
    return team;
  }

  /** Commands of a round of turns, as the team sends them at this concurrency. */
  async #commands(prefix, client) {
    const { id, turns } = await this.team();
    await turns();
    const tape = await taken(id, prefix, client, turns);
    const each = Math.round(tape.length / TURNS);
    let turn = 0;
    // Each handler its share: at once what was sent in one pass of the event loop, and else one after the other.
    return async (own) => {
      const from = (turn++ % TURNS) * each;
      const share = tape.slice(from, from + each);
      for (let at = 0; at < share.length; ) {
        const { pass } = share[at];
        const together = [];
        for (; share[at]?.pass === pass; at++) together.push(share[at].send(own));
        await Promise.all(together);
      }
    };
  }

  async #openLibrary(commands) {
    const { connection, names, release } = await this.#redis.connect();
    const { Queue, Worker } = await import('bullmq');
    const send = commands === 'none' ? async () => {} : await this.#commands(names.prefix, connection.client);
    const patient = { maxRetriesPerRequest: null, enableOfflineQueue: true, lazyConnect: false };
    // Plain clients of the library, as whoever has no team would use: none of them gathers what it sends.
    const lines = [0, 1, 2].map(() => connection.client.duplicate(patient));
    const prefix = names.queueKeys;
    const queue = new Queue(names.turns, { connection: lines[0], prefix });
    let ended = () => {};
    const worker = new Worker(
      names.turns,
      async () => {
        await send(lines[2]);
        ended();
      },
      { connection: lines[1], prefix, concurrency: this.#atOnce },
    );
    await worker.waitUntilReady();
    this.#releases.push(async () => {
      await worker.close();
      await queue.close();
      for (const line of lines) line.disconnect();
      await release(await connection.client.keys(names.everyKey));
    });
    let job = 0;
    return {
      async run() {
        let done = 0;
        const all = new Promise((resolve) => {
          ended = () => {
            if (++done === TURNS) resolve();
          };
        });
        const added = Array.from({ length: TURNS }, () =>
          queue.add('turn', {}, { removeOnComplete: true, jobId: `job-${job++}` }),
        );
        await Promise.all(added);
        await all;
      },
    };
  }
}
