/**
 * Every name that stands in Redis: keys, queues, registrations. The one owner of them (architecture test).
 *
 *  N1 a prefix is a tenant: it stands in every key and in every name of a queue, so that two of them on one server never
 *     meet (spec/engine.md §3 "Trust on a shared Redis");
 *  N2 what belongs to one team has its id between braces: the keys that one script touches lie on one node of a cluster;
 *  N3 no id can leave its place in a name: `:`, `{` and `}` stand in none.
 */

import { BugError, UserError } from './errors.js';
import { isTeamId } from './ids.js';

/** The prefix where nothing else was chosen. */
export const DEFAULT_REDIS_PREFIX = 'bnerd';

/** What a prefix may be, in words. */
export const REDIS_PREFIX_RULE =
  'a name of up to 32 small letters, digits and hyphens that begins with a letter or digit';

/** Whether a text may be the prefix of names in Redis. */
export function isRedisPrefix(text: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,31}$/.test(text);
}

/** The names under one prefix. Ids that could leave their place are refused as a bug: who made them has checked them. */
export interface RedisNames {
  readonly prefix: string;
  /** Stream: the facts of a team. */
  log(team: string): string;
  /** Stream: what one member remembers. */
  transcript(team: string, member: string): string;
  /** Pattern of a team's transcripts, for a scan. */
  everyTranscript(team: string): string;
  /** Where what is put back under a name of a team is made first. */
  seed(key: string): string;
  /** Pattern of those of a team, for a scan. */
  everySeed(team: string): string;
  /** Hash: texts of a team by their SHA-256. */
  blobs(team: string): string;
  /** Hash: the state of a team as somebody has folded it; a cache. */
  snapshot(team: string): string;
  /** Hash: bytes of each transcript and of the texts; who is in it has a transcript. */
  sizes(team: string): string;
  /** Key with expiry: somebody works on this turn; the number of its `turn.started` is the fence. */
  turnLease(team: string, turn: number): string;
  /** Pattern of the leases of a team's turns, for a scan. */
  everyTurnLease(team: string): string;
  /** Key with expiry: somebody coordinates this run. */
  runLease(team: string): string;
  /** Counter: how often the lease of the run was taken. */
  runFence(team: string): string;
  /** Key with expiry: some process runs this team. */
  live(team: string): string;
  /** Key with expiry: a person looks on at this team and answers it. */
  attended(team: string): string;
  /** Key with expiry: the sweep of this interval is somebody's. */
  sweep(team: string): string;
  /** Stream: reports of runners that wait to be taken in. */
  inbox(team: string): string;
  /** Text of a brief. */
  brief(team: string, brief: string): string;
  /** Which runner took a brief. */
  taken(team: string, brief: string): string;
  /** Hash: what the runner of a brief brings up, and what it is told. */
  up(team: string, brief: string): string;
  /** Key with expiry: somebody takes in what the runners of this team report. */
  desk(team: string): string;
  /** Pattern of every key of a team, for a scan. */
  everyKeyOf(team: string): string;
  /** Sorted set: teams by the time at which to look at them next. */
  readonly teams: string;
  /** Key with expiry: what a live worker serves. */
  worker(id: string): string;
  /** Pattern of the keys of all workers, for a scan. */
  readonly everyWorker: string;
  /** Key with expiry: what a live runner serves. */
  runner(id: string): string;
  /** Pattern of the keys of all runners, for a scan. */
  readonly everyRunner: string;
  /** Key with expiry: this runner is to take no more, and to end. */
  drain(runner: string): string;
  /** What the queue library puts before its own keys. */
  readonly queueKeys: string;
  /** Pattern of every key of the queues, for a scan. */
  readonly everyQueueKey: string;
  /** Pattern of the keys of a team's jobs in all queues, whose ids begin with the team; for a scan. */
  everyJobOf(team: string): string;
  /** Queue: turns that any worker may take. */
  readonly turns: string;
  /** Queue: turns of members whose workspace is bound to a machine. */
  turnsOf(host: string): string;
  /** Queue: briefs of a pool of runners. */
  briefs(pool: string): string;
  /** Pattern of every key under the prefix, for a scan. */
  readonly everyKey: string;
  /** A name that lies outside of the prefix, and that nothing of ours has. */
  readonly outside: string;
  /** Patterns of the keys of each kind, of whatever team or pool: what users of the server are given. */
  readonly everyOf: Readonly<Record<KeyKind, string>>;
}

/** Kinds of keys of a team that there is one of. */
const SINGLE = [
  'log',
  'blobs',
  'snapshot',
  'sizes',
  'run',
  'run-fence',
  'live',
  'attended',
  'sweep',
  'inbox',
  'desk',
] as const;

/** Kinds of keys of a team that there are many of, each with a name of its own behind it. */
const MANY = ['t', 'seed', 'turn', 'brief', 'taken', 'up'] as const;

