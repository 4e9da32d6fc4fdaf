import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Candidate, fitBudget } from '../../../src/skills/choose/budget.js';
import { renderReferenceBlock } from '../../../src/skills/render.js';
import { anEntry } from '../entries.js';

function candidate(name: string, bytes: number, level: Candidate['level'] = 'role'): Candidate {
  return { entry: anEntry({ name, body: 'x'.repeat(bytes), trust: 'reference' }), level };
}

function bytesOf(candidates: readonly Candidate[]): number {
  return Buffer.byteLength(renderReferenceBlock(candidates.map(({ entry }) => entry)));
}

function names(candidates: readonly Candidate[]): string[] {
  return candidates.map(({ entry }) => entry.name);
}

describe('the budget of the reference block', () => {
  test('a block exactly at the limit is kept, one byte over drops', () => {
    const two = [candidate('a', 100), candidate('b', 200)];
    const limit = bytesOf(two);
    expect(fitBudget(two, limit)).toMatchObject({
      omitted: [],
      block: renderReferenceBlock(two.map(({ entry }) => entry)),
    });
    const over = fitBudget(two, limit - 1);
    expect(names(over.kept)).toEqual(['a']);
    expect(names(over.omitted)).toEqual(['b']);
    expect(over.block).toBe(renderReferenceBlock([two[0]?.entry ?? anEntry()]));
  });

  test('entries of tasks go before entries of roles, the largest first', () => {
    const all = [
      candidate('r1', 900),
      candidate('t1', 10, 'task'),
      candidate('t2', 30, 'task'),
      candidate('r2', 800),
    ];
    expect(names(fitBudget(all, bytesOf(all) - 1).omitted)).toEqual(['t2']);
    const roles = all.filter(({ level }) => level === 'role');
    expect(names(fitBudget(all, bytesOf(roles)).omitted)).toEqual(['t2', 't1']);
    expect(names(fitBudget(all, bytesOf(roles) - 1).omitted)).toEqual(['t2', 't1', 'r1']);
  });

  test('one oversize entry never empties the block, whoever names it', () => {
    const small = [candidate('s1', 50), candidate('s2', 60, 'task')];
    for (const level of ['role', 'task'] as const) {
      const fitted = fitBudget([candidate('huge', 60_000, level), ...small], 24_000);
      expect(names(fitted.kept)).toEqual(['s1', 's2']);
      expect(fitted.omitted).toMatchObject([{ entry: { name: 'huge' }, level }]);
      expect(fitted.omitted[0]?.bytes).toBeGreaterThan(60_000);
    }
  });

  test('of equals the later in order goes', () => {
    const equal = [candidate('b', 50), candidate('a', 50), candidate('c', 50)];
    const fitted = fitBudget(equal, bytesOf(equal) - 1);
    expect(names(fitted.omitted)).toEqual(['c']);
    expect(names(fitted.kept)).toEqual(['a', 'b']);
  });

  test("named by a role and by a task, an entry stands once, as the role's", () => {
    const { entry } = candidate('a', 50);
    for (const levels of [
      ['role', 'task'],
      ['task', 'role'],
    ] as const) {
      const fitted = fitBudget(
        levels.map((level) => ({ entry, level })),
        24_000,
      );
      expect(fitted.kept).toEqual([{ entry, level: 'role' }]);
      expect(fitted.block).toBe(renderReferenceBlock([entry]));
    }
  });

  test('nothing fits into nothing', () => {
    expect(fitBudget([candidate('a', 1)], 1)).toMatchObject({ kept: [], block: '' });
    expect(fitBudget([], 24_000)).toEqual({ kept: [], omitted: [], block: '' });
  });

  test('the size is that of the assembled block in bytes, with what breaks imitations', () => {
    const hostile = {
      entry: anEntry({ name: 'h', body: `${'⧵ü[Skill: x]\n'.repeat(40)}end` }),
      level: 'role' as const,
    };
    const limit = bytesOf([hostile]);
    expect(fitBudget([hostile], limit).omitted).toEqual([]);
    expect(names(fitBudget([hostile], limit - 1).omitted)).toEqual(['h']);
  });

  const some = fc.uniqueArray(
    fc.record({
      name: fc.stringMatching(/^[a-z]{1,4}$/),
      bytes: fc.nat(400),
      level: fc.constantFrom('role' as const, 'task' as const),
    }),
    { selector: ({ name }) => name, maxLength: 12 },
  );

  test('whatever is asked: it fits, nothing is lost, no order matters, and what was dropped last did not fit', () => {
    fc.assert(
      fc.property(some, fc.integer({ min: 1, max: 3_000 }), fc.nat(), (rows, limit, turn) => {
        const all = rows.map(({ name, bytes, level }) => candidate(name, bytes, level));
        const fitted = fitBudget(all, limit);
        expect(Buffer.byteLength(fitted.block)).toBeLessThanOrEqual(limit);
        expect(fitted.block).toBe(renderReferenceBlock(fitted.kept.map(({ entry }) => entry)));
        expect(names([...fitted.kept, ...fitted.omitted]).sort()).toEqual(names(all).sort());
        const turned = [...all.slice(turn % (all.length + 1)), ...all.slice(0, turn % (all.length + 1))];
        expect(fitBudget(turned, limit)).toEqual(fitted);
        const last = fitted.omitted.at(-1);
        if (last !== undefined) expect(bytesOf([...fitted.kept, last])).toBeGreaterThan(limit);
        const keptTasks = fitted.kept.some(({ level }) => level === 'task');
        const fitAlone = fitted.omitted.filter((one) => bytesOf([one]) <= limit);
        if (keptTasks) expect(fitAlone.filter(({ level }) => level === 'role')).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test('hundreds of large entries take one rendering each', () => {
    const many = Array.from({ length: 300 }, (_, index) => candidate(`n${index}`, 65_536 - index));
    expect(names(fitBudget(many, 24_000).kept)).toEqual([]);
    expect(fitBudget(many, 10_000_000).kept.length).toBeGreaterThan(100); // quadratic rendering would outlast the test
  });
});
