/** Many processes write one log at once: every number is given once, every task has one taker, and nothing is lost. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { expectInvariants } from '../cases/play.js';
import { entryAt, numbers } from '../contracts/record-samples.js';
import { Team } from '../helpers/build-state.js';
import { factsOf } from '../helpers/outcome.js';
import { describeRedis, redisForTests, type TestRedis } from '../helpers/redis.js';
import { openRecordOn, TEAM } from '../helpers/redis-record.js';
import { until } from '../helpers/until.js';

const DIST = process.env['BNERD_TEST_DIST'] ?? fileURLToPath(new URL('../../dist', import.meta.url));
const PROCESSES = 8;
/** 500 in all. */
const SHARES = Array.from({ length: PROCESSES }, (_, place) => (place < 4 ? 63 : 62));

interface Racer {
  readonly lines: string[];
  readonly go: () => void;
  readonly exit: Promise<number | null>;
}

/** A program of `fixtures/record` that waits for a word to begin, on this team of the server. */
function start(program: string, { url, prefix }: TestRedis, ...words: readonly string[]): Racer {
  const path = fileURLToPath(new URL(`../fixtures/record/${program}.js`, import.meta.url));
  const args = [path, DIST, url, prefix, TEAM, ...words];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'close').then(([code]) => code);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  return { lines, exit, go: () => child.stdin.write('go\n') };
}

/** Lets them begin together, and waits until all have come to their end. */
async function race(racers: readonly Racer[]): Promise<void> {
  for (const { lines } of racers) {
    await until(() => lines.includes('ready'), { what: 'all are ready', ms: 60_000 });
  }
  for (const { go } of racers) go();
  expect(await Promise.all(racers.map(({ exit }) => exit))).toEqual(racers.map(() => 0));
}

/** The rests of all lines that begin with a word. */
function said({ lines }: Racer, word: string): string[] {
  return lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
}

describeRedis('many processes and one log', () => {
  const redis = redisForTests();

  test('8 processes race for 500 entries: no number is missing, none is given twice', async () => {
    const at = redis();
    const { record } = await openRecordOn(at, { mode: 'create' });
    await record.log.append(entryAt(1));
    const writers = SHARES.map((many, place) => start('append-to-redis', at, `w${place}`, String(many)));
    await race(writers);
    const entries = (await record.log.read()).slice(1);
    expect(numbers(entries)).toEqual(Array.from({ length: 500 }, (_, place) => place + 2));
    const bodies = entries.flatMap(({ facts }) =>
      facts.map((fact) => (fact.type === 'mail.sent' ? `${fact.from}/${fact.body}` : '')),
    );
    const ordered = writers.map((_, place) => bodies.filter((one) => one.startsWith(`w${place}/`)));
    expect(ordered).toEqual(
      SHARES.map((many, place) => Array.from({ length: many }, (_, one) => `w${place}/${one}`)),
    );
    const conflicts = writers.flatMap((writer) => said(writer, 'conflicts').map(Number));
    expect(
      conflicts.some((many) => many > 0),
      'they were in each other’s way',
    ).toBe(true);
  });

  test('8 processes race for 500 tasks: each has one taker, who was told so, and none is left', async () => {
    const at = redis();
    const members = Array.from({ length: PROCESSES }, (_, place) => `m${place + 1}`);
    const team = Team.start({
      seats: ['lead', ...members],
      limits: { members: PROCESSES + 1, concurrency: PROCESSES },
      tasks: Array.from({ length: 500 }, (_, place) => ({ subject: `Task ${place + 1}` })),
    });
    for (const member of members) team.awake(member);
    const { record } = await openRecordOn(at, { mode: 'create' });
    for (const entry of team.entries) await record.log.append(entry);
    const racers = members.map((member) => start('claim-on-redis', at, member));
    await race(racers);
    const entries = await record.log.read();
    // No gap: each entry begins where the facts before it have ended.
    const facts = (until: number): number => factsOf(entries.slice(0, until)).length;
    expect(numbers(entries)).toEqual(entries.map((_, place) => facts(place) + 1));
    const claims = factsOf(entries).flatMap((fact) => (fact.type === 'task.claimed' ? [fact] : []));
    expect(claims).toHaveLength(500);
    expect(new Set(claims.map(({ task }) => task)).size).toBe(500);
    expect(claims.filter(({ attempt }) => attempt !== 1)).toEqual([]);
    for (const [place, member] of members.entries()) {
      const won = claims.filter((claim) => claim.member === member).map(({ task }) => task);
      expect(said(racers[place] as Racer, 'won')).toEqual(won);
    }
    const beaten = racers.flatMap((racer) => said(racer, 'beaten').map(Number));
    expect(Math.max(...beaten), 'they were in each other’s way').toBeGreaterThan(0);
    expectInvariants({ entries });
  });
});
