import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { secretFiles } from '../../src/config/secret-files.js';
import { tempDir } from '../helpers/temp-dir.js';

test('each line of a file is a secret, of an assignment to a secret variable the value; a key has no armour', async () => {
  const home = await tempDir('secrets');
  await writeFile(join(home, 'token'), 'abcdefghij\n\n  second-token  \n');
  await writeFile(join(home, 'app.env'), 'export API_KEY="quoted value"\nPORT=8080\n');
  await writeFile(join(home, 'id.pem'), '-----BEGIN KEY-----\nMIIEvQIBADANBg\n-----END KEY-----\n');
  const files = ['~/token', 'app.env', join(home, 'id.pem')].map((text) => ({
    text,
    place: '~/.bnerd.yaml',
  }));
  expect(await secretFiles(files, home)).toEqual({
    kind: 'resolved',
    value: [
      { name: 'token', value: 'abcdefghij' },
      { name: 'token', value: 'second-token' },
      { name: 'API_KEY', value: 'quoted value' },
      { name: 'app.env', value: 'PORT=8080' },
      { name: 'id.pem', value: 'MIIEvQIBADANBg' },
    ],
  });
});

test('a file that cannot be read is refused with its line, each by itself', async () => {
  const home = await tempDir('secrets');
  const files = ['missing', '.'].map((text, at) => ({ text, place: '~/.bnerd.yaml', line: at + 3 }));
  const read = await secretFiles(files, home);
  expect(read).toMatchObject({
    kind: 'refused',
    findings: [
      { code: 'unreadable-secret-file', line: 3, message: expect.stringContaining('does not exist') },
      { code: 'unreadable-secret-file', line: 4, message: expect.stringContaining('is no regular file') },
    ],
  });
});
