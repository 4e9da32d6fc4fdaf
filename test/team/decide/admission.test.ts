import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/team/command.js';
import { aCall, OPERATOR, taskSpec } from '../../helpers/build-start.js';
import { picture, Team } from '../../helpers/build-state.js';

/** The lead has closed the team while the worker still has a turn. */
function closing(outcome: 'done' | 'partial' | 'failed' = 'done'): Team {
  const team = Team.start();
  team.awake('lead');
  team.mail('operator', 'worker');
  team.awake('worker');
  team.ok({ kind: 'run.finish', outcome, result: 'the result', ...team.in('lead') });
  return team;
}

describe('a team that is closed', () => {
  test('lets running turns come to their end and starts no other', () => {
    const team = closing();
    team.ok({ kind: 'budget.reserve', ...aCall(1), ...team.in('worker') });
    expect(team.due()).toEqual([]);
    expect(team.sweep()).toEqual([]);
    team.end('worker');
    team.end('lead');
    team.sweep();
    expect(team.facts('run.ended')).toMatchObject([
      { reason: 'done', result: 'the result', closed_by: 'lead' },
    ]);
  });

  test('ends with nothing open: no task, request, mail or member is taken on', () => {
    const team = closing();
    const commands: readonly Command[] = [
      { kind: 'task.create', by: team.by('lead'), tasks: [taskSpec()] },
      { kind: 'mail.send', by: team.by('lead'), to: 'worker', body: 'wait', task: null },
      { kind: 'mail.send', by: OPERATOR, to: 'worker', body: 'wait', task: null },
      { kind: 'member.spawn', by: team.by('lead'), role: 'worker' },
      team.opening('worker'),
    ];
    for (const command of commands) expect(team.refusal(command)).toMatch(/^closing/);
    // Stopped behind that it is closed all the same: the resume ends it with what is there.
    team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' });
    for (const command of commands) expect(team.refusal(command)).toMatch(/^closing/);
  });

  test.each(['done', 'partial', 'failed'] as const)(
    'keeps the word %s of the lead over a crash, a stop and a failure of the process',
    (outcome) => {
      const lost: readonly ((team: Team) => void)[] = [
        () => {},
        (team) => {
          team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' });
          team.end('lead');
          team.end('worker');
          team.sweep();
        },
        (team) => team.ok({ kind: 'run.fail', cause: 'disk_full', detail: 'no space' }),
      ];
      for (const lose of lost) {
        const team = closing(outcome);
        lose(team);
        team.resume();
        expect(team.due()).toEqual([]);
        team.sweep();
        expect(team.facts('run.ended').at(-1)).toMatchObject({ reason: outcome, result: 'the result' });
      }
    },
  );
});

describe('a run that has ended and may be resumed', () => {
  function stopped(): Team {
    const team = Team.start({ tasks: [{ role: 'worker' }], request_timeout_ms: 1_000 });
    team.idles('lead');
    team.awake('worker');
    team.park('worker');
    team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' });
    team.sweep();
    expect(team.facts('run.ended')).toMatchObject([{ reason: 'cancelled', open_requests: ['r1'] }]);
    return team;
  }

  test("takes the operator's word, which counts after the resume", () => {
    const team = stopped();
    team.ok({
      kind: 'request.decide',
      by: OPERATOR,
      request: 'r1',
      decision: 'approve',
      text: null,
      digest: null,
    });
    team.mail('operator', 'lead', 'go on');
    expect(team.due()).toEqual([]);
    team.resume();
    expect(team.due()).toEqual(['lead', 'worker']);
  });

  test('takes no word of a turn, and its time stands still', () => {
    const team = stopped();
    const before = picture(team.state);
    team.now += 10_000;
    expect(team.sweep()).toEqual([]);
    expect(team.refusal({ kind: 'task.claim', task: '#1', member: 'worker', turn: 1 })).toMatch(/^ended/);
    for (const kind of ['run.stop', 'run.kill', 'run.fail'] as const) {
      const command: Command =
        kind === 'run.fail'
          ? { kind, cause: 'error', detail: '' }
          : kind === 'run.stop'
            ? { kind, by: 'operator', cause: 'stop' }
            : { kind, by: 'operator' };
      expect(team.ok(command)).toEqual([]);
    }
    expect(picture(team.state)).toBe(before);
  });

  test('heeds no turn that was running when the process gave up', () => {
    const team = Team.start();
    team.awake('lead');
    const end = team.ending('lead');
    team.ok({ kind: 'run.fail', cause: 'error', detail: 'a bug' });
    expect(team.refusal(end)).toMatch(/^ended: .*bnerd team resume/);
    expect(team.entries.at(-1)?.facts.at(-1)?.type).toBe('run.ended');
  });
});

test('a run that has ended for good changes no more, but for the archive', () => {
  const team = closing();
  team.end('worker');
  team.end('lead');
  team.sweep();
  const commands: readonly Command[] = [
    { kind: 'mail.send', by: OPERATOR, to: 'lead', body: 'hello', task: null },
    { kind: 'task.create', by: OPERATOR, tasks: [taskSpec()] },
    { kind: 'member.stop', by: OPERATOR, member: 'worker', reason: '' },
    { kind: 'run.resume', host: 'host', disabled: [], findings: [] },
  ];
  for (const command of commands) expect(team.refusal(command)).toMatch(/^finished/);
  expect(team.ok({ kind: 'run.archive', by: 'operator' }).map((fact) => fact.type)).toEqual(['run.archived']);
  expect(team.refusal({ kind: 'run.archive', by: 'operator' })).toMatch(/^archived/);
});
