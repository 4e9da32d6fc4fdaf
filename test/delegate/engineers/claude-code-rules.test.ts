/** E106 with the real Claude Code: what is denied to whoever delegates, its own tools refuse, however a call is written. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { DeniedRule } from '../../../src/delegate/brief/brief.js';
import { type Agent, letWork, realAgent, smallRepository } from '../../helpers/engineers/at-work.js';
import { type Call, callsThenSays, toolResults } from '../../helpers/engineers/model-server.js';
import { INSTALL_MS } from '../../helpers/real-engineers.js';
import { commitAll, git, putFiles } from '../../helpers/repository.js';

let claude: Agent;
beforeAll(async () => {
  claude = await realAgent('claude-code');
}, INSTALL_MS);

const denies = (tool: string, match: string | null, form: DeniedRule['form'] = 'rule'): DeniedRule => ({
  tool,
  match,
  form,
  decision: 'deny',
  origin: 'recipe',
});

/** Ways to run `rm` on one file. */
const REMOVALS: readonly ((file: string) => string)[] = [
  (file) => `rm ${file}`,
  (file) => `true && rm -f ${file}`,
  (file) => `ls; rm ${file}`,
  (file) => `true\nrm ${file}`,
  (file) => `ls | rm ${file} > /dev/null 2>&1`,
  (file) => `/bin/rm ${file}`,
  (file) => `\\rm ${file}`,
  (file) => `r""m ${file}`,
  (file) => `command rm ${file}`,
  (file) => `env FOO=1 rm ${file}`,
  (file) => `FOO=1 nice timeout 5 rm ${file}`,
  (file) => `sudo -n rm ${file}`,
  (file) => `exec rm ${file}`,
  (file) => `eval rm ${file}`,
  (file) => `sh -c 'rm ${file}'`,
  (file) => `bash <<< 'rm ${file}'`,
  (file) => `echo $(rm ${file})`,
  (file) => `cat <(rm ${file})`,
  (file) => `(rm ${file})`,
  (file) => `{ rm ${file}; }`,
  (file) => `if true; then rm ${file}; fi`,
  (file) => `for f in ${file}; do rm $f; done`,
  (file) => `x=rm; $x ${file}`,
  (file) => `rm$IFS"${file}"`,
  (file) => `f() { rm ${file}; }; f`,
  (file) => `echo ${file} | xargs rm`,
  (file) => `find . -name ${file} -exec rm {} +`,
  (file) => `find . -name ${file} -delete`,
  (file) => `python3 -c 'import os; os.remove("${file}")'`,
];

test('E106 a denied command runs in none of its forms, and all else goes on', async () => {
  const tree = await smallRepository();
  const files = REMOVALS.map((_, at) => `file-${at}`);
  await putFiles(tree, Object.fromEntries(files.map((file) => [file, 'x'])));
  commitAll(tree, 'files');
  const calls: Call[] = REMOVALS.map((line, at) => ['Bash', { command: line(`file-${at}`) }]);
  const allowed: Call[] = [['Bash', { command: 'touch made && git add -A && git commit -q -m made' }]];
  const { far, end } = await letWork(claude, tree, callsThenSays([...calls, ...allowed], 'worked'), {
    deny: [denies('shell_exec', 'rm *')],
  });
  expect(end).toEqual({ kind: 'success', message: 'worked' });
  expect(files.filter((file) => !existsSync(join(tree, file)))).toEqual([]);
  expect(far.seen.at(-1)?.messages.find(({ role }) => role === 'tool')?.text).toMatch(/has been denied/);
  expect(git(tree, 'log', '-1', '--format=%s')).toBe('made');
});

test('E106 without the rule the same call runs', async () => {
  const tree = await smallRepository();
  await letWork(claude, tree, callsThenSays([['Bash', { command: 'rm a.txt' }]], 'worked'));
  expect(existsSync(join(tree, 'a.txt'))).toBe(false);
});

test.each(['read-only', 'non-destructive', 'full'] as const)(
  'E106 denied files are neither read nor changed by its tools, in any spelling: under %s',
  async (safety) => {
    const tree = await smallRepository();
    await putFiles(tree, {
      'locked/deep/f.txt': 'as it was',
      'keys/a.env': 'the word',
      'sub/b.env': 'the word',
      'db/one/x.sql': 'as it was',
    });
    commitAll(tree, 'files');
    const at = (path: string): string => join(tree, path);
    const write = (path: string): Call => ['Write', { file_path: `${tree}/${path}`, content: 'changed' }];
    const read = (path: string): Call => ['Read', { file_path: `${tree}/${path}` }];
    const calls: Call[] = [
      read('keys/a.env'),
      read('sub/../sub/b.env'),
      ['Grep', { pattern: 'the word', path: tree, output_mode: 'content' }],
      write('locked/deep/f.txt'),
      write('locked/new'),
      write('sub/../locked/new'),
      write('LOCKED/deep/f.txt'),
      write('db/one/x.sql'),
      write('db/new.sql'),
    ];
    const { far, end, lines } = await letWork(claude, tree, callsThenSays(calls, 'worked'), {
      safety,
      directory: at('sub'),
      deny: [
        denies('fs_write_file', 'locked/*'),
        denies('fs_edit_file', 'db/*.sql'),
        denies('fs_read_file', '*.env', 'pattern'),
      ],
      settings: { mayBeFull: true, env: { IS_SANDBOX: '1' } },
    });
    expect(end).toEqual({ kind: 'success', message: 'worked' });
    expect(
      JSON.stringify(far.seen.map(({ messages }) => messages.filter(({ role }) => role === 'tool'))),
    ).not.toContain('the word');
    expect(lines.join('\n')).not.toMatch(/keys\/a\.env:.*the word/);
    expect(await readFile(at('locked/deep/f.txt'), 'utf8')).toBe('as it was');
    expect(await readFile(at('db/one/x.sql'), 'utf8')).toBe('as it was');
    expect(git(tree, 'status', '--porcelain')).toBe('');
  },
);

test('E106 a tool that is denied as a whole is none that it has', async () => {
  const tree = await smallRepository();
  const calls: Call[] = [
    ['Write', { file_path: join(tree, 'new.txt'), content: 'x' }],
    ['Grep', { pattern: 'one', path: tree }],
    ['Bash', { command: 'rm a.txt' }],
    ['Bash', { command: 'git rm -q a.txt' }],
  ];
  const { far } = await letWork(claude, tree, callsThenSays(calls, 'worked'), {
    deny: [denies('fs_write_file', null), denies('fs_grep', null), denies('fs_delete', null)],
  });
  const last = far.seen.at(-1);
  const results = last === undefined ? [] : toolResults(last);
  expect(results.slice(0, 2)).toEqual([
    expect.stringContaining('No such tool available: Write'),
    expect.stringContaining('No such tool available: Grep'),
  ]);
  expect(git(tree, 'status', '--porcelain')).toBe('');
});
