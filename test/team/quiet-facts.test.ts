import { expect, test } from 'vitest';
import type { Fact } from '../../src/events/event.js';
import { areQuiet } from '../../src/team/quiet-facts.js';
import { Team } from '../helpers/build-state.js';

const reserved = (member: string): Fact => ({
  type: 'budget.reserved',
  member,
  turn: 1,
  model: 'm',
  tokens: 1,
  input_tokens: 1,
  output_tokens: 0,
  cost_usd: null,
});

test('nobody looks after what a turn reserves and starts with, and looks after its end and after mail', () => {
  const team = Team.start({ seats: ['lead', 'worker'] });
  team.mail('operator', 'all');
  expect(areQuiet(team.state, team.facts('mail.sent'))).toBe(false);
  team.turn('worker');
  expect(areQuiet(team.state, team.facts('turn.started'))).toBe(true);
  expect(areQuiet(team.state, [reserved('worker')])).toBe(true);
  team.end('worker');
  expect(areQuiet(team.state, team.facts('turn.ended'))).toBe(false);
  expect(areQuiet(team.state, [reserved('worker'), ...team.facts('turn.ended')])).toBe(false);
});

test('a turn that begins is looked after where a task could be offered to somebody else now', () => {
  const team = Team.start({ tasks: [{ role: 'worker' }] });
  team.turn('lead');
  expect(areQuiet(team.state, team.facts('turn.started'))).toBe(false);
});

test('a turn that begins in the exclusive workspace is looked after: others are told that they wait', () => {
  const exclusive = { exclusive_workspace: true };
  const team = Team.start({
    seats: ['lead', { member: 'one', ...exclusive }, { member: 'two', ...exclusive }],
  });
  team.mail('operator', 'all');
  team.turn('one');
  expect(areQuiet(team.state, team.facts('turn.started'))).toBe(false);
});
