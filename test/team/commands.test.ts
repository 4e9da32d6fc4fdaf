import { expect, test } from 'vitest';
import { FACT_TYPES, type FactType } from '../../src/events/event.js';
import { logEntry } from '../../src/events/log-entry.js';
import type { Command } from '../../src/team/command.js';
import { aCall, OPERATOR, started, taskSpec } from '../helpers/build-start.js';
import { picture, Team } from '../helpers/build-state.js';
import { BRIEF_ROWS, type Row } from './brief-rows.js';
import { atWork, ended, inReview, leadAtWork } from './given-teams.js';
import { PROCESS_ROWS } from './process-rows.js';

const at = (member: string) => (team: Team) => team.in(member);
const worker = at('worker');

const ROWS: Readonly<Record<Command['kind'], Row>> = {
  'run.start': {
    given: () => new Team(),
    when: () => ({
      kind: 'run.start',
      started: started(),
      tasks: [taskSpec()],
      entries: [
        { type: 'entry.rejected', member: 'worker', entry: 'git', reason: 'capability', detail: 'needs git' },
        { type: 'entry.omitted', member: 'worker', entry: 'long', reason: 'budget', detail: 'too long' },
      ],
    }),
    facts: [
      'run.started',
      'member.spawned',
      'member.spawned',
      'entry.rejected',
      'entry.omitted',
      'task.created',
      'mail.sent',
    ],
  },
  'run.resume': {
    given: () => Team.start(),
    when: () => ({ kind: 'run.resume', host: 'host', disabled: [], findings: [] }),
    facts: ['run.resumed'],
  },
  'run.stop': {
    given: () => Team.start(),
    when: () => ({ kind: 'run.stop', by: 'operator', cause: 'interrupt' }),
    facts: ['run.stopping'],
  },
  'run.kill': {
    given: () => {
      const team = Team.start();
      team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' });
      return team;
    },
    when: () => ({ kind: 'run.kill', by: 'operator' }),
    facts: ['run.killing'],
  },
  'run.sweep': {
    given: () => {
      const team = Team.start();
      team.idles('lead');
      return team;
    },
    when: () => ({ kind: 'run.sweep', operatorPresent: false, missingArtifacts: [] }),
    facts: ['run.nudged', 'mail.sent'],
  },
  'run.fail': {
    given: () => Team.start(),
    when: () => ({ kind: 'run.fail', cause: 'disk_full', detail: 'no space left' }),
    facts: ['run.ended'],
  },
  'run.archive': {
    given: ended,
    when: () => ({ kind: 'run.archive', by: 'operator' }),
    facts: ['mail.expired', 'run.archived'],
  },
  'turn.start': {
    given: () => Team.start({ tasks: [{}] }),
    when: () => ({ kind: 'turn.start', member: 'worker', cause: 4 }),
    facts: ['turn.started', 'mail.sent'],
  },
  'turn.end': {
    given: atWork,
    when: (team) => team.ending('worker'),
    facts: ['turn.ended', 'member.nudged', 'mail.sent'],
  },
  'turn.wait': {
    given: atWork,
    when: (team) => team.waiting('worker'),
    facts: ['turn.ended'],
  },
  'turn.fail': {
    given: atWork,
    when: (team) => ({
      kind: 'turn.fail',
      upto: '1-1',
      calls: 0,
      code: 'model',
      error: 'no answer',
      ...worker(team),
    }),
    facts: ['turn.ended', 'member.failed', 'task.failed', 'mail.sent'],
  },
  'budget.reserve': {
    given: atWork,
    when: (team) => ({ kind: 'budget.reserve', ...aCall(10), ...worker(team) }),
    facts: ['budget.reserved'],
  },
  'limit.meet': {
    given: atWork,
    when: (team) => ({
      kind: 'limit.meet',
      limit: 'calls_per_reply',
      value: 33,
      text: 'not run',
      ...worker(team),
    }),
    facts: ['limit.reached', 'mail.sent'],
  },
  'reply.settle': {
    given: leadAtWork,
    when: (team) => ({
      kind: 'reply.settle',
      model: 'script/test.yaml',
      inputTokens: 1,
      cachedTokens: 0,
      outputTokens: 1,
      costUsd: 0,
      delivered: ['m1'],
      suppressed: [],
      ...team.in('lead'),
    }),
    facts: ['budget.spent', 'mail.delivered'],
  },
  'memory.compact': {
    given: atWork,
    when: (team) => ({
      kind: 'memory.compact',
      entry: '5-3',
      model: 'openai/small',
      beforeTokens: 900,
      afterTokens: 200,
      ...team.in('worker'),
    }),
    facts: ['member.compacted'],
  },
  'mail.recover': {
    given: leadAtWork,
    when: (team) => ({ kind: 'mail.recover', ids: ['m1'], ...team.in('lead') }),
    facts: ['mail.delivered'],
  },
  'tool.start': {
    given: atWork,
    when: (team) => ({
      kind: 'tool.start',
      place: '1-1.0',
      tool: 'fs_write_file',
      class: 'write',
      digest: 'digest',
      request: null,
      ...worker(team),
    }),
    facts: ['tool.started'],
  },
  'task.create': {
    given: atWork,
    when: (team) => ({ kind: 'task.create', by: team.by('lead'), tasks: [taskSpec(), taskSpec()] }),
    facts: ['task.created', 'task.created'],
  },
  'task.update': {
    given: atWork,
    when: (team) => team.update('#1', { by: team.by('lead'), subject: 'better', status: 'cancelled' }),
    facts: ['task.updated', 'task.cancelled', 'mail.sent'],
  },
  'task.claim': {
    given: () => {
      const team = Team.start({ tasks: [{}] });
      team.awake('worker');
      return team;
    },
    when: (team) => ({ kind: 'task.claim', task: '#1', ...worker(team) }),
    facts: ['task.claimed'],
  },
  'task.release': {
    given: atWork,
    when: (team) => ({ kind: 'task.release', task: '#1', attempt: 1, detail: 'not mine', ...worker(team) }),
    facts: ['task.released', 'mail.sent'],
  },
  'task.block': {
    given: atWork,
    when: (team) => ({
      kind: 'task.block',
      task: '#1',
      attempt: 1,
      reason: 'needs_input',
      on: [],
      detail: 'which branch?',
      ...worker(team),
    }),
    facts: ['task.blocked', 'mail.sent'],
  },
  'task.complete': {
    given: atWork,
    when: (team) => team.completion('worker', '#1'),
    facts: ['task.completed', 'mail.sent'],
  },
  'task.review': {
    given: inReview,
    when: (team) => team.verdict('reviewer', '#1'),
    facts: ['task.reviewed', 'task.completed', 'mail.sent'],
  },
  'mail.send': {
    given: atWork,
    when: (team) => ({ kind: 'mail.send', by: team.by('worker'), to: 'lead', body: 'hello', task: null }),
    facts: ['mail.sent'],
  },
  'request.open': {
    given: atWork,
    when: (team) => team.opening('worker'),
    facts: ['request.opened'],
  },
  'request.decide': {
    given: () => {
      const team = atWork();
      team.park('worker');
      return team;
    },
    when: () => ({
      kind: 'request.decide',
      by: OPERATOR,
      request: 'r1',
      decision: 'approve',
      text: null,
      digest: null,
    }),
    facts: ['request.decided'],
  },
  'member.spawn': {
    given: () => Team.start({ seats: ['lead', { member: 'helper', on_demand: true }] }),
    when: () => ({ kind: 'member.spawn', by: OPERATOR, role: 'helper' }),
    facts: ['member.spawned'],
  },
  'member.stop': {
    given: () => {
      const team = atWork();
      team.mail('operator', 'worker', 'a word that is not read any more');
      team.park('worker');
      return team;
    },
    when: () => ({ kind: 'member.stop', by: OPERATOR, member: 'worker', reason: 'enough' }),
    facts: ['request.withdrawn', 'task.released', 'mail.dead', 'member.stopped', 'mail.sent'],
  },
  'member.unheeded': {
    given: () => {
      const team = atWork();
      team.ok({ kind: 'member.stop', by: OPERATOR, member: 'worker', reason: 'enough', forced: true });
      return team;
    },
    when: () => ({ kind: 'member.unheeded', member: 'worker', step: 'cut' }),
    facts: ['task.released', 'member.stopped', 'mail.sent'],
  },
  'member.withdraw': {
    given: () => {
      const team = atWork();
      team.mail('operator', 'worker', 'a word that is not read any more');
      team.park('worker');
      return team;
    },
    when: () => ({
      kind: 'member.withdraw',
      member: 'worker',
      cause: 'approval_revoked',
      omitted: { entry: 'k8s', reason: 'trust' },
      reason: 'no more',
    }),
    facts: [
      'entry.omitted',
      'request.withdrawn',
      'task.released',
      'mail.dead',
      'member.stopped',
      'mail.sent',
    ],
  },
  ...BRIEF_ROWS,
  ...PROCESS_ROWS,
  'run.finish': {
    given: () => {
      const team = Team.start();
      team.awake('lead');
      return team;
    },
    when: (team) => ({ kind: 'run.finish', outcome: 'done', result: 'the result', ...team.in('lead') }),
    facts: ['run.finishing'],
  },
};