export type KeyKind =
  | (typeof SINGLE)[number]
  | (typeof MANY)[number]
  | 'teams'
  | 'worker'
  | 'runner'
  | 'drain'
  | 'queues of turns'
  | 'queues of briefs';

/** The names under a prefix. Refuses one that is none (`UserError` `redis-prefix`). */
export function redisNames(prefix: string): RedisNames {
  if (!isRedisPrefix(prefix)) {
    throw new UserError(
      'redis-prefix',
      `"${prefix}" cannot be a prefix in Redis: allowed is ${REDIS_PREFIX_RULE}`,
    );
  }
  const ofTeam = (team: string): string => `${prefix}:{${plain('team', team)}}`;
  return {
    prefix,
    log: (team) => `${ofTeam(team)}:log`,
    transcript: (team, member) => `${ofTeam(team)}:t:${memberName(member)}`,
    everyTranscript: (team) => `${ofTeam(team)}:t:*`,
    seed: (key) => key.replace('}:', '}:seed:'),
    everySeed: (team) => `${ofTeam(team)}:seed:*`,
    blobs: (team) => `${ofTeam(team)}:blobs`,
    snapshot: (team) => `${ofTeam(team)}:snapshot`,
    sizes: (team) => `${ofTeam(team)}:sizes`,
    turnLease: (team, turn) => `${ofTeam(team)}:turn:${wholeNumber(turn)}`,
    everyTurnLease: (team) => `${ofTeam(team)}:turn:*`,
    runLease: (team) => `${ofTeam(team)}:run`,
    runFence: (team) => `${ofTeam(team)}:run-fence`,
    live: (team) => `${ofTeam(team)}:live`,
    attended: (team) => `${ofTeam(team)}:attended`,
    sweep: (team) => `${ofTeam(team)}:sweep`,
    inbox: (team) => `${ofTeam(team)}:inbox`,
    brief: (team, brief) => `${ofTeam(team)}:brief:${plain('brief', brief)}`,
    taken: (team, brief) => `${ofTeam(team)}:taken:${plain('brief', brief)}`,
    up: (team, brief) => `${ofTeam(team)}:up:${plain('brief', brief)}`,
    desk: (team) => `${ofTeam(team)}:desk`,
    everyKeyOf: (team) => `${ofTeam(team)}:*`,
    teams: `${prefix}:teams`,
    worker: (id) => `${prefix}:worker:${plain('worker', id)}`,
    everyWorker: `${prefix}:worker:*`,
    runner: (id) => `${prefix}:runner:${plain('runner', id)}`,
    everyRunner: `${prefix}:runner:*`,
    drain: (runner) => `${prefix}:drain:${plain('runner', runner)}`,
    queueKeys: `${prefix}:q`,
    everyQueueKey: `${prefix}:q:*`,
    everyJobOf: (team) => `${prefix}:q:*:${plain('team', team)}~*`,
    turns: `${prefix}-turns`,
    turnsOf: (host) => `${prefix}-turns.${plain('host', host)}`,
    briefs: (pool) => `${prefix}-briefs.${plain('pool', pool)}`,
    everyKey: `${prefix}:*`,
    outside: `${prefix}-outside:nothing`,
    everyOf: everyOf(prefix),
  };
}

function everyOf(prefix: string): RedisNames['everyOf'] {
  const single = SINGLE.map((kind) => [kind, `${prefix}:{*}:${kind}`] as const);
  const many = MANY.map((kind) => [kind, `${prefix}:{*}:${kind}:*`] as const);
  return {
    ...(Object.fromEntries([...single, ...many]) as Record<(typeof SINGLE | typeof MANY)[number], string>),
    teams: `${prefix}:teams`,
    worker: `${prefix}:worker:*`,
    runner: `${prefix}:runner:*`,
    drain: `${prefix}:drain:*`,
    'queues of turns': `${prefix}:q:${prefix}-turns*`,
    'queues of briefs': `${prefix}:q:${prefix}-briefs.*`,
  };
}

/** An id of ours or a name that a machine has; a pattern of a scan reads nothing into its characters. */
function plain(what: string, id: string): string {
  if (isTeamId(id)) return id;
  const allowed = 'allowed are letters, digits, dot, dash and underscore, no dot in front, at most 128';
  throw new BugError('redis-name', `"${id}" cannot stand for a ${what} in a name of Redis: ${allowed}`);
}

/** Members are named by people, in any script. */
function memberName(member: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(member)) return member;
  const allowed = 'allowed are letters, digits, blank, dot, dash and underscore, at most 100';
  throw new BugError('redis-name', `"${member}" cannot stand for a member in a name of Redis: ${allowed}`);
}

function wholeNumber(turn: number): string {
  if (Number.isSafeInteger(turn) && turn > 0) return String(turn);
  throw new BugError('redis-name', `${turn} is no number of a turn`);
}
