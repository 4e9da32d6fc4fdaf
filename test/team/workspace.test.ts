import { describe, expect, test } from 'vitest';
import type { Safety, Seat } from '../../src/events/facts/frozen.js';
import { nextJobs } from '../../src/team/next-jobs.js';
import { isOn, type Place, workspaceUse } from '../../src/team/workspace.js';
import { Team } from '../helpers/build-state.js';
import { FETCHES, READS, WRITES } from './given-teams.js';

const tool = (name: string, of: Seat['tools'][number]['class']): Seat['tools'][number] => ({
  name,
  class: of,
  entry: null,
});
const SHELL = tool('shell_exec', 'write');
const DELEGATES = tool('delegate_engineer', 'write');
const TALKS = tool('team_send_message', 'coordination');

describe('what a seat does with the workspace', () => {
  test.each([
    ['nothing by coordination alone', [TALKS], 'full', 'none'],
    ['nothing by fetching pages', [TALKS, FETCHES], 'full', 'none'],
    ['reads with a tool that reads', [TALKS, READS], 'full', 'reads'],
    ['writes with a tool that writes', [READS, WRITES], 'non-destructive', 'writes'],
    ['writes with a tool that destroys', [tool('fs_delete', 'destructive')], 'full', 'writes'],
    ['writes with a shell', [SHELL], 'non-destructive', 'writes'],
    ['reads with a shell where the run is read-only', [SHELL], 'read-only', 'reads'],
    ['writes by an engineer, who delivers into the repository', [DELEGATES], 'non-destructive', 'writes'],
    ['reads for an engineer that only reads', [DELEGATES], 'read-only', 'reads'],
    [
      'writes with a tool of an entry',
      [{ ...tool('format', 'write'), entry: 'skill:format' }],
      'full',
      'writes',
    ],
  ] as const satisfies readonly (readonly [string, Seat['tools'], Safety, string])[])(
    '%s',
    (_, tools, safety, use) => {
      expect(workspaceUse({ tools: [...tools] }, safety)).toBe(use);
    },
  );
});

describe('where turns are served', () => {
  const seats = (...tools: Seat['tools'][number][]) => [
    'lead',
    { member: 'one', tools },
    { member: 'reader', tools: [READS] },
  ];

  function placesOf(team: Team): Record<string, Place> {
    team.mail('operator', 'all');
    return Object.fromEntries(nextJobs(team.state, team.now).map(({ member, place }) => [member, place]));
  }

  test('anywhere, of a team that writes no workspace', () => {
    expect(placesOf(Team.start({ seats: seats(READS) }))).toEqual({ lead: 'any', one: 'any', reader: 'any' });
    const readOnly = Team.start({ seats: seats(WRITES), safety: 'read-only' });
    expect(placesOf(readOnly)).toEqual({ lead: 'any', one: 'any', reader: 'any' });
  });

  test('of a workspace on no machine yet, where whoever writes it binds it first', () => {
    expect(placesOf(Team.start({ seats: seats(WRITES) }))).toEqual({
      lead: 'any',
      one: 'binds',
      reader: 'any',
    });
  });

  test('of a bound one on its machine, for whoever writes it and whoever reads what others write', () => {
    const team = Team.start({ seats: seats(WRITES) });
    team.ok({ kind: 'workspace.bind', host: 'vm-1', commit: 'c1' });
    const there = { host: 'vm-1' };
    expect(placesOf(team)).toEqual({ lead: 'any', one: there, reader: there });
    team.ok({ kind: 'workspace.lose', host: 'vm-1', detail: 'gone', missingArtifacts: [] });
    expect(placesOf(team)).toEqual({ lead: 'any', one: 'binds', reader: 'any' });
  });

  test('an on-demand seat that could write binds the team from the start', () => {
    const helper = { member: 'helper', on_demand: true, tools: [WRITES] };
    const team = Team.start({ seats: ['lead', { member: 'reader', tools: [READS] }, helper] });
    expect(team.state.workspace.written).toBe(true);
    team.ok({ kind: 'workspace.bind', host: 'vm-1', commit: null });
    expect(placesOf(team)).toEqual({ lead: 'any', reader: { host: 'vm-1' } });
  });

  test('of one that nobody else can make, where the run was started, for all who use it', () => {
    const alone = { path: '/workspace', kind: 'directory', host: 'vm-0' } as const;
    const there = { host: 'vm-0' };
    const written = Team.start({ seats: seats(WRITES), workspace: alone });
    expect(placesOf(written)).toEqual({ lead: 'any', one: there, reader: there });
    const read = Team.start({ seats: seats(READS), workspace: alone });
    expect(placesOf(read)).toEqual({ lead: 'any', one: there, reader: there });
  });

  test.each([
    ['empty', null],
    [{ repo: 'https://git.example/one', commit: 'c0' }, 'c0'],
  ] as const)('of one that others make from %j, where they bind it', (source, commit) => {
    const workspace = { path: '/workspace', kind: 'directory', host: 'vm-0', source } as const;
    const team = Team.start({ seats: seats(WRITES), workspace });
    expect(team.state.workspace).toEqual({ written: true, host: null, commit, losses: 0 });
    expect(placesOf(team)).toEqual({ lead: 'any', one: 'binds', reader: 'any' });
  });

  test('the files are on the machine that it is bound to, and before on the one it was started on', () => {
    const source = { repo: 'https://git.example/one', commit: 'c0' };
    const workspace = { path: '/workspace', kind: 'directory', host: 'vm-0', source } as const;
    const team = Team.start({ seats: seats(WRITES), workspace });
    const on = (): readonly string[] => ['vm-0', 'vm-1', 'vm-2'].filter((host) => isOn(team.state, host));
    expect(on()).toEqual(['vm-0']);
    team.ok({ kind: 'workspace.bind', host: 'vm-1', commit: 'c0' });
    expect(on()).toEqual(['vm-1']);
    team.ok({ kind: 'workspace.lose', host: 'vm-1', detail: 'gone', missingArtifacts: [] });
    expect(on()).toEqual([]);
    expect(team.state.workspace.losses).toBe(1);
    team.ok({ kind: 'workspace.bind', host: 'vm-2', commit: 'c0' });
    expect(on()).toEqual(['vm-2']);
    expect(isOn(Team.start({ seats: seats(WRITES) }).state, 'anywhere')).toBe(true);
  });

  test('a run in one process asks for none of it', () => {
    const team = Team.start({ seats: seats(WRITES) });
    team.mail('operator', 'all');
    for (const member of ['one', 'reader']) team.ok({ kind: 'turn.start', member, cause: 0 });
    expect(team.facts('turn.started').every((fact) => !('host' in fact) && !('worker' in fact))).toBe(true);
  });
});
