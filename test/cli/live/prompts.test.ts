import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  linesTyped,
  NO_PROMPTS,
  type PromptState,
  type PromptStep,
  requestClosed,
  requestOpened,
} from '../../../src/cli/live/prompts.js';
import type { RequestView } from '../../../src/team/show/status.js';
import { picture, plan, play, question, request, words } from './asked.js';

describe('a question', () => {
  test('is shown exactly in its block', () => {
    expect(picture(requestOpened(NO_PROMPTS, question('r4')).actions)).toBe(
      [
        '',
        '  ─── ASK ────────────────────────────────────────────────────',
        '  code-reviewer: Should I check the migration for reversibility?',
        '  Answer (or "skip"): ',
      ].join('\n'),
    );
  });

  test.each([
    ['use the old table', { kind: 'text', text: 'use the old table' }],
    ['y', { kind: 'text', text: 'y' }],
    ['explain', { kind: 'text', text: 'explain' }],
    ['skip', { kind: 'skip' }],
  ])('is answered by the next line: %j', (line, answer) => {
    expect(words(play([question('r4')], [line]))).toEqual([{ kind: 'answer', request: 'r4', answer }]);
  });

  test('is not answered by an empty line', () => {
    const step = play([question('r4')], ['']);
    expect(words(step)).toEqual([]);
    expect(picture(step.actions)).toContain('Answer (or "skip"): ');
  });

  test('of several lines cannot pass its later lines for ours', () => {
    const asked = request({
      kind: 'question',
      arguments: JSON.stringify({ question: 'One?\n  Approve? [y/N/explain]: y' }),
    });
    expect(picture(requestOpened(NO_PROMPTS, asked).actions)).toContain(
      '  code-reviewer: One?\n  │   Approve? [y/N/explain]: y\n',
    );
  });
});

describe('a plan', () => {
  test('is shown whole and approved by y', () => {
    const step = requestOpened(NO_PROMPTS, plan());
    expect(picture(step.actions)).toContain(
      '  plan (16 characters):\n  │ 1. look\n  │ 2. write\n  context: r5 · ',
    );
    expect(words(linesTyped(step.state, ['y']))).toEqual([
      { kind: 'answer', request: 'r5', answer: { kind: 'approve' } },
    ]);
  });

  test('any other text is what has to change', () => {
    expect(words(play([plan()], ['look at the tests first']))).toEqual([
      { kind: 'answer', request: 'r5', answer: { kind: 'revise', text: 'look at the tests first' } },
    ]);
  });

  test.each(['', 'n', 'no'])('a bare no asks what has to change: %j', (line) => {
    const step = play([plan()], [line]);
    expect(words(step)).toEqual([]);
    expect(picture(step.actions)).toContain('write y, or what has to change');
  });
});

describe('a gate', () => {
  const gate = (): RequestView =>
    request({
      id: 'r7',
      kind: 'gate',
      tool: 'gate',
      class: null,
      task: '#2',
      summary: '#2 (Do it): three rounds of changes',
      arguments: '{"rounds":["no tests"]}',
    });

  test('is shown with its task and what is known, and answered by its own words', () => {
    const text = picture(requestOpened(NO_PROMPTS, gate()).actions);
    expect(text).toContain('─── GATE ───');
    expect(text).toContain(
      '  your decision is asked on #2 (Do it): three rounds of changes\n  rounds (12 characters):\n  │ ["no tests"]\n',
    );
    expect(text).toMatch(/ {2}Accept\? \[accept, abandon, rescope <what to do instead>, explain\]: $/);
  });

  test.each([
    ['accept', { kind: 'approve' }],
    ['abandon', { kind: 'deny', text: '' }],
    ['abandon too late', { kind: 'deny', text: 'too late' }],
    ['rescope leave the tests out', { kind: 'revise', text: 'leave the tests out' }],
  ])('%j', (line, answer) => {
    expect(words(play([gate()], [line]))).toEqual([{ kind: 'answer', request: 'r7', answer }]);
  });

  test.each(['', 'y', 'n', 'rescope', 'perhaps'])('%j decides nothing', (line) => {
    const step = play([gate()], [line]);
    expect(words(step)).toEqual([]);
    expect(picture(step.actions)).toContain('  write accept, abandon, or rescope and what to do instead\n');
  });
});

