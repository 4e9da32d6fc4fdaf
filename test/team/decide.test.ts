import { describe, expect, test } from 'vitest';
import type { Command } from '../../src/team/command.js';
import { decide } from '../../src/team/decide.js';
import { aCall, OPERATOR } from '../helpers/build-start.js';
import { picture, Team } from '../helpers/build-state.js';

describe('the same command id again', () => {
  test('gives a dead letter the same refusal: what is undelivered never becomes a success', () => {
    const team = Team.start();
    team.ok({ kind: 'member.stop', by: OPERATOR, member: 'worker', reason: '' });
    for (const to of ['worker', 'wroker']) {
      const mail: Command = { kind: 'mail.send', by: OPERATOR, to, body: 'hello', task: null };
      const first = team.do(mail, `mail/${to}`);
      expect(first).toMatchObject({ kind: 'refused' });
      const dead = team.facts('mail.dead').length;
      const second = team.do(mail, `mail/${to}`);
      expect(second).toMatchObject({ kind: 'refused', code: first.kind === 'refused' ? first.code : '' });
      expect(team.facts('mail.dead')).toHaveLength(dead);
    }
  });

  test('gives a late report the same refusal', () => {
    const team = Team.start({ tasks: [{}] });
    team.awake('worker');
    team.claim('worker', '#1');
    team.ok(team.update('#1', { status: 'cancelled' }));
    const late = team.completion('worker', '#1');
    const first = team.refusal(late, 'turn/worker/late');
    expect(team.refusal(late, 'turn/worker/late')).toBe(first);
    expect(team.facts('write.refused')).toHaveLength(1);
  });

  test('gives a word that came too late the same refusal, though it has let the request expire', () => {
    const team = Team.start({ request_timeout_ms: 10 });
    team.awake('lead');
    const request = team.park('lead');
    team.now += 10;
    const late: Command = {
      kind: 'request.decide',
      by: OPERATOR,
      request,
      decision: 'approve',
      text: null,
      digest: null,
    };
    const first = team.refusal(late, 'request.decide/late');
    expect(first).toMatch(/^expired: /);
    expect(team.refusal(late, 'request.decide/late')).toBe(first);
    team.state = team.refold();
    expect(team.refusal(late, 'request.decide/late')).toBe(first);
    expect(team.facts('request.expired')).toHaveLength(1);
  });

  test('does not start a tool a second time after the turn that started it was lost', () => {
    const team = Team.start();
    team.awake('lead');
    const start = (): Command => ({
      kind: 'tool.start',
      place: '5-1.0',
      tool: 'shell_exec',
      class: 'write',
      digest: 'digest',
      request: null,
      ...team.in('lead'),
    });
    team.ok(start(), 'turn/lead/5-1.0');
    expect(team.ok(start(), 'turn/lead/5-1.0')).toHaveLength(1);
    team.resume();
    team.turn('lead');
    expect(team.refusal(start(), 'turn/lead/5-1.0')).toMatch(/^already_started: .* turn \d+, which is over/);
    expect(team.facts('tool.started')).toHaveLength(1);
  });

  test('keeps a coordination call from a second effect when a lost turn is taken up again', () => {
    const team = Team.start({ tasks: [{}] });
    team.awake('worker');
    const claim = (): Command => ({ kind: 'task.claim', task: '#1', ...team.in('worker') });
    team.ok(claim(), 'turn/worker/6-1.0/');
    team.resume();
    team.turn('worker');
    expect(team.ok(claim(), 'turn/worker/6-1.0/')).toMatchObject([{ type: 'task.claimed', attempt: 1 }]);
    expect(team.facts('task.claimed')).toHaveLength(1);
  });
});

test('deciding changes nothing: the state is the same before and after, refused or not', () => {
  const team = Team.start({ tasks: [{}] });
  team.awake('worker');
  const before = picture(team.state);
  decide(team.state, 'a', { kind: 'task.claim', task: '#1', ...team.in('worker') }, 1);
  decide(team.state, 'b', { kind: 'task.claim', task: '#9', ...team.in('worker') }, 1);
  decide(team.state, 'c', { kind: 'run.sweep', operatorPresent: false, missingArtifacts: [] }, 1e9);
  expect(picture(team.state)).toBe(before);
});

test('a turn that was lost is heard no more, neither its own commands nor those it gives as a member', () => {
  const team = Team.start();
  team.awake('lead');
  const old = team.in('lead');
  team.resume();
  expect(team.refusal({ kind: 'budget.reserve', ...aCall(1), ...old })).toMatch(/^stale_turn: .*it is idle/);
  const by = { kind: 'member', ...old } as const;
  expect(team.refusal({ kind: 'mail.send', by, to: 'worker', body: 'hello', task: null })).toMatch(
    /^stale_turn/,
  );
  team.turn('lead');
  expect(team.refusal({ kind: 'budget.reserve', ...aCall(1), ...old })).toMatch(
    /^stale_turn: .*turn \d+ is running/,
  );
});

test('what such a turn says of its task is kept as evidence, and changes nothing (invariant 2)', () => {
  const team = Team.start({ tasks: [{ role: 'worker' }] });
  team.awake('worker');
  team.claim('worker', '#1');
  const late = team.completion('worker', '#1');
  team.resume();
  expect(team.refusal(late)).toMatch(/^stale_turn/);
  expect(team.facts('write.refused')).toMatchObject([
    { task: '#1', member: 'worker', attempt: 1, code: 'stale_turn', summary: '#1 is done' },
  ]);
  expect(team.task('#1').state).toMatchObject({ kind: 'claimed', member: 'worker', attempt: 1 });
});
