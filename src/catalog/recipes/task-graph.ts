/** Who waits for whom among the tasks of a recipe: the cycles, so that none reaches the board (spec/team.md §4). */

/**
 * Every cycle that a walk in the given order meets, as the path that closes it: `['a', 'b', 'a']` when `a` waits
 * for `b` and `b` for `a`, `['a', 'a']` when `a` waits for itself. Empty exactly when there is none.
 * @param waitsFor task → the tasks it waits for; names that are no task are passed over
 */
export function findCycles(waitsFor: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (task: string): void => {
    const begin = path.indexOf(task);
    if (begin !== -1) {
      cycles.push([...path.slice(begin), task]);
      return;
    }
    if (done.has(task)) return;
    path.push(task);
    for (const next of waitsFor.get(task) ?? []) visit(next);
    path.pop();
    done.add(task);
  };
  for (const task of waitsFor.keys()) visit(task);
  return cycles;
}
