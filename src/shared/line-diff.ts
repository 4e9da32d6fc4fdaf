/**
 * The difference of two texts by lines, as a unified diff. Pure, and bounded: where the shortest difference would
 * take too long to find, everything between the common beginning and the common end is one change.
 */

interface Edit {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
}

/** Unchanged lines shown around a change. */
const CONTEXT = 3;

/** Changed lines up to which the shortest difference is looked for; work and memory grow with the square of it. */
const MAX_CHANGES = 500;

/** Hunks of a unified diff without file names; empty when the texts have the same lines. */
export function lineDiff(before: string, after: string): string[] {
  const edits = editsOf(linesOf(before), linesOf(after));
  return hunks(edits);
}

/** A text that ends without a line break differs from one that does. */
function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push('\\ no line break at the end');
  return lines;
}

function editsOf(before: readonly string[], after: readonly string[]): Edit[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end++;
  }
  const kept = (lines: readonly string[]): Edit[] => lines.map((line) => ({ sign: ' ', line }));
  const middle = changed(before.slice(start, before.length - end), after.slice(start, after.length - end));
  return [...kept(before.slice(0, start)), ...middle, ...kept(before.slice(before.length - end))];
}

/** The greedy algorithm of Myers: how far each diagonal gets with one more change, then the way back. */
function changed(before: readonly string[], after: readonly string[]): Edit[] {
  const most = Math.min(before.length + after.length, MAX_CHANGES);
  const rounds: Map<number, number>[] = [];
  let reach = new Map<number, number>([[1, 0]]);
  for (let changes = 0; changes <= most; changes++) {
    const next = new Map(reach);
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = firstOf(reach, diagonal, changes);
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++;
      next.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length)
        return wayBack(before, after, [...rounds, reach]);
    }
    rounds.push(reach);
    reach = next;
  }
  return [
    ...before.map((line): Edit => ({ sign: '-', line })),
    ...after.map((line): Edit => ({ sign: '+', line })),
  ];
}

/** Where a diagonal starts: one line down from the diagonal above, or one to the right from that below. */
function firstOf(reach: ReadonlyMap<number, number>, diagonal: number, changes: number): number {
  return fromAbove(reach, diagonal, changes) ? at(reach, diagonal + 1) : at(reach, diagonal - 1) + 1;
}

function fromAbove(reach: ReadonlyMap<number, number>, diagonal: number, changes: number): boolean {
  if (diagonal === -changes) return true;
  return diagonal !== changes && at(reach, diagonal - 1) < at(reach, diagonal + 1);
}

function at(reach: ReadonlyMap<number, number>, diagonal: number): number {
  return reach.get(diagonal) ?? 0;
}

function wayBack(
  before: readonly string[],
  after: readonly string[],
  rounds: readonly ReadonlyMap<number, number>[],
): Edit[] {
  const edits: Edit[] = [];
  let x = before.length;
  let y = after.length;
  for (let changes = rounds.length - 1; changes >= 0; changes--) {
    const reach = rounds[changes] ?? new Map<number, number>();
    const diagonal = x - y;
    const above = fromAbove(reach, diagonal, changes);
    const previous = diagonal + (above ? 1 : -1);
    const fromX = at(reach, previous);
    const fromY = fromX - previous;
    while (x > fromX && y > fromY) {
      edits.push({ sign: ' ', line: before[x - 1] ?? '' });
      x--;
      y--;
    }
    if (changes === 0) break;
    if (above) edits.push({ sign: '+', line: after[y - 1] ?? '' });
    else edits.push({ sign: '-', line: before[x - 1] ?? '' });
    x = fromX;
    y = fromY;
  }
  return edits.reverse();
}

function hunks(edits: readonly Edit[]): string[] {
  const lines: string[] = [];
  let old = 1;
  let fresh = 1;
  let open: { readonly edits: Edit[]; readonly old: number; readonly fresh: number } | null = null;
  const close = (): void => {
    if (open === null) return;
    const count = (sign: '-' | '+'): number =>
      (open?.edits ?? []).filter((edit) => edit.sign === ' ' || edit.sign === sign).length;
    lines.push(`@@ -${range(open.old, count('-'))} +${range(open.fresh, count('+'))} @@`);
    lines.push(...open.edits.map(({ sign, line }) => `${sign}${line}`));
    open = null;
  };
  for (const [place, edit] of edits.entries()) {
    const near = edits
      .slice(Math.max(0, place - CONTEXT), place + CONTEXT + 1)
      .some(({ sign }) => sign !== ' ');
    if (near) {
      open ??= { edits: [], old, fresh };
      open.edits.push(edit);
    } else {
      close();
    }
    if (edit.sign !== '+') old++;
    if (edit.sign !== '-') fresh++;
  }
  close();
  return lines;
}

/** As in a unified diff: a range of no lines stands behind the line before it. */
function range(first: number, lines: number): string {
  return `${lines === 0 ? first - 1 : first},${lines}`;
}
