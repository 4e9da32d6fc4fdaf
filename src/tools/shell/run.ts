/** Runs one program as a group, within its deadline and bounds, and tells how it ended (shell-exec.ts S3). */

import type { ToolResult } from '../../agent/tool.js';
import { failed, ok } from '../../agent/tool.js';
import { doWithin } from '../../shared/abort.js';
import { assertNever } from '../../shared/assert-never.js';
import { closedWithin } from '../../shared/output-closed.js';
import type { Ending } from '../../shared/process-ending.js';
import { gentleLadder } from '../../shared/process-ending.js';
import type { GroupExit, GroupSpec, ProcessGroup, ProcessGroups } from '../../shared/processes.js';
import { NO_SECRETS, type Redactor } from '../../shared/secrets/redactor.js';
import { type CleanBytes, cleanBytes } from '../files/clean-bytes.js';
import { HeadTail } from '../head-tail.js';

export interface ShellLimits {
  readonly timeoutMs: number;
  /** Between TERM and KILL. */
  readonly graceMs: number;
  /** The output is kept without what is secret; absent: nothing is known to be. */
  readonly secrets?: Redactor;
}

const HEAD_BYTES = 8 * 1024;
const TAIL_BYTES = 24 * 1024;

/** A program that writes more than this writes without end, and takes a processor with it. */
const OUTPUT_BYTES = 256 * 1024 * 1024;

/** After the exit, for output still in the pipe; a grandchild may hold it open for ever. */
const PIPE_GRACE_MS = 150;

/** For what the command left in the background: settled within a second of its exit (case Q38). */
const BACKGROUND_GRACE_MS = 300;

type Cause = 'exit' | 'deadline' | 'cancelled' | 'output';

/** Settles within the deadline and the grace, whatever the program does. */
export async function runShell(
  groups: Pick<ProcessGroups, 'start'>,
  spec: GroupSpec,
  limits: ShellLimits,
  signal: AbortSignal,
): Promise<ToolResult> {
  const start = await groups.start(spec);
  if (start.kind === 'failed') return failed(`the command could not be started: ${start.reason}`);
  const { group } = start;
  const output = new HeadTail(HEAD_BYTES, TAIL_BYTES);
  const clean = cleanBytes(limits.secrets ?? NO_SECRETS);
  const cause = await firstCause(group, { output, clean }, limits.timeoutMs, signal);
  const cut = cause === 'exit' ? undefined : await group.end(gentleLadder(limits.graceMs));
  await closedWithin(group.output, PIPE_GRACE_MS);
  // Also after a normal exit: ends what was left in the background, and removes the record.
  const rest = await group.end(gentleLadder(BACKGROUND_GRACE_MS));
  await closedWithin(group.output, PIPE_GRACE_MS);
  group.output.destroy();
  output.push(clean.end());
  const exit = cause === 'exit' ? await group.exited : undefined;
  return result(exit, cause, cut, rest, limits, output);
}

/** Reads the output, and waits for the first reason to stop. */
async function firstCause(
  group: ProcessGroup,
  { output, clean }: { readonly output: HeadTail; readonly clean: CleanBytes },
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Cause> {
  let written = 0;
  const first = (either: AbortSignal): Promise<Cause> =>
    new Promise((resolve) => {
      const settle = (cause: Cause): void => {
        either.removeEventListener('abort', stop);
        resolve(cause);
      };
      const stop = (): void => settle(signal.aborted ? 'cancelled' : 'deadline');
      group.output.on('data', (chunk: Buffer) => {
        output.push(clean.push(chunk));
        written += chunk.length;
        if (written > OUTPUT_BYTES) settle('output');
      });
      void group.exited.then(() => settle('exit'));
      either.addEventListener('abort', stop, { once: true });
      if (either.aborted) stop();
    });
  return doWithin(signal, timeoutMs, first);
}

function result(
  exit: GroupExit | undefined,
  cause: Cause,
  cut: Ending | undefined,
  rest: Ending,
  limits: ShellLimits,
  output: HeadTail,
): ToolResult {
  const left = [...new Set([...(cut?.left ?? []), ...rest.left])];
  const lines = [
    causeText(exit, cause, cut, limits),
    ...(cause === 'exit' && rest.found > 0 ? [backgroundText(rest)] : []),
    ...(left.length > 0 ? [`processes that could not be ended: ${left.join(', ')}`] : []),
    output.total === 0 ? '(no output)' : output.text().trimEnd(),
  ];
  const text = lines.join('\n');
  return exit?.kind === 'exited' && exit.code === 0 ? ok(text) : failed(text);
}

function causeText(
  exit: GroupExit | undefined,
  cause: Cause,
  cut: Ending | undefined,
  limits: ShellLimits,
): string {
  const by = cut?.signal === null || cut === undefined ? 'by itself' : `with ${cut.signal}`;
  switch (cause) {
    case 'exit':
      return exit?.kind === 'signalled' ? `ended by ${exit.signal}` : `exit ${exit?.code}`;
    case 'deadline':
      return `not finished: ended ${by} at its deadline of ${limits.timeoutMs} ms`;
    case 'cancelled':
      return `not finished: cancelled, ended ${by}`;
    case 'output':
      return `not finished: it wrote more than ${OUTPUT_BYTES} bytes, ended ${by}`;
    default:
      return assertNever(cause, 'cause');
  }
}

function backgroundText(rest: Ending): string {
  const what = rest.found === 1 ? '1 process was' : `${rest.found} processes were`;
  return `${what} still running in the background and ended with ${rest.signal}`;
}
