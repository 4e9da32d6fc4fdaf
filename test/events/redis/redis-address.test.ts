import { expect, test } from 'vitest';
import { isLoopback, redisAddress } from '../../../src/events/redis/redis-address.js';

test('an address is read in each of its forms, and shown without user and password', () => {
  expect(redisAddress('redis://me:se%3Acret@db.example:6380/2')).toEqual({
    place: { kind: 'host', host: 'db.example', port: 6380, tls: 'no' },
    username: 'me',
    password: 'se:cret',
    database: 2,
    shown: 'redis://db.example:6380/2',
  });
  expect(redisAddress('rediss://:pw@[::1]:7000')).toMatchObject({
    place: { kind: 'host', host: '::1', port: 7000, tls: 'yes' },
    username: undefined,
    password: 'pw',
    database: 0,
    shown: 'rediss://[::1]:7000',
  });
  expect(redisAddress('unix:///run/redis/redis.sock?database=3')).toMatchObject({
    place: { kind: 'socket', path: '/run/redis/redis.sock' },
    database: 3,
    shown: 'unix:///run/redis/redis.sock?database=3',
  });
});

test.each([
  ['', 'is no address'],
  ['6379', 'is no address'],
  ['localhost', 'is no address'],
  ['localhost:6379', 'is no address'],
  ['//hunter2@host:1', 'is no address'],
  ['http://hunter2@host:1', 'is no address'],
  ['redis://', 'names no host'],
  ['redis://:hunter2@host', 'names no port, and none is taken for granted'],
  ['redis://:hunter2@host:1/?keyPrefix=a', 'has something behind the database'],
  ['redis://:hunter2@host:1?commandTimeout=5', 'has something behind the database'],
  ['redis://:hunter2@host:1#x', 'has something behind the database'],
  ['redis://:hunter2@host:1/zero', 'names a database that is no number'],
  ['redis://:hunter2%@host:1', 'has a % that stands for no character'],
  ['redis://hunter2@host:1', 'names a user without a password'],
  ['unix://run/redis.sock', 'names no path that begins with /'],
  ['unix:///run/redis.sock?db=2', 'has something behind the path'],
])('%j %s', (text, found) => {
  const read = (): unknown => redisAddress(text);
  expect(read).toThrow(expect.objectContaining({ code: 'redis-url', name: 'UserError' }));
  expect(read).toThrow(`the address of Redis ${found}`);
  expect(read).not.toThrow(/hunter2/);
});

test.each([
  ['unix:///run/redis.sock', true],
  ['redis://localhost:1', true],
  ['redis://me:word@127.0.0.1:1', true],
  ['rediss://127.255.0.9:1', true],
  ['redis://[::1]:1', true],
  ['redis://[0:0:0:0:0:0:0:1]:1', true],
  ['redis://127.0.0.1.example.org:1', false],
  ['redis://127.0.0.256:1', false],
  ['redis://127.1:1', false],
  ['redis://localhost.example.org:1', false],
  ['redis://localhost:word@db.example:1', false],
  ['redis://0.0.0.0:1', false],
  ['redis://[::]:1', false],
  ['redis://[::ffff:127.0.0.1]:1', false],
  ['redis://10.0.0.1:1', false],
])('%s leads nowhere but to this machine: %s', (text, is) => {
  expect(isLoopback(redisAddress(text))).toBe(is);
});
