import { describe, expect, test } from 'vitest';
import type { taskSpec } from '../../helpers/build-start.js';
import { Team } from '../../helpers/build-state.js';

function held(task: Parameters<typeof taskSpec>[0] = {}): Team {
  const team = Team.start({
    seats: ['lead', 'worker', 'reviewer', 'auditor'],
    tasks: [{ role: 'worker', ...task }, {}],
  });
  team.idles('lead');
  team.awake('worker');
  team.claim('worker', '#1');
  return team;
}

const attempt = (team: Team) => ({ task: '#1', attempt: team.task('#1').attempts, ...team.in('worker') });

test('a claim gives the next attempt, which is the fence of every later write', () => {
  const team = held();
  expect(team.task('#1')).toMatchObject({
    attempts: 1,
    state: { kind: 'claimed', member: 'worker', attempt: 1 },
  });
  team.ok({ kind: 'task.release', detail: '', ...attempt(team) });
  expect(team.claim('worker', '#1')).toBe(2);
  expect(team.refusal({ kind: 'task.release', detail: '', ...attempt(team), attempt: 1 })).toMatch(
    /^stale_attempt/,
  );
});

test('a claim brings the rules and skills of its task where no offer of it was read, once', () => {
  const skills = [{ members: ['worker'], entries: [], sha256: 's', bytes: 1 }];
  const team = Team.start({ tasks: [{ role: 'worker', skills }] });
  team.idles('lead');
  team.turn('worker');
  team.waits('worker');
  team.ok(team.update('#1', { description: 'Changed before anybody has read of it.' }));
  team.now = 20_000;
  team.turn('worker');
  team.claim('worker', '#1');
  team.ok({ kind: 'task.release', detail: '', ...attempt(team) });
  const coming = () => team.facts('mail.sent').filter(({ kind }) => kind === 'entries');
  expect(coming()).toMatchObject([{ to: ['worker'], task: '#1' }]);
  team.read(
    'worker',
    coming().map(({ id }) => id),
  );
  team.claim('worker', '#1');
  expect(coming()).toHaveLength(1);
});

test('a released task is pending again, its owner is asked last, and the lead has the reason in a fence', () => {
  const team = held();
  team.ok({ kind: 'task.release', detail: 'ask somebody else', ...attempt(team) });
  expect(team.task('#1').state.kind).toBe('pending');
  expect([...team.task('#1').offeredTo]).toEqual(['worker']);
  expect(team.inbox('lead')[0]).toMatch(
    /worker has released #1\.\n<<reason by worker ~[0-9a-f]+\nask somebody else\n~/,
  );
});

test('a block without tasks is a state with a typed reason; the lead reopens it', () => {
  const team = held();
  team.ok({ kind: 'task.block', reason: 'needs_input', on: [], detail: 'which branch?', ...attempt(team) });
  expect(team.task('#1').state).toMatchObject({
    kind: 'blocked',
    reason: 'needs_input',
    detail: 'which branch?',
  });
  expect(team.member('worker').claims.size).toBe(0);
  expect(team.inbox('lead')[0]).toContain('worker has blocked #1 (needs_input)');
  team.ok(team.update('#1', { status: 'pending' }));
  team.end('worker', { calls: 1 });
  expect(team.due()).toContain('worker');
});

test('a block on tasks is an edge: when they are completed the task comes back by itself, to the same member too', () => {
  const team = held();
  team.ok({ kind: 'task.block', reason: 'transient', on: ['#2'], detail: 'needs #2', ...attempt(team) });
  expect(team.task('#1').state.kind).toBe('pending');
  expect([...team.task('#1').blockedBy]).toEqual(['#2']);
  team.claim('worker', '#2');
  team.ok(team.completion('worker', '#2'));
  team.end('worker', { calls: 3 });
  expect(team.due()).toContain('worker');
  team.awake('worker');
  expect(team.claim('worker', '#1')).toBe(2);
});

test('a completion names evidence for each item and every artifact, or what is missing is listed', () => {
  const team = held({ acceptance: ['it works', 'it is tested'], artifacts: ['report.md'] });
  const evidence = [{ item: 'it works', text: 'seen' }];
  expect(team.refusal(team.completion('worker', '#1', { evidence, missingArtifacts: ['report.md'] }))).toBe(
    'evidence_missing: #1 cannot be completed yet:\n' +
      'no evidence for: it is tested\nartifact not found in the workspace: report.md',
  );
  expect(team.task('#1').state.kind).toBe('claimed');
  team.ok(team.completion('worker', '#1'));
  expect(team.task('#1').state).toMatchObject({ kind: 'completed', artifacts: ['report.md'] });
  expect(team.facts('task.completed')[0]?.evidence).toHaveLength(2);
});

describe('a task with gates', () => {
  function submitted(...gates: readonly string[]): Team {
    const team = held({ gates: [...gates] });
    team.ok(team.completion('worker', '#1'));
    team.end('worker', { calls: 2 });
    for (const member of ['reviewer', 'auditor']) {
      team.mail('operator', member);
      team.awake(member);
    }
    return team;
  }

  const verdict = (team: Team, member: string, given: 'approve' | 'request_changes') =>
    team.ok(team.verdict(member, '#1', { verdict: given, findings: 'so it is' }));

  test('is completed by the last missing approval, under the digest of what was handed in', () => {
    const team = submitted('reviewer', 'auditor');
    expect(team.task('#1').state.kind).toBe('in_review');
    verdict(team, 'reviewer', 'approve');
    verdict(team, 'reviewer', 'approve');
    expect(team.task('#1').state.kind).toBe('in_review');
    verdict(team, 'auditor', 'approve');
    expect(team.task('#1').state).toMatchObject({ kind: 'completed', member: 'worker', attempt: 1 });
    expect(team.member('worker').claims.size).toBe(0);
    const { evidence_digest: digest } = team.facts('task.submitted')[0] ?? {};
    expect(team.facts('task.reviewed').map((fact) => fact.evidence_digest)).toEqual([digest, digest, digest]);
  });

  test('goes back to its owner under the same attempt when changes are asked for, and earlier verdicts are void', () => {
    const team = submitted('reviewer', 'auditor');
    verdict(team, 'reviewer', 'approve');
    verdict(team, 'auditor', 'request_changes');
    expect(team.task('#1')).toMatchObject({
      rounds: 1,
      state: { kind: 'claimed', member: 'worker', attempt: 1 },
    });
    expect(team.due()).toContain('worker');
    team.awake('worker');
    team.ok(team.completion('worker', '#1'));
    verdict(team, 'auditor', 'approve');
    expect(team.task('#1').state.kind).toBe('in_review');
    verdict(team, 'reviewer', 'approve');
    expect(team.task('#1').state.kind).toBe('completed');
  });

  test('leaves its owner free for another task while it is in review, and idle without a reminder', () => {
    const team = submitted('reviewer');
    expect(team.facts('member.nudged')).toEqual([]);
    expect(team.due()).toContain('worker');
    team.awake('worker');
    expect(team.claim('worker', '#2')).toBe(1);
  });

  test('lays no edge on a task that somebody works on', () => {
    const team = held({ gates: ['reviewer'] });
    team.claim('worker', '#2');
    expect(team.refusal(team.completion('worker', '#1', { addBlocks: ['#2'] }))).toMatch(/^claimed/);
  });
});

test('what a member does with its own task is no news to the lead when it is the lead', () => {
  const team = Team.start({ seats: ['lead'], tasks: [{}] });
  team.awake('lead');
  team.claim('lead', '#1');
  expect(team.ok(team.completion('lead', '#1')).map((fact) => fact.type)).toEqual(['task.completed']);
});