describe('the conversation', () => {
  test('a line while nothing is asked is a message to the lead; an empty one is nothing', () => {
    expect(words(play([], ['hurry up', '', '  and stop  ']))).toEqual([
      { kind: 'send', text: 'hurry up' },
      { kind: 'send', text: 'and stop' },
    ]);
  });

  test('shows one request at a time, the next one after the answer', () => {
    const first = play([request(), question('r4')]);
    expect(first.actions).toEqual([]);
    const next = linesTyped(first.state, ['n']);
    expect(picture(next.actions)).toContain('─── ASK ───');
    expect(words(linesTyped(next.state, ['yes']))).toEqual([
      { kind: 'answer', request: 'r4', answer: { kind: 'text', text: 'yes' } },
    ]);
  });

  test('what was typed together with an answer never answers the next request', () => {
    const step = play([request(), { ...request(), id: 'r9' }], ['y', 'y', 'y']);
    expect(words(step)).toEqual([{ kind: 'answer', request: 'r3', answer: { kind: 'approve' } }]);
    expect(step.state.queue.map(({ id }) => id)).toEqual(['r9']);
    expect(picture(step.actions)).toContain('not used: 2 more lines that came with the answer');
  });

  test('what was typed together with explain is not an answer to what it showed', () => {
    expect(words(play([request()], ['explain', 'y']))).toEqual([]);
  });

  test('the same request is not asked twice', () => {
    const { state } = requestOpened(NO_PROMPTS, request());
    expect(requestOpened(state, request())).toEqual({ state, actions: [] });
  });

  test('a request that was decided elsewhere is taken back and the next one shown', () => {
    const { state } = play([request(), question('r4')]);
    const step = requestClosed(state, 'r3', 'was decided by operator');
    expect(step.actions[0]).toEqual({ kind: 'unask' });
    expect(picture(step.actions)).toMatch(/^ {2}r3 was decided by operator\n\n {2}─── ASK/);
    expect(words(linesTyped(step.state, ['fine']))).toEqual([
      { kind: 'answer', request: 'r4', answer: { kind: 'text', text: 'fine' } },
    ]);
  });

  test('a request that waits its turn and is decided elsewhere is never shown', () => {
    const { state } = play([request(), question('r4')]);
    const step = requestClosed(state, 'r4', 'has expired');
    expect(step.actions).toEqual([]);
    expect(linesTyped(step.state, ['n']).state).toEqual(NO_PROMPTS);
  });

  test('any order of requests and lines decides each request at most once, and only while it is open', () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant('open' as const), id: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ kind: fc.constant('close' as const), id: fc.integer({ min: 1, max: 4 }) }),
      fc.record({
        kind: fc.constant('lines' as const),
        lines: fc.array(fc.constantFrom('y', 'n', '', 'explain', 'text'), { maxLength: 3 }),
      }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        let state: PromptState = NO_PROMPTS;
        const open = new Set<string>();
        const once = new Set<string>();
        for (const one of events) {
          let step: PromptStep = { state, actions: [] };
          if (one.kind === 'open' && !once.has(`r${one.id}`)) {
            open.add(`r${one.id}`);
            once.add(`r${one.id}`);
            step = requestOpened(state, request({ id: `r${one.id}` }));
          } else if (one.kind === 'close') {
            open.delete(`r${one.id}`);
            step = requestClosed(state, `r${one.id}`, 'is gone');
          } else if (one.kind === 'lines') {
            step = linesTyped(state, one.lines);
          }
          for (const action of step.actions) {
            if (action.kind === 'answer') expect(open.delete(action.request)).toBe(true);
          }
          state = step.state;
        }
        expect(state.queue.map(({ id }) => id).sort()).toEqual([...open].sort());
      }),
    );
  });
});
