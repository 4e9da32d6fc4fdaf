import { expect, test } from 'vitest';
import type { Fact, FactOf } from '../../../src/events/event.js';
import { evolve } from '../../../src/team/evolve.js';
import type { TeamState } from '../../../src/team/state.js';
import { briefEnded, briefSent } from '../../helpers/build-brief.js';
import { atWork } from '../given-teams.js';

function told(...facts: readonly Fact[]): TeamState {
  const { state } = atWork();
  for (const fact of facts) evolve(state, fact);
  return state;
}

const sent = briefSent();
const { brief } = sent;
const accepted: FactOf<'brief.accepted'> = {
  type: 'brief.accepted',
  brief,
  runner: 'runner-1',
  key_id: '0123456789abcdef',
  engineer_version: null,
  sent_block: sent.sent_block,
  final_block: sent.sent_block,
  additions: [],
  without: [],
  project_settings: false,
};
const cancel: FactOf<'brief.cancel_requested'> = {
  type: 'brief.cancel_requested',
  brief,
  by: 'lead',
  reason: 'enough',
  becomes: null,
  detail: null,
};
const write = (tool: string, of: 'read' | 'write' = 'write'): FactOf<'tool.started'> => ({
  type: 'tool.started',
  turn: 1,
  member: 'worker',
  place: '1-1.0',
  tool,
  class: of,
  digest: 'd',
  request: null,
});

test('a brief that is sent is the live one of its task, and all that it may cost is reserved', () => {
  const { briefs, tasks, budget } = told(sent);
  expect(briefs.get(brief)?.status).toEqual({ kind: 'sent' });
  expect(tasks.get('#1')?.brief).toBe(brief);
  expect(budget).toMatchObject({ reservedUsd: 1, underWay: 1, modelCalls: 2 });
});

test('one without a limit of costs reserves nothing, so nobody waits for it', () => {
  const { budget } = told({ ...sent, cost_usd: null });
  expect(budget).toMatchObject({ reservedUsd: 0, underWay: 0 });
});

test('a runner takes it and says its steps; what it says of one that is to end changes nothing', () => {
  const step: Fact = { type: 'brief.progress', brief, step: 'engineer', detail: null };
  expect(told(sent, accepted).briefs.get(brief)?.status).toMatchObject({ kind: 'running', step: 'accepted' });
  expect(told(sent, accepted, step).briefs.get(brief)?.status).toMatchObject({
    runner: 'runner-1',
    step: 'engineer',
  });
  expect(told(sent, accepted, cancel, step).briefs.get(brief)?.status).toMatchObject({
    kind: 'cancelling',
    runner: 'runner-1',
    reason: 'enough',
  });
});

test('its end gives back what was reserved and books what was used, once', () => {
  const { briefs, tasks, budget } = told(sent, accepted, briefEnded(brief));
  expect(briefs.get(brief)?.status).toMatchObject({ kind: 'ended', status: 'completed' });
  expect(tasks.get('#1')?.brief).toBeNull();
  expect(budget).toMatchObject({ reservedUsd: 0, underWay: 0, costUsd: 0.4, estimatedUsd: 0 });
  expect(budget).toMatchObject({ inputTokens: 160 + 80, outputTokens: 40 + 20 });
});

test('where nobody says what it cost the whole is booked as an estimate', () => {
  const { budget } = told(sent, briefEnded(brief, { cost_usd: 1, estimated: true }));
  expect(budget).toMatchObject({ costUsd: 1, estimatedUsd: 1, reservedUsd: 0 });
});

test('what was delivered stays with the task, with the attempt it is of', () => {
  const delivered: Fact = { type: 'brief.delivered', brief, branch: sent.branch, head: 'h', commits: 2 };
  const { tasks } = told(sent, accepted, delivered, briefEnded(brief));
  expect(tasks.get('#1')?.delivered).toEqual({ attempt: 1, branch: sent.branch, head: 'h' });
});

test('a tool that writes while it is out is remembered; a reading or a delegating one is not', () => {
  const written = (...facts: Fact[]): boolean | undefined => told(...facts).briefs.get(brief)?.written;
  expect(written(sent)).toBe(false);
  expect(written(sent, write('fs_write_file'))).toBe(true);
  expect(written(sent, write('shell_exec', 'read'))).toBe(false);
  expect(written(sent, write('delegate_engineer'))).toBe(false);
  expect(written(write('fs_write_file'), sent)).toBe(false);
  expect(written({ ...write('fs_write_file'), member: 'lead' }, sent)).toBe(true);
});

test('what is kept as evidence changes nothing', () => {
  const before = told(sent);
  const after = told(sent, { type: 'brief.evidence', brief, code: 'late', detail: 'late', result: null });
  expect({ ...after, next: 0 }).toEqual({ ...before, next: 0 });
});
