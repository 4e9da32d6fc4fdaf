import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemFinding } from '../../src/cli/system-finding.js';
import { tempDir } from '../helpers/temp-dir.js';

const refused = (code: string): Error =>
  Object.assign(new Error(`${code}: no, write`), { code, syscall: 'write' });

test.each([
  ['ENOSPC', 'disk-full', 'make room and try again'],
  ['EDQUOT', 'disk-full', 'make room and try again'],
  [
    'EACCES',
    'system-error',
    'see to it that you may do that there; BNERD_HOME moves what this program keeps',
  ],
  ['EROFS', 'system-error', 'see to it that you may do that there; BNERD_HOME moves what this program keeps'],
  ['EMFILE', 'system-error', 'let it open more files (ulimit -n) and try again'],
  ['EIO', 'system-error', 'mend it and try again'],
])('%s is told as %s, with what to do about it', (error, code, remedy) => {
  expect(systemFinding(refused(error), 'bnerd team stop')).toEqual({
    code,
    severity: 'error',
    path: 'bnerd team stop',
    message: `${error}: no, write`,
    remedy,
  });
});

test('a folder for temporary files that is not there is named, with the variable that names another', async () => {
  const gone = join(await tempDir(), 'gone');
  const error = await mkdtemp(join(gone, 'bnerd-')).catch((thrown: unknown) => thrown);
  expect(systemFinding(error, 'bnerd team')).toMatchObject({
    message: expect.stringContaining(gone),
    remedy: 'make that folder, or let TMPDIR name one that is there',
  });
});

test('what stands in the way is named', async () => {
  const file = join(await tempDir(), 'runs');
  await writeFile(file, 'in the way');
  const error = await mkdir(join(file, 'one')).catch((thrown: unknown) => thrown);
  expect(systemFinding(error, 'bnerd team')).toMatchObject({
    message: expect.stringContaining(file),
    remedy: 'mend it and try again',
  });
});

test.each([[new TypeError('x is undefined')], ['a text'], [null]])('%s is no word of the system', (error) => {
  expect(systemFinding(error, 'bnerd team')).toBeUndefined();
});
