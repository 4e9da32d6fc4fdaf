import { array, assert, integer, property, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findCycles } from '../../../src/catalog/recipes/task-graph.js';

describe('cycles among tasks', () => {
  test('a diamond has none, and names that are no task are passed over', () => {
    const graph = new Map([
      ['d', ['b', 'c']],
      ['b', ['a', 'missing']],
      ['c', ['a']],
      ['a', []],
    ]);
    expect(findCycles(graph)).toEqual([]);
  });

  test('two cycles apart from each other are both told', () => {
    const graph = new Map([
      ['a', ['a']],
      ['b', ['c']],
      ['c', ['b']],
    ]);
    expect(findCycles(graph)).toEqual([
      ['a', 'a'],
      ['b', 'c', 'b'],
    ]);
  });

  test('in any graph: every path told is a cycle, and none is told exactly when all tasks can be done in some order', async () => {
    const edge = tuple(integer({ min: 0, max: 7 }), integer({ min: 0, max: 7 }));
    await assert(
      property(array(edge, { maxLength: 16 }), (edges) => {
        const graph = new Map(Array.from({ length: 8 }, (_, id) => [String(id), [] as string[]]));
        for (const [from, to] of edges) graph.get(String(from))?.push(String(to));
        const cycles = findCycles(graph);
        for (const cycle of cycles) {
          expect(cycle[0]).toBe(cycle.at(-1));
          cycle.slice(1).forEach((next, at) => {
            expect(graph.get(cycle[at] ?? '')).toContain(next);
          });
        }
        const done = new Set<string>();
        for (let round = 0; round < 8; round++) {
          for (const [id, waits] of graph) if (waits.every((other) => done.has(other))) done.add(id);
        }
        expect(cycles.length === 0).toBe(done.size === graph.size);
      }),
    );
  });
});
