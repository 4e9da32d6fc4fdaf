/**
 * The big run at a size for every day: what `node test/bench/big-run.js` asserts of 50 members, 2,000 tasks and 20,000
 * turns holds for 5, 50 and 500, where each member still compacts its memory (test/bench/README.md).
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../bench/big-run.js', import.meta.url));

test('5 members, 50 tasks and 500 turns end done beside a poll of the status every second, and cost nothing while nothing is due', async () => {
  const child = spawn(process.execPath, [PROGRAM, '5', '50', '500'], {
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
  expect(report).toMatchObject({ members: 5, tasks: 50, turns: 500, model_calls_while_idle: 0 });
  expect(report.turns_made).toBeGreaterThanOrEqual(500);
  expect(report.compactions).toBeGreaterThan(0);
  expect(report.status.polls).toBeGreaterThan(0);
}, 600_000);
