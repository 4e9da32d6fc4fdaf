/**
 * A program: it ends groups of processes when the pipe from the runner that started it closes, whatever became of that
 * runner (spec/runner.md §3 "Engineer"). It says nothing, keeps nothing, and ends by itself.
 *
 * Lines on its standard input: `{"guards": target}` before the work of a group begins, `{"ended": marker}` behind its end.
 */

import { isObject } from '../../shared/is-object.js';
import { LineSplitter } from '../../shared/jsonl.js';
import { type EndTarget, endProcesses, gentleLadder } from '../../shared/process-ending.js';
import { systemProcessTable } from '../../shared/process-table.js';

/** Between TERM and KILL; what is left must be gone two seconds after its runner. */
const GRACE_MS = 500;

const LINE_BYTES = 64 << 10;

watch();

function watch(): void {
  const targets = new Map<string, EndTarget>();
  const lines = new LineSplitter(LINE_BYTES);
  process.stdin.on('data', (chunk: Buffer) => {
    for (const line of lines.push(chunk)) hear(JSON.parse(line), targets);
  });
  process.stdin.once('close', () => {
    const table = systemProcessTable();
    for (const target of targets.values()) void endProcesses(target, gentleLadder(GRACE_MS), table);
  });
}

function hear(word: unknown, targets: Map<string, EndTarget>): void {
  if (!isObject(word)) return;
  const { guards, ended } = word;
  if (isTarget(guards)) targets.set(guards.marker, guards);
  if (typeof ended === 'string') targets.delete(ended);
}

function isTarget(value: unknown): value is EndTarget {
  return isObject(value) && typeof value['marker'] === 'string' && 'group' in value;
}
