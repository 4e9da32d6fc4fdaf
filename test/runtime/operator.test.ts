// The operator's words for a team of another process, or of none (spec/team.md §7, engine.md §1).
import { describe, expect, test } from 'vitest';
import { answerRequest, sendToTeam, stopTeam } from '../../src/runtime/operator.js';
import { teamStatus, teamTranscript } from '../../src/runtime/teams.js';
import { verifyTeam } from '../../src/runtime/verify-team.js';
import { crashAt } from '../cases/crash.js';
import { expectInvariants } from '../cases/play.js';
import { resumeJob, startJob, writeMission } from '../helpers/team.js';
import { until } from '../helpers/until.js';
import { ASKS, crashed, finished, waiting } from './left-behind.js';

describe('the operator’s words for a team that nobody runs', () => {
  test('an answer is recorded, names the resume, and is given once', async () => {
    const { at, id } = await waiting();
    expect(await answerRequest(at.house, id, 'r1', 'this one')).toEqual({
      kind: 'done',
      text: `recorded; go on with: bnerd team resume ${id}`,
      live: false,
    });
    expect(await answerRequest(at.house, id, 'r1', 'that one')).toMatchObject({
      findings: [{ code: 'already-decided' }],
    });
    expect(await answerRequest(at.house, id, 'r7', 'yes')).toMatchObject({
      findings: [{ code: 'unknown-request' }],
    });
    const second = await resumeJob(at, id);
    expect(await second.ended()).toMatchObject({ reason: 'done' });
    expect(second.results('worker')[0]).toBe('The operator answers r1:\nthis one');
  });

  test('a message waits for the resume and is delivered once', async () => {
    const { at, id } = await waiting();
    expect(await sendToTeam(at.house, id, 'lead', 'hurry')).toMatchObject({ kind: 'done', live: false });
    expect(await sendToTeam(at.house, id, 'nobody', 'hurry')).toMatchObject({
      findings: [{ code: 'unknown-member' }],
    });
    await answerRequest(at.house, id, 'r1', 'this one');
    const second = await resumeJob(at, id);
    await second.ended();
    expect(second.inputs('boss').filter((text) => text.includes('hurry'))).toHaveLength(1);
  });

  test('a stop ends what a crash left: cancelled, nothing live in the record, and still resumable', async () => {
    const { at, id } = await crashed();
    expect(await teamStatus(at.house, id)).toMatchObject({ value: { live: false, phase: 'running' } });
    expect(await stopTeam(at.house, id, null, false)).toMatchObject({ kind: 'done', live: false });
    expect(await teamStatus(at.house, id)).toMatchObject({ value: { phase: 'ended', reason: 'cancelled' } });
    expect(await stopTeam(at.house, id, null, false)).toMatchObject({
      text: expect.stringContaining('nothing had to be changed'),
    });
    const second = await resumeJob(at, id);
    expect(await second.ended()).toMatchObject({ reason: 'done' });
  });

  test('a stop of a team with a request that is overdue still ends it', async () => {
    const at = await writeMission(ASKS);
    const left = await crashAt(
      at,
      await startJob(at, { requestTimeoutMs: 0 }, true),
      (row) => row.kind === 'fact' && row.fact.type === 'request.opened',
    );
    expect(await stopTeam(at.house, left.id, null, false)).toMatchObject({ kind: 'done' });
    expect(await teamStatus(at.house, left.id)).toMatchObject({
      value: { phase: 'ended', reason: 'cancelled' },
    });
  });

  test('stopping one member closes the call it waited with', async () => {
    const { at, id } = await waiting();
    expect(await stopTeam(at.house, id, 'worker', false)).toMatchObject({ kind: 'done' });
    const memory = await teamTranscript(at.house, id, 'worker');
    expect(memory.kind === 'found' && memory.value.entries.at(-1)).toMatchObject({
      kind: 'result',
      outcome: 'cancelled',
    });
    expect(await verifyTeam(at.house, id)).toMatchObject({ value: { ok: true } });
  });

  test('of a finished team change nothing and promise no resume', async () => {
    const { at, id } = await finished();
    const stopped = await stopTeam(at.house, id, null, false);
    expect(stopped).toEqual({
      kind: 'done',
      text: 'the run has ended: done; nothing was changed',
      live: false,
    });
    expect(await sendToTeam(at.house, id, 'lead', 'x')).toMatchObject({ findings: [{ code: 'finished' }] });
  });

  test('of a live team go through its socket', async () => {
    const at = await writeMission(ASKS);
    const team = await startJob(at, {}, true);
    await team.fact('request.opened');
    expect(await answerRequest(at.house, team.live.id, 'r1', 'this one')).toMatchObject({
      kind: 'done',
      live: true,
    });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expectInvariants(team);
  });

  test('stop --force of a live team kills it', async () => {
    const at = await writeMission(ASKS);
    const team = await startJob(at, {}, true);
    await team.fact('request.opened');
    expect(await stopTeam(at.house, team.live.id, null, true)).toMatchObject({
      text: 'the team is being killed',
      live: true,
    });
    expect(await team.ended()).toMatchObject({ reason: 'cancelled' });
  });
});

test('a stopped team is found by others only when it is released: no word in between is lost', async () => {
  const at = await writeMission(ASKS);
  const team = await startJob(at, {}, true);
  await team.fact('request.opened');
  const stopping = team.live.stop('stop');
  const said = await sendToTeam(at.house, team.live.id, 'lead', 'in between');
  await stopping;
  await team.ended();
  if (said.kind === 'done') {
    const status = await until(() => teamStatus(at.house, team.live.id), { what: 'a status' });
    expect(JSON.stringify(status)).toContain('"reason":"cancelled"');
    const second = await resumeJob(at, team.live.id, true);
    await until(() => second.inputs('boss').some((text) => text.includes('in between')), {
      what: 'the word',
    });
  } else {
    expect(said.findings[0]?.code).toMatch(/^(unreachable|team-held|ended)$/);
  }
});
