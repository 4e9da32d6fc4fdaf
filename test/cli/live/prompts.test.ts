import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  linesTyped,
  NO_PROMPTS,
  type PromptAction,
  type PromptState,
  type PromptStep,
  requestClosed,
  requestOpened,
} from '../../../src/cli/live/prompts.js';
import type { RequestView } from '../../../src/team/status.js';

function request(given: Partial<RequestView> = {}): RequestView {
  return {
    id: 'r3',
    kind: 'confirmation',
    member: 'code-reviewer',
    state: 'open',
    principals: ['operator'],
    tool: 'shell_exec',
    class: 'write',
    summary: 'gh pr view 142',
    arguments: '{"command":"gh pr view 142"}',
    context: 'reading PR body before reviewing',
    policy: 'write shell_exec: confirmation needed',
    digest: '0',
    always: null,
    task: null,
    opened_ms: 0,
    expires_ms: null,
    left_ms: null,
    decision: null,
    by: null,
    ...given,
  };
}

const question = (id: string): RequestView =>
  request({
    id,
    kind: 'question',
    tool: 'ask_question',
    class: null,
    summary: 'Should I check the migration for reversibility?',
    arguments: '{"question":"Should I check the migration for reversibility?"}',
  });

const plan = (): RequestView =>
  request({
    id: 'r5',
    kind: 'plan',
    tool: 'team_plan_submit',
    class: null,
    summary: '1. look\n2. write',
    arguments: '{"plan":"1. look\\n2. write"}',
  });

/** Text as the terminal has it after these actions. */
function picture(actions: readonly PromptAction[]): string {
  return actions
    .map((action) => {
      if (action.kind === 'print') return action.lines.map((line) => `${line}\n`).join('');
      return action.kind === 'ask' ? action.question : '';
    })
    .join('');
}

/** A machine with the requests open, then the pieces of input one after the other. */
function play(requests: readonly RequestView[], ...pieces: (readonly string[])[]): PromptStep {
  let step: PromptStep = { state: NO_PROMPTS, actions: [] };
  for (const one of requests) step = requestOpened(step.state, one);
  for (const piece of pieces) step = linesTyped(step.state, piece);
  return step;
}

const words = (step: PromptStep): PromptAction[] =>
  step.actions.filter(({ kind }) => kind === 'answer' || kind === 'send');

