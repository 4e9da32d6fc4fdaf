/**
 * Where a Redis is, as a person writes it: `redis://`, `rediss://` (TLS) or `unix://`, and nothing else.
 *
 * Read here and not by the client library: that one takes `6379` on this machine for what is left out, and any option of
 * its own out of the query, `keyPrefix` and `commandTimeout` among them. Nothing of ours ever dials a default port.
 */

import { isIPv4 } from 'node:net';
import { UserError } from '../../shared/errors.js';

export interface RedisAddress {
  readonly place:
    | { readonly kind: 'host'; readonly host: string; readonly port: number; readonly tls: 'no' | 'yes' }
    | { readonly kind: 'socket'; readonly path: string };
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** PEM of whom the certificate of the server has to be signed by; left out: by whom this system trusts. Only with TLS. */
  readonly ca?: string;
  /** What is shown to a server that asks who is there, in PEM; left out: nothing. Only with TLS. */
  readonly client?: { readonly cert: string; readonly key: string };
  /** Number of the database. */
  readonly database: number;
  /** The address for people: without user and password. */
  readonly shown: string;
}

const FORMS =
  'redis://[user:password@]host:port[/database], rediss://… with TLS, or unix:///path[?database=n]';

/** Reads an address. Refuses with `UserError` `redis-url`, whose words hold no part of the text: it may hold a password. */
export function redisAddress(text: string): RedisAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  switch (url?.protocol) {
    case 'redis:':
    case 'rediss:':
      return ofHost(url);
    case 'unix:':
      return ofSocket(url);
    default:
      throw refused('is no address of a Redis');
  }
}

/** Whether an address leads nowhere but to this machine, as it is written: no name is looked up. */
export function isLoopback({ place }: Pick<RedisAddress, 'place'>): boolean {
  if (place.kind === 'socket') return true;
  const { host } = place;
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

function ofHost(url: URL): RedisAddress {
  if (url.hostname === '') throw refused('names no host');
  if (url.port === '') throw refused('names no port, and none is taken for granted');
  if (url.search !== '' || url.hash !== '') throw refused('has something behind the database');
  if (url.username !== '' && url.password === '') throw refused('names a user without a password');
  const database = databaseOf(url.pathname.replace(/^\//, ''));
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const tls = url.protocol === 'rediss:' ? 'yes' : 'no';
  return {
    place: { kind: 'host', host, port: Number(url.port), tls },
    username: written(url.username),
    password: written(url.password),
    database,
    shown: `${url.protocol}//${url.hostname}:${url.port}${database === 0 ? '' : `/${database}`}`,
  };
}

function ofSocket(url: URL): RedisAddress {
  const path = written(url.pathname);
  if (url.hostname !== '' || path === undefined) throw refused('names no path that begins with /');
  const others = [...url.searchParams.keys()].filter((key) => key !== 'database');
  if (others.length > 0 || url.hash !== '')
    throw refused('has something behind the path that is no database');
  const database = databaseOf(url.searchParams.get('database') ?? '');
  return {
    place: { kind: 'socket', path },
    username: undefined,
    password: undefined,
    database,
    shown: `unix://${path}${database === 0 ? '' : `?database=${database}`}`,
  };
}

function databaseOf(text: string): number {
  if (text === '') return 0;
  if (!/^\d{1,4}$/.test(text)) throw refused('names a database that is no number');
  return Number(text);
}

function written(part: string): string | undefined {
  if (part === '') return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    throw refused('has a % that stands for no character'); // decodeURIComponent says only that it is malformed
  }
}

function refused(found: string): UserError {
  return new UserError('redis-url', `the address of Redis ${found}; allowed is ${FORMS}`);
}
