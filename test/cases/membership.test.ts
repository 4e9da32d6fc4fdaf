// Case H181, the part about mail: a member that had to wait for its provider is the member that it was.
import { expect, test } from 'vitest';
import { startJob, writeMission } from '../helpers/team.js';
import { oneWorker } from './asking.js';
import { deliveriesOf } from './look.js';
import { claim, complete, does, expectInvariants, says, when } from './play.js';

test('H181 refused by its provider in the middle of a task: same member, same claim, and the mail that came meanwhile is read once', async () => {
  const at = await writeMission(
    oneWorker([
      when(
        'Task #1 is ready',
        does(claim('#1')),
        {
          fail: { kind: 'rate_limited', message: 'slow down', retry_after_ms: 300, times: 2 },
          capture: { colour: { match: 'take the (\\w+) one', default: 'no' } },
          calls: [complete('#1', { summary: 'The {{colour}} one.' })],
        },
        says('Done.'),
      ),
    ]),
  );
  const team = await startJob(at, {}, true);
  await team.fact('turn.ended', (fact) => fact.wait?.why === 'rate_limited');
  expect(await team.live.send('worker', 'take the teal one')).toMatchObject({ kind: 'accepted' });
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expect(team.of('member.spawned').filter(({ seat }) => seat.member === 'worker')).toHaveLength(1);
  expect(team.of('task.claimed')).toMatchObject([{ task: '#1', member: 'worker', attempt: 1 }]);
  expect(team.of('task.completed')).toMatchObject([
    { task: '#1', member: 'worker', attempt: 1, summary: 'The teal one.' },
  ]);
  const sent = team.of('mail.sent').find(({ body }) => body === 'take the teal one');
  expect(deliveriesOf(team, sent?.id)).toMatchObject([{ member: 'worker' }]);
  expectInvariants(team);
});
