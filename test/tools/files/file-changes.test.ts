import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/shared/digest.js';
import type { WalkMode } from '../../../src/tools/files/descriptor-walk.js';
import { commitAll } from '../../helpers/repository.js';
import { digestIn, house } from '../house.js';

describe.each<WalkMode>(['descriptor', 'checked'])('with the %s walk', (mode) => {
  test('a new file and its directories are made, and the digest is that of what was written', async () => {
    const at = await house({ mode });
    const result = await at.call('fs_write_file', { path: 'a/b/c.txt', content: 'ü\n' });
    expect(result).toEqual({
      outcome: 'ok',
      text: `a/b/c.txt created: 3 bytes, digest ${sha256('ü\n')}`,
    });
    expect(await at.text('a/b/c.txt')).toBe('ü\n');
    expect(await readdir(join(at.roots.workspace, 'a/b'))).toEqual(['c.txt']); // nothing temporary is left
  });

  test('what a killed process left beside its files goes with the next write there, and nothing else does', async () => {
    const at = await house({ mode });
    const gone = spawnSync(process.execPath, ['-e', '']).pid; // a number that was a process and is none
    const living = process.ppid;
    const names = [`.bnerd-${gone}-0123456789ab.tmp`, `.bnerd-${living}-0123456789ab.tmp`, '.bnerd-x.tmp'];
    for (const name of names) await at.put(name, 'half');
    await at.call('fs_write_file', { path: 'new.txt', content: 'x' });
    const left = await readdir(at.roots.workspace);
    expect(names.map((name) => left.includes(name))).toEqual([false, true, true]);
  });

  test('replacing names the digest last read: none, a stale one and one of nothing are refused with the present one', async () => {
    const at = await house({ mode });
    await at.put('a.txt', 'one');
    const present = sha256('one');
    const none = await at.call('fs_write_file', { path: 'a.txt', content: 'two' });
    expect(none).toMatchObject({ outcome: 'error', text: expect.stringContaining(`is now ${present}`) });
    expect(none.text).toContain('no digest was named');
    const stale = await at.call('fs_write_file', { path: 'a.txt', content: 'two', digest: sha256('zero') });
    expect(stale).toMatchObject({ outcome: 'error', text: expect.stringContaining(`is now ${present}`) });
    expect(await at.text('a.txt')).toBe('one');
    const fine = await at.call('fs_write_file', { path: 'a.txt', content: 'two', digest: digestIn(stale) });
    expect(fine.text).toBe(`a.txt replaced: 3 bytes, digest ${sha256('two')}`);
    const gone = await at.call('fs_write_file', { path: 'b.txt', content: 'x', digest: present });
    expect(gone).toMatchObject({ outcome: 'error', text: expect.stringContaining('does not exist') });
  });

  test('of two members that write at once from the same reading exactly one wins, the other is told', async () => {
    const at = await house({ mode });
    await at.put('a.txt', 'start');
    const digest = sha256('start');
    const results = await Promise.all(
      ['first', 'second', 'third'].map((content) =>
        at.call('fs_write_file', { path: 'a.txt', content, digest }),
      ),
    );
    expect(results.map((result) => result.outcome).sort()).toEqual(['error', 'error', 'ok']);
    const winner = ['first', 'second', 'third'][results.findIndex((result) => result.outcome === 'ok')];
    expect(await at.text('a.txt')).toBe(winner);
    for (const result of results) expect(digestIn(result)).toBe(sha256(winner ?? ''));
  });

  test('of two members that make the same new file exactly one does', async () => {
    const at = await house({ mode });
    const results = await Promise.all(
      ['first', 'second'].map((content) => at.call('fs_write_file', { path: 'new.txt', content })),
    );
    expect(results.map((result) => result.outcome)).toEqual(['ok', 'error']);
    expect(await at.text('new.txt')).toBe('first');
  });

  test('deleting names the digest too', async () => {
    const at = await house({ mode });
    await at.put('a.txt', 'one');
    const wrong = await at.call('fs_delete', { path: 'a.txt', digest: sha256('two') });
    expect(wrong).toMatchObject({ outcome: 'error', text: expect.stringContaining(sha256('one')) });
    expect(await at.text('a.txt')).toBe('one');
    expect(await at.call('fs_delete', { path: 'a.txt', digest: sha256('one') })).toEqual({
      outcome: 'ok',
      text: 'a.txt deleted',
    });
    expect(await readdir(at.roots.workspace)).toEqual([]);
    expect(await at.call('fs_delete', { path: 'a.txt', digest: sha256('one') })).toMatchObject({
      outcome: 'error',
    });
  });
});

