/**
 * The users of a Redis that a prefix needs: operator, worker, runner (spec/engine.md §3 "Trust on a shared Redis"). Rules for
 * its ACL, with the least that each of them was seen to ask for; no password is in them but by its digest.
 *
 *  U1 every key that a user may name begins with the prefix, so that users of two prefixes never read or write each other's;
 *  U2 a runner reaches what a brief comes and goes by, and no record: facts are written by those who check what it says;
 *  U3 who runs the server is nobody of these: nothing dangerous, no scripts or functions that stay for others, no channel.
 *
 * What no rule of a server can say: SCAN lists the names of all keys of a database, whosoever they are. Only operators and
 * workers have it. Who may not know the names has a database of his own: each user is kept to that of the address.
 */

import { sha256 } from '../../shared/digest.js';
import type { KeyKind, RedisNames } from '../../shared/redis-names.js';

export const REDIS_ROLES = ['operator', 'worker', 'runner'] as const;

export type RedisRole = (typeof REDIS_ROLES)[number];

/** What the server understands: `7` also tells reading from writing (Redis 7 and later, Valkey). */
export type AclForm = '6.2' | '7';

export interface RedisUser {
  readonly role: RedisRole;
  readonly name: string;
  /** What stands behind `ACL SETUSER <name>`, or behind the name in a file of users. */
  readonly rules: readonly string[];
}

export interface UsersWanted {
  readonly names: RedisNames;
  readonly database: number;
  readonly form: AclForm;
  /** By role. Of one that is missing the rules have a word that no server takes for a digest. */
  readonly passwords: ReadonlyMap<RedisRole, string>;
}

/** The users of a prefix. */
export function redisUsers({ names, database, form, passwords }: UsersWanted): readonly RedisUser[] {
  return REDIS_ROLES.map((role) => ({
    role,
    name: `${names.prefix}-${role}`,
    rules: [
      ...['reset', 'on', passwordRule(role, passwords.get(role)), 'resetchannels'],
      ...keyRules(role, names, form),
      ...COMMANDS[role],
      ...['-select', `+select|${database}`],
    ],
  }));
}

/** A file of users for `aclfile`: the default user, whom every client is without a password, may do nothing any more. */
export function usersFile(users: readonly RedisUser[]): string {
  const lines = users.map(({ name, rules }) => `user ${name} ${rules.join(' ')}`);
  return `${['user default reset off', ...lines].join('\n')}\n`;
}

/** What stands in a rule in place of a digest of a password that was not given. */
export function missingPassword(role: RedisRole): string {
  return `#<sha256-of-the-password-of-the-${role}>`;
}

function passwordRule(role: RedisRole, password: string | undefined): string {
  return password === undefined ? missingPassword(role) : `#${sha256(password)}`;
}

/** What a user may do to the keys of a kind. */
type May = 'all' | 'read' | 'nothing';

function keyRules(role: RedisRole, names: RedisNames, form: AclForm): readonly string[] {
  if (role === 'operator') return [`~${names.everyKey}`];
  return (Object.keys(KEYS) as KeyKind[]).flatMap((kind) => {
    const may = KEYS[kind][role];
    if (may === 'nothing') return [];
    return may === 'read' && form === '7' ? [`%R~${names.everyOf[kind]}`] : [`~${names.everyOf[kind]}`];
  });
}

/** An operator may do all to each. */
type Users = Readonly<Record<Exclude<RedisRole, 'operator'>, May>>;

const OF_WORKERS: Users = { worker: 'all', runner: 'nothing' };
const OF_BOTH: Users = { worker: 'all', runner: 'all' };

const KEYS: Readonly<Record<KeyKind, Users>> = {
  log: OF_WORKERS,
  t: OF_WORKERS,
  // What a start or a putting back that died has left of a team that is gone, a worker takes off; `attended` as well.
  seed: OF_WORKERS,
  blobs: OF_WORKERS,
  snapshot: OF_WORKERS,
  sizes: OF_WORKERS,
  turn: OF_WORKERS,
  run: OF_WORKERS,
  'run-fence': OF_WORKERS,
  live: OF_WORKERS,
  attended: OF_WORKERS,
  sweep: OF_WORKERS,
  inbox: OF_BOTH,
  desk: OF_WORKERS,
  brief: { worker: 'all', runner: 'read' },
  taken: OF_BOTH,
  up: OF_BOTH,
  teams: OF_WORKERS,
  worker: OF_WORKERS,
  runner: { worker: 'read', runner: 'all' },
  drain: { worker: 'nothing', runner: 'all' },
  'queues of turns': OF_WORKERS,
  'queues of briefs': OF_BOTH,
};

/**
 * By category, and what of these is no key's: whose effect leaves the prefix is taken away again. Scripts are sent by their
 * digest and, where the server does not know it, by their text.
 */
const OF_KEYS = [
  ...['-@all', '+@read', '+@write', '+@connection', '+@transaction', '+@blocking'],
  ...[
    '-@dangerous',
    '-@admin',
    '-@pubsub',
    '-@scripting',
    '+eval',
    '+evalsha',
    '+script|load',
    '+script|exists',
  ],
  ...['-randomkey', '-dbsize', '-move', '+info', '+time', '+wait', '+acl|whoami'],
];

const COMMANDS: Readonly<Record<RedisRole, readonly string[]>> = {
  operator: OF_KEYS,
  // Only who coordinates a run puts its record back, which is done by renaming.
  worker: [...OF_KEYS, '-rename', '-renamenx', '-copy'],
  runner: [...OF_KEYS, '-scan', '-rename', '-renamenx', '-copy'],
};
