// How a confirmation is put to the person at the terminal, and what answers it (spec/team.md §3).
import { describe, expect, test } from 'vitest';
import { linesTyped, NO_PROMPTS, requestOpened } from '../../../src/cli/live/prompts.js';
import { picture, play, request, words } from './asked.js';

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