test('a replaced file keeps its permissions', async () => {
  const at = await house();
  await at.put('run.sh', '#!/bin/sh\n');
  await chmod(join(at.roots.workspace, 'run.sh'), 0o751);
  await at.call('fs_write_file', { path: 'run.sh', content: 'new', digest: sha256('#!/bin/sh\n') });
  expect((await stat(join(at.roots.workspace, 'run.sh'))).mode & 0o777).toBe(0o751);
});

test.each([
  '.git/config',
  '.git/hooks/pre-commit',
  '.GIT/config',
  '.Git/hooks/x',
  'sub/.git/config',
  '.git',
  'sub/.git',
  '.git./config',
  '.git /config',
  'git~1/config',
  '.g\u200cit/config',
  '.ｇit/config',
  './/.git//config',
  'a/../.git/config',
])('%j is never written, whatever the recipe says', async (path) => {
  const at = await house({ editsAgents: true });
  commitAll(at.roots.workspace, 'first commit');
  const result = await at.call('fs_write_file', { path, content: 'x' });
  expect(result).toMatchObject({ outcome: 'error', text: expect.stringContaining('refused') });
});

test.each([
  '.bnerd/roles/x.md',
  '.claude/agents/x.md',
  'orchestrator/teams/x/team.md',
  'sub/.claude/settings.json',
  '.Claude/agents/x.md',
  'ORCHESTRATOR/x',
  'a/b/orchestrator/x',
])('%j is written only with edits_agents, and then the operator confirms', async (path) => {
  const closed = await house();
  expect(await closed.call('fs_write_file', { path, content: 'x' })).toMatchObject({
    outcome: 'error',
    text: expect.stringContaining('edits_agents'),
  });
  const open = await house({ editsAgents: true });
  const tool = await open.tool('fs_write_file');
  expect(await tool.prepare({ path, content: 'x' })).toMatchObject({ kind: 'ready', operatorConfirms: true });
  expect(await open.call('fs_write_file', { path, content: 'x' })).toMatchObject({ outcome: 'ok' });
  expect(await tool.prepare({ path: 'src/a.ts', content: 'x' })).not.toHaveProperty('operatorConfirms');
});

describe('directories that git takes for its own', () => {
  test('none is written into, at any depth', async () => {
    const at = await house();
    for (const path of ['bare/HEAD', 'bare/objects/x', 'bare/refs/x']) await at.put(path, 'x');
    for (const path of ['bare/config', 'bare/hooks/pre-commit', 'bare/a/b/c']) {
      expect(await at.call('fs_write_file', { path, content: 'x' })).toMatchObject({
        outcome: 'error',
        text: expect.stringContaining('git directory'),
      });
    }
    expect((await readdir(join(at.roots.workspace, 'bare'))).sort()).toEqual(['HEAD', 'objects', 'refs']);
  });

  test.each([
    ['HEAD last', ['config', 'objects/x', 'refs/x', 'HEAD']],
    ['refs last', ['config', 'HEAD', 'objects/x', 'refs/heads/main']],
    ['objects last', ['HEAD', 'refs/x', 'objects/pack/x']],
    ['a common directory', ['HEAD', 'commondir']],
    ['in other case', ['head', 'Objects/x', 'REFS/x']],
  ])('none is made piece by piece: %s', async (_, paths) => {
    const at = await house();
    const outcomes: string[] = [];
    for (const path of paths) {
      // Case matters on Linux: the entries are compared as a system without case would see them.
      outcomes.push((await at.call('fs_write_file', { path: `bare/${path}`, content: 'x' })).outcome);
    }
    expect(outcomes.slice(0, -1).every((outcome) => outcome === 'ok')).toBe(true);
    const names = await readdir(join(at.roots.workspace, 'bare'));
    const complete =
      ['HEAD', 'objects', 'refs'].every((name) => names.includes(name)) || names.includes('commondir');
    expect(complete).toBe(false);
  });

  test('the workspace itself may not be one', async () => {
    const at = await house();
    for (const name of ['objects', 'refs']) await mkdir(join(at.roots.workspace, name));
    expect(await at.call('fs_write_file', { path: 'HEAD', content: 'ref: refs/heads/x' })).toMatchObject({
      outcome: 'error',
      text: expect.stringContaining('git directory'),
    });
  });
});
