// A result is taken into the record once, wherever the team dies on the way; one that comes late decides nothing.
import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readBrief } from '../../src/delegate/brief/read.js';
import { openIdentity } from '../../src/delegate/runner/identity.js';
import { Outbox } from '../../src/delegate/runner/outbox.js';
import { signed } from '../../src/shared/signature.js';
import { ask, complete, does, says, when } from '../cases/play.js';
import { resultOrder } from '../helpers/briefs.js';
import { git } from '../helpers/repository.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';
import { delegates, delegating, delegatingJob, pidIn, runnerOf } from './delegation.js';
import type { Job } from './job.js';

const ONE = delegating([
  when('Task #1 is ready', does(delegates('#1', ['commit greet.txt hello'])), says('Sent.')),
  when('has ended: completed', does(complete('#1')), says('It is in.')),
]);

const waiting = async (job: Job): Promise<readonly string[]> => {
  const outbox = join(await job.folder(), 'runner', 'outbox');
  const briefs = await readdir(outbox).catch((): string[] => []);
  const there = await Promise.all(
    briefs.map((brief) =>
      access(join(outbox, brief, 'result.json')).then(
        () => [brief],
        () => [],
      ),
    ),
  );
  return there.flat();
};

const STEPS: readonly (readonly [string, (job: Job) => Promise<unknown>])[] = [
  [
    'its result is in the outbox',
    async (job) => (await job.ids()).length > 0 && (await waiting(job)).length > 0,
  ],
  ['its branch is in the workspace', async (job) => git(job.workspace, 'branch', '--list', 'bnerd/*') !== ''],
  [
    'the record has it',
    async (job) => (await job.ids()).length > 0 && (await job.of('brief.ended').catch(() => [])).length > 0,
  ],
];

test.each(STEPS)(
  'killed as soon as %s, the team has the result once after the next start',
  async (what, reached) => {
    const job = await delegatingJob(ONE);
    const running = await job.start(['--auto-approve', 'all']);
    await until(() => reached(job), { ms: 60_000, what });
    running.signal('SIGKILL');
    const killed = await running.ended;
    if (killed.exit !== 0) {
      const resumed = await job.bnerd(['team', 'resume', await job.id()]);
      expect(resumed.exit, resumed.stderr).toBe(0);
    }
    expect(await job.of('brief.delivered')).toHaveLength(1);
    expect((await job.of('brief.ended')).map(({ status }) => status)).toEqual(['completed']);
    expect(await job.of('task.completed')).toHaveLength(1);
    expect(await waiting(job)).toEqual([]);
    expect((await job.bnerd(['team', 'verify', await job.id()])).exit).toBe(0);
  },
);

test('two resumes at once with its result in the outbox: one holds the team, and it is taken in once', async () => {
  const job = await delegatingJob(ONE);
  const running = await job.start(['--auto-approve', 'all']);
  await until(async () => (await job.ids()).length > 0 && (await waiting(job)).length > 0, {
    ms: 60_000,
    what: 'a result in the outbox',
  });
  running.signal('SIGKILL');
  await running.ended;
  const id = await job.id();
  const both = await Promise.all([1, 2].map(() => job.bnerd(['team', 'resume', id])));
  expect(both.map(({ exit }) => exit).filter((exit) => exit === 0).length).toBeGreaterThanOrEqual(1);
  // One that comes while the other holds it is refused; one that comes behind its end finds it done.
  for (const { exit, stderr } of both) expect([0, 2], stderr).toContain(exit);
  expect(await job.of('brief.delivered')).toHaveLength(1);
  expect(await job.of('brief.ended')).toHaveLength(1);
  expect(await job.of('task.completed')).toHaveLength(1);
  expect(await waiting(job)).toEqual([]);
  expect((await job.bnerd(['team', 'verify', id])).exit).toBe(0);
});

