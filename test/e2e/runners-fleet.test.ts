// Many runners and several teams: every brief runs where it may, and what nobody can take is said (spec/runner.md §5).
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { complete, does, says, when } from '../cases/play.js';
import { describeRedis, redisForTests } from '../helpers/redis.js';
import { delegates, delegating, oneBrief } from './delegation.js';
import { OnRunners } from './on-runners.js';
import type { RunnerMachine } from './runner-machine.js';

const POOLS = ['alpha', 'beta', 'gamma'] as const;
const LABELS: readonly (readonly string[])[] = [[], ['gpu'], ['gpu', 'big'], ['big']];

/** What each team asks for. */
const TEAMS: readonly { readonly pool: string; readonly labels: readonly string[] }[] = [
  { pool: 'alpha', labels: [] },
  { pool: 'alpha', labels: ['gpu'] },
  { pool: 'beta', labels: ['gpu', 'big'] },
  { pool: 'beta', labels: ['big'] },
  { pool: 'gamma', labels: [] },
  { pool: 'gamma', labels: ['gpu', 'big'] },
];

const mission = (engineer: Readonly<Record<string, unknown>>) =>
  oneBrief(['commit greet.txt hello'], {}, { recipe: { engineer: { kind: 'command', ...engineer } } });

describeRedis('a fleet of runners', () => {
  const redis = redisForTests();

  test('twelve runners in three pools with other labels each, six teams: every brief ran where it may', {
    timeout: 400_000,
  }, async () => {
    const server = redis();
    const scenes: OnRunners[] = [];
    for (const [place, asked] of TEAMS.entries()) {
      const on = await OnRunners.make(mission(asked), server, { BNERD_LEASE: '10s' });
      on.at.id = `team-${place}`;
      scenes.push(on);
    }
    const [first, ...others] = scenes;
    if (first === undefined) throw new Error('there are no teams');
    const runners = new Map<string, { readonly pool: string; readonly labels: readonly string[] }>();
    const repos = scenes.flatMap(({ at }) => ['--repos', at.at.workspace]);
    for (const pool of POOLS) {
      const some = LABELS.map((labels) =>
        first.runner({ name: [pool, ...labels].join('-'), pool, labels, words: repos }),
      );
      for (const [place, { machine }] of (await Promise.all(some)).entries())
        runners.set(machine.id, { pool, labels: LABELS[place] ?? [] });
    }
    // One operator has all the teams: their homes hold the same keys, and no others.
    for (const { at } of others) {
      const keys = join(at.at.place.state, 'keys');
      await rm(keys, { recursive: true });
      await cp(join(first.at.at.place.state, 'keys'), keys, { recursive: true });
    }
    for (const { at } of scenes) {
      const run = await (await at.run()).ended;
      expect(run.exit, run.stderr).toBe(0);
    }
    for (const [place, { at }] of scenes.entries()) {
      const [accepted] = await at.of('brief.accepted');
      const asked = TEAMS[place];
      const has = runners.get(accepted?.runner ?? '');
      expect(has?.pool, accepted?.runner).toBe(asked?.pool);
      expect(has?.labels, accepted?.runner).toEqual(expect.arrayContaining([...(asked?.labels ?? [])]));
    }
  });

  test('a pool that nobody serves, and a label that nobody has, are told to who delegates and to who looks', async () => {
    const on = await OnRunners.make(
      delegating(
        [
          when('Task #1 is ready', does(delegates('#1', ['commit greet.txt hello'])), says('Sent.')),
          when('waits: no runner of pool alpha lives \\(no_runner\\)', says('I wait.')),
          when('has ended: completed', does(complete('#1')), says('It is in.')),
        ],
        { recipe: { engineer: { kind: 'command', pool: 'alpha', labels: ['gpu'] } } },
      ),
      redis(),
    );
    const running = await on.at.run();
    await on.at.fact('brief.evidence', ({ code }) => code === 'no_runner');
    expect((await on.at.bnerd('team', 'status', 'one')).stdout).toContain(
      'waits in briefs.alpha, which nobody serves (no_runner)',
    );
    const without = await on.runner({ name: 'without', pool: 'alpha' });
    await without.process.says(/goes back to the queue: the brief asks for gpu; this runner has no labels/);
    expect((await on.at.bnerd('team', 'status', 'one')).stdout).toContain(
      `${without.machine.id} has no label gpu`,
    );
    const having: RunnerMachine = (await on.runner({ name: 'having', pool: 'alpha', labels: ['gpu'] }))
      .machine;
    const run = await running.ended;
    expect(run.exit, run.stderr).toBe(0);
    expect(await on.at.of('brief.accepted')).toMatchObject([{ runner: having.id }]);
  });
});
