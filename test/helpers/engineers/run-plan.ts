/** Runs a plan as a process group of its own and reads its lines: what a runner does, and no more than a test needs. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  Engineer,
  EngineerEnd,
  EngineerEvent,
  EngineerOrder,
  EngineerUsage,
  EngineerVoice,
} from '../../../src/delegate/engineers/engineer.js';
import { LineSplitter } from '../../../src/shared/jsonl.js';
import { KILL_LADDER } from '../../../src/shared/process-ending.js';
import { type GroupExit, ProcessGroups } from '../../../src/shared/processes.js';
import { putFiles } from '../repository.js';

export interface Ran {
  readonly exit: GroupExit;
  readonly lines: readonly string[];
  readonly events: readonly EngineerEvent[];
  readonly end: EngineerEnd;
  readonly usage: EngineerUsage;
  /** What was noted for its transcript. */
  readonly notes: readonly string[];
}

/** For a reader that speaks with nobody. */
export const MUTE: EngineerVoice = { say: () => {}, event: () => {}, note: () => {}, hangUp: () => {} };

export interface RunOptions {
  /** Added to the environment, under what the plan says. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends it from outside; what it was doing then is up to the test. */
  readonly signal?: AbortSignal;
}

const LINE_BYTES = 4 << 20;

/** Author and committer for what it commits: its home is empty. */
const ADA = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};

/** Plans an order, runs it to its end, and gives what was read. A refused plan fails the test. */
export async function runPlan(
  engineer: Engineer,
  order: EngineerOrder,
  options: RunOptions = {},
): Promise<Ran> {
  const plan = engineer.plan(order);
  if (plan.kind === 'refused') throw new Error(`it was refused: ${plan.detail}`);
  const { program, args, stdin, env, files } = plan.start;
  await mkdir(order.home, { recursive: true });
  await putFiles(order.home, files);
  const groups = new ProcessGroups({ folder: null });
  const path = process.env['PATH'] ?? '';
  const start = await groups.start({
    program,
    args,
    cwd: order.directory,
    env: { PATH: path, ...ADA, ...options.env, ...order.settings.env, ...env, HOME: order.home },
    ...(engineer.speaks ? { keepsInput: true } : { input: stdin }),
  });
  if (start.kind === 'failed') throw new Error(start.reason);
  const { group } = start;
  const end = (): void => void group.end(KILL_LADDER);
  options.signal?.addEventListener('abort', end);
  try {
    const lines: string[] = [];
    const events: EngineerEvent[] = [];
    const notes: string[] = [];
    const reader = engineer.reader(order, {
      say: (line) => group.input?.write(`${line}\n`),
      event: (event) => events.push(event),
      note: (sentence) => notes.push(sentence),
      hangUp: () => group.input?.end(),
    });
    const take = (line: string): void => {
      lines.push(line);
      events.push(...reader.line(line));
    };
    const splitter = new LineSplitter(LINE_BYTES);
    for await (const chunk of group.output) splitter.push(chunk as Buffer).forEach(take);
    const rest = splitter.end();
    if (rest !== undefined) take(rest);
    const exit = await group.exited;
    await reader.over?.();
    return { exit, lines, events, end: reader.end(exit), usage: reader.usage(), notes };
  } finally {
    options.signal?.removeEventListener('abort', end);
    await group.end(KILL_LADDER);
  }
}

/** An order with every field set: work in `tree`, with a home beside it. */
export function engineerOrder(
  tree: string,
  {
    settings,
    ...order
  }: Partial<Omit<EngineerOrder, 'settings'>> & {
    readonly settings?: Partial<EngineerOrder['settings']>;
  },
): EngineerOrder {
  return {
    prompt: 'Do what is to be done.',
    safety: 'non-destructive',
    deny: [],
    model: null,
    costUsd: null,
    turns: null,
    tree,
    directory: tree,
    home: join(tree, '..', 'home'),
    ...order,
    settings: { path: '', args: [], env: {}, projectSettings: false, mayBeFull: false, ...settings },
  };
}
