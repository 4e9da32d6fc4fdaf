// `bnerd runner --once` as a team starts it: words on its input, lines on its output, exit codes; keys, prune, schemas.

import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkSignature, newKeyPair } from '../../src/shared/signature.js';
import { bnerdPlace } from '../helpers/bnerd.js';
import { bnerdHere } from '../helpers/bnerd-here.js';
import { aBrief, accepted } from '../helpers/briefs.js';
import { problemsOf } from '../helpers/json-schema.js';
import { runnerPlace } from '../helpers/runner-child.js';
import { noneRunning } from '../helpers/running.js';
import { until } from '../helpers/until.js';

const WORK = 'cat > /dev/null; echo work > work.txt; git add -A; git commit -qm work; echo it is done';
const acknowledged = (brief: string) => ({ v: 1, brief, type: 'acknowledged' });
/** An engineer that says its number and works for ever. */
const BUSY = 'cat > /dev/null; echo pid=$$; while :; do sleep 0.1; done';

const engineerOf = async (runner: { says: (what: string) => Promise<unknown> }): Promise<number> => {
  const line = JSON.stringify(await runner.says('activity'));
  return Number(/pid=(\d+)/.exec(line)?.[1]);
};

test('a brief goes in, a result comes out, and is gone when it was acknowledged', async () => {
  const { start, brief, outbox, identity, place } = await runnerPlace();
  const order = brief();
  const runner = start(WORK);
  runner.tell(order);
  expect(
    checkSignature('accepted', await runner.says('accepted'), [accepted(identity.pair, 'runner')]).kind,
  ).toBe('signed');
  await runner.says('result');
  const read = await outbox.read(order.id);
  expect(read).toMatchObject({ waiting: { result: { status: 'completed', message: 'it is done' } } });
  runner.tell(acknowledged(order.id));
  expect(await runner.exit).toBe(0);
  expect(await outbox.read(order.id)).toEqual({ kind: 'none' });
  const schema = await bnerdHere(['schema', 'result'], { place });
  if (read.kind === 'result')
    expect(problemsOf(JSON.parse(schema.stdout), JSON.parse(read.waiting.text))).toEqual([]);
  const briefs = await bnerdHere(['schema', 'brief'], { place });
  expect(problemsOf(JSON.parse(briefs.stdout), JSON.parse(JSON.stringify(order)))).toEqual([]);
});

test('the end of its input is the end of its parent: called off, in the outbox, exit 3, nothing left', async () => {
  const { start, brief, outbox } = await runnerPlace();
  const order = brief();
  const runner = start(BUSY);
  runner.tell(order);
  const engineer = await engineerOf(runner);
  runner.endInput();
  expect(await runner.exit).toBe(3);
  await noneRunning({ pids: [engineer] });
  expect(await outbox.read(order.id)).toMatchObject({
    waiting: { result: { status: 'cancelled', detail: expect.stringContaining('is gone') } },
  });
});

test('a word to cancel counts when it is signed by who may say it, and is about this brief; other lines change nothing', async () => {
  const { start, brief, outbox, cancelWord, worker } = await runnerPlace();
  const order = brief();
  const runner = start(BUSY);
  runner.tell(order);
  const engineer = await engineerOf(runner);
  const said = JSON.stringify(cancelWord(order.id, 'said otherwise')).replace('otherwise', 'differently');
  for (const word of [
    'not JSON',
    'x'.repeat(9 << 20),
    { type: 'stop' },
    said,
    cancelWord(order.id, 'a stranger', newKeyPair()),
    cancelWord('run-other.t1.a1.o1', 'of another', worker),
  ])
    runner.tell(word);
  await until(() => runner.stderr().split('\n').length > 7, { what: `six remarks: ${runner.stderr()}` });
  expect(runner.stderr()).toContain('more than 8388608 bytes: it is none of the protocol');
  expect(runner.lines.some(({ type }) => type === 'result')).toBe(false);
  runner.tell(cancelWord(order.id, 'the lead wants it otherwise'));
  await runner.says('result');
  expect(await outbox.read(order.id)).toMatchObject({
    waiting: { result: { status: 'cancelled', detail: 'the lead wants it otherwise' } },
  });
  await noneRunning({ pids: [engineer] });
  runner.tell(acknowledged(order.id));
  expect(await runner.exit).toBe(0);
});

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
] as const)('%s calls the work off and is reported', async (signal, code) => {
  const { start, brief, outbox } = await runnerPlace();
  const order = brief();
  const runner = start(BUSY);
  runner.tell(order);
  const engineer = await engineerOf(runner);
  runner.signal(signal);
  await runner.says('result');
  await noneRunning({ pids: [engineer] });
  expect(await outbox.read(order.id)).toMatchObject({ waiting: { result: { status: 'cancelled' } } });
  runner.endInput();
  expect(await runner.exit).toBe(code);
});

