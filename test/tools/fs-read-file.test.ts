import { expect, test } from 'vitest';
import { sha256 } from '../../src/shared/digest.js';
import { digestIn, house } from './house.js';

test('shows numbered lines, and the digest of the whole file', async () => {
  const at = await house();
  await at.put('a.txt', 'one\ntwo\nthree\n');
  const { text } = await at.call('fs_read_file', { path: 'a.txt' });
  expect(text).toBe(
    `a.txt: lines 1-3 of 3, 14 bytes, digest ${sha256('one\ntwo\nthree\n')}\n1\tone\n2\ttwo\n3\tthree`,
  );
});

test('a window says what is left, and names the digest of the whole file all the same', async () => {
  const at = await house();
  await at.put('a.txt', 'one\ntwo\nthree\nfour');
  const result = await at.call('fs_read_file', { path: 'a.txt', offset: 2, limit: 2 });
  expect(result.text).toMatch(/^a\.txt: lines 2-3 of 4, 18 bytes/);
  expect(result.text).toMatch(/\n2\ttwo\n3\tthree\n\(1 more lines; go on with offset 4\)$/);
  expect(digestIn(result)).toBe(sha256('one\ntwo\nthree\nfour'));
  expect(await at.call('fs_read_file', { path: 'a.txt', offset: 9 })).toMatchObject({
    outcome: 'error',
    text: 'a.txt has 4 lines; offset 9 lies behind its end',
  });
});

test('an empty file has no lines and a digest', async () => {
  const at = await house();
  await at.put('empty', '');
  expect((await at.call('fs_read_file', { path: 'empty' })).text).toBe(
    `empty: empty, 0 bytes, digest ${sha256('')}`,
  );
});

test('the output is bounded by lines and by all, and characters are never cut in two', async () => {
  const at = await house();
  await at.put('long.txt', `x${'ü€😀'.repeat(1_000)}\nshort\n`);
  const long = (await at.call('fs_read_file', { path: 'long.txt' })).text;
  expect(long).toContain('7001 more bytes of this line are not shown');
  expect(long).not.toContain('\uFFFD');
  expect(long).toContain('2\tshort');
  await at.put('many.txt', 'x'.repeat(99).concat('\n').repeat(5_000));
  const many = (await at.call('fs_read_file', { path: 'many.txt' })).text;
  expect(Buffer.byteLength(many)).toBeLessThan(50 * 1024);
  expect(many).toMatch(/go on with offset \d+\)$/);
});

test('CRLF is said, and not shown in the lines', async () => {
  const at = await house();
  await at.put('dos.txt', 'one\r\ntwo\r\n');
  const { text } = await at.call('fs_read_file', { path: 'dos.txt' });
  expect(text).toContain('lines end in CRLF');
  expect(text).toMatch(/\n1\tone\n2\ttwo$/);
});

test('a binary file is no text file', async () => {
  const at = await house();
  await at.put('a.bin', new Uint8Array([1, 2, 0, 3]));
  expect(await at.call('fs_read_file', { path: 'a.bin' })).toMatchObject({
    outcome: 'error',
    text: 'a.bin is no text file (4 bytes); allowed are text files',
  });
});

test('a missing file says where was looked, without a path of this machine', async () => {
  const at = await house();
  const { text } = await at.call('fs_read_file', { path: 'src/none.ts' });
  expect(text).toBe('src/none.ts does not exist (neither in the workspace nor in a read root)');
});
