import { describe, expect, test } from 'vitest';
import { OPERATOR, started, taskSpec } from '../../helpers/build-start.js';
import { picture, Team } from '../../helpers/build-state.js';

test('a start spawns every always-on seat, puts the tasks on the board and the order into the mail of the lead', () => {
  const team = new Team();
  const facts = team.ok({
    kind: 'run.start',
    started: started({ prompt: 'go', seats: ['lead', 'worker', { member: 'helper', on_demand: true }] }),
    tasks: [taskSpec({ key: 'a' }), taskSpec({ blocked_by: ['a'] })],
    entries: [],
  });
  expect(facts[0]?.type).toBe('run.started');
  expect([...team.state.members.keys()]).toEqual(['lead', 'worker']);
  expect([...(team.state.tasks.get('#2')?.blockedBy ?? [])]).toEqual(['#1']);
  expect(facts.at(-1)).toMatchObject({
    type: 'mail.sent',
    kind: 'prompt',
    from: 'operator',
    to: ['lead'],
    body: 'go',
  });
  expect(team.due()).toEqual(['lead', 'worker']);
});

describe('a resume', () => {
  test('makes every turn that was live due again, and tries errored members anew', () => {
    const team = Team.start({ seats: ['lead', 'one', 'two'] });
    team.mail('operator', 'all');
    for (const member of ['lead', 'one', 'two']) team.awake(member);
    team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'model', error: 'gone', ...team.in('two') });
    team.resume();
    expect(team.due()).toEqual(['lead', 'one', 'two']);
    expect(team.member('one')).toMatchObject({ life: { kind: 'idle' }, lost: 1 });
    expect(team.member('two')).toMatchObject({ life: { kind: 'idle' }, lost: 0 });
  });

  test('keeps a claim over the crash, and ends it as crashed after three lost turns without a reply', () => {
    const team = Team.start({ tasks: [{ role: 'worker' }] });
    team.idles('lead');
    team.awake('worker');
    team.claim('worker', '#1');
    for (const lost of [1, 2]) {
      team.resume();
      expect(team.member('worker').lost).toBe(lost);
      expect(team.task('#1').state).toMatchObject({ kind: 'claimed', attempt: 1 });
      team.turn('worker');
    }
    team.resume();
    expect(team.facts('task.released')).toMatchObject([{ task: '#1', attempt: 1, reason: 'crashed' }]);
    expect(team.inbox('lead').join('\n')).toContain('ended as crashed');
    expect(team.member('worker')).toMatchObject({ lost: 0, life: { kind: 'idle' } });
    expect(team.due()).toContain('worker');
  });

  test('a reply between two crashes counts as progress', () => {
    const team = Team.start({ tasks: [{ role: 'worker' }] });
    team.awake('worker');
    team.claim('worker', '#1');
    for (let crash = 0; crash < 6; crash++) {
      team.resume();
      team.awake('worker');
    }
    expect(team.facts('task.released')).toEqual([]);
  });

  test('a member without a task is errored after three lost turns and the lead is told; the lead so ends the run', () => {
    const lose = (team: Team, member: string): void => {
      for (let crash = 0; crash < 3; crash++) {
        team.turn(member);
        team.resume();
      }
    };
    const team = Team.start();
    team.idles('lead');
    team.mail('operator', 'worker');
    lose(team, 'worker');
    expect(team.member('worker').life).toMatchObject({ kind: 'errored', code: 'crashed' });
    expect(team.inbox('lead').join('\n')).toContain('worker has failed');
    lose(team, 'lead');
    team.sweep();
    expect(team.facts('run.ended')).toMatchObject([{ reason: 'failed', cause: 'error', exit: 1 }]);
  });

  test('takes back what a crashed attempt still asked for', () => {
    const team = Team.start({ tasks: [{ role: 'worker' }] });
    team.awake('worker');
    team.claim('worker', '#1');
    team.request('worker');
    for (let crash = 0; crash < 3; crash++) {
      team.resume();
      if (crash < 2) team.turn('worker');
    }
    expect(team.facts('task.released')).toMatchObject([{ reason: 'crashed' }]);
    expect(team.state.requests.get('r1')?.status).toMatchObject({ kind: 'withdrawn' });
  });

  test('takes a stopped run up where it was', () => {
    const team = Team.start();
    team.idles('lead');
    team.ok({ kind: 'run.stop', by: 'operator', cause: 'terminate' });
    team.sweep();
    expect(team.facts('run.ended')).toMatchObject([{ reason: 'cancelled', exit: 143 }]);
    team.resume();
    expect(team.state.phase).toEqual({ kind: 'running' });
    expect(picture(team.refold())).toBe(picture(team.state));
  });
});

test('a second word is heard once, and only in a run that is being stopped', () => {
  const team = Team.start();
  expect(team.ok({ kind: 'run.kill', by: 'operator' })).toEqual([]);
  team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' });
  expect(team.ok({ kind: 'run.kill', by: 'operator' })).toHaveLength(1);
  expect(team.ok({ kind: 'run.kill', by: 'operator' })).toEqual([]);
});

test('after the second word the run ends though turns are live, and they are heard no more', () => {
  const team = Team.start();
  team.awake('lead');
  const end = team.ending('lead');
  team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' });
  expect(team.sweep()).toEqual([]);
  team.ok({ kind: 'run.kill', by: 'operator' });
  team.sweep();
  expect(team.facts('run.ended')).toMatchObject([{ reason: 'cancelled', exit: 130 }]);
  expect(team.refusal(end)).toMatch(/^ended/);
  team.resume();
  expect(team.due()).toEqual(['lead']);
});

test('a process that cannot go on ends the run with the cause, resumable', () => {
  const team = Team.start({ tasks: [{}] });
  team.awake('worker');
  team.claim('worker', '#1');
  team.ok({ kind: 'run.fail', cause: 'disk_full', detail: 'no space left' });
  expect(team.facts('run.ended')).toMatchObject([
    { reason: 'failed', cause: 'disk_full', exit: 1, detail: 'no space left', open_tasks: ['#1'] },
  ]);
  team.resume();
  expect(team.task('#1').state.kind).toBe('claimed');
});

test('an archive takes back what nobody has decided', () => {
  const team = Team.start({ tasks: [{ role: 'worker' }] });
  team.idles('lead');
  team.awake('worker');
  const request = team.park('worker');
  team.sweep();
  expect(team.state.phase).toMatchObject({ kind: 'ended', reason: 'needs_human' });
  team.ok({ kind: 'run.archive', by: 'operator' });
  expect(team.state.requests.get(request)?.status).toMatchObject({ reason: 'the team was archived' });
});

test('an archive expires the mail that nobody will read', () => {
  const team = Team.start();
  team.mail('operator', 'worker');
  team.ok({ kind: 'run.stop', by: 'operator', cause: 'stop' });
  team.sweep();
  team.ok({ kind: 'run.archive', by: OPERATOR.kind });
  expect(team.facts('mail.expired').map((fact) => fact.member)).toEqual(['lead', 'worker']);
  expect([...team.state.members.values()].flatMap((member) => member.unread)).toEqual([]);
});