describe('a confirmation', () => {
  test('is shown exactly in its block, with its id in the context line', () => {
    expect(picture(requestOpened(NO_PROMPTS, request()).actions)).toBe(
      [
        '',
        '  ─── CONFIRM ────────────────────────────────────────────────',
        '  code-reviewer wants to run:  gh pr view 142',
        '  context: r3 · reading PR body before reviewing',
        '  Approve? [y/N/explain]: ',
      ].join('\n'),
    );
  });

  test.each(['y', 'yes', ' Y ', 'YES'])('is approved by %j', (line) => {
    expect(words(play([request()], [line]))).toEqual([
      { kind: 'answer', request: 'r3', answer: { kind: 'approve' } },
    ]);
  });

  test.each(['n', 'no', 'N', '', '   '])('is denied by %j', (line) => {
    expect(words(play([request()], [line]))).toEqual([
      { kind: 'answer', request: 'r3', answer: { kind: 'deny' } },
    ]);
  });

  test.each(['yy', 'yes please', 'sure', 'approve', 'skip'])(
    'is asked again after %j, which is neither',
    (line) => {
      const step = play([request()], [line]);
      expect(words(step)).toEqual([]);
      expect(picture(step.actions)).toBe('  write y, n or explain\n  Approve? [y/N/explain]: ');
      expect(step.state.queue).toHaveLength(1);
    },
  );

  test('explain shows class, policy row, whole arguments and the last text, then asks again', () => {
    const step = play([request()], ['explain']);
    expect(words(step)).toEqual([]);
    expect(picture(step.actions)).toBe(
      [
        '  request: r3',
        '  tool: shell_exec',
        '  class: write',
        '  policy: write shell_exec: confirmation needed',
        '  arguments (33 characters):',
        '  │ {',
        '  │   "command": "gh pr view 142"',
        '  │ }',
        '  last text of code-reviewer (32 characters):',
        '  │ reading PR body before reviewing',
        '  always: may not be said here, since no pattern is offered that would allow just this',
        '  Approve? [y/N/explain]: ',
      ].join('\n'),
    );
    expect(words(linesTyped(step.state, ['y']))).toHaveLength(1);
  });

  test('shows what the summary does not hold behind a left mark, with its length', () => {
    const write = request({
      tool: 'fs_write_file',
      summary: 'write report.md (12 bytes)',
      arguments: '{"path":"report.md","content":"# A\\nb\\u001b[2Jc\\u202e"}',
      context: null,
    });
    const text = picture(requestOpened(NO_PROMPTS, write).actions);
    expect(text).toContain('  content (11 characters):\n  │ # A\n  │ b\\u{1b}[2Jc\\u{202e}\n  context: r3\n');
    expect(words(play([write], ['y']))).toHaveLength(1);
  });

  const long = request({
    summary: 'write report.md (9000 bytes)',
    arguments: JSON.stringify({ path: 'report.md', content: 'line\n'.repeat(100) }),
  });

  test('of which not all is shown is not approved before explain', () => {
    const shown = requestOpened(NO_PROMPTS, long);
    expect(picture(shown.actions)).toContain(
      '  … 81 more lines\n  not all of it is shown: type explain before y\n',
    );
    const refused = linesTyped(shown.state, ['y']);
    expect(words(refused)).toEqual([]);
    expect(picture(refused.actions)).toContain('not approved yet');
    const explained = linesTyped(refused.state, ['explain']);
    expect(picture(explained.actions)).toContain('"content": "line\\nline');
    expect(words(linesTyped(explained.state, ['y']))).toEqual([
      { kind: 'answer', request: 'r3', answer: { kind: 'approve' } },
    ]);
  });

  test('always is taken where the request offers a pattern, and explain names it', () => {
    const offered = request({ always: 'gh pr view *' });
    expect(picture(play([offered], ['explain']).actions)).toContain(
      '  always: approves it, and would allow shell_exec "gh pr view *" for code-reviewer, until the run ends\n',
    );
    expect(words(play([offered], ['always']))).toEqual([
      { kind: 'answer', request: 'r3', answer: { kind: 'always' } },
    ]);
  });

  test.each([
    ['no pattern is offered', {}, 'no pattern is offered that would allow just this'],
    [
      'it is Destructive',
      { class: 'destructive', always: 'rm x' },
      'a call of class Destructive is confirmed',
    ],
  ])('always is not taken where %s, and it is said why', (_, given, why) => {
    const step = play([request(given)], ['always']);
    expect(words(step)).toEqual([]);
    expect(picture(step.actions)).toContain(`  always may not be said here: ${why}`);
    expect(picture(step.actions)).toMatch(/ {2}Approve\? \[y\/N\/explain\]: $/);
  });

  test('always, as y, is not taken before all is shown', () => {
    const step = play([{ ...long, always: 'report.md' }], ['always']);
    expect(words(step)).toEqual([]);
    expect(picture(step.actions)).toContain('type explain, then always');
  });

  test('a value that the summary holds by chance is shown all the same', () => {
    const edit = request({
      tool: 'fs_edit_file',
      summary: 'edit report.md',
      arguments: '{"path":"report.md","old_text":"r","new_text":"t"}',
    });
    const text = picture(requestOpened(NO_PROMPTS, edit).actions);
    expect(text).toContain('  old_text (1 characters):\n  │ r\n  new_text (1 characters):\n  │ t\n');
    expect(text).not.toContain('path (');
  });

  test('a value of one endless line is cut in the block, and y is not taken before explain', () => {
    const content = 'x'.repeat(5_000);
    const wide = request({
      summary: 'write a (5000 bytes)',
      arguments: JSON.stringify({ path: 'a', content }),
    });
    const step = requestOpened(NO_PROMPTS, wide);
    expect(picture(step.actions)).toContain('  content (5000 characters):\n');
    expect(picture(step.actions)).toContain('  … 1000 more characters\n  not all of it is shown');
    expect(words(linesTyped(step.state, ['y']))).toEqual([]);
  });

  test('what does not fit into its line stands below it; no line of ours with words of a member is longer', () => {
    const command = `echo ${'a b '.repeat(30)}`.trim();
    const { actions } = requestOpened(
      NO_PROMPTS,
      request({ summary: command, arguments: JSON.stringify({ command }), context: 'word '.repeat(60) }),
    );
    const lines = picture(actions).split('\n');
    expect(lines).toContain(`  │ ${command}`);
    for (const line of lines.filter((one) => !one.startsWith('  │')))
      expect(line.length).toBeLessThanOrEqual(80);
  });

  test('look-alikes, bidi and zero width stand escaped, in the line and below it', () => {
    const command = 'с\u0430t \u202egnp.sj\u200b /\u0435tc';
    const text = picture(
      requestOpened(NO_PROMPTS, request({ summary: command, arguments: JSON.stringify({ command }) }))
        .actions,
    );
    const shown = '\\u{441}\\u{430}t \\u{202e}gnp.sj\\u{200b} /\\u{435}tc';
    expect(text).toContain(`  code-reviewer wants to run:  ${shown}\n`);
    expect(text).toContain(`  command (${command.length} characters):\n  │ ${shown}\n`);
  });

  test('of which not all is shown may be denied at once', () => {
    expect(words(play([long], ['n']))).toEqual([{ kind: 'answer', request: 'r3', answer: { kind: 'deny' } }]);
  });

  test('is wholly shown when only its own line was cut, since the value then stands below it', () => {
    const command = `echo ${'x'.repeat(400)}; rm -rf build`;
    const cut = request({ summary: `${command.slice(0, 299)}…`, arguments: JSON.stringify({ command }) });
    expect(picture(requestOpened(NO_PROMPTS, cut).actions)).toContain(
      `  command (${command.length} characters):\n  │ ${command}\n`,
    );
  });

  test('having been explained says nothing about the next one', () => {
    const other = { ...long, id: 'r4' };
    const step = play([long, other], ['explain'], ['n'], ['y']);
    expect(words(step)).toEqual([]);
    expect(step.state.queue.map(({ id }) => id)).toEqual(['r4']);
  });
});

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
      summary: 'three rounds of changes',
      arguments: '{"rounds":["no tests"]}',
    });

  test('is shown with its task and what is known, and answered by its own words', () => {
    const text = picture(requestOpened(NO_PROMPTS, gate()).actions);
    expect(text).toContain('─── GATE ───');
    expect(text).toContain(
      '  #2 waits for your decision: three rounds of changes\n  rounds (12 characters):\n  │ ["no tests"]\n',
    );
    expect(text).toMatch(/ {2}Accept\? \[accept, abandon, rescope <what to do instead>, explain\]: $/);
  });

  test.each([
    ['accept', { kind: 'approve' }],
    ['y', { kind: 'approve' }],
    ['abandon', { kind: 'deny' }],
    ['rescope leave the tests out', { kind: 'revise', text: 'leave the tests out' }],
  ])('%j', (line, answer) => {
    expect(words(play([gate()], [line]))).toEqual([{ kind: 'answer', request: 'r7', answer }]);
  });

  test.each(['', 'n', 'rescope', 'perhaps'])('%j decides nothing', (line) => {
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
