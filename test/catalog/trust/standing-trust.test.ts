import { chmod, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type StandingTrust, standingTrust } from '../../../src/catalog/trust/standing-trust.js';
import { DIGEST, type Operator, OTHER_DIGEST, operator, REVOKED_BY } from './trusting.js';

async function kinds(
  trust: StandingTrust,
  at: Operator,
  ...digests: readonly string[]
): Promise<readonly string[]> {
  const answer = await trust.verdicts(digests.map((digest) => at.question({ digest })));
  return answer.kind === 'known'
    ? answer.verdicts.map(({ kind }) => kind)
    : answer.findings.map(({ code }) => code);
}

describe('S1 the answer is of the files as they are when the question is put', () => {
  test('an approval that is given, revoked, given again and taken out', async () => {
    const at = await operator();
    const trust = standingTrust(at.sources());
    expect(await kinds(trust, at, DIGEST)).toEqual(['untrusted']);
    const approved = { approvals: [at.approval()] };
    await at.write({ files: approved.approvals });
    expect(await kinds(trust, at, DIGEST, OTHER_DIGEST)).toEqual(['trusted', 'untrusted']);
    const { digest: _, approver: __, at: ___, ...what } = at.approval();
    await at.write({ files: approved.approvals, revoked: { files: [{ ...what, ...REVOKED_BY }] } });
    expect(await kinds(trust, at, DIGEST)).toEqual(['revoked']);
    await at.write({ files: approved.approvals });
    expect(await kinds(trust, at, DIGEST)).toEqual(['trusted']);
    await rm(at.own);
    expect(await kinds(trust, at, DIGEST)).toEqual(['untrusted']);
  });

  test('a place that is trusted, and then not', async () => {
    const at = await operator();
    const place = {
      path: at.project,
      root_commit: at.commit,
      approver: 'ann',
      at: '2026-01-01T00:00:00.000Z',
    };
    await at.write({ places: [place] });
    const trust = standingTrust(at.sources());
    expect(await kinds(trust, at, DIGEST)).toEqual(['trusted']);
    await at.write({ places: [place], revoked: { places: [{ path: at.project, ...REVOKED_BY }] } });
    expect(await kinds(trust, at, DIGEST)).toEqual(['untrusted']);
  });

  test('a revocation in a file that was named, which another file takes the place of', async () => {
    const at = await operator();
    await at.write({ files: [at.approval()] });
    const extra = await at.write({}, join(at.home, 'extra', 'team.yaml'));
    const trust = standingTrust(at.sources({ extra: [extra] }));
    expect(await kinds(trust, at, DIGEST)).toEqual(['trusted']);
    const { digest: _, approver: __, at: ___, ...what } = at.approval();
    const next = await at.write(
      { revoked: { files: [{ ...what, ...REVOKED_BY }] } },
      join(at.home, 'next.yaml'),
    );
    await rename(next, extra);
    expect(await kinds(trust, at, DIGEST)).toEqual(['revoked']);
    await rm(extra);
    expect(await kinds(trust, at, DIGEST)).toEqual(['unusable-trust-file']);
  });
});

describe('while a file cannot be used nothing is known', () => {
  test.each([
    ['it is no YAML', async (at: Operator) => writeFile(at.own, 'files: [')],
    ['others may write it', async (at: Operator) => chmod(at.own, 0o666)],
    ['others may write its folder', async (at: Operator) => chmod(at.home, 0o777)],
    [
      'it is a link',
      async (at: Operator) => {
        await rename(at.own, `${at.own}.real`);
        await symlink(`${at.own}.real`, at.own);
      },
    ],
  ])('%s', async (_what, spoil) => {
    const at = await operator();
    await at.write({ files: [at.approval()] });
    const trust = standingTrust(at.sources());
    expect(await kinds(trust, at, DIGEST)).toEqual(['trusted']);
    await spoil(at);
    const answer = await trust.verdicts([at.question()]);
    expect(answer).toMatchObject({ kind: 'unknown', findings: [{ severity: 'error', path: at.own }] });
  });
});
