import { describe, expect, test } from 'vitest';
import { FatalError } from '../../src/shared/errors.js';
import { Releases } from '../../src/shared/releases.js';
import { barrier } from '../helpers/barrier.js';

describe('Releases', () => {
  test('run last-in first-out, each after the one before has ended', async () => {
    const order: string[] = [];
    const releases = new Releases();
    releases.add('file', () => {
      order.push('file');
    });
    releases.add('socket', async () => {
      await Promise.resolve();
      order.push('socket');
    });
    await releases.run();
    expect(order).toEqual(['socket', 'file']);
  });

  test('all run though some fail, and one error names those that did and holds their errors', async () => {
    const order: string[] = [];
    const releases = new Releases();
    const busy = new Error('busy');
    releases.add('lock', () => {
      order.push('lock');
    });
    releases.add('socket', () => {
      throw busy;
    });
    releases.add('log', () => Promise.reject('gone'));
    const failure = await releases.run().catch((error: unknown) => error);
    expect(order).toEqual(['lock']);
    expect(failure).toBeInstanceOf(FatalError);
    expect(failure).toMatchObject({
      code: 'release-failed',
      message: 'log: gone; socket: busy',
      cause: { errors: ['gone', busy] },
    });
  });

  test('a second run has nothing to do', async () => {
    let released = 0;
    const releases = new Releases();
    releases.add('file', () => {
      released++;
    });
    await releases.run();
    await releases.run();
    expect(released).toBe(1);
  });

  test('a run asked for during a run ends only when everything is released', async () => {
    const meeting = barrier(2);
    const order: string[] = [];
    const releases = new Releases();
    releases.add('file', () => {
      order.push('file');
    });
    releases.add('socket', () => meeting.arrive());
    const first = releases.run().then(() => order.push('first run'));
    const second = releases.run().then(() => order.push('second run'));
    await meeting.arrive();
    await Promise.all([first, second]);
    expect(order).toEqual(['file', 'first run', 'second run']);
  });

  test('what is added while or after they run is released too', async () => {
    const order: string[] = [];
    const releases = new Releases();
    releases.add('outer', () => {
      order.push('outer');
      releases.add('inner', () => {
        order.push('inner');
      });
    });
    await releases.run();
    releases.add('later', () => {
      order.push('later');
    });
    await releases.run();
    expect(order).toEqual(['outer', 'inner', 'later']);
  });
});
