// Cases Q36, Q38, Q40 and Q41, the runner's part: what an engineer leaves behind, and what is left when its runner ends.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type RunnerChild, type RunnerPlace, runnerPlace } from '../helpers/runner-child.js';
import { noneRunning, type Remains, running } from '../helpers/running.js';
import { until } from '../helpers/until.js';

const WORK = 'echo work > work.txt; git add -A; git commit -qm work';
const FOR_EVER = 'while :; do sleep 0.1; done';
const MEMBERS = 3;

/**
 * An engineer with a child, and with a grandchild that lost its parent and has a session of its own. Both ignore TERM and
 * hold its output; all are named in a file, and the group by the engineer's word.
 */
function withFamily(file: string, then: string): string {
  const member = `trap "" TERM; echo $$ >> ${file}; ${FOR_EVER}`;
  return [
    'cat > /dev/null',
    `M='${member}'`,
    'export M',
    'sh -c "$M" &',
    `setsid sh -c 'sh -c "$M" &'`,
    `echo $$ >> ${file}`,
    `until [ "$(wc -l < ${file})" = ${MEMBERS} ]; do sleep 0.05; done`,
    'echo marker=$BNERD_GROUP',
    then,
  ].join('\n');
}

interface AtWork extends RunnerPlace {
  readonly runner: RunnerChild;
  /** The id of its brief. */
  readonly id: string;
  readonly remains: Remains;
}

/** A runner whose engineer has its family, and what that may be alive by. */
async function atWork(then: string): Promise<AtWork> {
  const at = await runnerPlace();
  const file = join(at.place.root, 'pids');
  const runner = at.start(withFamily(file, then));
  const order = at.brief();
  runner.tell(order);
  const marker = await until(() => /marker=(\w+)/.exec(JSON.stringify(runner.lines))?.[1], {
    ms: 30_000,
    what: 'the engineer says its marker',
  });
  const pids = (await readFile(file, 'utf8')).trim().split('\n').map(Number);
  expect(pids).toHaveLength(MEMBERS);
  return { ...at, runner, id: order.id, remains: { pids, groups: pids, marker: `BNERD_GROUP=${marker}` } };
}

const acknowledged = (brief: string) => ({ v: 1, brief, type: 'acknowledged' });

describe('an engineer has child and grandchild, and its runner ends', () => {
  test('Q36, Q41 by KILL: none of them is left, by group, tree or marker, before and after the next start', async () => {
    const { runner, remains, start } = await atWork(FOR_EVER);
    const { pids = [], groups = [], marker = '' } = remains;
    // The grandchild is in a group of its own, whose first process has ended.
    for (const [one, least] of [
      [{ pids }, MEMBERS],
      [{ groups }, MEMBERS - 1],
      [{ marker }, MEMBERS],
    ] as const)
      expect((await running(one)).length, JSON.stringify(one)).toBeGreaterThanOrEqual(least);
    runner.signal('SIGKILL');
    expect(await runner.exit).toBe(137);
    await noneRunning(remains);
    const next = start('true');
    next.endInput();
    expect(await next.exit).toBe(2);
    expect(await running(remains)).toEqual([]);
  });

  test.each([
    ['TERM', 143, (runner: RunnerChild) => runner.signal('SIGTERM')],
    ['the end of its parent', 3, (runner: RunnerChild) => runner.endInput()],
  ])('Q36, Q41 by %s: none of them is alive when there is a result', async (_, code, ends) => {
    const { runner, id, remains, outbox } = await atWork(FOR_EVER);
    ends(runner);
    await until(async () => (await outbox.read(id)).kind === 'result', { ms: 30_000, what: 'a result' });
    expect(await running(remains)).toEqual([]);
    runner.endInput();
    expect(await runner.exit).toBe(code);
  });
});

test('Q36, Q38, Q41 an engineer exits while child and grandchild hold its output: the brief is settled, and they are ended', async () => {
  const { runner, id, remains, outbox } = await atWork(WORK);
  await runner.says('result');
  expect(await running(remains)).toEqual([]);
  expect(await outbox.read(id)).toMatchObject({ waiting: { result: { status: 'completed' } } });
  runner.tell(acknowledged(id));
  expect(await runner.exit).toBe(0);
});

test.each([
  ['that cleans up and goes', 'exit 0'],
  ['that does not go is killed', ':'],
])('Q40 the ladder: an engineer that is called off is asked with TERM first; one %s', async (_, then) => {
  const { place, brief, start, cancelWord, outbox } = await runnerPlace();
  const asked = join(place.root, 'asked');
  const runner = start(
    `cat > /dev/null; trap 'echo TERM >> ${asked}; ${then}' TERM; echo pid=$$; ${FOR_EVER}`,
  );
  const order = brief();
  runner.tell(order);
  const engineer = Number(/pid=(\d+)/.exec(JSON.stringify(await runner.says('activity')))?.[1]);
  runner.tell(cancelWord(order.id, 'no longer wanted'));
  await runner.says('result');
  expect(await running({ pids: [engineer] })).toEqual([]);
  expect(await readFile(asked, 'utf8')).toBe('TERM\n');
  expect(await outbox.read(order.id)).toMatchObject({ waiting: { result: { status: 'cancelled' } } });
  runner.tell(acknowledged(order.id));
  expect(await runner.exit).toBe(0);
});
