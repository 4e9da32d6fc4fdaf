// What an operator types behind `team answer`, by the kind of request it is about (spec/team.md §3, §4, §6).
import { describe, expect, test } from 'vitest';
import { type Answer, answerCommand, readAnswer } from '../../src/runtime/operator-words.js';
import { Team } from '../helpers/build-state.js';

describe('the words of an answer', () => {
  test.each<['confirmation' | 'question' | 'plan' | 'gate', string, Answer]>([
    ['confirmation', 'yes', { kind: 'approve' }],
    ['confirmation', ' Y ', { kind: 'approve' }],
    ['confirmation', 'no', { kind: 'deny' }],
    ['confirmation', 'always', { kind: 'always' }],
    ['confirmation', 'yes please', { kind: 'text', text: 'yes please' }],
    ['question', 'teal', { kind: 'text', text: 'teal' }],
    ['question', 'always', { kind: 'text', text: 'always' }],
    ['question', 'skip', { kind: 'skip' }],
    ['plan', 'yes', { kind: 'approve' }],
    ['plan', 'no', { kind: 'revise', text: '' }],
    ['plan', 'revise', { kind: 'revise', text: '' }],
    ['plan', 'revise look at the tests', { kind: 'revise', text: 'look at the tests' }],
    ['plan', 'revised numbers are missing', { kind: 'revise', text: 'revised numbers are missing' }],
    ['plan', 'look at the tests', { kind: 'revise', text: 'look at the tests' }],
    ['gate', 'accept', { kind: 'approve' }],
    ['gate', 'yes', { kind: 'text', text: 'yes' }],
    ['gate', 'abandon', { kind: 'deny', text: '' }],
    ['gate', 'abandon it is too late', { kind: 'deny', text: 'it is too late' }],
    ['gate', 'rescope leave\nthe docs out', { kind: 'revise', text: 'leave\nthe docs out' }],
    ['gate', 'rescope', { kind: 'revise', text: '' }],
    ['gate', 'well', { kind: 'text', text: 'well' }],
  ])('%s: %j', (kind, typed, answer) => {
    expect(readAnswer({ kind }, typed)).toEqual(answer);
  });

  test.each([
    [
      'a text on a confirmation',
      'confirmation',
      { kind: 'text', text: 'well' },
      /yes, no or always; found "well"/,
    ],
    [
      'a text on a gate',
      'gate',
      { kind: 'text', text: 'well' },
      /accept, rescope <text> or abandon; found "well"/,
    ],
  ] as const)('%s decides nothing, and it is said what does', (_, kind, answer, says) => {
    const team = Team.start();
    team.awake('lead');
    const request = team.park('lead', { kind });
    expect(answerCommand(team.state, request, answer, 'tester')).toMatchObject({
      kind: 'refused',
      code: 'wrong_answer',
      message: expect.stringMatching(says),
    });
  });
});
