import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { boardEdges, dependents, findCycle, isReady, readySince, waitingOn } from '../../src/team/board.js';
import { OPERATOR } from '../helpers/build-start.js';
import { Team } from '../helpers/build-state.js';

/** `#2` waits on `#1`; `upstream` says what it does when that ends badly. */
function pair(upstream: 'wait' | 'continue_with_missing' | 'fail' = 'wait'): Team {
  const team = Team.start({ tasks: [{ key: 'a' }, { blocked_by: ['a'], upstream }] });
  team.awake('lead');
  team.awake('worker');
  return team;
}

const waits = (team: Team, id: string): string[] => waitingOn(team.state, team.task(id));

test('a task waits until what it depends on is completed, and is ready then, since then', () => {
  const team = pair();
  expect(waits(team, '#2')).toEqual(['#1']);
  expect(isReady(team.state, team.task('#2'))).toBe(false);
  team.claim('worker', '#1');
  expect(waits(team, '#2')).toEqual(['#1']);
  const number = team.state.next;
  team.ok(team.completion('worker', '#1'));
  expect(waits(team, '#2')).toEqual([]);
  expect(isReady(team.state, team.task('#2'))).toBe(true);
  expect(readySince(team.state, team.task('#2'))).toBe(number);
});

test('only a task that may continue with missing results goes on after a failure', () => {
  for (const upstream of ['wait', 'continue_with_missing', 'fail'] as const) {
    const team = pair(upstream);
    team.ok(team.update('#1', { status: 'failed' }));
    expect(isReady(team.state, team.task('#2'))).toBe(upstream === 'continue_with_missing');
  }
});

test('a claimed task is not ready, whatever it waits on', () => {
  const team = pair();
  team.claim('worker', '#1');
  expect(isReady(team.state, team.task('#1'))).toBe(false);
});

test('dependents are the tasks that wait directly', () => {
  const team = Team.start({ tasks: [{ key: 'a' }, { key: 'b', blocked_by: ['a'] }, { blocked_by: ['b'] }] });
  expect(dependents(team.state, '#1').map((task) => task.id)).toEqual(['#2']);
  team.ok({ kind: 'task.create', by: OPERATOR, tasks: [{ ...team.task('#2').spec, key: null }] });
  expect(dependents(team.state, '#1').map((task) => task.id)).toEqual(['#2', '#4']);
});

test('the edges of the board are a copy', () => {
  const team = pair();
  boardEdges(team.state).get('#2')?.clear();
  expect(waits(team, '#2')).toEqual(['#1']);
});

const edges = (text: string): Map<string, Set<string>> =>
  new Map(text.split(' ').map((pair) => [pair.charAt(0), new Set(pair.slice(2))]));

test.each([
  ['a: b: c:', undefined],
  ['a:bc b:d c:d d:', undefined],
  ['a:a', ['a', 'a']],
  ['a:b b:a', ['a', 'b', 'a']],
  ['a:b b:c c:b', ['b', 'c', 'b']],
  ['a:b b:c c:d d:a', ['a', 'b', 'c', 'd', 'a']],
  ['a:z', undefined],
])('the cycle of %j is %j', (text, cycle) => {
  expect(findCycle(edges(text))).toEqual(cycle);
});

test('a cycle is found exactly when there is no order in which all tasks could be done', () => {
  const graph = fc.array(fc.uniqueArray(fc.nat(6), { maxLength: 3 }), { minLength: 7, maxLength: 7 });
  void fc.assert(
    fc.property(graph, (lists) => {
      const map = new Map(lists.map((list, node) => [String(node), new Set(list.map(String))]));
      const cycle = findCycle(map);
      for (let place = 0; cycle !== undefined && place + 1 < cycle.length; place++)
        expect(map.get(cycle[place] ?? '')).toContain(cycle[place + 1]);
      const done = new Set<string>();
      for (let more = true; more; ) {
        const next = [...map].find(([node, on]) => !done.has(node) && [...on].every((id) => done.has(id)));
        more = next !== undefined;
        if (next !== undefined) done.add(next[0]);
      }
      expect(cycle === undefined).toBe(done.size === map.size);
    }),
  );
});

test('ten thousand tasks in a row are looked through without a deep call', () => {
  const chain = new Map(Array.from({ length: 10_000 }, (_, node) => [`${node}`, new Set([`${node + 1}`])]));
  expect(findCycle(chain)).toBeUndefined();
});
