import { describe, expect, test } from 'vitest';
import { Screen } from '../../../src/cli/live/screen.js';
import { Sink } from '../../../src/cli/output.js';
import { Reader } from '../streams.js';

function screen(): { screen: Screen; reader: Reader } {
  const reader = new Reader();
  return { screen: new Screen(new Sink(reader)), reader };
}

describe('lines beside a question', () => {
  test('a line that comes while a question stands is put above it, and the question is asked again', () => {
    const { screen: at, reader } = screen();
    at.print(['one']);
    at.ask('  Approve? ');
    at.print(['two', 'three']);
    at.typed();
    at.print(['four']);
    expect(reader.text).toBe('one\n  Approve? \ntwo\nthree\n  Approve? four\n');
  });

  test('a question that is taken back ends its line', () => {
    const { screen: at, reader } = screen();
    at.ask('  Approve? ');
    expect(at.asking).toBe(true);
    at.unask();
    at.unask();
    at.print(['next']);
    expect(at.asking).toBe(false);
    expect(reader.text).toBe('  Approve? \nnext\n');
  });

  test('no control code reaches the terminal, whoever wrote the line', () => {
    const { screen: at, reader } = screen();
    at.print(['a\u001b[31mb\u0007\u009b2J\u202ec']);
    expect(reader.text).toBe('a[31mb2Jc\n');
  });
});
