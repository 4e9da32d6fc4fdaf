/**
 * Jobs: hints with ids only (spec/engine.md §2). What is to be done stands in the team's state, so a lost, doubled or
 * stale job does no harm, and none of a team's texts ever stands in a queue.
 *
 * An id says what is due and why: team, who, cause, and from the second on which time it is asked. Its parts are joined
 * by a sign that stands in none of them, that is no `:` (which queues refuse) and that needs no escape in an address.
 */

import { z } from 'zod';

/** "Go and look": a member may be due for a turn. */
export interface TurnJob {
  /** Of `turnJob` or `askedAgain`. */
  readonly id: string;
  readonly kind: 'turn';
  readonly team: string;
  readonly member: string;
  /** Of the member; stands in the job's name, for people who look at the queue. */
  readonly role: string;
  /** Number of the fact that made the member due. */
  readonly cause: number;
  /** The one pool whose workers may take it (spec/engine.md §3). */
  readonly pool: string;
}

/** "Go and look": a brief may be waiting for a runner. */
export interface BriefJob {
  /** Of `briefJob` or `askedAgain`. */
  readonly id: string;
  readonly kind: 'brief';
  readonly team: string;
  readonly brief: string;
  /** The one pool whose runners may take it. */
  readonly pool: string;
}

export type Job = TurnJob | BriefJob;

export const isTurnJob = (job: Job): job is TurnJob => job.kind === 'turn';
export const isBriefJob = (job: Job): job is BriefJob => job.kind === 'brief';

/** The pool of turns that any machine may take, and the pools that one machine or one kind of runner serves. */
export const ANYWHERE = 'turns';
export const poolOfHost = (host: string): string => `${ANYWHERE}.${host}`;
export const poolOfBriefs = (name: string): string => `briefs.${name}`;

/** The pool of briefs whose recipe names none. */
export const DEFAULT_POOL = 'default';

/** The name of the pool of a brief. */
export function briefsPool({ pool }: { readonly pool: string | null }): string {
  return pool ?? DEFAULT_POOL;
}

export function turnJob(turn: Omit<TurnJob, 'id' | 'kind'>): TurnJob {
  return { ...turn, id: [turn.team, turn.member, turn.cause].join(JOINT), kind: 'turn' };
}

export function briefJob(brief: Omit<BriefJob, 'id' | 'kind'>): BriefJob {
  return { ...brief, id: [brief.team, brief.brief].join(JOINT), kind: 'brief' };
}

/** Whose job it is, by the id of one; undefined: it is no job's of a brief. */
export function briefOfJob(id: string): Pick<BriefJob, 'team' | 'brief'> | undefined {
  const [team = '', brief = '', times = '2', ...more] = id.split(JOINT);
  const isOne = team !== '' && brief !== '' && more.length === 0 && /^\d+$/.test(times);
  return isOne ? { team, brief } : undefined;
}

/** Which time the job is asked for, from 1: 3 for `<team>~<member>~<cause>~3`. */
export function timesAsked(job: Job): number {
  const first = firstId(job);
  return job.id === first ? 1 : Number(job.id.slice(first.length + JOINT.length));
}

/** The same job under the id of another time of asking. */
export function askedAgain<One extends Job>(job: One, times: number): One {
  return { ...job, id: times === 1 ? firstId(job) : `${firstId(job)}${JOINT}${times}` };
}

/** What dashboards show: `turn <role>` or `brief`. */
export function jobName(job: Job): string {
  return job.kind === 'turn' ? `turn ${job.role}` : 'brief';
}

/** The form of a job in a queue: ids, and how often a worker that could not serve it gave it back. */
export type JobData = (Omit<TurnJob, 'id'> | Omit<BriefJob, 'id'>) & { readonly givenBack?: number };

export function jobData({ id: _id, ...data }: Job): JobData {
  return data;
}

/** A job as a queue gave it; undefined when it is none of ours. */
export function readJob(id: string, data: unknown): { job: Job; givenBack: number } | undefined {
  const read = DATA.safeParse(data);
  if (!read.success) return undefined;
  const { givenBack, ...rest } = read.data;
  return { job: { id, ...rest }, givenBack };
}

const JOINT = '~';

function firstId(job: Job): string {
  return job.kind === 'turn' ? turnJob(job).id : briefJob(job).id;
}

const NAME = z.string().min(1).max(256);
const GIVEN_BACK = z.number().int().min(0).default(0);
const DATA = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('turn'),
    team: NAME,
    member: NAME,
    role: NAME,
    cause: z.number().int().min(0),
    pool: NAME,
    givenBack: GIVEN_BACK,
  }),
  z.object({ kind: z.literal('brief'), team: NAME, brief: NAME, pool: NAME, givenBack: GIVEN_BACK }),
]);
