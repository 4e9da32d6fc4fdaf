// Cases D83, D88, D90, H180: completion is bound to evidence, and a verdict to what was seen.
import { describe, expect, test } from 'vitest';
import type { Model } from '../../src/models/model.js';
import type { RunPlan } from '../../src/runtime/plan/prepare-run.js';
import { teamStatus } from '../../src/runtime/teams.js';
import { runMission, startJob, writeMission } from '../helpers/team.js';
import { passes, turnsOf } from './look.js';
import {
  ask,
  claim,
  complete,
  does,
  expectInvariants,
  finish,
  hearing,
  judges,
  reviews,
  says,
  TOLD_DIGEST,
  update,
  when,
  works,
} from './play.js';

/** A task that `worker` does and `judge` reviews, among further ones. */
function gated(more: Readonly<Record<string, unknown>> = {}, ...others: object[]): Record<string, unknown> {
  return { tasks: [{ id: 'job', subject: 'Do it', role: 'worker', gates: ['judge'], ...more }, ...others] };
}

const BEGIN = when('', says('Begin.'));
const CLOSE = when('has completed #1', finish());

test('D83: while a task waits for its reviewer nobody has a turn, however often one looks; the reviewer acts, and it goes on', async () => {
  const at = await writeMission({
    recipe: gated(),
    roles: { boss: {}, worker: {}, judge: {} },
    script: {
      boss: { idle: 'Waiting.', turns: [BEGIN, CLOSE] },
      worker: { idle: 'Ready.', turns: [works('#1')] },
      judge: {
        idle: 'Ready.',
        turns: [
          when(
            'waits for your review',
            { capture: { digest: TOLD_DIGEST }, ...does(ask('May I?')) },
            hearing('go on', does(judges('#1', 'approve'))),
            says('Judged.'),
          ),
        ],
      },
    },
  });
  const team = await startJob(at, {}, true);
  await team.fact('turn.ended', (fact) => fact.member === 'judge' && fact.outcome === 'parked');
  await team.fact('mail.delivered', (fact) => fact.member === 'boss' && fact.messages.length > 0);
  await team.fact('turn.ended', (fact) => fact.member === 'worker');
  await passes();
  expect(team.live.state().tasks.get('#1')?.state.kind).toBe('in_review');
  const turns = team.of('turn.started').length;
  const spawned = team.of('member.spawned').length;
  for (let look = 0; look < 5; look++) {
    await teamStatus(at.house, team.live.id);
    await passes();
    expect(team.of('turn.started')).toHaveLength(turns);
    expect(team.of('member.spawned')).toHaveLength(spawned);
  }
  expect((await team.live.answer('r1', { kind: 'text', text: 'go on' })).kind).toBe('accepted');
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expect(team.of('turn.started').length).toBeGreaterThan(turns);
  expectInvariants(team);
});

test('D88: of three things that must hold two have evidence: refused, listing the missing one', async () => {
  const items = ['it builds', 'it is tested', 'it is described'];
  const evidence = items.map((item) => ({ item, text: `seen: ${item}` }));
  const team = await runMission({
    recipe: { tasks: [{ id: 'job', subject: 'Do it', role: 'worker', acceptance: items }] },
    roles: { boss: {}, worker: {} },
    script: {
      boss: { idle: 'Waiting.', turns: [BEGIN, CLOSE] },
      worker: {
        idle: 'Ready.',
        turns: [
          when(
            'Task #1 is ready',
            does(claim('#1'), complete('#1', { evidence: [evidence[0], evidence[2]] })),
            hearing('evidence_missing: #1 cannot be completed yet', does(complete('#1', { evidence }))),
            says('Now it is.'),
          ),
        ],
      },
    },
  });
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expect(team.results('worker')[1]).toBe(
    'evidence_missing: #1 cannot be completed yet:\nno evidence for: it is tested',
  );
  expect(team.of('task.completed')).toMatchObject([{ evidence }]);
});

