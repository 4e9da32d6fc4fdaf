import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../src/events/event.js';
import type { Command } from '../../../src/team/command.js';
import { OPERATOR } from '../../helpers/build-start.js';
import { picture, Team } from '../../helpers/build-state.js';
import { onMachines, READS, WRITES } from '../given-teams.js';

const bind = (host: string, commit: string | null): Command => ({ kind: 'workspace.bind', host, commit });

const REPORT = [{ task: '#1', path: 'report.md' }];

const gone = (missingArtifacts: readonly { task: string; path: string }[] = []): Command => ({
  kind: 'workspace.lose',
  host: 'vm-1',
  detail: 'it does not answer',
  missingArtifacts,
});

/** The writer has completed #1, with a report, and nobody works. */
function reported(): Team {
  const team = onMachines();
  team.ok(team.completion('writer', '#1', { artifacts: ['report.md'] }));
  team.end('writer');
  return team;
}

const ofType = (facts: readonly Fact[], type: Fact['type']): readonly Fact[] =>
  facts.filter((fact) => fact.type === type);

describe('a workspace that members write', () => {
  test('is bound by the first turn that may write it, and turns of others that need it are refused elsewhere', () => {
    const team = Team.start({
      seats: ['lead', { member: 'writer', tools: [WRITES] }, { member: 'reader', tools: [READS] }],
    });
    team.mail('operator', 'all');
    const start = (member: string, host: string): Command => ({ kind: 'turn.start', member, cause: 0, host });
    expect(team.refusal(start('writer', 'vm-1'))).toMatch(
      /^workspace_unbound: writer may write.*bind it first/,
    );
    team.ok(bind('vm-1', 'c1'));
    expect(team.refusal(bind('vm-2', 'c1'))).toMatch(/^bound_elsewhere: the workspace is on vm-1/);
    expect(team.refusal(start('writer', 'vm-2'))).toBe(
      'wrong_host: writer works in the workspace on vm-1, not on vm-2',
    );
    expect(team.refusal(start('reader', 'vm-2'))).toMatch(/^wrong_host/);
    for (const member of ['writer', 'reader']) team.ok(start(member, 'vm-1'));
    team.ok(start('lead', 'vm-2'));
    expect(picture(team.refold())).toBe(picture(team.state));
  });

  test('is bound once, and again only for a newer commit that others can get', () => {
    const team = onMachines();
    expect(team.ok(bind('vm-1', 'c1'))).toEqual([]);
    expect(team.ok(bind('vm-1', 'c2'))).toEqual([{ type: 'workspace.bound', host: 'vm-1', commit: 'c2' }]);
    expect(team.state.workspace).toEqual({ written: true, host: 'vm-1', commit: 'c2', losses: 0 });
  });

  test('begins at the commit that the run started with', () => {
    const team = Team.start({
      seats: ['lead', { member: 'writer', tools: [WRITES] }],
      workspace: {
        path: '/workspace',
        kind: 'directory',
        host: 'vm-0',
        source: { repo: 'https://git.example/one', commit: 'c0' },
      },
    });
    expect(team.refusal(bind('vm-1', 'c9'))).toBe('other_commit: the workspace starts from c0, not from c9');
    expect(team.ok(bind('vm-1', 'c0'))).toHaveLength(1);
  });
});

