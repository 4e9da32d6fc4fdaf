import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { selfApproval } from '../../../src/runtime/trust/four-eyes.js';
import { commitAll, git } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { OperatorsDesk, operatorsDesk } from '../../helpers/trust-desk.js';

const PATH = 'orchestrator/rules/tone.md';
const TONE = '---\nname: tone\ndescription: d\n---\nBe kind.\n';

const found = (text = TONE): Promise<OperatorsDesk> => operatorsDesk({ [PATH]: text }, 'mission');

async function refusal(at: OperatorsDesk, approver: string) {
  return selfApproval(at.house, await at.subject('tone'), approver);
}

describe('a text of a mission repository that was found', () => {
  test('is approved by another than its last author; addresses are compared without case', async () => {
    const at = await found();
    expect(await refusal(at, 'bob@example.org')).toBeNull();
    const own = await refusal(at, ' ADA@example.org');
    expect(own).toMatchObject({ code: 'own-text', severity: 'error', path: join(at.repository, PATH) });
    expect(own?.message).toContain('ada@example.org (commit ');
    expect(own?.remedy).toContain('--self');
  });

  test('the last author is that of the commit that changed this file, not of a later one', async () => {
    const at = await found();
    await at.write(PATH, `${TONE}And brief.\n`);
    git(at.repository, 'commit', '-q', '-a', '-m', 'x', '--author', 'Bob <bob@example.org>');
    await at.write('other.md', 'x');
    commitAll(at.repository, 'another file');
    expect(await refusal(at, 'bob@example.org')).toMatchObject({ code: 'own-text' });
    expect(await refusal(at, 'ada@example.org')).toBeNull();
  });

  test('a text that is not committed may be by whoever works there', async () => {
    const at = await found();
    await at.write(PATH, `${TONE}And brief.\n`);
    expect(await refusal(at, 'bob@example.org')).toMatchObject({
      code: 'own-text',
      message: expect.stringContaining('this text is not committed'),
    });
  });

  test('line ends and a mark in front make no other text', async () => {
    const at = await found();
    await at.write(PATH, `\ufeff${TONE.replaceAll('\n', '\r\n')}`);
    expect(await refusal(at, 'bob@example.org')).toBeNull();
  });

  test('without a repository, and in a clone that is cut off, nobody knows', async () => {
    const at = await found();
    await at.write('other.md', 'x');
    commitAll(at.repository, 'another file');
    const shallow = join(await tempDir('shallow'), 'clone');
    git(at.repository, 'clone', '-q', '--depth', '1', `file://${at.repository}`, shallow);
    const house = { ...at.house, mission: { path: shallow, named: false, commit: null } };
    const cut = new OperatorsDesk(house, shallow);
    expect(await refusal(cut, 'bob@example.org')).toMatchObject({
      message: expect.stringContaining('a shallow clone'),
    });
    await rm(join(at.repository, '.git'), { recursive: true });
    expect(await refusal(at, 'bob@example.org')).toMatchObject({
      message: expect.stringContaining('is no git repository with a commit'),
    });
  });

  test('a program that the repository names is not started by looking', async () => {
    const at = await found();
    const trace = join(at.repository, 'ran');
    for (const key of ['core.fsmonitor', 'log.showSignature', 'gpg.program', 'diff.external', 'core.pager'])
      git(at.repository, 'config', key, `touch ${trace}`);
    expect(await refusal(at, 'bob@example.org')).toBeNull();
    await expect(rm(trace)).rejects.toThrow('ENOENT');
  });
});

test('files of a project need no second pair of eyes', async () => {
  const at = await operatorsDesk({ '.bnerd/rules/tone.md': TONE });
  expect(await refusal(at, 'ada@example.org')).toBeNull();
});
