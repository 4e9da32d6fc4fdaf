import { expect, test } from 'vitest';
import { fold } from '../../src/state/team-store.js';
import { resumeJob, runMission, startJob, writeMission } from '../helpers/team.js';
import { JOB } from './job.js';

test('a team works through its board to a named end', async () => {
  const team = await runMission(JOB);
  const ended = await team.ended();
  expect(ended).toMatchObject({ reason: 'done', exit: 0, result: 'All done.', recorded: true });
  expect(team.of('task.completed').map((fact) => fact.task)).toEqual(['#1', '#2']);
  expect(team.of('request.decided')).toHaveLength(1);
  expect(team.facts.at(-1)?.type).toBe('run.ended');
  expect(fold(team.entries).phase).toEqual(team.live.state().phase);
});

test('a stopped team is resumed to the same end', async () => {
  const at = await writeMission(JOB);
  const first = await startJob(at);
  await first.fact('task.completed');
  await first.live.stop('interrupt');
  expect(await first.ended()).toMatchObject({ reason: 'cancelled', exit: 130, resumable: true });
  const second = await resumeJob(at, first.live.id);
  expect(await second.ended()).toMatchObject({ reason: 'done', exit: 0 });
  expect([...first.of('task.completed'), ...second.of('task.completed')].map((fact) => fact.task)).toEqual([
    '#1',
    '#2',
  ]);
});
