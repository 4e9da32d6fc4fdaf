/** Records on a test's own Redis, each as a process of its own would have it: with a connection of its own. */

import { onTestFinished } from 'vitest';
import type { TeamRecord } from '../../src/events/record.js';
import type { RedisConnection } from '../../src/events/redis/connection.js';
import { openRedisRecord, type RedisRecordOptions } from '../../src/events/redis/redis-record.js';
import { ServerClock } from '../../src/events/redis/server-clock.js';
import { systemClock } from '../../src/shared/clock.js';
import type { TestRedis } from './redis.js';

/** The team of every test that has only one. */
export const TEAM = 'run-test-1';

export interface OpenedRecord {
  readonly record: TeamRecord;
  readonly connection: RedisConnection;
  readonly clock: ServerClock;
}

/** Opens a record of `TEAM` on a connection of its own; both are closed when the test has ended. */
export async function openRecordOn(
  redis: TestRedis,
  options: Partial<RedisRecordOptions> & { readonly mode: 'create' | 'open' },
): Promise<OpenedRecord> {
  const connection = options.connection ?? redis.connect('record');
  await connection.ready(AbortSignal.timeout(20_000));
  const clock = await ServerClock.ask(connection.client, systemClock);
  const record = await openRedisRecord({ team: TEAM, names: redis.names, clock, ...options, connection });
  onTestFinished(() => record.close());
  return { record, connection, clock };
}
