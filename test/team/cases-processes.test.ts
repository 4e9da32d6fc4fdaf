// What members and their work are owed when processes come and go, as the rules alone say it: cases of teamwork.md.
import { expect, test } from 'vitest';
import { nextJobs } from '../../src/team/next-jobs.js';
import { Team } from '../helpers/build-state.js';
import { inReview } from './given-teams.js';

test('C68: a hand-off is a state of the task: whoever dies behind it, the next look finds it', () => {
  const team = inReview();
  // The owner has handed in, and its process is gone before it has said another word; so is the reviewer's.
  for (const member of ['worker', 'reviewer'])
    team.ok({ kind: 'turn.lose', olderThanMs: 0, detail: 'gone', ...team.in(member) });
  team.state = team.refold();
  expect(team.task('#1').state).toMatchObject({ kind: 'in_review', member: 'worker' });
  expect(nextJobs(team.state, team.now).map(({ member }) => member)).toContain('reviewer');
  team.awake('reviewer');
  team.ok(team.verdict('reviewer', '#1'));
  expect(team.task('#1').state.kind).toBe('completed');
});

test('F151: a member that could never begin is named as failed; a resume tries that one anew and no other', () => {
  const team = Team.start({ seats: ['lead', 'one', 'two', 'three'] });
  team.mail('operator', 'all');
  for (const member of ['lead', 'one', 'three']) team.idles(member);
  for (let times = 0; times < 3; times++) {
    team.turn('two');
    team.ok({ kind: 'turn.lose', olderThanMs: 0, detail: 'gone', ...team.in('two') });
  }
  expect(team.member('two').life).toMatchObject({ kind: 'errored', code: 'crashed' });
  team.idles('lead');
  team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' });
  team.sweep();
  const facts = team.resume();
  expect(facts.map(({ type }) => type)).toEqual(['run.resumed']);
  expect(team.due()).toEqual(['two']);
  team.awake('two');
  expect(team.member('two')).toMatchObject({ lost: 0, life: { kind: 'working' } });
  expect(team.facts('member.spawned')).toHaveLength(4);
});

test('F153: a message reaches a member at work, wakes one that has finished, and is refused for one that is not there', () => {
  const team = Team.start({ seats: ['lead', 'worker', { member: 'helper', on_demand: true }] });
  team.idles('lead');
  team.mail('operator', 'worker', 'begin');
  team.awake('worker');
  const { turn } = team.in('worker');
  team.mail('operator', 'worker', 'and look at the tests'); // It is at work: read within the same turn.
  expect(team.read('worker')).toHaveLength(1);
  expect(team.in('worker').turn).toBe(turn);
  team.end('worker');
  expect(team.due()).not.toContain('worker');
  const upto = team.member('worker').upto;
  team.mail('operator', 'worker', 'one thing more');
  expect(team.due()).toContain('worker');
  team.awake('worker');
  expect(team.facts('member.spawned').filter(({ seat }) => seat.member === 'worker')).toHaveLength(1);
  expect(team.member('worker').upto).toBe(upto); // The same memory, up to where it had ended.
  const refused = team.mail('operator', 'helper', 'hello');
  expect(refused).toMatchObject({ kind: 'refused', code: 'unknown_member' });
  expect(refused.kind === 'refused' && refused.message).toContain('the lead brings it with team_spawn');
});
