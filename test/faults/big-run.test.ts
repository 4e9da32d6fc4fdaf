/**
 * The big run at a size for every day: what `node test/bench/big-run.js` asserts of 50 members, 2,000 tasks and 20,000
 * turns holds for 10, 100 and 1,000 (test/bench/README.md).
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../bench/big-run.js', import.meta.url));

test('10 members, 100 tasks and 1,000 turns end done beside a poll of the status every second, and cost nothing while nothing is due', async () => {
  const child = spawn(process.execPath, [PROGRAM, '10', '100', '1000'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill();
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (piece) => {
    stdout += piece;
  });
  child.stderr.on('data', (piece) => {
    stderr += piece;
  });
  const [exit] = await once(child, 'close');
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({ members: 10, tasks: 100, turns: 1_000, model_calls_while_idle: 0 });
  expect(report.turns_made).toBeGreaterThanOrEqual(1_000);
  expect(report.status.polls).toBeGreaterThan(0);
}, 600_000);
