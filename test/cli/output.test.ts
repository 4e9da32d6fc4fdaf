import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { Sink } from '../../src/cli/output.js';
import { Reader } from './streams.js';

function failing(code: string): Writable {
  return new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
    autoDestroy: false,
  });
}

describe('a stream of the program', () => {
  test('is pressed while its reader is behind, and drained when it has caught up', async () => {
    const reader = new Reader();
    const sink = new Sink(reader);
    reader.hold();
    sink.write('x'.repeat(100));
    expect(sink.pressed).toBe(true);
    let drained = false;
    const waiting = sink.drained().then(() => {
      drained = true;
    });
    await Promise.resolve();
    expect(drained).toBe(false);
    reader.go();
    await waiting;
    expect(sink.pressed).toBe(false);
  });

  test('knows how much fits on a line of a terminal, and nothing of that elsewhere', () => {
    const terminal = (columns: number): Reader => Object.assign(new Reader(), { isTTY: true, columns });
    expect(new Sink(terminal(80)).lineWidth).toBe(80);
    expect(new Sink(terminal(0)).lineWidth).toBeNull();
    expect(new Sink(Object.assign(new Reader(), { columns: 80 })).lineWidth).toBeNull();
    expect(new Sink(new Reader()).lineWidth).toBeNull();
  });

  test('is flushed when everything written has left, and not before', async () => {
    const reader = new Reader();
    const sink = new Sink(reader);
    reader.hold();
    sink.write('one\n');
    let flushed = false;
    const waiting = sink.flushed().then(() => {
      flushed = true;
    });
    await new Promise(setImmediate);
    expect(flushed).toBe(false);
    reader.go();
    await waiting;
    expect(reader.text).toBe('one\n');
  });

  test.each(['EPIPE', 'ENOSPC'])(
    'is closed for good by %s: nothing throws and nobody waits',
    async (code) => {
      const sink = new Sink(failing(code));
      sink.write('lost');
      await sink.flushed();
      await sink.drained();
      expect(sink.failure).toBe(code);
      sink.write('lost as well');
      await sink.flushed();
      expect(sink.pressed).toBe(false);
    },
  );

  test('that is given up lets go of who waits for its reader', async () => {
    const reader = new Reader();
    const sink = new Sink(reader);
    reader.hold();
    sink.write('x'.repeat(100));
    const waiting = Promise.all([sink.drained(), sink.flushed()]);
    sink.abandon();
    await waiting;
    expect(sink.failure).toBe('abandoned');
  });
});
