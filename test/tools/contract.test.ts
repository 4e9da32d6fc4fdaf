import { describe, expect, test } from 'vitest';
import { WORK_TOOLS } from '../../src/tools/catalogue.js';
import type { ToolUnderTest } from '../contracts/tool.js';
import { toolContract } from '../contracts/tool.js';
import { commitAll } from '../helpers/repository.js';
import type { House } from './house.js';
import { digestIn, house } from './house.js';
import { type FarSide, webServer } from './web/far-side.js';

type Row = {
  readonly good: (at: House) => Promise<Record<string, unknown>> | Record<string, unknown>;
  readonly bad: ToolUnderTest['bad'];
  readonly long?: Record<string, unknown>;
};

const NOT_A_PATH = { args: { path: 7 }, field: 'path' };

const ROWS: Readonly<Record<string, Row>> = {
  fs_read_file: {
    good: () => ({ path: 'a.txt' }),
    bad: [NOT_A_PATH, { args: { path: 'a.txt', offset: 0 }, field: 'offset' }],
  },
  fs_list: { good: () => ({}), bad: [NOT_A_PATH] },
  fs_glob: { good: () => ({ pattern: '**/*' }), bad: [{ args: { pattern: '' }, field: 'pattern' }] },
  fs_grep: {
    good: () => ({ pattern: 'one' }),
    bad: [
      { args: { pattern: 'one', max: 'many' }, field: 'max' },
      { args: { pattern: '(' }, field: 'pattern' },
    ],
  },
  fs_write_file: {
    good: () => ({ path: 'new.txt', content: 'text' }),
    bad: [
      { args: { path: 'a.txt' }, field: 'content' },
      { args: { path: 'a.txt', content: '', digest: 'abc' }, field: 'digest' },
    ],
  },
  fs_edit_file: {
    good: async (at) => ({
      path: 'a.txt',
      old: 'one',
      new: 'two',
      digest: digestIn(await at.call('fs_read_file', { path: 'a.txt' })),
    }),
    bad: [{ args: { path: 'a.txt', old: '', new: 'x' }, field: 'old' }],
  },
  fs_delete: {
    good: async (at) => ({
      path: 'a.txt',
      digest: digestIn(await at.call('fs_read_file', { path: 'a.txt' })),
    }),
    bad: [{ args: { path: 'a.txt' }, field: 'digest' }],
  },
  git_status: { good: () => ({}), bad: [{ args: { repository: 1 }, field: 'repository' }] },
  git_diff: { good: () => ({ from: 'HEAD' }), bad: [{ args: { stat: 'yes' }, field: 'stat' }] },
  git_log: {
    good: () => ({ limit: 5 }),
    bad: [
      { args: { limit: 0 }, field: 'limit' },
      { args: { paths: 'a' }, field: 'paths' },
    ],
  },
  git_show: { good: () => ({ revision: 'HEAD' }), bad: [{ args: { revision: 3 }, field: 'revision' }] },
  git_blame: { good: () => ({ path: 'a.txt' }), bad: [NOT_A_PATH, { args: {}, field: 'path' }] },
  git_commit: {
    good: async (at) => {
      await at.put('b.txt', 'new');
      return { message: 'second', paths: ['b.txt'] };
    },
    bad: [
      { args: { message: 'x', paths: [] }, field: 'paths' },
      { args: { message: '', paths: ['a'] }, field: 'message' },
    ],
  },
  shell_exec: {
    good: () => ({ command: 'cat a.txt' }),
    bad: [
      { args: { command: 'ls', timeout_ms: 0 }, field: 'timeout_ms' },
      { args: {}, field: 'command' },
    ],
    long: { command: 'sleep 60' },
  },
  web_fetch: {
    good: async () => ({ url: `http://127.0.0.1:${(await page('a page')).port}/` }),
    bad: [
      { args: { url: 7 }, field: 'url' },
      { args: { url: 'http://127.0.0.1/', max_bytes: 0 }, field: 'max_bytes' },
    ],
  },
  delegate_engineer: {
    good: () => ({ task: '#1', goal: 'It greets.', acceptance: ['it says hello'] }),
    bad: [
      { args: { task: '#1', goal: '', acceptance: ['x'] }, field: 'goal' },
      { args: { task: '#1', goal: 'x', acceptance: [] }, field: 'acceptance' },
      { args: { task: '#1', goal: 'x', acceptance: ['x'], safety: 'loose' }, field: 'safety' },
    ],
  },
};

/** A page on loopback, which the settings of the house below allow. */
function page(text: string): Promise<FarSide> {
  return webServer((_, response) => response.setHeader('content-type', 'text/plain').end(text));
}

test('every work tool has a row here, and the name of its row', async () => {
  expect(Object.keys(ROWS)).toEqual(WORK_TOOLS.map((row) => row.name));
  const at = await house();
  for (const row of WORK_TOOLS) {
    const tool = (await row.load())(at.parts);
    expect(tool.definition.name).toBe(row.name);
    expect(tool.class).toBe(row.class);
  }
});

describe.each(Object.entries(ROWS))('%s', (name, row) => {
  toolContract(async () => {
    const at = await house({ web: { allowPrivate: ['127.0.0.1'] } });
    await at.put('a.txt', 'one\ntwo\n');
    commitAll(at.roots.workspace, 'first commit');
    return {
      tool: await at.tool(name),
      good: await row.good(at),
      bad: row.bad,
      ...(row.long === undefined ? {} : { long: row.long }),
      secretPaths: [at.top],
    };
  });
});

test.each(['fs_read_file', 'fs_list', 'fs_write_file', 'fs_edit_file', 'fs_delete'])(
  '%s refuses a path that leads out before anything runs',
  async (name) => {
    const tool = await (await house()).tool(name);
    const all = { path: '../outside/x', content: '', old: 'a', new: 'b', digest: 'a'.repeat(64) };
    const known = Object.keys(tool.definition.parameters['properties'] as object);
    const args = Object.fromEntries(Object.entries(all).filter(([key]) => known.includes(key)));
    expect(await tool.prepare(args)).toMatchObject({
      kind: 'refused',
      text: expect.stringContaining('leads out of its root'),
    });
  },
);
