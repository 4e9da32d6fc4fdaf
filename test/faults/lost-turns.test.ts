// Workers that are killed in the middle of a turn, and what becomes of what their members held and their tools had started
// (spec/engine.md §2 "Fences").

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claim, complete, does, expectInvariants, finish, says, shell, when } from '../cases/play.js';
import { oneTask } from '../e2e/missions.js';
import { describeRedis, redisForTests } from '../helpers/redis.js';
import type { Mission } from '../helpers/team.js';
import { until } from '../helpers/until.js';
import { liveTwice } from './chains.js';
import { SharedTeam, TEAM } from './shared-team.js';

const NO_KILL = join(import.meta.dirname, '../fixtures/kill/lands-nowhere.js');

/** Its worker claims, and then its model thinks for longer than anybody lives, until the task is offered anew. */
const THINKS: Mission = {
  recipe: { tasks: [{ id: 'one', subject: 'Do one', role: 'worker' }] },
  roles: { boss: {}, worker: {} },
  script: {
    boss: { idle: 'Waiting.', turns: [when('has completed #1', finish())] },
    worker: {
      idle: 'Ready.',
      turns: [
        when(
          'Task #1 is ready',
          does(claim('#1')),
          { when: ['Task #1 is ready'], ...does(claim('#1')) },
          { when: ['#1 is yours, attempt 1'], ...does(complete('#1')), delay_ms: 600_000 },
          does(complete('#1')),
          says('Done.'),
        ),
      ],
    },
  },
};

describeRedis('a worker that is killed in a turn', () => {
  const redis = redisForTests();

  test('C56: its member goes on with the same claim; when three turns were lost without progress the task is offered again', async () => {
    const team = await SharedTeam.of(THINKS, redis(), { lease: '1s' });
    const coordinator = await team.coordinate();
    for (let lost = 0; lost < 3; lost++) {
      const worker = await team.launch();
      const thinks = async (): Promise<boolean> =>
        (await team.of('budget.reserved')).filter(({ member }) => member === 'worker').length === lost + 2;
      await until(thinks, { ms: 60_000, what: `its model has begun to think ${lost + 1} times` });
      expect((await team.of('task.claimed')).length, 'it holds what it has claimed').toBe(1);
      worker.signal('SIGKILL');
      const known = async (): Promise<boolean> => (await team.of('turn.lost')).length > lost;
      await until(known, { ms: 60_000, what: 'its turn is known to be lost' });
    }
    await team.launch();
    const run = await coordinator.ended;
    expect(run.exit, run.stderr).toBe(0);
    const facts = await team.facts();
    const story = facts.flatMap((fact) => {
      if (fact.type === 'turn.lost') return fact.member === 'worker' ? ['lost'] : [];
      if (fact.type === 'task.claimed') return [`claimed ${fact.attempt}`];
      return fact.type === 'task.released'
        ? [fact.reason]
        : fact.type === 'task.completed'
          ? ['completed']
          : [];
    });
    expect(story).toEqual(['claimed 1', 'lost', 'lost', 'lost', 'crashed', 'claimed 2', 'completed']);
    expectInvariants({ entries: await team.log() });
  });

  test('C58: while what its tool has started does not end, its member begins no other turn, and people are told', async () => {
    const team = await SharedTeam.of(
      oneTask(
        [
          does(shell('echo begun >> begun; until [ -e go ]; do sleep 0.05; done; echo ended >> begun')),
          { when: ['interrupted:'], ...does(shell('echo again >> begun')) },
        ],
        { recipe: { safety: 'full' } },
      ),
      redis(),
      { lease: '1s' },
    );
    const unkillable = join(team.at.place.root, 'unkillable');
    const start = { node: ['--import', NO_KILL], env: { UNKILLABLE: unkillable } };
    const coordinator = await team.coordinate([], start);
    const killed = await team.launch();
    await team.at.files('begun');
    await writeFile(unkillable, '');
    killed.signal('SIGKILL');
    await killed.ended;
    await team.launch([], start);
    await team.fact('turn.reclaim_deferred', ({ count }) => count === 3);
    const told = /turn \d+ cannot be taken over: its old process on \S+ is alive and does not end/;
    await coordinator.says(told);
    expect((await team.bnerd('team', 'status', TEAM)).stdout).toMatch(told);
    const turns = (await team.of('turn.started')).filter(({ member }) => member === 'worker');
    expect(turns).toHaveLength(1);
    expect(await team.of('turn.lost')).toEqual([]);
    // It ends by itself, as a process does when the kernel lets it go.
    await writeFile(join(team.at.workspace, 'go'), '');
    const run = await coordinator.ended;
    expect(run.exit, run.stderr).toBe(0);
    expect(await team.at.file('begun')).toBe('begun\nended\nagain\n');
    const log = await team.log();
    expect(liveTwice(log)).toEqual([]);
    expectInvariants({ entries: log });
  });
});
