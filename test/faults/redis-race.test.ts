/** Many processes write one log at once: every number is given once, and nobody's entry is lost or there twice. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { entryAt, numbers } from '../contracts/record-samples.js';
import { describeRedis, redisForTests } from '../helpers/redis.js';
import { openRecordOn, TEAM } from '../helpers/redis-record.js';
import { until } from '../helpers/until.js';

const DIST = process.env['BNERD_TEST_DIST'] ?? fileURLToPath(new URL('../../dist', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../fixtures/record/append-to-redis.js', import.meta.url));
const PROCESSES = 8;
/** 500 in all. */
const SHARES = Array.from({ length: PROCESSES }, (_, place) => (place < 4 ? 63 : 62));

interface Writer {
  readonly mark: string;
  readonly lines: string[];
  readonly go: () => void;
  readonly exit: Promise<number | null>;
}

function startWriter(url: string, prefix: string, mark: string, many: number): Writer {
  const args = [PROGRAM, DIST, url, prefix, TEAM, mark, String(many)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'close').then(([code]) => code);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  return { mark, lines, exit, go: () => child.stdin.write('go\n') };
}

describeRedis('many processes and one log', () => {
  const redis = redisForTests();

  test('8 processes race for 500 entries: no number is missing, none is given twice', async () => {
    const at = redis();
    const { record } = await openRecordOn(at, { mode: 'create' });
    await record.log.append(entryAt(1));
    const writers = SHARES.map((many, place) => startWriter(at.url, at.prefix, `w${place}`, many));
    for (const { lines, mark } of writers) {
      await until(() => lines.includes('ready'), { what: `${mark} is ready`, ms: 60_000 });
    }
    for (const { go } of writers) go();
    expect(await Promise.all(writers.map(({ exit }) => exit))).toEqual(writers.map(() => 0));
    const entries = (await record.log.read()).slice(1);
    expect(numbers(entries)).toEqual(Array.from({ length: 500 }, (_, place) => place + 2));
    const said = entries.flatMap(({ facts }) =>
      facts.map((fact) => (fact.type === 'mail.sent' ? `${fact.from}/${fact.body}` : '')),
    );
    const ordered = writers.map(({ mark }) => said.filter((one) => one.startsWith(`${mark}/`)));
    expect(ordered).toEqual(
      SHARES.map((many, place) => Array.from({ length: many }, (_, one) => `w${place}/${one}`)),
    );
    const conflicts = writers.flatMap(({ lines }) =>
      lines.flatMap((line) => /^conflicts (\d+)/.exec(line)?.[1] ?? []),
    );
    expect(
      conflicts.map(Number).some((many) => many > 0),
      'they were in each other’s way',
    ).toBe(true);
  });
});
