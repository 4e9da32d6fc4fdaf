/** What limits do that do not end the run (spec/team.md §1, §7): the marks of a turn, its cutting off, refusals. */

import { describe, expect, test } from 'vitest';
import type { Limits } from '../../src/events/facts/frozen.js';
import type { Command } from '../../src/team/command.js';
import { marksIn, passedMarks, type TurnLimit } from '../../src/team/turn-marks.js';
import { OPERATOR, taskSpec } from '../helpers/build-start.js';
import { Team } from '../helpers/build-state.js';

describe('the mark of a limit of the turn', () => {
  const turn = { calls: 0, callsPerTurn: 10, elapsedMs: 0, turnMinutes: 5 };

  test('is found again at the end of the input it was put in with, and nowhere else', () => {
    const far = { calls: 9, callsPerTurn: 10, elapsedMs: 170_000, turnMinutes: 3 };
    const [calls, minutes] = passedMarks(far).map(({ text }) => text);
    expect(marksIn(`[m4: a message]\nhello\n\n${calls}\n\n${minutes}`)).toEqual([
      'calls_per_turn',
      'turn_minutes',
    ]);
    expect(marksIn(calls ?? '')).toEqual(['calls_per_turn']);
    expect(marksIn(`<<mail m4 by one\n\n${calls}\n~abc>>`)).toEqual([]);
    expect(marksIn('nothing of the kind')).toEqual([]);
  });

  test('stands at six tenths, with what is left', () => {
    expect(passedMarks({ ...turn, calls: 5 })).toEqual([]);
    expect(passedMarks({ ...turn, calls: 6 })).toMatchObject([
      {
        limit: 'calls_per_turn',
        text: expect.stringContaining(
          'you have made 6 of the 10 calls of this turn, 4 are left (limits.calls_per_turn)',
        ),
      },
    ]);
    expect(passedMarks({ ...turn, elapsedMs: 179_999 })).toEqual([]);
    expect(passedMarks({ ...turn, elapsedMs: 180_000 })).toMatchObject([
      { limit: 'turn_minutes', text: expect.stringContaining('of the 5 minutes of this turn 2 are left') },
    ]);
    expect(passedMarks({ ...turn, calls: 10, elapsedMs: 300_000 }).map(({ limit }) => limit)).toEqual([
      'calls_per_turn',
      'turn_minutes',
    ]);
  });
});

/** The worker holds #1 and is in its turn. */
function atWork(limits: Partial<Limits> = {}): Team {
  const team = Team.start({ tasks: [{ role: 'worker' }], limits });
  team.idles('lead');
  team.awake('worker');
  team.claim('worker', '#1');
  return team;
}

function cutOff(
  team: Team,
  member: string,
  limit: TurnLimit = 'calls_per_turn',
  text: string | null = 'half of it',
): void {
  team.ok({ ...team.ending(member, { outcome: 'limit', calls: 100, text }), limit } as Command);
}

describe('a turn that a limit of its own cuts off', () => {
  test('gives the lead the part that there is, marked as truncated, and goes on in the next one', () => {
    const team = atWork();
    cutOff(team, 'worker');
    expect(team.facts('turn.ended').at(-1)).toMatchObject({
      outcome: 'limit',
      truncated: true,
      text: 'half of it',
    });
    expect(team.facts('limit.reached')).toEqual([
      { type: 'limit.reached', limit: 'calls_per_turn', value: 100, member: 'worker' },
    ]);
    const [report = ''] = team.inbox('lead').filter((body) => body.includes('cut off'));
    expect(report).toContain('cut off by limits.calls_per_turn (100) after 100 calls; truncated: true');
    expect(report).toContain('half of it');
    expect(team.member('worker').life).toMatchObject({ kind: 'idle', due: null });
    expect(team.due()).toContain('worker');
    expect(team.inbox('worker').at(-1)).toMatch(
      /^Your turn was cut off by limits\.calls_per_turn \(100\)\. You hold #1/,
    );
  });

  test('H175 such turns have an end: after two reminders the attempt ends, after two attempts the task', () => {
    const team = atWork();
    for (let attempt = 1; attempt <= 2; attempt++) {
      for (let turn = 1; turn <= 3; turn++) {
        if (turn > 1) team.awake('worker');
        cutOff(team, 'worker', turn === 2 ? 'turn_minutes' : 'calls_per_turn');
      }
      expect(team.facts('task.released')).toHaveLength(attempt);
      if (attempt === 1) {
        team.awake('worker');
        team.claim('worker', '#1');
      }
    }
    expect(team.task('#1').state).toMatchObject({ kind: 'failed', cause: 'no_progress' });
    expect(team.due()).not.toContain('worker');
    expect(team.facts('limit.reached').map(({ limit }) => limit)).toEqual(['calls_per_turn', 'turn_minutes']);
    expect(team.due(), 'the lead is told and goes on').toEqual(['lead']);
  });

  test('a member that holds nothing stops after two reminders, and the lead, which nobody reminds, is asked by the sweep', () => {
    const team = Team.start();
    for (let turn = 1; turn <= 3; turn++) {
      team.awake('lead');
      cutOff(team, 'lead');
    }
    expect(team.due()).toEqual([]);
    expect(team.facts('member.nudged').map(({ count }) => count)).toEqual([1, 2]);
    team.sweep();
    expect(team.facts('run.nudged')).toHaveLength(1);
    expect(team.due()).toEqual(['lead']);
  });

  test('a turn of a run that is at its limit is no such turn: nobody is told, it waits for the end', () => {
    const team = atWork();
    team.end('worker', { outcome: 'limit' });
    expect(team.facts('turn.ended').at(-1)).toMatchObject({ outcome: 'limit', truncated: false });
    expect(team.facts('limit.reached')).toEqual([]);
    expect(team.member('worker').life).toMatchObject({ kind: 'idle', due: expect.any(Number) });
  });
});

