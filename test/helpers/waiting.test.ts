import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { barrier } from './barrier.js';
import { tempDir } from './temp-dir.js';
import { until } from './until.js';

describe('tempDir', () => {
  const made: string[] = [];
  afterAll(async () => {
    for (const path of made) await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('each call gives a directory of its own, gone after the test with all that stands in it', async () => {
    made.push(await tempDir(), await tempDir('named'));
    expect(new Set(made).size).toBe(2);
    for (const path of made) await writeFile(join(path, 'left-over'), 'x');
    const closed = join(made[0] ?? '', 'closed');
    await mkdir(closed);
    await writeFile(join(closed, 'inside'), 'x');
    await chmod(closed, 0o000);
  });
});

describe('until', () => {
  test('gives back what the condition found', async () => {
    let asked = 0;
    expect(await until(() => (++asked < 3 ? undefined : asked), { what: 'three were asked' })).toBe(3);
    expect(await until(() => 0, { what: 'a zero is something' })).toBe(0);
  });

  test('says what it waited for when the bound has passed', async () => {
    await expect(until(() => false, { ms: 1, what: 'the moon is blue' })).rejects.toThrow(
      'waited 1 ms in vain until the moon is blue',
    );
  });

  test('ends at once when the condition throws or the signal fires', async () => {
    const broken = (): boolean => {
      throw new Error('broken');
    };
    await expect(until(broken, { what: 'never' })).rejects.toThrow('broken');
    await expect(
      until(() => false, { what: 'never', signal: AbortSignal.abort(new Error('over')) }),
    ).rejects.toThrow('over');
  });
});

describe('barrier', () => {
  test('lets nobody on before the last has arrived, and then everybody', async () => {
    const meeting = barrier(3);
    const order: string[] = [];
    const first = meeting.arrive().then(() => order.push('first'));
    const second = meeting.arrive().then(() => order.push('second'));
    expect(meeting.waiting()).toBe(2);
    expect(order).toEqual([]);
    await meeting.arrive();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
    expect(meeting.waiting()).toBe(0);
  });

  test('one who leaves no longer counts', async () => {
    const meeting = barrier(2);
    const control = new AbortController();
    const leaving = meeting.arrive(control.signal);
    control.abort(new Error('gone'));
    await expect(leaving).rejects.toThrow('gone');
    expect(meeting.waiting()).toBe(0);
    const stays = meeting.arrive();
    await meeting.arrive();
    await stays;
  });
});
