/**
 * The adapter for any agent of the Agent Client Protocol with a real one, Gemini CLI, set up as an operator would: by a
 * command that turns its statistics off and starts it. Where `gemini.ts` lets its policy decide, here it asks us.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { acp } from '../../../src/delegate/engineers/acp.js';
import { type Agent, HOSTILE_PROMPT, letWork, realAgent } from '../../helpers/engineers/at-work.js';
import {
  callsThenSays,
  everythingAsked,
  textParts,
  toolResults,
} from '../../helpers/engineers/model-server.js';
import { plantRepository } from '../../helpers/engineers/planted.js';
import { INSTALL_MS } from '../../helpers/real-engineers.js';
import { git } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';

const START = `mkdir -p "$HOME/.gemini"
echo '{"privacy": {"usageStatisticsEnabled": false}}' > "$HOME/.gemini/settings.json"
exec "$0" --acp --model="$1"`;

/** It takes seconds to begin, and half a minute where all cores are busy. */
const SLOW = { timeout: 180_000 };

let agent: Agent;
beforeAll(async () => {
  const gemini = await realAgent('gemini');
  agent = {
    ...gemini,
    engineer: acp,
    path: '/bin/sh',
    settings: (url) => ({
      path: '/bin/sh',
      args: ['-c', START, gemini.path, '{model}'],
      env: { ...gemini.settings(url).env, GEMINI_CLI_NO_RELAUNCH: 'true' },
    }),
  };
}, INSTALL_MS);

const work = (tree: string, beside: string) =>
  callsThenSays(
    [
      ['read_file', { file_path: 'sub/file.txt' }],
      ['write_file', { file_path: join(tree, 'new.txt'), content: 'x\n' }],
      ['run_shell_command', { command: `touch ${beside}` }],
      ['invoke_agent', { agent_name: 'generalist', prompt: `touch ${beside}` }],
      ['web_fetch', { prompt: 'http://example.org' }],
    ],
    'done',
  );

test(
  'E111: each question of a real agent is answered by the safety of the brief, and it goes on to its end',
  SLOW,
  async () => {
    const { tree, marks } = await plantRepository(await tempDir('acp'));
    const beside = join(tree, '..', 'beside.txt');
    const { far, end, exit, notes, lines } = await letWork(agent, tree, work(tree, beside), {
      prompt: HOSTILE_PROMPT,
      model: 'a-model-of-nobody',
    });
    expect(end).toEqual({ kind: 'success', message: 'done' });
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    expect(notes).toEqual([
      expect.stringMatching(/^allowed once: .*new\.txt \(edit\)$/),
      expect.stringMatching(/^rejected: touch .* \(execute\): "non-destructive" does not allow execute$/),
      expect.stringMatching(/^rejected: .* \(fetch\): /),
    ]);
    expect(toolResults(far.seen.at(-1) ?? expect.fail('it asked for nothing'))).toEqual([
      expect.stringContaining('nothing but a file'),
      expect.stringContaining('Successfully'),
      ...['canceled by the user', 'denied', 'canceled by the user'].map((words) =>
        expect.stringContaining(words),
      ),
    ]);
    expect(git(tree, 'status', '--porcelain')).toBe('?? new.txt');
    expect(existsSync(beside)).toBe(false);
    expect(far.seen.flatMap(textParts)).toContain(HOSTILE_PROMPT);
    expect(everythingAsked(far)).not.toContain('sentinel');
    expect(lines.join('\n')).not.toContain('sentinel');
    expect(await marks()).toEqual([]);
  },
);

test('under read-only nothing is changed, whatever the model asks for', SLOW, async () => {
  const { tree } = await plantRepository(await tempDir('acp'));
  const beside = join(tree, '..', 'beside.txt');
  const { end, notes } = await letWork(agent, tree, work(tree, beside), {
    safety: 'read-only',
    model: 'a-model-of-nobody',
  });
  expect(end).toEqual({ kind: 'success', message: 'done' });
  expect(notes.map((note) => note.split(':')[0])).toEqual(['rejected', 'rejected', 'rejected']);
  expect(git(tree, 'status', '--porcelain')).toBe('');
  expect(existsSync(beside)).toBe(false);
});
