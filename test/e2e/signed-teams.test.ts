// Who may start a team on a shared Redis and speak to it, with real processes and a home for each (engine.md §3 "Trust").
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRedisRecord } from '../../src/events/redis/redis-view.js';
import { does, shell } from '../cases/play.js';
import type { BnerdRun, RunningBnerd } from '../helpers/bnerd.js';
import { describeRedis, redisForTests } from '../helpers/redis.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';
import { job } from './job.js';
import { oneTask } from './missions.js';
import { OnRedis, WAITING } from './on-redis.js';

const HELLO = oneTask([does(shell('echo hello > hello'))], { recipe: { safety: 'full' } });

/** People and machines that share a Redis on which every team has to be signed. */
class Shared extends OnRedis {
  /** Whatever somebody in a home of their own calls. */
  as(home: string, ...words: readonly string[]): Promise<BnerdRun> {
    return this.at.here(words, { env: this.ofHome(home) });
  }

  startAs(home: string, ...words: readonly string[]): Promise<RunningBnerd> {
    return this.at.startBnerd(words, { env: this.ofHome(home) });
  }

  /** Makes an operator's key in a home; gives the public half and its id. */
  async key(home: string): Promise<{ readonly id: string; readonly key: string }> {
    const { stdout } = await this.as(home, 'keys', 'init', '--role', 'operator', '--json');
    return JSON.parse(stdout);
  }

  async accept(home: string, key: string, name: string): Promise<void> {
    const done = await this.as(home, 'keys', 'accept', key, '--role', 'operator', '--name', name);
    expect(done).toMatchObject({ exit: 0 });
  }

  async workerOf(home: string): Promise<RunningBnerd> {
    const worker = await this.startAs(home, 'worker', '--concurrency', '2');
    await worker.says(/takes turns/);
    return worker;
  }

  /** The keys that have signed the words of these commands, in order. */
  async signers(of: RegExp): Promise<readonly (string | undefined)[]> {
    const connection = this.redis.connect();
    try {
      const view = readRedisRecord({ connection, names: this.redis.names, team: 'one', reading: 'strict' });
      const marks = (await view.log()).entries.flatMap(({ commands, facts }) =>
        commands.map(({ signed }) => ({ signed, types: facts.map(({ type }) => type).join(' ') })),
      );
      return marks.filter(({ types }) => of.test(types)).map(({ signed }) => signed?.key_id);
    } finally {
      await connection.close(1_000);
    }
  }

  ofHome(home: string): Readonly<Record<string, string>> {
    return { ...this.env, BNERD_HOME: home, BNERD_REQUIRE_SIGNATURES: 'yes' };
  }
}

