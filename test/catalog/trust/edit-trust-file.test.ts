// spec/team.md §1: what bnerd trust writes into the operator's own file, as text to text.
import { describe, expect, test } from 'vitest';
import { editTrustFile, type TrustChange } from '../../../src/catalog/trust/edit-trust-file.js';
import { parseTrustFile, type TrustFile } from '../../../src/catalog/trust/trust-file.js';
import { BY, DIGEST, OTHER_DIGEST, REVOKED_BY } from './trusting.js';

const FILE = { kind: 'role', tier: 'project', path: '.bnerd/roles/a.md', root: '/srv/repo' } as const;
const APPROVAL = { ...FILE, root_commit: 'c'.repeat(40), digest: DIGEST, ...BY };
const approve: TrustChange = { kind: 'approve-file', approval: APPROVAL };
const revoke: TrustChange = { kind: 'revoke-file', file: FILE, ...REVOKED_BY };

function edited(text: string | null, ...changes: readonly TrustChange[]): string {
  let now = text;
  for (const change of changes) {
    const edit = editTrustFile(now, change, 'trust.yaml');
    if (edit.kind === 'refused') throw new Error(JSON.stringify(edit.findings));
    now = edit.text;
  }
  return now ?? '';
}

function read(text: string): TrustFile {
  const file = parseTrustFile(text, 'trust.yaml', 'own');
  if (file.kind === 'refused') throw new Error(JSON.stringify(file.findings));
  return file.file;
}

const EMPTY: TrustFile = { files: [], places: [], revokedFiles: [], revokedPlaces: [] };

describe('a change of the own trust file', () => {
  test('the first approval makes a file that says what it is', () => {
    const text = edited(null, approve);
    expect(text).toMatch(/^# .*\nversion: 1\nfiles:\n {2}- kind: role\n/);
    expect(read(text)).toEqual({ ...EMPTY, files: [APPROVAL] });
  });

  test('approvals of several texts of a file stay beside each other; the same one is there once, newest last', () => {
    const other = { ...APPROVAL, digest: OTHER_DIGEST };
    const again = { ...APPROVAL, approver: 'bob' };
    const text = edited(
      null,
      approve,
      { kind: 'approve-file', approval: other },
      { kind: 'approve-file', approval: again },
    );
    expect(read(text).files).toEqual([other, again]);
  });

  test('a revocation takes every approval of the file away, and approving takes the revocation back', () => {
    const other = { ...APPROVAL, digest: OTHER_DIGEST };
    const elsewhere = { ...APPROVAL, root: '/srv/copy' };
    const before = edited(
      null,
      approve,
      { kind: 'approve-file', approval: other },
      { kind: 'approve-file', approval: elsewhere },
    );
    const revoked = edited(before, revoke);
    expect(read(revoked)).toEqual({
      ...EMPTY,
      files: [elsewhere],
      revokedFiles: [{ ...FILE, ...REVOKED_BY }],
    });
    expect(read(edited(revoked, revoke)).revokedFiles).toHaveLength(1);
    // The text that was approved before the revocation does not come back with the new one.
    expect(read(edited(revoked, approve))).toEqual({ ...EMPTY, files: [elsewhere, APPROVAL] });
  });

  test('approving leaves revocations that say more or less than this file', () => {
    const text = [
      'version: 1',
      'revoked:',
      '  files:',
      `    - {digest: "${DIGEST}", revoker: e, at: t}`,
      `    - {kind: role, tier: project, path: .bnerd/roles/a.md, root: /srv/repo, digest: "${OTHER_DIGEST}", revoker: e, at: t}`,
      '    - {path: .bnerd/roles/a.md, revoker: e, at: t}',
      '',
    ].join('\n');
    expect(read(edited(text, approve)).revokedFiles).toEqual(read(text).revokedFiles);
  });

  test('places are approved and revoked by their path', () => {
    const place = { path: '/srv/repo', root_commit: 'c'.repeat(40), ...BY };
    const trusted = edited(null, { kind: 'approve-place', approval: place });
    expect(read(trusted)).toEqual({ ...EMPTY, places: [place] });
    const revoked = edited(trusted, { kind: 'revoke-place', path: '/srv/repo', ...REVOKED_BY });
    expect(read(revoked)).toEqual({ ...EMPTY, revokedPlaces: [{ path: '/srv/repo', ...REVOKED_BY }] });
    const moved = { ...place, root_commit: 'd'.repeat(40) };
    expect(read(edited(revoked, { kind: 'approve-place', approval: moved }))).toEqual({
      ...EMPTY,
      places: [moved],
    });
  });

  test('comments, order, quoting and other entries stay as they were written', () => {
    const text = [
      '# mine',
      'version: 1 # do not touch',
      'places: []',
      'files:',
      '  # the reviewer, read on Monday',
      `  - { kind: "role", tier: project, path: b.md, root: /srv/repo, digest: "${DIGEST}", approver: ann, at: now }`,
      '# the end',
      '',
    ].join('\n');
    const after = edited(text, approve, {
      kind: 'approve-place',
      approval: { path: '/p', root_commit: 'c'.repeat(40), ...BY },
    });
    for (const line of [
      '# mine',
      'version: 1 # do not touch',
      '  # the reviewer, read on Monday',
      '# the end',
    ]) {
      expect(after).toContain(line);
    }
    expect(read(after).files.map(({ path }) => path)).toEqual(['b.md', '.bnerd/roles/a.md']);
    expect(read(edited(after, revoke)).files.map(({ path }) => path)).toEqual(['b.md']);
  });

  test.each([
    ['a line break', '.claude/agents/a\nversion: 2.md'],
    ['quotes and a comment', `.claude/agents/"' # x: {.md`],
    ['escapes', '.claude/agents/\u001b[2J.md'],
    ['a backslash', '.claude/agents/..\\..\\a.md'],
    ['blanks around', ' .claude/agents/a.md '],
    ['a number', '17'],
  ])('a path with %s is written so that it is read back', (_, path) => {
    const approval = { ...APPROVAL, path };
    expect(read(edited(null, { kind: 'approve-file', approval })).files).toEqual([approval]);
  });

  test('a file that cannot be read whole is not changed', () => {
    for (const text of [
      '',
      'version: 1\nfuture: 1\n',
      'version: 1\nfiles: [\n',
      '%YAML 1.1\n---\nversion: 1\n',
    ]) {
      expect(editTrustFile(text, approve, 'trust.yaml'), text).toMatchObject({ kind: 'refused' });
    }
  });

  test('where a change would take something along that it is not about, nothing is changed', () => {
    const text = [
      'version: 1',
      'revoked:',
      '  files:',
      '    - {kind: role, tier: project, path: .bnerd/roles/a.md, root: /srv/repo, revoker: &r eve, at: t}',
      '    - {path: other.md, revoker: *r, at: t}',
      '',
    ].join('\n');
    expect(editTrustFile(text, approve, 'trust.yaml')).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'trust-file-not-changed', path: 'trust.yaml' }],
    });
    const other = { ...APPROVAL, path: 'b.md' };
    expect(read(edited(text, { kind: 'approve-file', approval: other })).revokedFiles).toHaveLength(2);
  });
});
