import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { RedisConnection } from '../../../src/events/redis/connection.js';
import { redisAddress } from '../../../src/events/redis/redis-address.js';
import { heldTimers } from '../../helpers/held-timers.js';
import { describePrivateRedis, describeRedis, privateRedis, redisForTests } from '../../helpers/redis.js';
import type { RedisServer } from '../../helpers/redis-server.js';
import { until } from '../../helpers/until.js';

const soon = (): AbortSignal => AbortSignal.timeout(20_000);

test('nothing is dialled before the first command, and no error of a dropped server ends the process', async () => {
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    accepted.push(socket);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const connection = new RedisConnection(redisAddress(`redis://127.0.0.1:${port}`), 'record');
  expect(accepted).toHaveLength(0);
  const giveUp = new AbortController();
  const ready = connection.ready(giveUp.signal);
  await until(() => accepted.length >= 2, { what: 'it has tried again' });
  giveUp.abort(new Error('enough'));
  await expect(ready).rejects.toMatchObject({ code: 'cancelled' });
  await connection.close(0);
});

test('who waits for a connection that its owner closes is told so, also between two attempts', async () => {
  const connection = new RedisConnection(redisAddress('unix:///nowhere/redis.sock'), 'record');
  const ready = connection.ready(soon());
  await until(() => connection.lastError, { what: 'an attempt has failed' });
  await connection.close(0);
  await expect(ready).rejects.toMatchObject({ code: 'redis-closed' });
  await expect(connection.ready(soon())).rejects.toMatchObject({ code: 'redis-closed' });
  await connection.close(0);
});

describeRedis('connections', () => {
  const redis = redisForTests();

  test('a connection of record refuses what it cannot send, and sends nothing of it later', async () => {
    const { connect, names } = redis();
    const connection = connect('record');
    await expect(connection.client.set(names.teams, 'early')).rejects.toThrow();
    await connection.ready(soon());
    expect(await connection.client.get(names.teams)).toBeNull();
  });

  test('commands that are sent in one go are held for one write, and each has its own answer, in their order', async () => {
    const { connect, names } = redis();
    const connection = connect('record');
    await connection.ready(soon());
    const { client } = connection;
    const order: string[] = [];
    const sent = [
      client.rpush(names.teams, 'one'),
      client.get(names.teams), // refused: it is no text
      Promise.resolve().then(() => client.rpush(names.teams, 'two')),
    ].map((answer, index) => Promise.resolve(answer).finally(() => order.push(`answer ${index}`)));
    expect(client.stream.writableCorked).toBe(1);
    process.nextTick(() => order.push(`held by ${client.stream.writableCorked}`));
    const answers = await Promise.allSettled(sent);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(order).toEqual(['held by 0', 'answer 0', 'answer 1', 'answer 2']);
    expect(await client.lrange(names.teams, 0, -1)).toEqual(['one', 'two']);
  });

  test('one that is closed, once or twice, leaves nothing that holds the process', async () => {
    const held = heldTimers('ioredis');
    const connection = redis().connect('record');
    await connection.ready(soon());
    await connection.close(1_000);
    await until(() => connection.client.status === 'end', { what: 'it has ended' });
    await connection.close(1_000);
    expect(held()).toBe(0);
  });

  test('Q26 workers of the queue library get a connection that it takes as it is', () => {
    const { connect } = redis();
    for (const purpose of ['queue', 'blocking'] as const) {
      expect(connect(purpose).client.options.maxRetriesPerRequest).toBeNull();
    }
    expect(connect('record').client.options.maxRetriesPerRequest).toBe(0);
    for (const purpose of ['record', 'queue', 'blocking'] as const) {
      expect(connect(purpose).client.options).toMatchObject({ keyPrefix: '', lazyConnect: true });
      expect(connect(purpose).client.options.commandTimeout).toBeUndefined();
    }
  });
});

