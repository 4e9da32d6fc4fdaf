import { access, chmod, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemProcessTable } from '../../src/shared/process-table.js';
import { until } from '../helpers/until.js';
import type { House } from './house.js';
import { house } from './house.js';

const table = systemProcessTable();

async function classOf(at: House, command: string, cwd?: string): Promise<string> {
  const prepared = await (await at.tool('shell_exec')).prepare({ command, cwd });
  return prepared.kind === 'refused' ? `refused: ${prepared.text}` : prepared.class;
}

async function carrying(marker: string): Promise<number[]> {
  const found: number[] = [];
  for (const { pid } of await table.rows()) {
    if ((await table.environment(pid)).includes(marker)) found.push(pid);
  }
  return found;
}

async function pidIn(file: string): Promise<number> {
  return until(async () => Number(await readFile(file, 'utf8').catch(() => '')) || null, {
    what: `${file} holds a process number`,
  });
}

const alive = async (pid: number): Promise<boolean> => (await table.rows()).some((row) => row.pid === pid);

describe('what a command gives', () => {
  test('its exit and its output, both streams in order; an exit other than 0 is a failed result', async () => {
    const at = await house();
    expect(await at.call('shell_exec', { command: 'echo out; echo err >&2; echo "ü"' })).toEqual({
      outcome: 'ok',
      text: 'exit 0\nout\nerr\nü',
    });
    expect(await at.call('shell_exec', { command: 'echo no; exit 3' })).toEqual({
      outcome: 'error',
      text: 'exit 3\nno',
    });
    expect(await at.call('shell_exec', { command: 'kill -USR1 $$' })).toMatchObject({
      outcome: 'error',
      text: expect.stringContaining('ended by SIGUSR1'),
    });
    expect(await at.call('shell_exec', { command: 'true' })).toEqual({
      outcome: 'ok',
      text: 'exit 0\n(no output)',
    });
    expect(await at.call('shell_exec', { command: 'cat' })).toMatchObject({ outcome: 'ok' }); // its input is empty
  });

  test('of a long output the head and the tail, in constant memory', { timeout: 30_000 }, async () => {
    const at = await house();
    const before = process.memoryUsage().rss;
    const command = 'echo first; head -c 200000000 /dev/zero | tr "\\0" x; echo; echo last';
    const { text, outcome } = await at.call('shell_exec', { command });
    expect(outcome).toBe('ok');
    expect(text).toMatch(/^exit 0\nfirst\n/);
    expect(text).toMatch(/\nlast$/);
    expect(text).toMatch(/… \(\d+ bytes left out\) …/);
    expect(Buffer.byteLength(text)).toBeLessThan(34 * 1024);
    // 200 MB went by; buffering it would have cost more than that.
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });

  test('only the environment of the allow-list, with markers of team and member', async () => {
    const at = await house({ environment: { ANTHROPIC_API_KEY: 'very-secret', LC_ALL: 'C', LANG: 'C' } });
    const { text } = await at.call('shell_exec', { command: 'env | sort' });
    expect(text).not.toContain('very-secret');
    const names = text.split('\n').map((line) => line.replace(/=.*/, ''));
    const expected = ['BNERD_MEMBER', 'BNERD_TEAM', 'HOME', 'LANG', 'LC_ALL', 'PAGER', 'PATH', 'TERM'];
    expect(names).toEqual(expect.arrayContaining(expected));
    // The rest is ours, or a shell's own.
    const own = /^(exit 0|BNERD_GROUP|NO_COLOR|GIT_PAGER|GIT_TERMINAL_PROMPT|PWD|OLDPWD|SHLVL|_)$/;
    expect(names.filter((name) => !expected.includes(name) && !own.test(name))).toEqual([]);
    expect(text).toContain('BNERD_TEAM=run-test');
    expect(text).toContain('TERM=dumb');
  });

  test('it runs in the workspace or a directory of it, never outside', async () => {
    const at = await house();
    await mkdir(join(at.roots.workspace, 'sub'));
    await symlink('../outside', join(at.roots.workspace, 'out'));
    expect((await at.call('shell_exec', { command: 'basename $(pwd)' })).text).toBe('exit 0\nworkspace');
    expect((await at.call('shell_exec', { command: 'basename $(pwd)', cwd: 'sub' })).text).toBe(
      'exit 0\nsub',
    );
    for (const cwd of ['..', '/', 'out', 'none', '../outside']) {
      expect(await classOf(at, 'true', cwd), cwd).toMatch(/^refused: .*argument "cwd"/);
    }
    expect(await classOf(at, 'touch x', 'reads:1')).toMatch(/^refused: .*read root/);
    expect(await classOf(at, 'ls', 'reads:1')).toBe('read');
  });
});

