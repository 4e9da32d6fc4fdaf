// What an engineer does is shown while it works, on every way that shows a team (spec/runner.md §4, spec/team.md §7, §8).
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { complete, does, says, when } from '../cases/play.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';
import { delegates, delegating, delegatingJob, pidIn } from './delegation.js';
import { eventSchema } from './event-lines.js';

test('status and delegate_status say what it does; events and watch tell its steps; mail of them wakes nobody', async () => {
  const at = await tempDir('engineer');
  const job = await delegatingJob(
    delegating([
      when(
        'Task #1 is ready',
        does(
          delegates(
            '#1',
            ['say reads greet.txt', `touch ${at}/at-work`, `wait ${at}/go`, 'commit greet.txt hello'],
            { verify_keys: ['greets'] },
          ),
        ),
        says('Sent.'),
      ),
      when('how is it', does({ tool: 'delegate_status', args: {} }), says('It reads.')),
      when('has ended: completed', does(complete('#1')), says('It is in.')),
    ]),
  );
  const running = await job.start(['--auto-approve', 'all', '--json-events']);
  await pidIn(join(at, 'at-work'));
  const id = await job.id();
  const brief = await until(
    async () => {
      const status = await job.bnerd(['team', 'status', id, '--json']);
      const { briefs } = JSON.parse(status.stdout) as { briefs: { step: string; activity: unknown }[] };
      return briefs[0]?.activity === null ? null : (briefs[0] ?? null);
    },
    { ms: 60_000, what: 'what the engineer does is known' },
  );
  expect(brief).toMatchObject({ step: 'engineer', activity: { text: 'reads greet.txt' } });
  expect((await job.bnerd(['team', 'status', id])).stdout).toMatch(
    /^ +\d+ m?s ago, round 0: reads greet\.txt$/m,
  );
  const turns = (await job.of('turn.started')).length;
  await job.here(['team', 'send', id, 'lead', 'how is it']);
  await job.fact('turn.ended', ({ text }) => text === 'It reads.');
  await writeFile(join(at, 'go'), '');
  const ended = await running.ended;
  expect(ended.exit, ended.stderr).toBe(0);

  const asked = (await job.transcript('boss')).flatMap((entry) =>
    entry.kind === 'result' && entry.text.includes('last seen') ? [entry.text] : [],
  );
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatch(
    /engineer, \d+ min, last seen \d+ s ago in round 0\n<<of run-.*\nreads greet\.txt\n/,
  );

  const lines = ended.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const about = lines.filter(({ type }) => String(type).startsWith('brief.'));
  expect(about.map(({ type, step }) => step ?? type)).toEqual([
    'brief.sent',
    'brief.accepted',
    'workspace',
    'engineer',
    'verifying',
    'reported',
    'brief.delivered',
    'brief.ended',
  ]);
  const { problems } = await eventSchema();
  expect(about.flatMap((line) => problems(line))).toEqual([]);
  const watched = await job.here(['team', 'watch', id]);
  const told = watched.stdout.split('\n').filter((line) => line.startsWith('brief '));
  expect(told.map((line) => line.replace(/^brief t1\.a1\.o1:? ?/, ''))).toEqual([
    expect.stringMatching(/^taken by /),
    'workspace',
    'engineer',
    'verifying',
    'reported',
    expect.stringMatching(/^delivered: 1 commits on bnerd\//),
    'ended: completed',
  ]);
  // The word of the operator and the end of the brief had a turn each, and no step had.
  expect((await job.of('turn.started')).length - turns).toBe(2);
  const progress = (await job.of('mail.sent')).filter(({ kind }) => kind === 'progress');
  expect(progress.map(({ body }) => body)).toEqual([
    expect.stringContaining('the engineer is at work'),
    expect.stringContaining('is being verified'),
  ]);
});
