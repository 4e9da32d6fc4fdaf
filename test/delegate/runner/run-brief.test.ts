import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resultJsonSchema } from '../../../src/delegate/brief/json-schema.js';
import { Deliveries } from '../../../src/delegate/deliver/deliver.js';
import { settleBrief } from '../../../src/delegate/runner/run-brief.js';
import { CancelledError } from '../../../src/shared/errors.js';
import { redactorOf } from '../../../src/shared/secrets/redactor.js';
import { checkSignature } from '../../../src/shared/signature.js';
import { accepted } from '../../helpers/briefs.js';
import { problemsOf } from '../../helpers/json-schema.js';
import { commitAll, git, makeRepository, putFiles } from '../../helpers/repository.js';
import { COMMIT, type Ran, runnerScene } from '../../helpers/runner.js';
import { running } from '../../helpers/running.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { TOOLS } from '../../helpers/workspace.js';

const resultSchema = JSON.parse(JSON.stringify(resultJsonSchema()));
const sh = (key: string, script: string) => ({ key, argv: ['/bin/sh', '-c', script] });
const kinds = ({ lines }: Ran): readonly string[] =>
  lines.map((line) => (line.type === 'step' ? line.step : line.type)).filter((kind) => kind !== 'activity');

test('work that is committed and verified is completed, signed, bundled, and taken in by the team, whose tools its engineer has never called (B30)', async () => {
  const { run, brief, house, source, base, outbox, workdir } = await runnerScene(
    `cat > /dev/null; ${COMMIT}; echo it is done`,
  );
  const order = brief({ verify: [sh('test', 'test "$(cat work.txt)" = work')] });
  const ran = await run(order);
  expect(kinds(ran)).toEqual(['accepted', 'workspace', 'engineer', 'verifying', 'reported', 'result']);
  const { result, waiting, end } = ran;
  expect(result).toMatchObject({
    status: 'completed',
    cause: null,
    detail: null,
    message: 'it is done',
    commits: [{ subject: 'work' }],
    changed: ['work.txt'],
    not_verified: null,
    verify: [{ key: 'test', outcome: 'passed', exit: 0 }],
    workspace_changes: [],
  });
  const known = [accepted(house.identity.pair, 'runner')];
  expect(checkSignature('result', result, known)).toMatchObject({ kind: 'signed' });
  const [line] = ran.lines;
  expect(checkSignature('accepted', line ?? {}, known)).toMatchObject({ kind: 'signed' });
  expect(problemsOf(resultSchema, result)).toEqual([]);
  const delivery = await new Deliveries(TOOLS, join(workdir, 'scratch')).deliver(
    { workspace: source, bundle: waiting.bundle ?? '', base, head: result.head ?? '', branch: result.branch },
    TOOLS.signal,
  );
  expect(delivery).toMatchObject({ kind: 'delivered' });
  const transcript = await readFile(result.transcript?.path ?? '', 'utf8');
  expect(transcript).toMatch(/^# Brief run-feature-01\.t1\.a1\.o1\n(?:.|\n)*\n--- output ---\nit is done\n$/);
  if (end.kind !== 'result') throw new Error('no result');
  await settleBrief(end, 'acknowledged', house);
  expect(await outbox.read(order.id)).toEqual({ kind: 'none' });
  expect((await readdir(join(workdir, 'briefs', order.id))).sort()).toEqual([
    'brief.json',
    'kept.json',
    'transcript',
  ]);
  // The same brief again, when all is over: nothing is begun, nothing is said.
  expect(await run(order)).toMatchObject({ end: { kind: 'taken' }, lines: [] });
});

test('a brief that comes twice has one result, and its work is done once', async () => {
  const { run, brief, workdir } = await runnerScene(`echo run >> ${'"$PWD/../../../ran"'}; ${COMMIT}`);
  const order = brief();
  const [first, second] = await Promise.all([run(order), run(order)]);
  expect([first, second].map(({ end }) => end.kind).sort()).toEqual(['result', 'taken']);
  const again = await run(order);
  expect(kinds(again)).toEqual(['result']);
  expect(again.result).toEqual((first.end.kind === 'result' ? first : second).result);
  expect(await readFile(join(workdir, 'ran'), 'utf8')).toBe('run\n');
});

test('an offer whose runner died in the middle is reported as crashed and not begun again', async () => {
  const { run, brief, workdir } = await runnerScene(COMMIT);
  const order = brief();
  const root = join(workdir, 'briefs', order.id);
  const { result } = await run(brief({ offer: 2 }));
  expect(result.status).toBe('completed');
  const mark = JSON.parse(
    await readFile(join(workdir, 'briefs', brief({ offer: 2 }).id, 'brief.json'), 'utf8'),
  );
  await putFiles(root, {
    'brief.json': JSON.stringify({ ...mark, brief: order.id, owner: { ...mark.owner, startedAt: '1' } }),
  });
  const ran = await run(order);
  expect(ran.result).toMatchObject({
    status: 'failed',
    cause: 'crashed',
    detail: expect.stringContaining('has died'),
  });
  expect(kinds(ran)).toEqual(['reported', 'result']);
});

test('an offer whose folder is of no runner is reported as crashed, and what lies there stays', async () => {
  const { run, brief, workdir } = await runnerScene(COMMIT);
  const order = brief();
  const folder = join(workdir, 'briefs', order.id);
  await putFiles(folder, { 'brief.json': '{}', mine: 'x' });
  const { result } = await run(order);
  expect(result).toMatchObject({
    status: 'failed',
    cause: 'crashed',
    detail: 'this offer was begun before, and its folder has no mark of a runner',
  });
  expect(await readdir(folder)).toEqual(['brief.json', 'mine']);
});

describe('cancelled', () => {
  test.each(['accepted', 'workspace', 'engineer', 'verifying'] as const)(
    'at the step %s: it ends as cancelled with the reason, and nothing of it runs',
    async (step) => {
      const pids = join(await tempDir('pids'), 'pids');
      const sleeps = (name: string): string =>
        `echo $$ >> ${pids}; ${name === step ? 'touch' : 'true'} ${pids}.${name}; exec sleep 60`;
      const { run, brief } = await runnerScene(
        step === 'engineer' ? sleeps('engineer') : `cat > /dev/null; ${COMMIT}`,
      );
      const cancel = new AbortController();
      const ran = await run(brief({ verify: [sh('test', sleeps('verifying'))] }), {
        cancel: cancel.signal,
        heard: (line) => {
          if ((line.type === 'step' ? line.step : line.type) !== step) return;
          cancel.abort(new CancelledError('cancelled', 'the lead wants it otherwise'));
        },
      });
      expect(ran.result).toMatchObject({ status: 'cancelled', cause: null, bundle: null });
      expect(ran.result.detail).toMatch(/the lead wants it otherwise|cancelled/);
      const seen = (await readFile(pids, 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number);
      expect(await running({ pids: seen })).toEqual([]);
    },
  );

  test('with an engineer that works and ignores TERM: all of it is gone before the result says so (G166)', async () => {
    const pids = join(await tempDir('pids'), 'pids');
    const { run, brief } = await runnerScene(
      `trap '' TERM; sleep 60 & echo $! > ${pids}; echo $$ >> ${pids}; echo ready; wait; sleep 60`,
    );
    const cancel = new AbortController();
    const ran = await run(brief(), {
      cancel: cancel.signal,
      heard: (line) => {
        if (line.type === 'activity') cancel.abort(new CancelledError('cancelled', 'enough'));
      },
    });
    expect(ran.result).toMatchObject({ status: 'cancelled', detail: 'enough', message: '' });
    const seen = (await readFile(pids, 'utf8')).split('\n').filter(Boolean).map(Number);
    expect(seen).toHaveLength(2);
    expect(await running({ pids: seen })).toEqual([]);
  });
});

test('what is secret on this machine stands in nothing that leaves it', async () => {
  const secret = 'sk-live-0123456789abcdef';
  const encoded = Buffer.from(secret).toString('base64');
  const { run, brief, house, workdir } = await runnerScene(
    `cat > /dev/null; echo 'the key is ${secret}'; echo ${encoded}; echo x > ${secret}.txt; git add -A; git commit -qm 'use ${secret}'; touch ${secret}.left; echo '{"status":"success","message":"used ${secret} and ${encodeURIComponent(secret)}"}'`,
  );
  const secrets = redactorOf([{ name: 'API_KEY', value: secret }]);
  const ran = await run(
    brief({
      verify: [sh('test', `printf 'x%.0s' $(seq 40000); echo; echo sk-live-"$(echo 0123456789)"abcdef`)],
      protect: ['*.txt'],
    }),
    {
      house: { secrets, engineer: { ...house.engineer, secrets } },
    },
  );
  const transcript = await readFile(ran.result.transcript?.path ?? '', 'utf8');
  expect(ran.result).toMatchObject({
    status: 'completed',
    message: 'used [secret:API_KEY] and [secret:API_KEY]',
    commits: [{ subject: 'use [secret:API_KEY]' }],
    changed: ['[secret:API_KEY].txt'],
    protected: ['[secret:API_KEY].txt'],
    uncommitted: ['[secret:API_KEY].left'],
    verify: [{ tail: expect.stringMatching(/\[secret:API_KEY\]\n$/) }],
  });
  for (const text of [JSON.stringify(ran.lines), ran.waiting.text, transcript]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(encoded);
  }
  expect(transcript).toContain('the key is [secret:API_KEY]');
  const proof = ran.result.transcript;
  expect(proof?.bytes).toBe(Buffer.byteLength(transcript));
  expect(await readdir(workdir)).not.toContain(secret);
});

test.each([false, true])(
  'what the runner does without, and that settings of the repository are in effect (%s), stands in its word and its result',
  async (projectSettings) => {
    const { run, brief, house } = await runnerScene(COMMIT);
    const engineers = new Map(
      [...house.limits.engineers].map(([kind, each]) => [kind, { ...each, projectSettings }]),
    );
    const ran = await run(brief(), { house: { limits: { ...house.limits, engineers } } });
    expect(ran.lines[0]).toMatchObject({
      type: 'accepted',
      without: ['lfs', 'submodules', 'tags'],
      project_settings: projectSettings,
    });
    expect(ran.result).toMatchObject({ project_settings: projectSettings });
  },
);

test.each([
  ['forth', 3_600_000],
  ['back', -3_600_000],
])(
  'a clock of the machine that jumps %s by an hour while it works changes nothing of its time',
  async (_, by) => {
    const scene = await runnerScene(COMMIT);
    let jumped = 0;
    const clock = { wallMs: () => Date.now() + jumped, monotonicMs: () => performance.now() };
    const heard = (line: { readonly type: string }): void => {
      if (line.type === 'accepted') jumped = by;
    };
    const { result } = await scene.run(scene.brief(), { house: { clock }, heard });
    expect(result).toMatchObject({ status: 'completed', cause: null });
  },
);

test('two briefs on one repository at once do not meet', async () => {
  const { run, brief } = await runnerScene(`cat > /dev/null; ${COMMIT}; sleep 0.2`);
  const ran = await Promise.all([
    run(brief()),
    run(brief({ task: '#2' })),
    run(brief({ task: '#3', engineer: { kind: 'command', model: 'x' } })),
  ]);
  expect(ran.map(({ result }) => [result.status, result.detail])).toEqual(ran.map(() => ['completed', null]));
  expect(new Set(ran.map(({ result }) => result.transcript?.path)).size).toBe(3);
});

test('a branch is pushed where the brief says so, and only when its work is completed', async () => {
  const { run, brief, source } = await runnerScene(`cat > /dev/null; ${COMMIT}`);
  const bad = await run(brief({ workspace: { push: true }, verify: [sh('test', 'false')] }));
  expect(bad.result).toMatchObject({
    status: 'failed',
    pushed: false,
    bundle: { bytes: expect.any(Number) },
  });
  const good = await run(brief({ attempt: 2, workspace: { push: true } }));
  expect(good.result).toMatchObject({ status: 'completed', pushed: true, bundle: null });
  expect(git(source, 'rev-parse', good.result.branch)).toBe(good.result.head);
  expect(git(source, 'branch', '--list', bad.result.branch)).toBe('');
  const there = await run(brief({ attempt: 2, offer: 2, workspace: { push: true } }));
  expect(there.result.status === 'completed' || there.result.cause === 'workspace').toBe(true);
  await writeFile(join(source, 'x'), '');
  commitAll(source, 'x');
});

test.each([
  ['the settings', (decoy: string, repo: string) => `git --git-dir=$Q config url.${decoy}.insteadOf ${repo}`],
  ['the objects', (decoy: string) => `echo ${decoy}/.git/objects >> $Q/objects/info/alternates`],
  ['the branch', () => 'git --git-dir=$Q update-ref refs/heads/bnerd/run-feature-01/1-1 HEAD~1'],
])(
  'a verification that changes %s of what was collected has escaped: nothing is pushed or sent',
  async (_, change) => {
    const { run, brief, source } = await runnerScene(`cat > /dev/null; ${COMMIT}`);
    const decoy = await makeRepository(join(await tempDir('decoy'), 'decoy'));
    const verify = [sh('test', `Q=../../quarantine.git; ${change(decoy, source)}`)];
    const ran = await run(brief({ workspace: { push: true }, verify }));
    expect(ran.result).toMatchObject({
      status: 'failed',
      cause: 'escaped',
      detail: 'it changed what it must not: what was taken out of its repository',
      verify: [{ outcome: 'passed' }],
      pushed: false,
      bundle: null,
    });
    for (const repository of [decoy, source])
      expect(git(repository, 'branch', '--list', ran.result.branch)).toBe('');
  },
);
