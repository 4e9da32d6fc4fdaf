// Case A10: two who start a team of one name at once are never in one team.
import { expect, test } from 'vitest';
import { namedTeam } from '../../src/runtime/named-team.js';
import { prepareRun } from '../../src/runtime/plan/prepare-run.js';
import { startTeam } from '../../src/runtime/start-team.js';
import { verifyTeam } from '../../src/runtime/verify-team.js';
import { UserError } from '../../src/shared/errors.js';
import { barrier } from '../helpers/barrier.js';
import { type Mission, ORDER, writeMission } from '../helpers/team.js';
import { finish, when } from './play.js';

const MISSION: Mission = {
  roles: { boss: {} },
  script: { boss: { idle: 'Waiting.', turns: [when('', finish())] } },
};

test('A10 two starts of one name at a barrier, 20 rounds: one runs, the other is told who holds it or that it is there; never a merge', async () => {
  const at = await writeMission(MISSION);
  const tallies = { held: 0, there: 0 };
  for (let round = 0; round < 20; round++) {
    const name = `dev-${round}`;
    const start = barrier(2);
    const teams = ['one', 'other'].map(async (prompt) => {
      const prepared = await prepareRun(at.house, { ...ORDER, prompt });
      if (prepared.kind === 'refused') throw new Error('refused');
      await start.arrive();
      const team = await startTeam(
        at.house,
        prepared.plan,
        { operatorPresent: false, onEntry: () => {} },
        name,
      );
      return { prompt, ended: await team.ended };
    });
    const settled = await Promise.allSettled(teams);
    const won = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const lost = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    expect(won, `round ${round}`).toHaveLength(1);
    expect(won[0]?.ended).toMatchObject({ reason: 'done', result: 'All is said.' });
    const [error] = lost;
    if (!(error instanceof UserError)) throw new Error(`round ${round}: ${String(error)}`);
    if (error.code === 'team-held') {
      tallies.held++;
      expect(error.message).toContain(`pid ${process.pid} on `);
    } else {
      tallies.there++;
      expect(error.code).toBe('team-exists');
    }
    // The record is the winner's and nobody else's.
    const named = await namedTeam(at.house, name);
    expect(named).toMatchObject({
      kind: 'there',
      finished: true,
      started: { team: name, prompt: won[0]?.prompt },
    });
    expect(await verifyTeam(at.house, name)).toMatchObject({ kind: 'found', value: { ok: true } });
  }
  expect(tallies.held + tallies.there).toBe(20);
});
