/** Teams as other processes find them: finished, waiting for a word, left by a crash. */

import { expect } from 'vitest';
import { resumeTeam } from '../../src/runtime/resume-team.js';
import { crashAt } from '../cases/crash.js';
import { ask, does, finish, when, works } from '../cases/play.js';
import { type Mission, startJob, type TestHouse, type WatchedTeam, writeMission } from '../helpers/team.js';
import { JOB } from './job.js';

export const ASKS: Mission = {
  recipe: { tasks: [{ id: 'job', subject: 'Do it', role: 'worker' }] },
  roles: { boss: {}, worker: {} },
  script: {
    boss: { idle: 'Waiting.', turns: [when('has completed #1', finish())] },
    worker: { idle: 'Ready.', turns: [works('#1', does(ask('Which?')))] },
  },
};

/** Resumes nothing that should not be. */
export const resume = (at: TestHouse, id: string, takeOver = false) =>
  resumeTeam(at.house, id, { operatorPresent: false, onEntry: () => {}, takeOver });

/** A team that ended as needs_human. */
export async function waiting(): Promise<{ at: TestHouse; team: WatchedTeam; id: string }> {
  const at = await writeMission(ASKS);
  const team = await startJob(at);
  expect(await team.ended()).toMatchObject({ reason: 'needs_human' });
  return { at, team, id: team.live.id };
}

/** A team that a crash left with a live turn. */
export async function crashed(
  mission: Mission = JOB,
): Promise<{ at: TestHouse; id: string; folder: string }> {
  const at = await writeMission(mission);
  const left = await crashAt(
    at,
    await startJob(at),
    (row) => row.kind === 'fact' && row.fact.type === 'task.claimed',
  );
  return { at, id: left.id, folder: left.folder };
}

export async function finished(): Promise<{ at: TestHouse; id: string; folder: string }> {
  const at = await writeMission(JOB);
  const team = await startJob(at);
  await team.ended();
  return { at, id: team.live.id, folder: team.live.folder };
}

export const code = (outcome: { kind: string; findings?: readonly { code: string }[] }): string | undefined =>
  outcome.findings?.[0]?.code;