test('a brief that is unsigned, no brief, and none at all: exit 2, no line, no result', async () => {
  const { start, brief, outbox } = await runnerPlace();
  const long = 'x'.repeat(9 << 20);
  for (const [text, why] of [
    [JSON.stringify(aBrief(newKeyPair())), 'which nobody has accepted here'],
    ['not JSON', 'not JSON'],
    [long, 'more than 8388608 bytes; a brief has at most 4194304'],
    [`${long}\n${JSON.stringify(brief())}`, 'more than 8388608 bytes'],
    [null, 'no brief came'],
  ] as const) {
    const runner = start(WORK);
    if (text !== null) runner.tell(text);
    runner.endInput();
    expect(await runner.exit).toBe(2);
    expect(runner.stderr()).toContain(why);
    expect(runner.lines).toEqual([]);
  }
  expect(await outbox.list()).toEqual({ waiting: [], findings: [] });
});

test('a folder that others may write is no folder of a runner: exit 2, and nothing is begun', async () => {
  const { start, brief, outbox, workdir } = await runnerPlace();
  await chmod(workdir, 0o777);
  const runner = start(WORK);
  runner.tell(brief());
  expect(await runner.exit).toBe(2);
  expect(runner.stderr()).toContain('may be written by others (mode 777)');
  expect(runner.lines).toEqual([]);
  expect(await outbox.list()).toEqual({ waiting: [], findings: [] });
});

test('a folder that cannot be written or read is no folder of a runner: exit 2, by its name', async () => {
  const { start, brief, workdir } = await runnerPlace();
  await writeFile(join(workdir, 'groups'), 'in its way');
  const runner = start(WORK);
  runner.tell(brief());
  expect(await runner.exit).toBe(2);
  expect(runner.stderr()).toContain(`bnerd runner: ${workdir} cannot be a runner's folder: E`);
  expect(runner.lines).toEqual([]);
});

test('two runners share a folder: the same brief is worked on by one, others beside it', async () => {
  const { start, brief, outbox } = await runnerPlace();
  const [one, other] = [brief(), brief({ task: '#2' })];
  const slow = `${WORK}; sleep 0.5`;
  const runners = [start(slow), start(slow), start(slow)];
  for (const [place, order] of [one, one, other].entries()) runners[place]?.tell(order);
  await until(async () => (await outbox.list()).waiting.length === 2, { ms: 30_000, what: 'two results' });
  for (const [place, order] of [one, one, other].entries()) runners[place]?.tell(acknowledged(order.id));
  const exits = await Promise.all(runners.map(({ exit }) => exit));
  expect(exits.sort()).toEqual([0, 0, 4]);
  expect(runners.flatMap(({ lines }) => lines).filter(({ type }) => type === 'accepted')).toHaveLength(2);
  expect(await outbox.list()).toEqual({ waiting: [], findings: [] });
});

