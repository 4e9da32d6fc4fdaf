// What a runner says while nobody takes it: it waits in the pipe, and nothing of it is lost.
import { expect, onTestFinished, test } from 'vitest';
import { RunnerChild } from '../../../src/runtime/briefs/runner-child.js';
import { KILL_LADDER } from '../../../src/shared/process-ending.js';
import { ProcessGroups } from '../../../src/shared/processes.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { until } from '../../helpers/until.js';

/** A program that reads its brief and then runs this. */
async function child(script: string): Promise<RunnerChild> {
  const groups = new ProcessGroups({ folder: null });
  onTestFinished(async () => {
    await groups.endAll(KILL_LADDER);
  });
  const cwd = await tempDir('runner');
  const args = [
    '-e',
    `process.stdin.once('data', () => { ${script} }); process.stdin.on('end', () => process.exit(0))`,
  ];
  const env = { PATH: process.env['PATH'] ?? '' };
  const started = await RunnerChild.start(groups, { program: process.execPath, args, cwd, env }, '{}');
  if (started.kind === 'failed') throw new Error(started.reason);
  return started.child;
}

const activity = (text: string, turns: string): string =>
  `JSON.stringify({v: 1, brief: 'b', type: 'activity', text: ${text}, turns: ${turns}, at: 'now'}) + '\\n'`;

test.each([
  ['of short lines', "''", 2_000_000],
  ['of long lines', "'x'.repeat(100_000)", 2_000],
])('200 MB %s that nobody takes do not stand in memory', async (_, text, count) => {
  const flood = `
    let turns = 0;
    const more = () => { while (turns < ${count}) if (!process.stdout.write(${activity(text, 'turns++')})) return process.stdout.once('drain', more); };
    more();`;
  const runner = await child(flood);
  const lines = runner.lines();
  await lines.next();
  globalThis.gc?.();
  const before = process.memoryUsage();
  const first = before.rss;
  let highest = 0;
  // It has said all it can before somebody listens: what is read stands still.
  let still = 0;
  let last = -1;
  await until(
    async () => {
      const { rss } = process.memoryUsage();
      highest = Math.max(highest, rss - first);
      still = rss === last ? still + 1 : 0;
      last = rss;
      return still > 20 ? true : null;
    },
    { ms: 30_000, what: 'no more is read' },
  );
  expect(highest).toBeLessThan(20_000_000);
});

test('what waited is taken in its order to the last line, also behind the exit', async () => {
  const runner = await child(
    `for (let turns = 0; turns < 5000; turns++) process.stdout.write(${activity("'x'", 'turns')}); process.stdout.end(() => process.exit(0));`,
  );
  const turns: number[] = [];
  for await (const line of runner.lines()) if (line.type === 'activity') turns.push(line.turns);
  expect(turns).toEqual(Array.from({ length: 5_000 }, (_, at) => at));
  expect(await runner.exited).toEqual({ kind: 'exited', code: 0 });
});