test('D90: an open item that a later report leaves out stays open, and nobody may strike it off the list', async () => {
  const items = ['it works', 'it is verified'];
  const evidence = items.map((item) => ({ item, text: `seen: ${item}` }));
  const team = await runMission({
    recipe: gated({ acceptance: items }),
    roles: { boss: {}, worker: {}, judge: {} },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when(
            '',
            does(
              update('#1', { acceptance: ['it works'] }),
              update('#1', { gates: [] }),
              update('#1', { artifacts: [] }),
            ),
            says('Then not.'),
          ),
          CLOSE,
        ],
      },
      worker: {
        idle: 'Ready.',
        turns: [
          when('Task #1 is ready', does(claim('#1'), complete('#1', { evidence })), says('Handed in.')),
          when(
            'asks for changes on #1',
            // The evidence of the report before is not enough, and a list without the item is no way round it.
            does(complete('#1', { evidence: [evidence[0]] }), complete('#1')),
            hearing('no evidence for: it is verified', does(complete('#1', { evidence }))),
            says('Once more.'),
          ),
        ],
      },
      judge: {
        idle: 'Ready.',
        turns: [reviews('#1', 'request_changes', { findings: 'Look again.' }), reviews('#1', 'approve')],
      },
    },
  });
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  for (const result of team.results('boss').slice(0, 3)) expect(result).toMatch(/acceptance|gates|artifacts/);
  expect(team.of('task.updated')).toEqual([]);
  expect(team.results('worker').slice(2, 4)).toEqual([
    'evidence_missing: #1 cannot be completed yet:\nno evidence for: it is verified',
    'evidence_missing: #1 cannot be completed yet:\nno evidence for: it works\nno evidence for: it is verified',
  ]);
  const [first, second] = team.of('task.submitted');
  expect(first?.attempt).toBe(1);
  expect(second?.attempt).toBe(1);
  expect(second?.evidence_digest).not.toBe(first?.evidence_digest);
  // Each verdict names the report it saw.
  expect(team.of('task.reviewed').map((fact) => fact.evidence_digest)).toEqual([
    first?.evidence_digest,
    second?.evidence_digest,
  ]);
  expectInvariants(team);
});

describe('H180', () => {
  /** The model of the role, whose first answer that holds a verdict is cut off by the cap on its length. */
  function cutOnce(plan: RunPlan, role: string): RunPlan {
    const model = plan.models.get(role);
    if (model === undefined) throw new Error(`no model of ${role}`);
    let cut = false;
    const capped: Model = {
      ...model,
      generate: async (request, signal) => {
        const outcome = await model.generate(request, signal);
        if (cut || outcome.kind !== 'reply' || !outcome.calls.some(({ tool }) => tool === 'team_review'))
          return outcome;
        cut = true;
        return { ...outcome, stop: 'length' };
      },
      leftover: (member, of, messages) => model.leftover(member, of, messages),
    };
    return { ...plan, models: new Map(plan.models).set(role, capped) };
  }

  test.each(['request_changes', 'approve'] as const)(
    'H180 (b): a verdict "%s" in an answer that was cut off is inconclusive, never taken at its word',
    async (verdict) => {
      const at = await writeMission({
        recipe: gated(),
        roles: { boss: {}, worker: {}, judge: {} },
        script: {
          boss: { idle: 'Waiting.', turns: [BEGIN, CLOSE] },
          worker: { idle: 'Ready.', turns: [works('#1')] },
          judge: {
            idle: 'Ready.',
            turns: [
              reviews('#1', verdict, { findings: 'REJECT since' }),
              reviews('#1', 'approve', {}, 'was cut off before it was whole'),
            ],
          },
        },
      });
      const team = await startJob(at, {}, false, (plan) => cutOnce(plan, 'judge'));
      expect(await team.ended()).toMatchObject({ reason: 'done' });
      expect(team.of('task.reviewed').map((fact) => fact.verdict)).toEqual(['inconclusive', 'approve']);
      expect(team.results('judge')[0]).toContain('is recorded as inconclusive and counts neither way');
      // The owner heard of no rejection, and the lead of what happened.
      expect(turnsOf(team, 'worker')).toHaveLength(1);
      expect(team.inputs('boss').join('\n')).toContain('The verdict of judge on #1 is inconclusive');
      expectInvariants(team);
    },
  );
});
