import { expect, test } from 'vitest';
import { type Batch, GroupCommit } from '../../src/events/group-commit.js';
import { FatalError } from '../../src/shared/errors.js';
import { barrier } from '../helpers/barrier.js';

const line =
  (text: string) =>
  (batch: Batch): void => {
    batch.log.push(text);
  };

test('what one pass hands in is one commit, in order', async () => {
  const written: string[][] = [];
  const commit = new GroupCommit(async (batch) => {
    written.push([...batch.log]);
  });
  await Promise.all([
    commit.add(line('a')),
    commit.add(line('b')),
    Promise.resolve().then(() => commit.add(line('c'))),
  ]);
  expect(written).toEqual([['a', 'b', 'c']]);
});

test('while one commit is written the next collects, and only one is written at a time', async () => {
  const gate = barrier(2);
  const written: string[][] = [];
  let running = 0;
  const commit = new GroupCommit(async (batch) => {
    running++;
    expect(running).toBe(1);
    if (written.length === 0) await gate.arrive();
    written.push([...batch.log]);
    running--;
  });
  const first = commit.add(line('a'));
  await nextPass();
  const rest = [commit.add(line('b'))];
  await nextPass();
  rest.push(commit.add(line('c')));
  await nextPass();
  expect(written).toEqual([]);
  await gate.arrive();
  await Promise.all([first, ...rest]);
  expect(written).toEqual([['a'], ['b', 'c']]);
});

test('nothing resolves before its commit is written', async () => {
  const gate = barrier(2);
  const commit = new GroupCommit(() => gate.arrive());
  let resolved = false;
  const added = commit.add(line('a')).then(() => {
    resolved = true;
  });
  await nextPass();
  await nextPass();
  expect(resolved).toBe(false);
  await gate.arrive();
  await added;
});

test('after a failed commit everything is refused with its error, what waited behind it included', async () => {
  const gate = barrier(2);
  const full = new FatalError('disk-full', 'no space');
  let writes = 0;
  const commit = new GroupCommit(async () => {
    writes++;
    await gate.arrive();
    throw full;
  });
  const first = commit.add(line('a'));
  await nextPass();
  const second = commit.add(line('b'));
  const settled = commit.settled();
  await gate.arrive();
  await expect(first).rejects.toBe(full);
  await expect(second).rejects.toBe(full);
  await expect(commit.add(line('c'))).rejects.toBe(full);
  await settled;
  expect(commit.failure).toBe(full);
  expect(writes).toBe(1);
});

test('an error without a name gets one, with the original as its cause', async () => {
  const cause = new Error('odd');
  const commit = new GroupCommit(() => Promise.reject(cause));
  await expect(commit.add(line('a'))).rejects.toMatchObject({ code: 'log-failed', cause });
});

test('closing takes nothing more and waits for what was handed in', async () => {
  const written: string[] = [];
  const commit = new GroupCommit(async (batch) => {
    written.push(...batch.log);
  });
  const added = commit.add(line('a'));
  await commit.close();
  expect(written).toEqual(['a']);
  await added;
  await expect(commit.add(line('b'))).rejects.toMatchObject({ code: 'record-closed' });
});

function nextPass(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