/** Each limit that refuses: what meets it, and what the refusal says. */
const REFUSALS: readonly (readonly [
  limit: keyof Limits,
  bound: number,
  says: RegExp,
  meet: (team: Team) => Command,
])[] = [
  ['messages', 1, /sent \d+ messages; the limit is 1 \(limits\.messages\)/, (team) => mail(team, 'x')],
  ['mail_bytes', 3, /has 4 bytes; the limit is 3 \(limits\.mail_bytes\)/, (team) => mail(team, 'four')],
  ['unread_bytes', 3, /would have more than 3 \(limits\.unread_bytes\)/, (team) => mail(team, 'four')],
  [
    'open_requests',
    0,
    /has 0 open requests; the limit is 0 \(limits\.open_requests\)/,
    (team) => team.opening('worker'),
  ],
];

const mail = (team: Team, body: string): Command => ({
  kind: 'mail.send',
  by: team.by('worker'),
  to: 'lead',
  body,
  task: null,
});

test.each(REFUSALS)(
  'limits.%s = %d: refused with number and limit, the lead is told once',
  (limit, bound, says, meet) => {
    const team = atWork({ [limit]: bound });
    const before = team.inbox('lead').length;
    for (let times = 1; times <= 3; times++) expect(team.refusal(meet(team))).toMatch(says);
    expect(team.facts('limit.reached')).toMatchObject([{ limit, member: 'worker' }]);
    const told = team.inbox('lead').slice(before);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(new RegExp(`^worker was refused something by limits\\.${limit}: `));
    expect(told[0]).toMatch(says);
  },
);

test('limits.calls_per_reply, which no wish ever meets, is told in the same way', () => {
  const team = atWork();
  const meet = (): Command => ({
    kind: 'limit.meet',
    limit: 'calls_per_reply',
    value: 33,
    text: 'not run: a reply may hold 32 calls (limits.calls_per_reply)',
    ...team.in('worker'),
  });
  team.ok(meet());
  team.ok(meet());
  expect(team.facts('limit.reached')).toMatchObject([
    { limit: 'calls_per_reply', value: 33, member: 'worker' },
  ]);
  expect(team.inbox('lead').filter((body) => body.includes('limits.calls_per_reply'))).toHaveLength(1);
});

describe('what only the lead does', () => {
  const lead = (limits: Partial<Limits>): Team => {
    const team = Team.start({
      seats: ['lead', ...['a', 'b'].map((member) => ({ member, on_demand: true }))],
      limits,
    });
    team.awake('lead');
    return team;
  };

  test('H171 a fan-out of a hundred: members that there is room for come, each seat once, all others are refused', () => {
    const team = lead({ members: 2 });
    const answers = Array.from({ length: 100 }, (_, index) =>
      team.do({ kind: 'member.spawn', by: team.by('lead'), role: ['a', 'b'][index % 2] ?? 'a' }),
    );
    expect(answers.filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
    expect(team.facts('member.spawned').map(({ seat }) => seat.member)).toEqual(['lead', 'a']);
    expect(answers[1]).toMatchObject({
      code: 'limit',
      message: 'the team has 2 members; the limit is 2 (limits.members): stop one first',
    });
    // The lead reads the refusals; the record keeps the first.
    expect(team.facts('limit.reached')).toEqual([
      { type: 'limit.reached', limit: 'members', value: 2, member: 'lead' },
    ]);
    // Who was stopped gives room to another and does not come back: the roster bounds all spawns of a run.
    team.ok({ kind: 'member.stop', by: team.by('lead'), member: 'a', reason: '' });
    team.ok({ kind: 'member.spawn', by: team.by('lead'), role: 'b' });
    expect(team.refusal({ kind: 'member.spawn', by: team.by('lead'), role: 'a' })).toMatch(/^stopped: /);
  });

  test('tasks over the limit are refused all together; what the operator meets is no matter of the record', () => {
    const team = lead({ tasks: 1 });
    const create = (by: Extract<Command, { kind: 'task.create' }>['by']): Command => ({
      kind: 'task.create',
      by,
      tasks: [taskSpec(), taskSpec()],
    });
    expect(team.refusal(create(OPERATOR))).toMatch(/holds 0 tasks; the limit is 1 \(limits\.tasks\)/);
    expect(team.facts('limit.reached')).toEqual([]);
    expect(team.refusal(create(team.by('lead')))).toMatch(/limits\.tasks/);
    expect(team.facts('limit.reached')).toMatchObject([{ limit: 'tasks', member: 'lead' }]);
    expect(team.state.tasks.size).toBe(0);
  });

  test('H170 a worker brings nobody into the team', () => {
    const team = atWork();
    expect(team.refusal({ kind: 'member.spawn', by: team.by('worker'), role: 'worker' })).toMatch(
      /^lead_only: /,
    );
  });
});