describe('a machine that is lost with the workspace', () => {
  test('is given up only when no turn of it can write any more', () => {
    const team = onMachines();
    expect(team.refusal(gone())).toBe(
      'workspace_in_use: writer has a turn on vm-1: that is taken over first',
    );
    team.ok({ kind: 'turn.lose', olderThanMs: 0, detail: 'gone', ...team.in('writer') });
    expect(team.ok(gone())[0]).toEqual({
      type: 'workspace.lost',
      host: 'vm-1',
      commit: 'c1',
      detail: 'it does not answer',
    });
    expect(team.refusal(gone())).toMatch(/^not_bound: the workspace is on no machine, not on vm-1/);
  });

  test('starts again from the recorded commit, wherever it is bound next', () => {
    const team = onMachines();
    team.ok(bind('vm-1', 'c2'));
    team.ok({ kind: 'turn.lose', olderThanMs: 0, detail: 'gone', ...team.in('writer') });
    team.ok(gone());
    for (const other of ['c1', null]) expect(team.refusal(bind('vm-2', other))).toMatch(/^other_commit/);
    team.ok(bind('vm-2', 'c2'));
    expect(team.ok({ kind: 'turn.start', member: 'writer', cause: 0, host: 'vm-2' })).toHaveLength(1);
  });

  test('returns tasks whose artifacts were only there to their owner, under a new attempt, and says so', () => {
    const team = reported();
    const facts = team.ok(gone(REPORT));
    expect(ofType(facts, 'task.reopened')).toEqual([{ type: 'task.reopened', task: '#1', by: 'runtime' }]);
    expect(team.task('#1').state).toEqual({ kind: 'claimed', member: 'writer', attempt: 2 });
    expect([...team.member('writer').claims]).toEqual(['#1']);
    expect(team.inbox('writer').at(-1)).toMatch(/starts again from commit c1.*#1 is yours again/);
    expect(team.inbox('lead').at(-1)).toMatch(/Without their files:\n- #1 \(report\.md\) is writer's again/);
    expect(team.due()).toContain('writer');
    team.ok(bind('vm-2', 'c1'));
    team.ok({ kind: 'turn.start', member: 'writer', cause: 0, host: 'vm-2' });
    team.ok(team.completion('writer', '#1'));
    expect(team.task('#1').state.kind).toBe('completed');
    expect(picture(team.refold())).toBe(picture(team.state));
  });

  test('leaves what is at that commit as it is', () => {
    const team = reported();
    expect(ofType(team.ok(gone()), 'task.reopened')).toEqual([]);
    expect(team.task('#1').state.kind).toBe('completed');
    expect(team.inbox('lead').at(-1)).not.toContain('Without their files');
  });

  test('offers a task anew whose owner is gone', () => {
    const team = reported();
    team.ok({ kind: 'member.stop', by: OPERATOR, member: 'writer', reason: 'enough' });
    const facts = team.ok(gone(REPORT));
    expect(ofType(facts, 'task.claimed')).toEqual([]);
    expect(team.task('#1').state.kind).toBe('pending');
    expect(team.inbox('lead').at(-1)).toContain('#1 (report.md) is offered again');
  });

  test('tells everybody who works with the workspace, and nobody else', () => {
    const team = reported();
    const told = ofType(team.ok(gone()), 'mail.sent').flatMap((fact) => ('to' in fact ? fact.to : []));
    expect(told).toEqual(['writer', 'reader', 'lead']);
  });

  test('opens no task of a team that the lead has closed: its end says what is missing', () => {
    const team = reported();
    team.awake('lead');
    team.ok({ kind: 'run.finish', outcome: 'done', result: 'all is well', ...team.in('lead') });
    team.ok(gone(REPORT));
    expect(team.task('#1').state.kind).toBe('completed');
    team.end('lead');
    team.sweep(false, REPORT);
    expect(team.facts('run.ended')).toMatchObject([{ reason: 'unverified', exit: 8 }]);
  });
});

test('of several processes none begins more turns than the run allows at once; one alone sees to that by itself', () => {
  const team = Team.start({ seats: ['lead', 'one', 'two'], limits: { concurrency: 2 } });
  team.mail('operator', 'all');
  const start = (member: string, host?: string): Command => ({
    kind: 'turn.start',
    member,
    cause: 0,
    ...(host === undefined ? {} : { host }),
  });
  team.ok(start('lead', 'vm-1'));
  team.ok(start('one', 'vm-2'));
  expect(team.refusal(start('two', 'vm-3'))).toMatch(/^concurrency: /);
  team.end('one');
  team.ok(start('two', 'vm-3'));
  expect(picture(team.refold())).toBe(picture(team.state));
});