describe('class Read', () => {
  test('holds only while every path is inside the roots, no link, and no secret', async () => {
    const at = await house();
    await at.put('a.txt', 'one');
    await at.put('.env', 'TOKEN=very-secret');
    await at.put('server.key', 'x');
    await at.put('../outside/file.txt', 'outside');
    await at.put('../library/lib.txt', 'lib');
    await symlink('../outside', join(at.roots.workspace, 'out'));
    await symlink('a.txt', join(at.roots.workspace, 'same'));
    const rows: [string, string][] = [
      ['cat a.txt', 'read'],
      ['cat ./a.txt', 'read'],
      ['cat none.txt', 'read'],
      ['ls', 'read'],
      ['ls -la .', 'read'],
      [`cat ${at.roots.workspace}/a.txt`, 'read'],
      [`cat ${at.roots.reads[0]}/lib.txt`, 'read'],
      ['cat ../outside/file.txt', 'write'],
      ['cat x/../a.txt', 'write'],
      [`cat ${at.top}/outside/file.txt`, 'write'],
      ['cat /etc/passwd', 'write'],
      ['cat /proc/self/environ', 'write'],
      ['cat out/file.txt', 'write'],
      ['ls out', 'write'],
      ['cat same', 'write'],
      ['cat .env', 'write'],
      ['wc -l .env', 'write'],
      ['cat server.key', 'write'],
      ['cat a.txt .env', 'write'],
      ['cat reads:1/lib.txt', 'read'], // a file of that name in the workspace, which is not there
    ];
    for (const [command, expected] of rows) expect(await classOf(at, command), command).toBe(expected);
    expect(await at.call('shell_exec', { command: 'cat reads:1/lib.txt' })).toMatchObject({
      outcome: 'error',
    });
    expect(await at.call('shell_exec', { command: 'cat a.txt' })).toEqual({
      outcome: 'ok',
      text: 'exit 0\none',
    });
  });

  test('what was checked as Read is not run once a link stands in its way', async () => {
    const at = await house();
    await at.put('dir/a.txt', 'one');
    await at.put('../outside/a.txt', 'outside');
    const tool = await at.tool('shell_exec');
    const prepared = await tool.prepare({ command: 'cat dir/a.txt' });
    if (prepared.kind === 'refused') throw new Error(prepared.text);
    expect(prepared.class).toBe('read');
    const { rename } = await import('node:fs/promises');
    await rename(join(at.roots.workspace, 'dir'), join(at.roots.workspace, 'moved'));
    await symlink('../outside', join(at.roots.workspace, 'dir'));
    expect(await tool.run(prepared.arguments, new AbortController().signal)).toMatchObject({
      outcome: 'error',
      text: expect.stringContaining('changed since it was checked'),
    });
  });

  test.each(['first', 'alone', 'current', 'none'])(
    'a program that was planted in the workspace is not the one that runs, though PATH names it: %s',
    async (kind) => {
      const at = await house();
      const bin = join(at.roots.workspace, 'node_modules/.bin');
      for (const folder of ['', 'node_modules/.bin/']) {
        for (const name of ['cat', 'git']) {
          await at.put(`${folder}${name}`, '#!/bin/sh\necho planted\n');
          await chmod(join(at.roots.workspace, folder, name), 0o755);
        }
      }
      await at.put('a.txt', 'one');
      const paths: Record<string, string> = {
        first: `${bin}:.:${at.parts.shell.environment['PATH']}`,
        alone: bin,
        current: '.',
        none: '', // to a system this is the current directory
      };
      const path = paths[kind] ?? '';
      const { environment } = (await house({ environment: { PATH: path } })).parts.shell;
      const { shellExec } = await import('../../src/tools/shell-exec.js');
      const { gitAccess } = await import('../../src/tools/git/access.js');
      const tool = shellExec({ ...at.parts.shell, environment, git: gitAccess({ roots: at.roots, path }) });
      for (const [command, word] of [
        ['cat a.txt', 'one'],
        ['git status', 'no git repository'],
      ] as const) {
        const prepared = await tool.prepare({ command });
        if (prepared.kind === 'refused') throw new Error(prepared.text);
        expect(prepared.class).toBe('read');
        const { text } = await tool.run(prepared.arguments, new AbortController().signal);
        expect(text).not.toContain('planted');
        expect(text).toContain(word);
      }
    },
  );
});

