/**
 * The brief run at a size for every day: what `node test/bench/brief-run.js` asserts of 1,000 briefs and 8 runners holds for
 * 8 and 4 (test/bench/README.md).
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { describeRedis } from '../helpers/redis.js';

const PROGRAM = fileURLToPath(new URL('../bench/brief-run.js', import.meta.url));

describeRedis('a fleet under load', () => {
  test('8 briefs through 4 runners: each is worked on once and has one result, and nothing of them is left', async () => {
    const child = spawn(process.execPath, [PROGRAM, '8', '4', '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => {
      child.kill();
    });
    const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
    const [exit] = await once(child, 'close');
    expect({ exit, stderr: await stderr }).toEqual({ exit: 0, stderr: '' });
    const report = JSON.parse(await stdout);
    expect(report).toMatchObject({ briefs: 8, runners: 4 });
    expect(report.looks).toBeGreaterThan(0);
  }, 600_000);
});
