// What is in the way of delegated work: revisions that are no commit, and a branch of the workspace that is another's.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claim, complete, does, says, when } from '../cases/play.js';
import { git } from '../helpers/repository.js';
import { tempDir } from '../helpers/temp-dir.js';
import { delegates, delegating, delegatingJob, pidIn } from './delegation.js';

test('work that the workspace does not take is not lost: the branch that is there stays, and the commit is kept in the run folder', async () => {
  const at = await tempDir('engineer');
  const deeds = [`touch ${at}/at-work`, `wait ${at}/go`, 'commit greet.txt hello'];
  const job = await delegatingJob(
    delegating([
      when('Task #1 is ready', does(delegates('#1', deeds)), says('Sent.')),
      when(
        ['has ended: failed \\(workspace\\)', 'is there already', 'kept in the run folder'],
        does(complete('#1')),
        says('By hand.'),
      ),
    ]),
  );
  const running = await job.start(['--auto-approve', 'all']);
  await pidIn(join(at, 'at-work'));
  const [sent] = await job.of('brief.sent');
  git(job.workspace, 'branch', sent?.branch ?? '', 'HEAD');
  const before = git(job.workspace, 'rev-parse', 'HEAD');
  await writeFile(join(at, 'go'), '');
  const ended = await running.ended;
  expect(ended.exit, ended.stderr).toBe(0);
  expect(await job.of('brief.ended')).toMatchObject([{ status: 'failed', cause: 'workspace' }]);
  expect(git(job.workspace, 'rev-parse', sent?.branch ?? '')).toBe(before);
  const runner = join(await job.folder(), 'runner');
  const kept = join(runner, 'briefs', sent?.brief ?? '', 'tree');
  expect(git(kept, 'show', 'HEAD:greet.txt')).toBe('hello');
  expect(await readdir(join(runner, 'outbox'))).toEqual([]);
});

test('a base that is no commit is refused by name, and nothing is sent', async () => {
  const refused = (base: string) => does(delegates('#1', ['commit greet.txt hello'], { base }));
  const said = { expect: ['base: the workspace has no commit'] };
  const job = await delegatingJob(
    delegating([
      when(
        'Task #1 is ready',
        refused('^HEAD'),
        { ...said, ...refused('a\0b') },
        { ...said, ...refused('--upload-pack=touch x') },
        { ...said, ...refused('@{-1}') },
        { ...said, ...does(claim('#1')) },
        does(complete('#1')),
        says('By hand.'),
      ),
    ]),
  );
  const run = await job.run(['--auto-approve', 'all']);
  expect(run.exit, run.stderr).toBe(0);
  expect(await job.of('brief.sent')).toEqual([]);
});
