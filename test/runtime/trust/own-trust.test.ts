// spec/team.md §1: the operator's own trust file on disk: nothing is lost, nobody else may read or write it.
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TrustChange } from '../../../src/catalog/trust/edit-trust-file.js';
import { parseTrustFile } from '../../../src/catalog/trust/trust-file.js';
import { approvedText, keepApprovedText } from '../../../src/runtime/trust/approved-texts.js';
import { changeOwnTrust } from '../../../src/runtime/trust/own-trust.js';
import { systemClock } from '../../../src/shared/clock.js';
import { tempDir } from '../../helpers/temp-dir.js';

const approval = (path: string): TrustChange => ({
  kind: 'approve-file',
  approval: {
    kind: 'role',
    tier: 'project',
    path,
    root: '/work/repo',
    digest: `1:${'a'.repeat(64)}`,
    approver: 'ann',
    at: 'now',
  },
});

async function operator(): Promise<{ readonly home: string; readonly clock: typeof systemClock }> {
  return { home: join(await tempDir('own-trust'), 'state'), clock: systemClock };
}

async function pathsIn(home: string): Promise<string[]> {
  const file = parseTrustFile(await readFile(join(home, 'trust.yaml'), 'utf8'), 'trust.yaml', 'own');
  return file.kind === 'read' ? file.file.files.map(({ path }) => path) : [];
}

test('the file and its folders are for the operator alone, and nothing half written stays', async () => {
  const me = await operator();
  expect(await changeOwnTrust(me, approval('a.md'))).toEqual({
    kind: 'changed',
    path: join(me.home, 'trust.yaml'),
  });
  const mode = async (name: string): Promise<number> => (await stat(join(me.home, name))).mode & 0o777;
  expect(await mode('trust.yaml')).toBe(0o600);
  expect(await mode('.')).toBe(0o700);
  expect(await mode('trust')).toBe(0o700);
  expect((await readdir(me.home)).sort()).toEqual(['trust', 'trust.yaml']);
});

test('of many changes at once none is lost', async () => {
  const me = await operator();
  const names = Array.from({ length: 20 }, (_, n) => `${n}.md`);
  await Promise.all(names.map((name) => changeOwnTrust(me, approval(name))));
  expect((await pathsIn(me.home)).sort()).toEqual([...names].sort());
});

test('a file that cannot be used is not touched', async () => {
  const me = await operator();
  await changeOwnTrust(me, approval('a.md'));
  const path = join(me.home, 'trust.yaml');
  await writeFile(path, 'version: 1\nnew-thing: {a: 1}\n');
  expect(await changeOwnTrust(me, approval('b.md'))).toMatchObject({
    kind: 'refused',
    findings: [{ code: 'unknown-key', path, line: 2 }],
  });
  expect(await readFile(path, 'utf8')).toBe('version: 1\nnew-thing: {a: 1}\n');
});

test('where it could not be believed, could not be written or would be too large it is not written', async () => {
  const me = await operator();
  await mkdir(me.home, { mode: 0o700 });
  await chmod(me.home, 0o770);
  expect(await changeOwnTrust(me, approval('a.md'))).toMatchObject({
    kind: 'refused',
    findings: [{ code: 'unusable-trust-file', remedy: `chmod go-w ${me.home}` }],
  });
  expect(await readdir(me.home)).toEqual([]);
  await chmod(me.home, 0o700);
  const path = join(me.home, 'trust.yaml');
  const full = `version: 1\n#${'x'.repeat(1024 * 1024 - 20)}\n`;
  await writeFile(path, full, { mode: 0o600 });
  expect(await changeOwnTrust(me, approval('a.md'))).toMatchObject({
    kind: 'refused',
    findings: [{ code: 'trust-file-not-written', message: expect.stringContaining('at most 1048576') }],
  });
  expect(await readFile(path, 'utf8')).toBe(full);
  await writeFile(join(me.home, 'file'), '');
  const below = { ...me, home: join(me.home, 'file') };
  expect(await changeOwnTrust(below, approval('a.md'))).toMatchObject({
    kind: 'refused',
    findings: [{ code: 'trust-file-not-written', message: expect.stringMatching(/E(EXIST|NOTDIR)/) }],
  });
});

test('approved texts are kept by digest, and a missing one is none', async () => {
  const me = await operator();
  const digest = `1:${'b'.repeat(64)}`;
  expect(await approvedText(me, digest)).toBeNull();
  await keepApprovedText(me, digest, 'the text\n');
  expect(await approvedText(me, digest)).toBe('the text\n');
});
