import { describe, expect, test } from 'vitest';
import { type ProgressPlace, progressLines } from '../../../src/cli/live/progress.js';
import type { Fact, FactOf } from '../../../src/events/event.js';
import { endFacts } from '../../../src/team/end.js';
import { seat, started, Team, taskSpec } from '../../helpers/build-state.js';

const PLACE: ProgressPlace = {
  team: 'run-x-01',
  lead: 'product-orchestrator',
  operatorPresent: false,
  workingDirectory: '/work',
  at: 5_000,
  subject: (task) => (task === '#1' ? 'review PR #142 — code correctness' : null),
};

function lines(facts: readonly Fact[], place: Partial<ProgressPlace> = {}): string[] {
  return progressLines(facts, { ...PLACE, ...place }).map(({ text }) => text);
}

function opened(given: Partial<FactOf<'request.opened'>> = {}): FactOf<'request.opened'> {
  return {
    type: 'request.opened',
    request: 'r3',
    kind: 'confirmation',
    member: 'code-reviewer',
    place: '9-1.0',
    principals: ['operator'],
    digest: '0',
    tool: 'shell_exec',
    class: 'write',
    arguments: '{}',
    summary: 'gh pr view 142',
    context: null,
    policy: 'p',
    always: null,
    task: null,
    expires_ms: null,
    ...given,
  };
}

const decided = (kind: 'operator' | 'policy'): FactOf<'request.decided'> => ({
  type: 'request.decided',
  digest: null,
  request: 'r3',
  decision: 'approve',
  text: null,
  by: { kind, name: 'me' },
});

const reviewed = (verdict: 'approve' | 'request_changes', findings: string): FactOf<'task.reviewed'> => ({
  type: 'task.reviewed',
  task: '#1',
  attempt: 1,
  role: 'code-reviewer',
  member: 'code-reviewer',
  verdict,
  findings,
  evidence_digest: 'd',
});

const ended = (given: Partial<FactOf<'turn.ended'>>): FactOf<'turn.ended'> => ({
  type: 'turn.ended',
  wait: null,
  turn: 9,
  member: 'code-reviewer',
  outcome: 'finished',
  request: null,
  upto: '9-3',
  text: null,
  calls: 1,
  detail: null,
  truncated: false,
  ...given,
});

/** Until 12 s after the entry. */
const WAIT = { until: 17_000, provider: 'anthropic', try: 1, detail: 'too many requests', need: null };

const deferred = (count: number): Fact => ({
  type: 'turn.reclaim_deferred',
  turn: 9,
  member: 'code-reviewer',
  host: 'vm-1',
  count,
  detail: '4711',
});