test('Q38 a command that leaves a background process behind with the output open is settled, and it is ended', async () => {
  const at = await house();
  const { text, outcome } = await at.call('shell_exec', {
    command: 'echo started; sleep 60 & echo $! > pid',
  });
  expect(outcome).toBe('ok');
  expect(text).toBe('exit 0\n1 process was still running in the background and ended with SIGTERM\nstarted');
  expect(await alive(await pidIn(join(at.roots.workspace, 'pid')))).toBe(false);
  expect(at.groups.live).toEqual([]);
});

test('Q38 so is one that ignores TERM, and one in a session of its own with its output closed', async () => {
  const at = await house();
  const command = [
    `(trap '' TERM; echo $$ > ready; while :; do sleep 0.05; done) &`,
    "setsid sh -c 'echo $$ > own; exec sleep 60' >/dev/null 2>&1 &",
    'until [ -s own ] && [ -s ready ]; do sleep 0.02; done',
  ].join('\n');
  const { text } = await at.call('shell_exec', { command });
  expect(text).toMatch(
    /^exit 0\n[2-9] processes were still running in the background and ended with SIGKILL/,
  );
  expect(await alive(await pidIn(join(at.roots.workspace, 'own')))).toBe(false);
  expect(await carrying('BNERD_MEMBER=writer')).toEqual([]);
});

test('Q40, Q41 at its deadline TERM, then KILL; nothing by group, tree or marker is left, and the result says which', async () => {
  const at = await house({ graceMs: 300 });
  const polite = await at.call('shell_exec', {
    command: "trap 'echo bye; exit 0' TERM; echo up; sleep 60 & wait",
    timeout_ms: 600,
  });
  expect(polite).toMatchObject({ outcome: 'error' });
  expect(polite.text).toBe('not finished: ended with SIGTERM at its deadline of 600 ms\nup\nbye');
  const command =
    "trap '' TERM; setsid sh -c \"trap '' TERM; while :; do sleep 0.05; done\" & echo up; while :; do sleep 0.05; done";
  const deaf = await at.call('shell_exec', { command, timeout_ms: 600 });
  expect(deaf.text).toMatch(/^not finished: ended with SIGKILL at its deadline of 600 ms\nup/);
  expect(await carrying('BNERD_MEMBER=writer')).toEqual([]);
  expect(at.groups.live).toEqual([]);
  expect(await readdir(join(at.top, 'processes'))).toEqual([]);
});

test('a cancelled command is ended with its children, and the result says so', async () => {
  const at = await house({ graceMs: 300 });
  const controller = new AbortController();
  const running = at.call(
    'shell_exec',
    { command: 'echo up; sleep 60 & echo $! > pid; wait' },
    controller.signal,
  );
  const child = await pidIn(join(at.roots.workspace, 'pid'));
  controller.abort();
  expect(await running).toEqual({
    outcome: 'error',
    text: 'not finished: cancelled, ended with SIGTERM\nup',
  });
  expect(await alive(child)).toBe(false);
});

test('the record of a running command is on disk, and gone when it has ended', async () => {
  const at = await house();
  const { text } = await at.call('shell_exec', { command: 'ls ../processes' });
  expect(text).toMatch(/^exit 0\n\d+\.json$/);
  expect(await readdir(join(at.top, 'processes'))).toEqual([]);
});

test('a Read command is no shell: what looks like one is an argument', async () => {
  const at = await house();
  await at.put('a.txt', 'one');
  expect(await classOf(at, 'cat a.txt,touch')).toBe('read');
  await at.call('shell_exec', { command: 'cat a.txt,touch' });
  await expect(access(join(at.roots.workspace, 'touch'))).rejects.toThrow('ENOENT');
});
