import { expect, test } from 'vitest';
import { OPERATOR, started, Team } from '../../helpers/build-state.js';
import { anyWalks } from './any-walks.js';
import { Walk } from './walk.js';

/** A first look; `test/faults/any-order.test.ts` walks on from here. */
test('any order of commands with crashes between any two keeps the invariants and comes to an end', () => {
  anyWalks(20, 300);
});

test('a word that comes too late for a stopped team is told so, and that the request has expired is recorded', () => {
  const walk = new Walk(new Team());
  const start = started({ seats: [{ member: 'lead' }, { member: 'worker' }], request_timeout_ms: 60_000 });
  walk.do({ kind: 'run.start', started: start, tasks: [], entries: [] });
  walk.do({ kind: 'turn.start', member: 'lead', cause: 1 });
  walk.do(walk.team.opening('lead'));
  walk.do(walk.team.ending('lead', { outcome: 'parked', request: 'r1', calls: 1 }));
  walk.do({ kind: 'run.stop', by: 'operator', cause: 'terminate' });
  walk.do({ kind: 'run.sweep', operatorPresent: true, missingArtifacts: [] });
  expect(walk.team.state.phase.kind).toBe('ended');
  walk.team.now += 60_000;
  const late = { kind: 'request.decide', by: OPERATOR, request: 'r1', decision: 'deny', text: null } as const;
  const evidence = [{ type: 'request.expired', request: 'r1' }];
  expect(walk.do({ ...late, digest: null })).toMatchObject({ kind: 'refused', code: 'expired', evidence });
  walk.crash();
  expect(walk.team.due()).toContain('lead');
});