describeRedis('teams on a shared Redis', () => {
  const redis = redisForTests();
  const on = async (mission = HELLO): Promise<Shared> => new Shared(await job(mission), redis());
  const home = (name: string): Promise<string> => tempDir(name).then((folder) => join(folder, 'home'));
  const run = ['team', 'run', 'job', '--no-worker', '--id', 'one'];
  const all = [...run, '--auto-approve', 'all'];

  const waiting = (at: Shared, of: string, pattern: RegExp): Promise<unknown> =>
    until(
      async () => {
        const { stdout } = await at.as(of, 'team', 'status', 'one', '--json');
        return (JSON.parse(stdout) as { waiting: readonly string[] }).waiting.some((line) =>
          pattern.test(line),
        );
      },
      { ms: 60_000, what: `status says ${pattern}` },
    );

  test('are served by workers that accept who has signed them, from the look on at which they do', async () => {
    const [at, ann, vm] = await Promise.all([on(), home('ann'), home('vm')]);
    const { id, key } = await at.key(ann);
    const coordinator = await at.startAs(ann, ...all);
    await at.fact('run.started');
    const worker = await at.workerOf(vm);
    await worker.says(
      new RegExp(`signed with key ${id}, which nobody has accepted here: .*bnerd keys accept`),
    );
    await coordinator.says(
      new RegExp(`nobody takes it: signed with key ${id}, which is not accepted by the worker`),
    );
    await waiting(at, ann, /nobody takes it: signed with key/);
    expect(JSON.parse((await at.as(vm, 'workers', '--json')).stdout)).toMatchObject({
      workers: [{ operators: [], signed_only: true }],
    });
    expect(await at.of('turn.started')).toEqual([]);
    await at.accept(vm, key, 'ann');
    expect((await coordinator.ended).exit).toBe(0);
    expect(await at.file('hello')).toBe('hello\n');
    expect(await at.of('run.started')).toMatchObject([{ key_id: id, keys: [{ id, role: 'operator' }] }]);
  });

  test('are not begun without a key, and one that nobody has signed is served by nobody who wants that', async () => {
    const [at, ann, vm] = await Promise.all([on(), home('ann'), home('vm')]);
    const refused = await at.as(ann, ...all);
    expect(refused).toMatchObject({ exit: 2 });
    expect(refused.stderr).toMatch(
      /are signed by who starts them, .* make one with bnerd keys init --role operator/,
    );
    const coordinator = await at.run(['--no-worker']);
    await at.fact('run.started');
    const worker = await at.workerOf(vm);
    await worker.says(
      /one: its turns go back to the queue: it is not signed, and what is served here has to be/,
    );
    await coordinator.says(/nobody takes it: not signed, as the worker on \S+ wants a team to be/);
    expect(await at.of('turn.started')).toEqual([]);
    expect((await at.as(ann, 'team', 'resume', 'one')).exit).toBe(2);
  });

  test('take the word of their operators alone: of who is listed, each with a key and a home of their own', async () => {
    const [at, ann, ben, eve, vm] = await Promise.all([
      on(),
      home('ann'),
      home('ben'),
      home('eve'),
      home('vm'),
    ]);
    const [anns, bens] = [await at.key(ann), await at.key(ben)];
    await at.accept(ann, bens.key, 'ben');
    await at.accept(vm, anns.key, 'ann');
    const coordinator = await at.startAs(ann, ...run);
    await at.workerOf(vm);
    expect((await coordinator.ended).exit).toBe(4);
    const { request } = await at.fact('request.opened');
    const nobody = await at.as(eve, 'team', 'answer', 'one', request, 'yes');
    expect(nobody).toMatchObject({ exit: 2 });
    expect(nobody.stderr).toMatch(/takes the word of operators by their signature, and you have no key here/);
    const { id } = await at.key(eve);
    for (const word of [
      ['answer', 'one', request, 'yes'],
      ['send', 'one', 'lead', 'stop it'],
      ['cleanup', 'one', '--yes'],
    ]) {
      const stranger = await at.as(eve, 'team', ...word);
      expect(stranger.stderr).toContain(`key ${id} is not one of this team, in which the word counts of`);
      expect(stranger.exit).toBe(2);
    }
    expect(await at.of('request.decided')).toEqual([]);
    expect(await at.as(ben, 'team', 'answer', 'one', request, 'yes')).toMatchObject({ exit: 0 });
    const resumed = await at.startAs(ann, 'team', 'resume', 'one', '--no-worker');
    expect((await resumed.ended).exit).toBe(0);
    expect(await at.file('hello')).toBe('hello\n');
    expect(await at.signers(/run\.started|request\.decided/)).toEqual([anns.id, bens.id]);
    expect((await at.as(ann, 'team', 'verify', 'one')).stdout).toMatch(/they agree/);
  });

  test('of two operators are served side by side, and no more from the look on at which one of them is retired', async () => {
    const [at, ann, ben, vm] = await Promise.all([on(WAITING), home('ann'), home('ben'), home('vm')]);
    const [anns, bens] = [await at.key(ann), await at.key(ben)];
    await at.accept(vm, anns.key, 'ann');
    await at.accept(vm, bens.key, 'ben');
    const worker = await at.workerOf(vm);
    const bensRun = ['team', 'run', 'job', '--no-worker', '--id', 'two', '--auto-approve', 'all'];
    const two = await at.startAs(ben, ...bensRun);
    await at.at.files('begun');
    await at.write('go');
    expect((await two.ended).exit).toBe(0);
    await Promise.all(['begun', 'go', 'ended'].map((name) => rm(join(at.at.workspace, name))));
    const coordinator = await at.startAs(ann, ...all);
    await at.at.files('begun');
    expect(await at.as(vm, 'keys', 'retire', anns.id)).toMatchObject({ exit: 0 });
    await worker.says(
      /one: is served here no more: .* signed with key [0-9a-f]{16} \(ann\), which is retired/,
    );
    await coordinator.says(/nobody takes it: signed with key/);
    expect(await at.file('ended')).toBeUndefined();
    await at.accept(vm, anns.key, 'ann');
    await at.write('go');
    expect((await coordinator.ended).exit).toBe(0);
  });

  test('take in the key of another operator at a resume of one of theirs, and let one go that was retired', async () => {
    const [at, ann, ben, vm] = await Promise.all([on(), home('ann'), home('ben'), home('vm')]);
    const [anns, bens] = [await at.key(ann), await at.key(ben)];
    await at.accept(vm, anns.key, 'ann');
    const first = await at.startAs(ann, ...run);
    await at.workerOf(vm);
    const { request } = await at.fact('request.opened');
    expect((await first.ended).exit).toBe(4);
    await at.accept(ben, anns.key, 'ann');
    const early = await at.as(ben, 'team', 'resume', 'one');
    expect(early.stderr).toContain(`key ${bens.id} is not one of this team`);
    await at.accept(ann, bens.key, 'ben');
    const second = await at.startAs(ann, 'team', 'resume', 'one', '--no-worker');
    await at.fact('run.resumed', ({ keys }) => keys.some(({ id }) => id === bens.id));
    expect((await second.ended).exit).toBe(4);
    expect(await at.as(ben, 'team', 'answer', 'one', request, 'yes')).toMatchObject({ exit: 0 });
    const third = await at.startAs(ben, 'team', 'resume', 'one', '--no-worker');
    expect((await third.ended).exit).toBe(0);
    expect(await at.signers(/run\.resumed|request\.decided/)).toEqual([anns.id, bens.id, bens.id]);
  });

  test('are wanted signed by the settings of a home as well', async () => {
    const [at, vm] = await Promise.all([on(), home('vm')]);
    await writeFile(join(at.at.place.home, '.bnerd.yaml'), 'keys: { require-signatures: true }\n');
    const refused = await at.at.here(['team', 'run', 'job', '--id', 'one'], {
      env: { ...at.env, BNERD_HOME: vm },
    });
    expect(refused.stderr).toMatch(/no key of an operator/);
  });
});
