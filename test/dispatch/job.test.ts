import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ANYWHERE,
  askedAgain,
  briefJob,
  jobData,
  jobName,
  poolOfBriefs,
  poolOfHost,
  readJob,
  timesAsked,
  turnJob,
} from '../../src/dispatch/job.js';
import { queueOf } from '../../src/dispatch/queue-link.js';
import { redisNames } from '../../src/shared/redis-names.js';

const TURN = turnJob({ team: 'run-x-01', member: 'ada', role: 'engineer', cause: 7, pool: ANYWHERE });
const BRIEF = briefJob({ team: 'run-x-01', brief: 'b-3', pool: poolOfBriefs('default') });

test('an id is made of team, who and cause, is no number and has no colon', () => {
  expect([TURN.id, BRIEF.id]).toEqual(['run-x-01~ada~7', 'run-x-01~b-3']);
  const team = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/);
  const member = fc.stringMatching(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,20}$/u);
  void fc.assert(
    fc.property(team, member, fc.nat(), (...[one, who, cause]) => {
      const { id } = turnJob({ team: one, member: who, role: 'r', cause, pool: ANYWHERE });
      expect(id).not.toContain(':');
      expect(Number.isInteger(Number(id))).toBe(false);
      expect(id.split('~')).toEqual([one, who, String(cause)]);
    }),
  );
});

test('a job that is asked for again has its count behind its id, and the first time none', () => {
  const third = askedAgain(TURN, 3);
  expect(third).toEqual({ ...TURN, id: 'run-x-01~ada~7~3' });
  expect([timesAsked(TURN), timesAsked(third)]).toEqual([1, 3]);
  expect(askedAgain(third, 1)).toEqual(TURN);
  expect(askedAgain(askedAgain(BRIEF, 2), 4).id).toBe('run-x-01~b-3~4');
});

test('its data are ids and its pool, and read back they are the job', () => {
  expect(Object.keys(jobData(TURN)).sort()).toEqual(['cause', 'kind', 'member', 'pool', 'role', 'team']);
  for (const job of [TURN, BRIEF, askedAgain(TURN, 2)]) {
    expect(readJob(job.id, JSON.parse(JSON.stringify(jobData(job))))).toEqual({ job, givenBack: 0 });
  }
  expect(readJob(TURN.id, { ...jobData(TURN), givenBack: 2 })).toEqual({ job: TURN, givenBack: 2 });
});

test.each([[null], [{}], ['turn'], [{ ...jobData(TURN), cause: 'x' }], [{ ...jobData(TURN), kind: 'chat' }]])(
  '%j is no job of ours',
  (data) => {
    expect(readJob('x', data)).toBeUndefined();
  },
);

test('dashboards are shown what kind of job it is, never a text of the team', () => {
  expect([jobName(TURN), jobName(BRIEF)]).toEqual(['turn engineer', 'brief']);
});

test('each pool has one queue, with the prefix in its name', () => {
  const names = redisNames('acme');
  const pools = [ANYWHERE, poolOfHost('build-1.example'), poolOfBriefs('gpu')];
  expect(pools.map((pool) => queueOf(names, pool))).toEqual([
    'acme-turns',
    'acme-turns.build-1.example',
    'acme-briefs.gpu',
  ]);
  for (const pool of ['', 'x', 'turns.', 'other.x']) expect(() => queueOf(names, pool)).toThrow();
});