test('an engineer and its verification are given what was granted and nothing else, least of all what is for the git of the runner; what is secret of it leaves nowhere', async () => {
  const { start, brief, outbox } = await runnerPlace();
  const order = brief({ verify: [{ key: 'env', argv: ['/usr/bin/env'] }] });
  const env = {
    ANTHROPIC_API_KEY: 'sk-ant-0123456789abcdef',
    OTHER_SECRET: 'not-for-engineers-1',
    GIT_ASKPASS: '/for/the/git/of/the/runner',
    BNERD_RUNNER_GIT_ENV: 'GIT_ASKPASS',
    BNERD_RUNNER_ENV_GRANTS: 'ANTHROPIC_API_KEY',
  };
  const runner = start('cat > /dev/null; env; git commit -q --allow-empty -m "key $ANTHROPIC_API_KEY"', {
    env,
  });
  runner.tell(order);
  await runner.says('result');
  const read = await outbox.read(order.id);
  if (read.kind !== 'result') throw new Error(read.kind);
  expect(read.waiting.text).toContain('ANTHROPIC_API_KEY=[secret:ANTHROPIC_API_KEY]');
  expect(read.waiting.result.verify).toMatchObject([
    { outcome: 'passed', tail: expect.stringContaining('ANTHROPIC_API_KEY=[secret:ANTHROPIC_API_KEY]') },
  ]);
  expect(read.waiting.text).not.toMatch(
    /OTHER_SECRET|BNERD_HOME|GIT_ASKPASS|for.the.git|BNERD_RUNNER_GIT_ENV|sk-ant-0123456789abcdef/,
  );
  expect(JSON.stringify(runner.lines)).not.toContain('sk-ant-0123456789abcdef');
  runner.tell(acknowledged(order.id));
  await runner.exit;
});

test('skills that the runner adds are named and are in the prompt; one that is not in its package refuses', async () => {
  const { start, brief, outbox } = await runnerPlace();
  const order = brief({ safety: 'read-only' });
  const runner = start('grep provenance', {
    env: { BLOOM_RUNNER_ENGINEER_SKILLS: 'verification-before-handoff' },
  });
  runner.tell(order);
  await runner.says('result');
  const read = await outbox.read(order.id);
  expect(read).toMatchObject({
    waiting: {
      result: {
        status: 'completed',
        additions: [{ name: 'verification-before-handoff' }],
        message: expect.stringContaining('skill=verification-before-handoff;'),
      },
    },
  });
  runner.endInput();
  const wrong = start(WORK, { env: { BNERD_RUNNER_ENGINEER_SKILLS: 'no-such-skill' } });
  expect(await wrong.exit).toBe(2);
  expect(wrong.stderr()).toContain('"no-such-skill" is no entry of this package');
});

test('a damaged file of a key is named by the runner, which goes on with the others', async () => {
  const { start, brief, place } = await runnerPlace();
  const folder = join(place.state, 'keys/accepted');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(join(place.state, 'keys'), 0o700);
  const damaged = join(folder, `${newKeyPair().id}.json`);
  await writeFile(damaged, '{"v": 1, "na', { mode: 0o600 });
  const order = brief({ safety: 'read-only' });
  const runner = start('cat > /dev/null; echo looked');
  runner.tell(order);
  await runner.says('result');
  expect(runner.stderr()).toContain(`bnerd runner: ${damaged} is not JSON; move it away`);
  runner.tell(acknowledged(order.id));
  expect(await runner.exit).toBe(0);
});

