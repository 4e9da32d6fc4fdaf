// Teams one after the other on one Redis, beside one worker: nothing of those that were put away is left, in Redis, on the
// machine, or in the worker. BNERD_TEST_TEAMS=1000 says how many.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { oneTask } from '../e2e/missions.js';
import { describeRedis, redisForTests } from '../helpers/redis.js';
import { ORDER, writeMission } from '../helpers/team.js';

const DIST = process.env['BNERD_TEST_DIST'] ?? fileURLToPath(new URL('../../dist', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../fixtures/programs/many-teams.js', import.meta.url));
const TEAMS = Number(process.env['BNERD_TEST_TEAMS'] ?? 24);
/** Looks at what there is. */
const LOOKS = 6;
/** Teams whose state is held in memory at most: the worker hears of an end a beat later. */
const MOST_HELD = 6;
/** What is compiled and cached in any number of teams. */
const MOST_GROWN = 8 * 2 ** 20;
/** The library keeps a thousand events, and more of them until it takes a piece away. */
const MOST_EVENT_BYTES = 512 * 1024;

interface Seen {
  readonly done: number | 'closed';
  readonly keys: readonly string[];
  /** Of the keys, but for the events of the queue library. */
  readonly bytes: number;
  readonly eventBytes: number;
  /** States of teams in memory. */
  readonly held: number;
  readonly heapUsed: number;
  readonly rss: number;
  /** Folders of teams on this machine. */
  readonly left: readonly string[];
}

describeRedis('teams one after the other, each put away when it has ended', () => {
  const redis = redisForTests();

  test('nothing grows: keys, bytes, folders, the memory of the worker; and in the end no key is left', {
    timeout: 3_600_000,
  }, async () => {
    const { house } = await writeMission(oneTask([]));
    const { url, prefix } = redis();
    const argument = {
      dist: DIST,
      house,
      order: ORDER,
      redis: { url, prefix },
      teams: TEAMS,
      every: TEAMS / LOOKS,
    };
    const child = spawn(
      process.execPath,
      ['--expose-gc', '--disable-warning=ExperimentalWarning', PROGRAM, JSON.stringify(argument)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
    expect((await once(child, 'close'))[0]).toBe(0);
    const looks: Seen[] = said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const closed = looks.pop();
    process.stdout.write(`${TEAMS} teams: ${told(looks)}\n`);
    expect(looks).toHaveLength(LOOKS);
    const [first] = looks;
    // Some keys come and go with what is due; the first look at most of them is what any number of teams takes.
    const most = Math.max(...looks.map(({ keys }) => keys.length));
    const full = looks.find(({ keys }) => keys.length === most);
    for (const look of looks) {
      expect(full?.keys, `behind ${look.done} teams`).toEqual(expect.arrayContaining([...look.keys]));
      expect(look.bytes, `behind ${look.done} teams`).toBeLessThanOrEqual((full?.bytes ?? 0) * 1.1);
      expect(look.eventBytes, `behind ${look.done} teams`).toBeLessThan(MOST_EVENT_BYTES);
      expect(look.left, `behind ${look.done} teams`).toEqual([]);
      expect(look.held, `behind ${look.done} teams`).toBeLessThanOrEqual(MOST_HELD);
    }
    expect((looks.at(-1)?.heapUsed ?? 0) - (first?.heapUsed ?? 0)).toBeLessThan(MOST_GROWN);
    expect(closed).toMatchObject({ done: 'closed', keys: [], bytes: 0, eventBytes: 0 });
  });
});

function told(looks: readonly Seen[]): string {
  const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
  const rows = looks.map(
    ({ done, keys, bytes, eventBytes, held, heapUsed, rss }) =>
      `${done}: ${keys.length} keys, ${bytes} and ${eventBytes} bytes, ${held} held, heap ${mib(heapUsed)}, rss ${mib(rss)} MiB`,
  );
  return rows.join('; ');
}
