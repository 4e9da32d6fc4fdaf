import { expect, test } from 'vitest';
import { sha256 } from '../../src/shared/digest.js';
import { digestIn, house } from './house.js';

test('a passage that occurs once is replaced, and the new digest serves the next edit', async () => {
  const at = await house();
  await at.put('a.txt', 'one $& two\n');
  const first = await at.call('fs_edit_file', {
    path: 'a.txt',
    old: 'two',
    new: "$1 $' three",
    digest: sha256('one $& two\n'),
  });
  expect(first).toMatchObject({ outcome: 'ok' });
  expect(await at.text('a.txt')).toBe("one $& $1 $' three\n"); // no pattern, no replacement sign
  const next = await at.call('fs_edit_file', {
    path: 'a.txt',
    old: 'one',
    new: 'uno',
    digest: digestIn(first),
  });
  expect(next).toMatchObject({ outcome: 'ok' });
});

test('without the digest, or with a stale one, the edit is refused with the present digest', async () => {
  const at = await house();
  await at.put('a.txt', 'one');
  for (const digest of [undefined, sha256('zero')]) {
    const result = await at.call('fs_edit_file', { path: 'a.txt', old: 'one', new: 'two', digest });
    expect(result).toMatchObject({ outcome: 'error', text: expect.stringContaining(sha256('one')) });
  }
  expect(await at.text('a.txt')).toBe('one');
});

test('a passage that is missing, or occurs more than once, is refused unless all are meant', async () => {
  const at = await house();
  await at.put('a.txt', 'x x x');
  const digest = sha256('x x x');
  expect((await at.call('fs_edit_file', { path: 'a.txt', old: 'y', new: 'z', digest })).text).toContain(
    'does not occur',
  );
  expect((await at.call('fs_edit_file', { path: 'a.txt', old: 'x', new: 'z', digest })).text).toContain(
    'occurs 3 times',
  );
  expect(await at.text('a.txt')).toBe('x x x');
  await at.call('fs_edit_file', { path: 'a.txt', old: 'x', new: 'z', all: true, digest });
  expect(await at.text('a.txt')).toBe('z z z');
});

test('in a CRLF file a passage written with LF is found, and the file stays CRLF', async () => {
  const at = await house();
  await at.put('a.txt', 'one\r\ntwo\r\nthree\r\n');
  const digest = sha256('one\r\ntwo\r\nthree\r\n');
  await at.call('fs_edit_file', { path: 'a.txt', old: 'one\ntwo', new: '1\n2', digest });
  expect(await at.text('a.txt')).toBe('1\r\n2\r\nthree\r\n');
});

test('a byte order mark stays, and what is not UTF-8 is not edited', async () => {
  const at = await house();
  await at.put('bom.txt', '\uFEFFone');
  await at.call('fs_edit_file', { path: 'bom.txt', old: 'one', new: 'two', digest: sha256('\uFEFFone') });
  expect(await at.text('bom.txt')).toBe('\uFEFFtwo');
  const latin = new Uint8Array([0x6f, 0x6e, 0x65, 0xe9]);
  await at.put('latin.txt', latin);
  const refused = await at.call('fs_edit_file', {
    path: 'latin.txt',
    old: 'one',
    new: 'two',
    digest: sha256(latin),
  });
  expect(refused).toMatchObject({ outcome: 'error', text: expect.stringContaining('not UTF-8') });
});

test('an edit that changes nothing is refused before anybody is asked', async () => {
  const at = await house();
  const tool = await at.tool('fs_edit_file');
  expect(await tool.prepare({ path: 'a.txt', old: 'x', new: 'x' })).toMatchObject({ kind: 'refused' });
});
