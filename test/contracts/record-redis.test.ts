/** The contract of a record on a real server, of each kind that the machine has. */

import { describe, onTestFinished } from 'vitest';
import { hasServer, type ServerProgram } from '../helpers/has-server.js';
import { describePrivateRedis, privateRedisForTests } from '../helpers/redis.js';
import { openRecordOn } from '../helpers/redis-record.js';
import { recordContract } from './record.js';

/** How long a record waits for room before it gives up. */
const FULL_MS = 500;

function onServer(program: ServerProgram): void {
  // A server of its own: its memory is full at times.
  const redis = privateRedisForTests({ program });
  recordContract(program, async () => {
    const at = redis();
    const memory = async (bytes: number): Promise<void> => {
      const connection = at.connect();
      await connection.ready(AbortSignal.timeout(20_000));
      await connection.client.config('SET', 'maxmemory', bytes);
    };
    onTestFinished(() => memory(0));
    return {
      open: async () => {
        const begun = (await at.keys()).includes(at.names.log('run-test-1'));
        return (await openRecordOn(at, { mode: begun ? 'open' : 'create', unreachableMs: FULL_MS })).record;
      },
      fail: () => memory(1),
      failCode: 'redis-full',
    };
  });
}

describePrivateRedis('a record on Redis', () => onServer('redis-server'));

if (hasServer('valkey-server')) describe('a record on Valkey', () => onServer('valkey-server'));
