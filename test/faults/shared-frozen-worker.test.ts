// A worker that stands still for longer than its lease, and goes on as if nothing had been: its turn is another's by then, it
// writes nothing of it any more, and serves on (spec/engine.md §2 "Fences", §4).

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { liveWorkers } from '../../src/dispatch/presence.js';
import { turnOf } from '../../src/events/transcript-entry.js';
import { does, expectInvariants, shell } from '../cases/play.js';
import { oneTask } from '../e2e/missions.js';
import { describePrivateRedis, privateRedis, redisAt } from '../helpers/redis.js';
import { until } from '../helpers/until.js';
import { liveTwice } from './chains.js';
import { SharedTeam } from './shared-team.js';

/** A tool that takes effect in two steps, with a wait between; told that nobody knows how far it came, the member goes on. */
const TWO_STEPS = oneTask(
  [
    does(shell('echo begun >> begun; until [ -e go ]; do sleep 0.05; done; echo late >> late')),
    {
      when: ['interrupted:'],
      ...does(shell('echo again >> again; until [ -e go-on ]; do sleep 0.05; done')),
    },
    does(shell('echo then >> then; until [ -e last ]; do sleep 0.05; done')),
  ],
  { recipe: { safety: 'full' } },
);

describePrivateRedis('a worker that is frozen past its lease, and thawed', () => {
  test('writes nothing of the turn that was taken over, ends its tool, and serves on', async () => {
    const at = redisAt((await privateRedis()).url);
    const team = await SharedTeam.of(TWO_STEPS, at);
    const coordinator = await team.coordinate();
    const frozen = await team.worker();
    await team.at.files('begun');
    const connection = at.connect();
    await connection.ready(AbortSignal.timeout(20_000));
    const lives = async ({ pid }: { readonly pid: number }): Promise<boolean> =>
      (await liveWorkers({ client: connection.client, names: at.names })).some((one) => one.pid === pid);
    frozen.signal('SIGSTOP');
    const second = await team.worker();
    const lost = await team.fact('turn.lost');
    await team.at.files('again');
    await until(async () => !(await lives(frozen)), { ms: 60_000, what: 'its silence is seen' });
    const before = [await team.log(), await team.transcript('worker')];
    const ofLost = async (): Promise<readonly unknown[]> => [
      ...(await team.transcript('worker')).filter(({ id }) => turnOf(id) === lost.turn),
      ...(await team.facts()).filter((fact) => 'turn' in fact && fact.turn === lost.turn),
    ];
    const lostThen = await ofLost();
    // What it had started would go on now, were it still there.
    await writeFile(join(team.at.workspace, 'go'), '');
    frozen.signal('SIGCONT');
    await until(() => lives(frozen), { ms: 60_000, what: 'it lives again' });
    await frozen.says(/turn \d+ is another's from here on.*what they have done until now stands/);
    expect([await team.log(), await team.transcript('worker')]).toEqual(before);
    expect(await team.at.file('late')).toBeUndefined();
    // The other one is gone: it takes over what it had lost.
    second.signal('SIGKILL');
    await team.at.files('then');
    await writeFile(join(team.at.workspace, 'last'), '');
    expect((await coordinator.ended).exit).toBe(0);
    const log = await team.log();
    expectInvariants({ entries: log });
    expect(liveTwice(log)).toEqual([]);
    expect(await ofLost()).toEqual(lostThen);
    frozen.signal('SIGTERM');
    const served = await frozen.ended;
    expect(served.exit).toBe(0);
    expect(served.stderr).not.toContain('Lock mismatch');
  });
});