const rows = Object.entries(ROWS) as [Command['kind'], Row][];

test.each(rows)('%s is accepted, folds, and is applied once however often it is said', (kind, row) => {
  const team = row.given();
  const command = row.when(team);
  expect(command.kind).toBe(kind);
  const made = team.ok(command, 'the-id');
  expect(made.map((fact) => fact.type)).toEqual(row.facts);
  const after = picture(team.state);
  expect(picture(team.refold())).toBe(after);
  expect(team.ok(command, 'the-id')).toEqual(made);
  expect(picture(team.state)).toBe(after);
});

/** Facts that follow from what the rows above do not do. */
const FURTHER: Readonly<Record<string, () => Team>> = {
  'a plan is submitted, revised, submitted again and expires': () => {
    const team = Team.start({
      seats: ['lead', { member: 'worker', plan_mode: true }],
      request_timeout_ms: 1_000,
    });
    team.mail('operator', 'worker');
    team.awake('worker');
    const request = team.park('worker', { kind: 'plan', plan: 'first', digest: 'one' });
    team.ok({
      kind: 'request.decide',
      by: OPERATOR,
      request,
      decision: 'revise',
      text: 'shorter',
      digest: null,
    });
    team.awake('worker');
    team.park('worker', { kind: 'plan', plan: 'second', digest: 'two' });
    team.now += 1_000;
    team.sweep();
    return team;
  },
  'a failed member is put back to work and its task reopened': () => {
    const team = atWork();
    team.ok({
      kind: 'turn.fail',
      upto: '1-1',
      calls: 0,
      code: 'model',
      error: 'no answer',
      ...team.in('worker'),
    });
    team.ok({ kind: 'member.spawn', by: team.by('lead'), role: 'worker' });
    team.ok(team.update('#1', { status: 'pending' }));
    return team;
  },
  'an old attempt reports, and the turns are used up': () => {
    const team = Team.start({ tasks: [{}], limits: { turns: 2 } });
    team.awake('lead');
    team.awake('worker');
    team.claim('worker', '#1');
    team.ok(team.update('#1', { status: 'cancelled' }));
    team.refusal(team.completion('worker', '#1'));
    team.end('worker');
    team.end('lead');
    team.sweep();
    return team;
  },
};

/** Facts that have a schema and no command yet. */
const LATER: readonly FactType[] = ['turn.deferred', 'permission.granted'];

test('every fact is made by some command and folded, and is what its schema says', () => {
  const teams = [...Object.values(FURTHER)].map((given) => given());
  for (const row of Object.values(ROWS)) {
    const team = row.given();
    team.ok(row.when(team));
    teams.push(team);
  }
  const made = new Set<FactType>();
  for (const team of teams) {
    for (const entry of team.entries) {
      logEntry.parse(entry);
      for (const fact of entry.facts) made.add(fact.type);
    }
  }
  expect(FACT_TYPES.filter((type) => !made.has(type))).toEqual(LATER);
});
