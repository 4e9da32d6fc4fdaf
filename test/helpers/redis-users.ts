/** A Redis of the running test with the users that `bnerd doctor --acl` prints for a prefix, and who may look at all of it. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { RedisConnection } from '../../src/events/redis/connection.js';
import { redisAddress } from '../../src/events/redis/redis-address.js';
import type { AclForm, RedisRole } from '../../src/runtime/doctor/redis-users.js';
import { bnerd } from './bnerd.js';
import { ownPrefix, privateRedis, redisAt, type TestRedis } from './redis.js';
import { redisProxy } from './redis-proxy.js';
import { tempDir } from './temp-dir.js';

export interface Tenant {
  readonly prefix: string;
  /** The address of a user, with its password. */
  url(role: RedisRole): string;
  /** The prefix as a user of it has it; what is left under it is removed by the operator. */
  as(role: RedisRole): TestRedis;
}

export interface ServerWithUsers {
  readonly tenants: readonly Tenant[];
  /** A connection of who runs the server. */
  readonly admin: RedisConnection['client'];
  /** What the server has refused to anybody so far: user, kind of refusal, what was refused. */
  refused(): Promise<readonly string[]>;
}

/** Starts it; the program writes its file of users, once for each tenant. */
export async function serverWithUsers({
  form = '7',
  tenants: count = 1,
}: {
  form?: AclForm;
  tenants?: number;
} = {}): Promise<ServerWithUsers> {
  const folder = await tempDir('users');
  const file = join(folder, 'users.acl');
  const words = new Map<RedisRole, string>(
    (['operator', 'worker', 'runner'] as const).map((role) => [role, `word-of-the-${role}-${ownPrefix()}`]),
  );
  await writeFile(join(folder, 'passwords'), [...words].map((line) => `${line.join(' ')}\n`).join(''));
  await writeFile(file, '');
  const server = await privateRedis({ config: ['--aclfile', file] });
  const prefixes = Array.from({ length: count }, ownPrefix);
  const files = await Promise.all(
    prefixes.map((prefix) =>
      bnerd(['doctor', `--acl=${form}`, '--acl-passwords', `file:${join(folder, 'passwords')}`], {
        env: { BNERD_REDIS_PREFIX: prefix },
      }),
    ),
  );
  const lines = new Set([
    'user admin on nopass ~* &* +@all',
    ...files.flatMap(({ stdout }) => stdout.split('\n')),
  ]);
  await writeFile(file, `${[...lines].filter((line) => line !== '').join('\n')}\n`);
  const first = await opened(server.url);
  await first.client.call('ACL', 'LOAD');
  await first.close(1_000);
  const line = await redisProxy(server);
  const urlOf = (name: string, word: string): string => line.url.replace('//', `//${name}:${word}@`);
  const admin = await opened(urlOf('admin', 'any'));
  onTestFinished(() => admin.close(1_000));
  return {
    tenants: prefixes.map((prefix) => {
      const url = (role: RedisRole): string => urlOf(`${prefix}-${role}`, words.get(role) ?? '');
      return { prefix, url, as: (role) => asUser(redisAt(url('operator'), prefix), url(role)) };
    }),
    admin: admin.client,
    refused: async () => {
      const entries = (await admin.client.call('ACL', 'LOG', '128')) as unknown[][];
      return entries.map((entry) => {
        const at = (field: string): string => String(entry[entry.indexOf(field) + 1]);
        return `${at('username')} ${at('reason')} ${at('object')}`;
      });
    },
  };
}

/** What goes there goes as this user. */
function asUser(redis: TestRedis, url: string): TestRedis {
  const connect: TestRedis['connect'] = (purpose = 'record', options = {}) => {
    const connection = new RedisConnection(redisAddress(url), purpose, options);
    onTestFinished(() => connection.close(1_000));
    return connection;
  };
  return { ...redis, url, connect };
}

async function opened(url: string): Promise<RedisConnection> {
  const connection = new RedisConnection(redisAddress(url), 'record');
  await connection.ready(new AbortController().signal);
  return connection;
}
