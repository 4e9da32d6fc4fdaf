// E106: what is denied to whoever delegates is denied to its engineer, or the brief does not leave.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { Releases } from '../../src/shared/releases.js';
import { claim, complete, does, says, shell, when } from '../cases/play.js';
import { type Agent, realAgent } from '../helpers/engineers/at-work.js';
import { callsThenSays, startModel, toolResults } from '../helpers/engineers/model-server.js';
import { startOutside } from '../helpers/engineers/outside.js';
import { INSTALL_MS } from '../helpers/real-engineers.js';
import { git } from '../helpers/repository.js';
import { tempDir } from '../helpers/temp-dir.js';
import { COMMITS } from './commits-engineer.js';
import { delegates, delegating, delegatingJob } from './delegation.js';

let claude: Agent;
beforeAll(async () => {
  claude = await realAgent('claude-code');
}, INSTALL_MS);

let releases = new Releases();
afterEach(async () => {
  await releases.run();
  releases = new Releases();
});

const DENIED = { tool: 'shell_exec', match: 'rm *', decision: 'deny' };

test('E106 a rule that denies rm holds for the lead, a worker and the engineer of one run: the file stands', async () => {
  const far = await startModel(
    claude.wire,
    callsThenSays(
      [
        ['Bash', { command: 'rm readme.txt' }],
        ['Bash', { command: 'ls && /bin/rm -f readme.txt' }],
        ['Bash', { command: 'git commit --allow-empty --quiet --message "Looked"' }],
      ],
      'It could not be removed.',
    ),
    releases,
  );
  const outside = await startOutside(releases);
  const { path, args, env } = claude.settings(far.url);
  const removes = { expect: ['denied, not run'] };
  const job = await delegatingJob(
    delegating(
      [
        when(
          'Task #1 is ready',
          does(shell('rm readme.txt')),
          { ...removes, ...does(delegates('#1', ['nothing at all'])) },
          says('Sent.'),
        ),
        when('has ended: completed', does(complete('#1')), says('It is in.')),
      ],
      {
        recipe: {
          engineer: { kind: 'claude-code' },
          permissions: [DENIED],
          tasks: [
            { id: 'one', subject: 'Do one', role: 'boss' },
            { id: 'two', subject: 'Do two', role: 'worker' },
          ],
        },
        roles: { boss: { delegate: true, base: 'write' }, worker: { base: 'write' } },
        script: {
          worker: {
            idle: 'Ready.',
            turns: [
              when(
                'Task #2 is ready',
                does(shell('true && rm readme.txt')),
                { ...removes, ...does(claim('#2'), complete('#2')) },
                says('Not removed.'),
              ),
            ],
          },
        },
      },
    ),
    { 'claude-code': { path, args, env: { ...outside.env, ...env } } },
  );
  const run = await job.run(['--auto-approve', 'all']);
  expect(run.exit, `${run.stderr}\n${JSON.stringify(await job.of('brief.ended'), null, 1)}`).toBe(0);
  const [sent] = await job.of('brief.sent');
  const results = far.seen.flatMap((seen) => toolResults(seen).slice(-1));
  expect(results.slice(0, 2)).toEqual([
    expect.stringContaining('has been denied'),
    expect.stringContaining('has been denied'),
  ]);
  expect(git(job.workspace, 'show', '--format=%s', '--name-status', sent?.branch ?? '')).toBe('Looked');
  expect(git(job.workspace, 'show', `${sent?.branch}:readme.txt`)).toBe('a project');
  expect(await readFile(join(job.workspace, 'readme.txt'), 'utf8')).toBe('a project\n');
  expect(outside.attempts).toEqual([]);
});

test('E106 an engineer that cannot be held to a rule gets no brief, and it is said at the start what to do', async () => {
  const job = await delegatingJob(
    delegating(
      [
        when(
          'Task #1 is ready',
          does(delegates('#1', ['commit x y'])),
          {
            expect: [
              'nothing holds the engineer command to the rule of settings \\(ask shell_exec\\)',
              '\\{rules\\}',
            ],
            ...does(claim('#1'), complete('#1')),
          },
          says('By myself.'),
        ),
      ],
      { recipe: { permissions: [] } },
    ),
    undefined,
    { permissions: [{ tool: 'shell_exec', decision: 'ask' }] },
  );
  const run = await job.run(['--auto-approve', 'all']);
  expect(run.exit, run.stderr).toBe(0);
  expect(run.stderr).toContain('boss can send no brief under non-destructive: nothing holds');
  expect(await job.of('brief.sent')).toEqual([]);
});

test('E106 a program that says it obeys is given the rules of run and role as they ride the brief', async () => {
  const at = await tempDir('engineer');
  const [script = ''] = COMMITS.command.args;
  const job = await delegatingJob(
    delegating(
      [
        when('Task #1 is ready', does(delegates('#1', [`rules ${at}/rules`])), says('Sent.')),
        when('has ended: completed', does(complete('#1')), says('It is in.')),
      ],
      {
        recipe: { permissions: [DENIED, { tool: 'delegate_engineer', match: 'full *', decision: 'deny' }] },
        roles: { boss: { delegate: true, base: 'read', disallowedTools: 'Write(secret/**)' } },
      },
    ),
    { command: { ...COMMITS.command, args: [script, 'none', '{rules}'] } },
  );
  const run = await job.run(['--auto-approve', 'all']);
  expect(run.exit, `${run.stderr}${JSON.stringify(await job.of('brief.ended'))}`).toBe(0);
  const files = ['fs_write_file', 'fs_edit_file', 'fs_delete'];
  expect(JSON.parse(await readFile(join(at, 'rules'), 'utf8'))).toEqual([
    { ...DENIED, form: 'rule', origin: 'recipe' },
    ...files.map((tool) => ({
      tool,
      match: 'secret/**',
      form: 'pattern',
      decision: 'deny',
      origin: 'role:boss',
    })),
  ]);
});
