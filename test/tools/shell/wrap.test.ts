// `shell.wrap`: an argv prefix under which every program of a tool runs.
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Tool } from '../../../src/agent/tool.js';
import { entryTool } from '../../../src/tools/entry-tool.js';
import { findWrap, wrapped } from '../../../src/tools/shell/wrap.js';
import { shellExec } from '../../../src/tools/shell-exec.js';
import { type House, house } from '../house.js';

/** A wrapper that tells its words, and runs what stands behind `--`. */
async function wrapper(at: House, folder = 'outside'): Promise<string> {
  const path = join(at.top, folder, 'wrap');
  await writeFile(
    path,
    `#!/bin/sh\nprintf 'under'\nwhile [ "$1" != -- ]; do printf '[%s]' "$1"; shift; done\nshift\necho; exec "$@"\n`,
  );
  await chmod(path, 0o755);
  return path;
}

async function run(tool: Tool, args: unknown): Promise<string> {
  const prepared = await tool.prepare(args);
  if (prepared.kind === 'refused') return prepared.text;
  return (await tool.run(prepared.arguments, new AbortController().signal)).text;
}

test('lines of class Read and Write, lists, and programs of entries all run under it; no shell reads the prefix', async () => {
  const at = await house();
  await at.put('a.txt', 'one');
  const wrap = [await wrapper(at), '$(touch planted)', 'two words', '--'];
  const parts = { ...at.parts.shell, wrap };
  const tool = shellExec(parts);
  const under = 'under[$(touch planted)][two words]';
  expect(await run(tool, { command: 'cat a.txt' })).toBe(`exit 0\n${under}\none`);
  expect(await run(tool, { command: 'cat a.txt | wc -c' })).toBe(`exit 0\n${under}\n3`);
  expect(await run(tool, { command: 'echo x > b.txt; cat b.txt' })).toBe(`exit 0\n${under}\nx`);
  const definition = {
    name: 'say',
    description: 'Says it.',
    class: 'read' as const,
    parameters: { type: 'object' },
    run: ['sh', '-c', 'echo said; cat'],
  };
  const made = entryTool(definition, parts);
  if (made.kind === 'unusable') throw new Error(made.why);
  expect(await run(made.tool, { word: 'kestrel' })).toBe(`exit 0\n${under}\nsaid\n{"word":"kestrel"}`);
  expect(await at.text('b.txt')).toBe('x\n');
  await expect(at.text('planted')).rejects.toThrow();
});

test('its program is found outside of the roots, by its path or its name', async () => {
  const at = await house();
  const path = await wrapper(at);
  const { roots } = at;
  const PATH = `${roots.workspace}/bin:${at.top}/outside:/usr/bin:/bin`;
  await mkdir(join(roots.workspace, 'bin'));
  await writeFile(join(roots.workspace, 'bin/wrap'), '#!/bin/sh\necho planted\n', { mode: 0o755 });
  expect(await findWrap(['wrap', 'x'], PATH, roots)).toEqual({ kind: 'found', wrap: [path, 'x'] });
  expect(await findWrap([path], PATH, roots)).toEqual({ kind: 'found', wrap: [path] });
  expect(await findWrap([], PATH, roots)).toEqual({ kind: 'found', wrap: [] });
  await symlink(join(roots.workspace, 'bin/wrap'), join(at.top, 'outside/linked'));
  for (const [program, why] of [
    ['no-such-wrapper', 'is not there'],
    ['/no/such/wrapper', 'is not there'],
    [join(at.top, 'outside'), 'is no program'],
    ['./wrap', 'is a relative path'],
    [join(roots.workspace, 'bin/wrap'), 'may write or read'],
    ['linked', 'may write or read'],
  ] as const) {
    expect([program, await findWrap([program], PATH, roots)]).toEqual([
      program,
      { kind: 'missing', why: expect.stringContaining(why) },
    ]);
  }
});

test('without one a program runs as it is', () => {
  const spec = { program: 'ls', args: ['-l'], cwd: '/', env: {} };
  expect(wrapped(undefined, spec)).toBe(spec);
  expect(wrapped([], spec)).toBe(spec);
  expect(wrapped(['/w', 'a'], spec)).toEqual({ ...spec, program: '/w', args: ['a', 'ls', '-l'] });
});