describe('keys', () => {
  test('are made, accepted under a name, listed and retired; the secret half stays in a file of its owner', async () => {
    const place = await bnerdPlace();
    const here = (...words: string[]) => bnerdHere(['keys', ...words], { place });
    const made = await here('init', '--role', 'worker', '--json');
    const own = JSON.parse(made.stdout);
    expect(own).toMatchObject({ kind: 'own', role: 'worker', name: null, retiredAt: null });
    expect((await stat(join(place.state, 'keys/own', `${own.id}.json`))).mode & 0o777).toBe(0o600);
    const runners = [newKeyPair(), newKeyPair()];
    for (const [at, { key }] of runners.entries())
      expect((await here('accept', key, '--name', `vm-0${at}`)).exit).toBe(0);
    const [first, second] = runners;
    expect((await here('accept', first?.key ?? '', '--name', 'vm-00')).exit).toBe(0);
    for (const [words, said] of [
      [['accept', 'nonsense', '--name', 'vm'], 'is no public key'],
      [['accept', second?.key ?? '', '--name', 'vm-00'], 'is the name of key'],
      [['accept', second?.key ?? '', '--name', 'vm-09'], 'retire it first'],
      [['accept', newKeyPair().key, '--name', '../x'], 'is no name of a key'],
      [['accept', newKeyPair().key], '--name'],
      [['accept', newKeyPair().key, '--name', 'x', '--role', 'king'], 'operator, worker, runner'],
      [['init'], '--role'],
      [['retire', 'ffff'], 'there is no key'],
    ] as const)
      expect(await here(...words)).toMatchObject({ exit: 2, stderr: expect.stringContaining(said) });
    expect((await here('retire', first?.id.slice(0, 8) ?? '')).exit).toBe(0);
    const listed = JSON.parse((await here('list', '--json')).stdout).keys;
    expect(
      listed.map(({ name, retiredAt }: { name: string; retiredAt: string | null }) => [
        name,
        retiredAt === null,
      ]),
    ).toEqual(
      expect.arrayContaining([
        [null, true],
        ['vm-00', false],
        ['vm-01', true],
      ]),
    );
    expect(JSON.stringify(listed)).not.toContain('secret');
    expect((await here('list')).stdout).toMatch(/vm-01 .*accepted/);
    // The name is free again, and a key that was retired comes back by being accepted.
    expect((await here('accept', first?.key ?? '', '--name', 'vm-00')).exit).toBe(0);
  });
});

test('prune lists, then removes, what is kept of briefs that failed', async () => {
  const { start, brief, outbox, workdir, place } = await runnerPlace();
  const order = brief();
  const runner = start('exit 3');
  runner.tell(order);
  await runner.says('result');
  runner.tell(acknowledged(order.id));
  expect(await runner.exit).toBe(0);
  const prune = (...words: string[]) =>
    bnerdHere(['runner', 'prune', '--workdir', workdir, '--min-free', '0', ...words], { place });
  expect(JSON.parse((await prune('--json')).stdout)).toMatchObject({ listed: [], removed: [] });
  const dry = await prune('--keep-failed', '0', '--dry-run');
  expect(dry.stdout).toMatch(/run-feature-01\.t1\.a1\.o1 .*kept since .*it ended failed \(engineer_error\)/);
  expect(JSON.parse((await prune('--keep-failed', '0', '--json')).stdout).removed).toHaveLength(1);
  expect(JSON.parse((await prune('--keep-failed', '0', '--json')).stdout)).toMatchObject({
    listed: [],
    left: [],
  });
  expect(await outbox.list()).toEqual({ waiting: [], findings: [] });
  expect(await bnerdHere(['runner', 'prune', '--workdir', join(workdir, 'none')], { place })).toMatchObject({
    exit: 2,
  });
  const none = await bnerdHere(['runner', 'prune'], { place });
  expect(none, none.stderr).toMatchObject({ exit: 0, stderr: expect.stringContaining('nothing is kept') });
  expect(JSON.parse((await bnerdHere(['runner', 'prune', '--json'], { place })).stdout)).toMatchObject({
    removed: [],
  });
  expect(await bnerdHere(['runner', '--workdir', workdir], { place })).toMatchObject({ exit: 2 });
});

test('a runner whose folder lies in a git work tree says so, and works', async () => {
  const { start, brief, workdir } = await runnerPlace();
  await mkdir(join(workdir, '..', '.git'));
  const order = brief();
  const runner = start(WORK);
  runner.tell(order);
  await runner.says('result');
  expect(runner.stderr()).toMatch(/lies in the git work tree \S+: .*name a workdir outside of it/);
  runner.tell(acknowledged(order.id));
  expect(await runner.exit).toBe(0);
});