test('a result of a brief that has ended is evidence, and stands in no model’s input', async () => {
  const job = await delegatingJob(
    delegating([
      when('Task #1 is ready', does(delegates('#1', ['commit greet.txt hello'])), says('Sent.')),
      when('has ended: completed', does(ask('Is that all?')), does(complete('#1')), says('It is in.')),
    ]),
  );
  const stopped = await job.run(['--auto-approve', 'all']);
  expect(stopped.exit, stopped.stderr).toBe(4);
  await putResult(job, { message: 'a late word' });
  const id = await job.id();
  const question = (await job.of('request.opened')).find(({ kind }) => kind === 'question');
  await job.here(['team', 'answer', id, question?.request ?? '', 'yes']);
  const resumed = await job.bnerd(['team', 'resume', id]);
  expect(resumed.exit, resumed.stderr).toBe(0);
  expect(await job.of('brief.evidence')).toMatchObject([{ code: 'late_result' }]);
  expect(JSON.stringify(await job.transcript('boss'))).not.toContain('a late word');
  expect(await job.of('brief.ended')).toHaveLength(1);
  expect(await waiting(job)).toEqual([]);
});

test('a result that comes when its brief was lost counts once the operator has adopted it, and the attempt goes on', async () => {
  const at = await tempDir('engineer');
  const mission = delegating(
    [
      when(
        'Task #1 is ready',
        does(delegates('#1', [`touch ${at}/at-work`, `wait ${at}/never`])),
        says('Sent.'),
      ),
      when('#1 has failed', does(ask('What now?')), says('Then I wait.')),
      when(['was adopted by', 'a late word'], does(complete('#1')), says('It is in.')),
    ],
    { recipe: { engineer: { kind: 'command', offers: 1 } } },
  );
  const job = await delegatingJob(mission);
  const running = await job.start(['--auto-approve', 'all']);
  const first = await pidIn(join(at, 'at-work'));
  const id = await job.id();
  process.kill(await runnerOf(id), 'SIGKILL');
  await until(async () => (await pidIn(join(at, 'at-work'))) !== first, {
    ms: 60_000,
    what: 'a second engineer is at work',
  });
  process.kill(await runnerOf(id), 'SIGKILL');
  const stopped = await running.ended;
  expect(stopped.exit, stopped.stderr).toBe(4);
  expect((await job.of('brief.ended')).map(({ status }) => status)).toEqual(['lost', 'lost']);
  const early = await job.here(['team', 'adopt', id, 't1.a1.o2']);
  expect(early.exit).toBe(2);
  expect(early.stderr).toContain('no-late-result');
  const sent = (await job.of('brief.sent')).at(-1);
  await putResult(job, { message: 'a late word', sent_block: sent?.sent_block ?? '' });
  const adopted = await job.here(['team', 'adopt', id, 't1.a1.o2']);
  expect(adopted.exit, adopted.stderr).toBe(0);
  expect(await job.of('brief.adopted')).toMatchObject([{ revives: true }]);
  expect(await waiting(job)).toEqual([]);
  expect((await job.here(['team', 'adopt', id, 't1.a1.o2'])).stderr).toContain('not-lost');
  const question = (await job.of('request.opened')).find(({ kind }) => kind === 'question');
  await job.here(['team', 'answer', id, question?.request ?? '', 'go on']);
  const resumed = await job.bnerd(['team', 'resume', id]);
  expect(resumed.exit, resumed.stderr).toBe(0);
  expect(await job.of('task.completed')).toMatchObject([{ attempt: 1 }]);
  expect((await job.here(['team', 'verify', id])).exit).toBe(0);
});

/** Puts a signed result of the last brief into the outbox, as its runner would have. */
async function putResult(job: Job, change: Parameters<typeof resultOrder>[1]): Promise<void> {
  const workdir = join(await job.folder(), 'runner');
  const opened = await openIdentity(workdir, 'embedded');
  if (opened.kind === 'refused') throw new Error(opened.message);
  const sent = (await job.of('brief.sent')).at(-1);
  const blobs = join(await job.folder(), 'blobs');
  const names = await readdir(blobs, { recursive: true });
  const name = names.find((each) => each.includes(sent?.text ?? 'none')) ?? '';
  const brief = readBrief(await readFile(join(blobs, name), 'utf8'));
  if (brief.kind === 'refused') throw new Error(brief.message);
  const late = resultOrder(brief.value, { runner: opened.identity.name, ...change });
  await new Outbox(workdir).put(signed('result', late, opened.identity.pair), null);
}