describePrivateRedis('connections to a server that refuses or goes away', () => {
  test('a wrong password is said at once, without the password', async () => {
    const server = await privateRedis();
    const first = new RedisConnection(redisAddress(server.url), 'record');
    await first.ready(soon());
    await first.client.config('SET', 'requirepass', 'right');
    await first.close(1_000);
    const address = { ...redisAddress(server.url), password: 'hunter2' };
    const connection = new RedisConnection(address, 'record');
    onTestFinished(() => connection.close(0));
    const refused = connection.ready(soon());
    await expect(refused).rejects.toMatchObject({ code: 'redis-denied', name: 'UserError' });
    await expect(refused).rejects.not.toThrow(/hunter2/);
  });

  test('a connection is back when its server is', async () => {
    const server = await privateRedis();
    const connection = new RedisConnection(redisAddress(server.url), 'record');
    onTestFinished(() => connection.close(0));
    await connection.ready(soon());
    await server.kill();
    await until(() => connection.client.status !== 'ready', { what: 'the end was seen' });
    await expect(connection.client.ping()).rejects.toThrow();
    await server.start();
    await connection.ready(soon());
    expect(await connection.client.ping()).toBe('PONG');
  });

  test('closing does not wait for a server that has stopped answering', async () => {
    const server = await privateRedis();
    const connection = new RedisConnection(redisAddress(server.url), 'record');
    await connection.ready(soon());
    server.freeze();
    onTestFinished(() => server.thaw());
    await connection.close(50);
    await until(() => connection.client.status === 'end', { what: 'the connection has ended' });
  });
});

describePrivateRedis('Q5 a blocking command whose connection is lost is settled', () => {
  interface Blocked {
    readonly server: RedisServer;
    readonly connection: RedisConnection;
    /** Waits for a second at the server, as a worker waits for its next job. */
    readonly block: () => Promise<unknown>;
  }

  async function blocked(): Promise<Blocked> {
    const server = await privateRedis();
    const connection = new RedisConnection(redisAddress(server.url), 'blocking', { blockingMs: 2_000 });
    onTestFinished(() => connection.close(0));
    return { server, connection, block: () => connection.client.bzpopmin('q', 1) };
  }

  async function lost({ connection, server }: Blocked): Promise<void> {
    await server.kill();
    await until(() => connection.client.status !== 'ready', { what: 'the end was seen' });
  }

  test.each([
    [
      'called when the connection is lost, which does not come back',
      async (at: Blocked): Promise<void> => {
        await at.connection.ready(soon());
        await lost(at);
        await expect(at.block()).resolves.toBeNull();
      },
    ],
    [
      'called on a connection that is lost then, and does not come back',
      async (at: Blocked): Promise<void> => {
        await at.connection.ready(soon());
        const settled = expect(at.block()).resolves.toBeNull();
        await lost(at);
        await settled;
      },
    ],
    [
      'called on a connection that is lost then, and comes back',
      async (at: Blocked): Promise<void> => {
        await at.connection.ready(soon());
        const settled = expect(at.block()).resolves.toBeNull();
        await lost(at);
        await at.server.start();
        await settled;
        await at.connection.ready(soon());
        await at.connection.client.zadd('q', 1, 'job');
        expect(await at.block()).toEqual(['q', 'job', '1']);
      },
    ],
    [
      'called when the connection is lost, which comes back',
      async (at: Blocked): Promise<void> => {
        await at.connection.ready(soon());
        await lost(at);
        const settled = expect(at.block()).resolves.toBeNull();
        await at.server.start();
        await settled;
        await at.connection.ready(soon());
        await at.connection.client.zadd('q', 1, 'job');
        expect(await at.block()).toEqual(['q', 'job', '1']);
      },
    ],
    [
      'called on a connection that its owner closes between two attempts',
      async (at: Blocked): Promise<void> => {
        await at.connection.ready(soon());
        const settled = expect(at.block()).resolves.toBeNull();
        await lost(at);
        await at.connection.close(0);
        await settled;
      },
    ],
    [
      'called on a server that says nothing any more',
      async (at: Blocked): Promise<void> => {
        await at.connection.ready(soon());
        at.server.freeze();
        await expect(at.block()).resolves.toBeNull();
        at.server.thaw();
      },
    ],
  ])('%s', async (_, run) => run(await blocked()));
});
