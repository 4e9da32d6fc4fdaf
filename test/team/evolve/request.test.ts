import { expect, test } from 'vitest';
import { OPERATOR } from '../../helpers/build-start.js';
import { Team } from '../../helpers/build-state.js';

function planning(): Team {
  const team = Team.start({ seats: [{ member: 'lead', plan_mode: true }], request_timeout_ms: 1_000 });
  team.awake('lead');
  return team;
}

test('a request is open with what it is about, from when, and until when', () => {
  const team = planning();
  team.now = 250;
  team.request('lead', { digest: 'digest', place: '3-1.0' });
  expect(team.state.requests.get('r1')).toMatchObject({
    member: 'lead',
    kind: 'confirmation',
    digest: 'digest',
    place: '3-1.0',
    class: 'write',
    openedAt: 250,
    expiresAt: 1_250,
    status: { kind: 'open' },
  });
});

test('a plan goes from required over pending to approved, and counts its versions', () => {
  const team = planning();
  const plan = () => team.member('lead').plan;
  expect(plan()).toEqual({ kind: 'required', version: 0 });
  for (const [version, decision] of [
    [1, 'revise'],
    [2, 'approve'],
  ] as const) {
    const request = team.request('lead', { kind: 'plan', plan: `plan ${version}`, place: `3-${version}.0` });
    expect(plan()).toMatchObject({ kind: 'pending', version, text: `plan ${version}`, request });
    team.ok({ kind: 'request.decide', by: OPERATOR, request, decision, text: null, digest: null });
    expect(plan()).toMatchObject({ kind: decision === 'approve' ? 'approved' : 'required', version });
  }
});

test('a plan whose request expires or is withdrawn is wanted again, and an approved one is not touched', () => {
  const expired = planning();
  expired.park('lead', { kind: 'plan', plan: 'one' });
  expired.now = 1_000;
  expired.sweep();
  expect(expired.member('lead').plan).toEqual({ kind: 'required', version: 1 });
  const failed = planning();
  failed.request('lead', { kind: 'plan', plan: 'one' });
  failed.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'x', error: 'y', ...failed.in('lead') });
  expect(failed.member('lead').plan).toEqual({ kind: 'required', version: 1 });
  const approved = planning();
  const request = approved.request('lead', { kind: 'plan', plan: 'one', place: '3-1.0' });
  approved.ok({
    kind: 'request.decide',
    by: OPERATOR,
    request,
    decision: 'approve',
    text: null,
    digest: null,
  });
  approved.request('lead', { place: '3-2.0' });
  approved.now = 1_000;
  approved.sweep();
  expect(approved.member('lead').plan.kind).toBe('approved');
});
