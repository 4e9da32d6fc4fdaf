/**
 * Runs one command of a verification and tells how it ended. What it runs is the engineer's work, which may be hostile: it
 * forks, writes without end, holds its output open, or never ends. Settles within its deadline and the graces; nothing of
 * it is left running that its group, its marker or its parentage still names.
 */

import { deadlineAfter } from '../../shared/abort.js';
import { systemClock } from '../../shared/clock.js';
import { isDiskFull } from '../../shared/errors.js';
import { closedWithin } from '../../shared/output-closed.js';
import { gentleLadder } from '../../shared/process-ending.js';
import type { GroupExit, GroupSpec, ProcessGroup, ProcessGroups } from '../../shared/processes.js';
import type { VerifyCommand } from '../brief/brief.js';
import type { VerifyOutcome } from '../brief/result.js';
import { OutputTail } from './output-tail.js';

/** A program that writes more than this writes without end, and takes a processor with it. */
const OUTPUT_BYTES = 256 << 20;

/** Between TERM and KILL. */
const GRACE_MS = 2_000;

/** After the exit, for output that is still in the pipe; a grandchild may hold it open for ever. */
const PIPE_GRACE_MS = 250;

type Cause = 'exit' | 'deadline' | 'cancelled' | 'output';

export interface CommandBounds {
  /** Of the command alone. */
  readonly timeoutMs: number;
  /** How much of the end of its output is told; errors stand there. */
  readonly tailBytes: number;
  /** Ends it: the whole verification was called off. */
  readonly signal: AbortSignal;
  /** Ends it: the time of the whole verification is over. */
  readonly deadline: AbortSignal;
}

/** @param spec what to start for the command: its program may be a wrapper */
export async function runCommand(
  groups: Pick<ProcessGroups, 'start'>,
  { key, argv }: VerifyCommand,
  spec: GroupSpec,
  bounds: CommandBounds,
): Promise<VerifyOutcome> {
  const began = systemClock.monotonicMs();
  const told = (rest: Pick<VerifyOutcome, 'exit' | 'outcome' | 'tail'>): VerifyOutcome => ({
    key,
    argv,
    ...rest,
    ms: Math.round(systemClock.monotonicMs() - began),
  });
  const start = await groups.start(spec);
  // That says nothing of the work, and the next command would not be written down either.
  if (start.kind === 'failed' && isDiskFull(start.error)) throw start.error;
  if (start.kind === 'failed')
    return told({ exit: null, outcome: 'not_started', tail: `it could not be started: ${start.reason}` });
  const { group } = start;
  const output = new OutputTail(bounds.tailBytes);
  const cause = await firstCause(group, output, bounds);
  // Whatever it left behind is ended as well, so that no later command meets it.
  const ending = await group.end(gentleLadder(GRACE_MS));
  await closedWithin(group.output, PIPE_GRACE_MS);
  group.output.destroy();
  const exit = cause === 'exit' ? await group.exited : null;
  const left =
    ending.left.length === 0 ? '' : `\nprocesses that could not be ended: ${ending.left.join(', ')}`;
  return told({ ...verdict(cause, exit, bounds), tail: `${output.text()}${note(cause, exit)}${left}` });
}

/** Reads the output, and waits for the first reason to stop. */
function firstCause(group: ProcessGroup, output: OutputTail, bounds: CommandBounds): Promise<Cause> {
  const { signal, deadline, timeoutMs } = bounds;
  const either = AbortSignal.any([signal, deadline, deadlineAfter(timeoutMs)]);
  return new Promise((resolve) => {
    const settle = (cause: Cause): void => {
      either.removeEventListener('abort', stop);
      resolve(cause);
    };
    const stop = (): void => settle(signal.aborted ? 'cancelled' : 'deadline');
    group.output.on('data', (chunk: Buffer) => {
      output.push(chunk);
      if (output.total > OUTPUT_BYTES) settle('output');
    });
    void group.exited.then(() => settle('exit'));
    either.addEventListener('abort', stop, { once: true });
    if (either.aborted) stop();
  });
}

function verdict(
  cause: Cause,
  exit: GroupExit | null,
  { signal }: CommandBounds,
): Pick<VerifyOutcome, 'exit' | 'outcome'> {
  if (cause === 'deadline') return { exit: null, outcome: 'timed_out' };
  if (cause === 'cancelled' || signal.aborted) return { exit: null, outcome: 'cancelled' };
  const code = exit?.kind === 'exited' ? exit.code : null;
  return { exit: code, outcome: code === 0 ? 'passed' : 'failed' };
}

function note(cause: Cause, exit: GroupExit | null): string {
  if (cause === 'output') return `\nended: it wrote more than ${OUTPUT_BYTES} bytes`;
  return exit?.kind === 'signalled' ? `\nended by ${exit.signal}` : '';
}