describe('progress', () => {
  test('tells the members that are spawned together on one line, as the lead', () => {
    const spawned = ['product-orchestrator', 'code-reviewer', 'security-reviewer'].map(
      (member): Fact => ({
        type: 'member.spawned',
        by: 'runtime',
        seat: seat({ member, lead: member === 'product-orchestrator' }),
      }),
    );
    expect(lines([started(), ...spawned])).toEqual(['[lead] spawning code-reviewer, security-reviewer']);
  });

  test('tells a claim with the subject of the task', () => {
    const claimed: Fact = { type: 'task.claimed', task: '#1', member: 'code-reviewer', attempt: 1 };
    expect(lines([claimed])).toEqual(['[code-reviewer] task #1: review PR #142 — code correctness']);
  });

  test.each<[string, Fact, string]>([
    [
      'completion',
      {
        type: 'task.completed',
        task: '#1',
        member: 'code-reviewer',
        attempt: 1,
        summary: 'all\nfine',
        evidence: [],
        artifacts: [],
      },
      '[code-reviewer] task #1 completed: all …',
    ],
    [
      'what was handed in',
      {
        type: 'task.submitted',
        task: '#1',
        member: 'code-reviewer',
        attempt: 1,
        summary: 'all\nfine',
        evidence: [],
        artifacts: [],
        artifact_bytes: null,
        evidence_digest: 'd',
      },
      '[code-reviewer] task #1 handed in for review: all …',
    ],
    [
      'a lost turn',
      { type: 'turn.lost', turn: 9, member: 'code-reviewer', host: 'vm-1', detail: 'its lease is gone' },
      '[code-reviewer] turn 9 was lost on vm-1: its lease is gone',
    ],
    [
      'a lost turn of nobody in particular',
      { type: 'turn.lost', turn: 9, member: 'code-reviewer', detail: 'gone' },
      '[code-reviewer] turn 9 was lost: gone',
    ],
    [
      'a turn that cannot be taken over',
      deferred(3),
      '[code-reviewer] turn 9 cannot be taken over: its old process on vm-1 is alive and does not end; end it there (4711)',
    ],
    [
      'a machine',
      { type: 'workspace.bound', host: 'vm-1', commit: 'c1' },
      'the workspace is on vm-1 at commit c1',
    ],
    [
      'a lost machine',
      { type: 'workspace.lost', host: 'vm-1', commit: null, detail: 'no answer' },
      'the workspace on vm-1 is lost: no answer; it starts again',
    ],
    ['a verdict', reviewed('approve', ''), '[code-reviewer] task #1: approved'],
    [
      'a verdict with findings',
      reviewed('request_changes', 'no test\nand no word'),
      '[code-reviewer] task #1: changes requested: no test …',
    ],
    ['the end of a turn', ended({}), '[code-reviewer] idle'],
    [
      'a turn cut short',
      ended({ outcome: 'limit', detail: 'calls' }),
      '[code-reviewer] turn ended (limit): calls',
    ],
    [
      'a wait for a provider that asked for it',
      ended({ outcome: 'parked', wait: { ...WAIT, why: 'rate_limited' } }),
      '[code-reviewer] anthropic asks to wait (rate limited), 12 s',
    ],
    [
      'a wait for a provider that does not answer',
      ended({ outcome: 'parked', wait: { ...WAIT, why: 'unavailable' } }),
      '[code-reviewer] anthropic is unavailable, asked again in 12 s: too many requests',
    ],
    [
      'an error',
      { type: 'member.failed', member: 'code-reviewer', code: 'x', error: 'no\u001b[2J answer' },
      '[code-reviewer] errored: no[2J answer',
    ],
    [
      'a reached limit',
      { type: 'limit.reached', limit: 'turns', value: 5, member: null },
      'limit reached: turns = 5',
    ],
    ['a decision of a person', decided('operator'), 'r3: approve by operator (me)'],
    [
      'an expiry',
      { type: 'request.expired', request: 'r3' },
      'r3 has expired without an answer; it was not run',
    ],
  ])('tells %s', (_, fact, line) => {
    expect(lines([fact])).toEqual([line]);
  });

  test('leaves a limit that has ended the run to the last lines', () => {
    const limit: Fact = { type: 'limit.reached', limit: 'turns', value: 5, member: null };
    const [end] = endFacts(
      Team.start().state,
      { reason: 'budget', cause: null, detail: 'limit', closedBy: 'runtime', result: null },
      0,
    ).slice(-1);
    expect(end?.type).toBe('run.ended');
    expect(lines(end === undefined ? [] : [limit, end])).toEqual([]);
  });

  test('tells a turn that ended in a failure once, as the failure', () => {
    const failed: Fact = { type: 'member.failed', member: 'code-reviewer', code: 'x', error: 'no key' };
    expect(lines([ended({ outcome: 'failed', detail: 'no key' }), failed])).toEqual([
      '[code-reviewer] errored: no key',
    ]);
  });

  test.each<[string, readonly Fact[]]>([
    ['the end of a turn of the lead, who waits by nature', [ended({ member: 'product-orchestrator' })]],
    ['a new task', [{ type: 'task.created', task: '#1', by: 'lead', spec: taskSpec() }]],
    ['a confirmation that the policy has given', [opened(), decided('policy')]],
    ['a parked turn, whose request is told', [ended({ outcome: 'parked', request: 'r3' })]],
  ])('says nothing of %s', (_, facts) => {
    expect(lines(facts)).toEqual([]);
  });

  test('lists a request with the words that answer it where nobody is asked', () => {
    expect(lines([opened()])).toEqual([
      '[code-reviewer] waits for r3, a confirmation: gh pr view 142 (bnerd team answer run-x-01 r3 yes|no)',
    ]);
    expect(lines([opened({ kind: 'question', summary: 'Why?' })])[0]).toContain('r3 <text>)');
  });

  test('leaves a request to its block where somebody is asked, but tells what the lead decides', () => {
    expect(lines([opened()], { operatorPresent: true })).toEqual([]);
    const plan = opened({ kind: 'plan', principals: ['lead', 'operator'] });
    expect(lines([plan], { operatorPresent: true })[0]).toMatch(
      /waits for r3, a plan: .* \(the lead decides\)$/,
    );
  });

  test('tells of a turn that cannot be taken over when that was tried often enough', () => {
    expect([1, 2, 3].map((count) => lines([deferred(count)]).length)).toEqual([0, 0, 1]);
  });

  test('tells the warnings of the start and keeps remarks to itself', () => {
    const finding = { path: 'a.md', line: 3, message: 'm', remedy: 'r' };
    const run = started({
      findings: [
        { ...finding, code: 'odd', severity: 'warning' },
        { ...finding, code: 'note', severity: 'info' },
      ],
    });
    expect(lines([run])).toEqual(['a.md:3: warning odd m (r)']);
  });

  test('gives no control character and one line a fact, for every fact of a team', () => {
    const team = Team.start({ seats: ['lead', 'worker'], tasks: [{ subject: 'a\u001b]0;x\u0007\nb' }] });
    for (const line of team.entries.flatMap((entry) => lines(entry.facts, { lead: 'lead' }))) {
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    }
  });
});
