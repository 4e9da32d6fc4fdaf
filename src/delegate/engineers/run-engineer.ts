/**
 * Runs an engineer: starts its program as a group, reads what it says, ends it and all that came out of it (spec/runner.md
 * §3 "Engineer", "Framing"). The same for every kind; a kind is an adapter (`engineer.ts`).
 *
 *  E1 the exit is the process's, never the pipe's: a grandchild that holds the output open holds nothing up (Q38);
 *  E2 whatever the reason it ends for, nothing of its group is left when this settles, or the pids that are left are told;
 *  E3 memory is bounded: lines are, what is kept of them is the reader's, and the output goes to the transcript as it comes;
 *  E4 a program that announces itself and does not is ended, not waited for (B28), and so is one that writes more than an
 *     engineer may; no event for long is said, not judged;
 *  E5 one that is spoken with has an end in time as well: when it does not read, or stays behind the last word.
 */

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Clock } from '../../shared/clock.js';
import { durationText } from '../../shared/duration.js';
import { errorText, isDiskFull } from '../../shared/errors.js';
import { LineSplitter } from '../../shared/jsonl.js';
import { closedWithin } from '../../shared/output-closed.js';
import { gentleLadder } from '../../shared/process-ending.js';
import type { GroupExit, ProcessGroup, ProcessGroups } from '../../shared/processes.js';
import type { Redactor } from '../../shared/secrets/redactor.js';
import type { EngineerRun } from '../runner/classify.js';
import { OutputTail } from '../verify/output-tail.js';
import type {
  Engineer,
  EngineerEvent,
  EngineerExit,
  EngineerOrder,
  EngineerStart,
  EngineerUsage,
} from './engineer.js';
import { NO_USAGE } from './engineer.js';
import { Transcript, type TranscriptProof } from './transcript.js';

export interface EngineerHouse {
  readonly groups: Pick<ProcessGroups, 'start'>;
  /** All that an engineer sees beside what its adapter and the runner's settings give it: an allow-list. */
  readonly environment: Readonly<Record<string, string>>;
  /** An argv prefix under which it runs (`engineer-wrap`); empty: none. */
  readonly wrap: readonly string[];
  readonly clock: Clock;
  /** What stands in nothing that is told or kept of it. */
  readonly secrets: Redactor;
}

export interface EngineerBounds {
  /** Calls it off. */
  readonly signal: AbortSignal;
  /** All its time, in milliseconds. */
  readonly wallMs: number;
  /** Between TERM and KILL. */
  readonly graceMs: number;
  /** How long a program that announces itself may take to do so. */
  readonly announceMs: number;
  /** Without an event for so long it is said to be stalled. */
  readonly stalledMs: number;
  /** For a program that is spoken with to end by itself, once its conversation is over. */
  readonly lingerMs: number;
  /** All that it may write; a program that writes more writes without end. */
  readonly outputBytes: number;
}

export interface EngineerTold {
  /** Each event as it is read; `stalled` with the time since the last. */
  event(event: EngineerEvent | { readonly kind: 'stalled'; readonly idleMs: number }): void;
}

/** What was seen of it. */
export interface EngineerSeen {
  readonly run: EngineerRun;
  /** Its last words, for the result; empty without any. */
  readonly message: string;
  readonly session: string | null;
  readonly model: string | null;
  readonly version: string | null;
  readonly usage: EngineerUsage;
  readonly noise: { readonly lines: number; readonly oversize: number; readonly bytes: number };
  readonly transcript: TranscriptProof;
  /** Processes of it that could not be ended. */
  readonly left: readonly number[];
}

/** The longest line that is read; a longer one is dropped whole and counted. */
const LINE_BYTES = 8 << 20;

/** Of standard error, for the detail of a crash. */
const ERRORS_BYTES = 4 << 10;

/** After the exit, for output that is still in the pipe. */
const PIPE_GRACE_MS = 500;

/** The most that one timer holds; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The most that is kept for a program that does not read what it is told. */
const UNREAD_BYTES = 64 << 20;

type Cause = 'exit' | 'deadline' | 'cancelled' | 'silent' | 'output' | 'deaf' | 'lingers';

/** @param transcript where the transcript is to be; a file that is there already is an error of the system */
export async function runEngineer(
  engineer: Engineer,
  order: EngineerOrder,
  transcript: string,
  house: EngineerHouse,
  bounds: EngineerBounds,
  told: EngineerTold,
): Promise<EngineerSeen> {
  const written = new Transcript(transcript, order.prompt, house.secrets);
  const nothing = (run: EngineerRun): EngineerSeen => ({
    run,
    message: '',
    session: null,
    model: null,
    version: null,
    usage: NO_USAGE,
    noise: { lines: 0, oversize: 0, bytes: 0 },
    transcript: written.close(),
    left: [],
  });
  const plan = engineer.plan(order);
  if (plan.kind === 'refused') return nothing({ kind: 'not_started', detail: plan.detail });
  if (bounds.signal.aborted) return nothing({ kind: 'cancelled', detail: 'cancelled before it began' });
  try {
    await putHome(order.home, plan.start.files);
  } catch (error) {
    return nothing(notStarted(`its home could not be made: ${errorText(error)}`, error));
  }
  const [program = '', ...args] = [...house.wrap, plan.start.program, ...plan.start.args];
  const start = await house.groups.start({
    program,
    args,
    cwd: order.directory,
    env: environmentOf(house, order, plan.start),
    ...(engineer.speaks ? { keepsInput: true } : { input: plan.start.stdin }),
    errors: 'apart',
  });
  if (start.kind === 'failed') return nothing(notStarted(start.reason, start.error));
  const hearing = new Hearing(engineer, order, written, house, told, start.group.input);
  const { cause, exit, left } = await heard(start.group, hearing, engineer.announces, bounds);
  return { ...hearing.seen(runOf(cause, exit, hearing, bounds)), transcript: written.close(), left };
}

function notStarted(detail: string, error: unknown): EngineerRun {
  return { kind: 'not_started', detail, ...(isDiskFull(error) ? { cause: 'disk_full' } : {}) };
}

function environmentOf(
  house: EngineerHouse,
  order: EngineerOrder,
  start: EngineerStart,
): Readonly<Record<string, string>> {
  return { ...IDENTITY, ...house.environment, ...order.settings.env, ...start.env, HOME: order.home };
}

/** Its home is empty, and without a name git makes no commit; whoever sets it up may give it another. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'bnerd engineer',
  GIT_AUTHOR_EMAIL: 'engineer@bnerd.invalid',
  GIT_COMMITTER_NAME: 'bnerd engineer',
  GIT_COMMITTER_EMAIL: 'engineer@bnerd.invalid',
};

/** Files of the adapter in the home, which is ours until the program begins. */
async function putHome(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  await chmod(home, 0o700);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), text, { mode: 0o600 });
  }
}

/** Reads it to the first reason to stop, ends what is left, takes what is still in the pipe. */
async function heard(
  group: ProcessGroup,
  hearing: Hearing,
  announces: boolean,
  bounds: EngineerBounds,
): Promise<{ readonly cause: Cause; readonly exit: GroupExit | null; readonly left: readonly number[] }> {
  const cause = await firstCause(group, hearing, announces, bounds);
  const exit = cause === 'exit' ? await group.exited : null;
  const ending = await group.end(gentleLadder(bounds.graceMs));
  await closedWithin(group.output, PIPE_GRACE_MS);
  group.output.destroy();
  group.errors?.destroy();
  group.input?.destroy();
  await hearing.over();
  return { cause, exit, left: ending.left };
}

function firstCause(
  group: ProcessGroup,
  hearing: Hearing,
  announces: boolean,
  { signal, wallMs, announceMs, stalledMs, lingerMs, outputBytes }: EngineerBounds,
): Promise<Cause> {
  return new Promise((resolve) => {
    let settled = false;
    const timers = [
      setTimeout(() => settle('deadline'), Math.min(wallMs, LONGEST_TIMER_MS)),
      ...(announces ? [setTimeout(() => hearing.began || settle('silent'), announceMs)] : []),
      setInterval(() => hearing.stalled(stalledMs), stalledMs / 5),
    ];
    const cancel = (): void => settle('cancelled');
    const settle = (cause: Cause): void => {
      settled = true;
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      resolve(cause);
    };
    group.output.on('data', (chunk: Buffer) => {
      hearing.output(chunk);
      if (hearing.bytes > outputBytes) settle('output');
    });
    group.errors?.on('data', (chunk: Buffer) => hearing.errors.push(chunk));
    signal.addEventListener('abort', cancel, { once: true });
    void group.exited.then(() => settle('exit'));
    void hearing.spoken.then((how) => {
      if (how === 'deaf') settle('deaf');
      else if (!settled) timers.push(setTimeout(() => settle('lingers'), lingerMs));
    });
    if (signal.aborted) cancel();
  });
}

function runOf(
  cause: Cause,
  exit: GroupExit | null,
  hearing: Hearing,
  { wallMs, announceMs, outputBytes, signal }: EngineerBounds,
): EngineerRun {
  switch (cause) {
    case 'exit': {
      if (exit === null) return { kind: 'not_started', detail: 'its end was not seen' };
      return { kind: 'ended', exit, end: hearing.end(exit) };
    }
    case 'deadline':
      return {
        kind: 'timed_out',
        detail: `it was ended after its ${durationText(wallMs)} (limits.wall_minutes)`,
      };
    case 'cancelled':
      return { kind: 'cancelled', detail: errorText(signal.reason) };
    case 'silent':
      return {
        kind: 'silent',
        detail: `the program runs and did not say within ${durationText(announceMs)} that it works; it was ended`,
      };
    case 'output':
      return { kind: 'flooded', detail: `it wrote more than ${outputBytes} bytes and was ended` };
    case 'deaf': {
      const detail = 'it does not read what it is answered, and was ended';
      const end = { kind: 'failure', cause: 'engineer_error', detail, message: '' } as const;
      return { kind: 'ended', exit: { kind: 'dismissed' }, end };
    }
    case 'lingers': {
      const exit = { kind: 'dismissed' } as const;
      return { kind: 'ended', exit, end: hearing.end(exit) };
    }
  }
}

/** What is heard of one run, and said in it. */
class Hearing {
  readonly errors = new OutputTail(ERRORS_BYTES);
  began = false;
  readonly #reader: ReturnType<Engineer['reader']>;
  readonly #transcript: Transcript;
  readonly #clock: Clock;
  readonly #secrets: Redactor;
  readonly #told: EngineerTold;
  readonly #lines = new LineSplitter(LINE_BYTES);
  #lastEvent: number;
  #saidStalled = false;
  #message = '';
  #session: string | null = null;
  #model: string | null = null;
  #version: string | null = null;
  #noiseLines = 0;
  #noiseBytes = 0;
  bytes = 0;
  /** Settles when nothing more is said to it, by us or because it does not listen; never where nothing is. */
  readonly spoken: Promise<'over' | 'deaf'>;

  /** @param input where it is spoken with */
  constructor(
    engineer: Engineer,
    order: EngineerOrder,
    transcript: Transcript,
    { clock, secrets }: EngineerHouse,
    told: EngineerTold,
    input: Writable | null,
  ) {
    let settle: (how: 'over' | 'deaf') => void = () => {};
    this.spoken = new Promise((resolve) => {
      settle = resolve;
    });
    this.#reader = engineer.reader(order, {
      say: (line) => {
        if ((input?.writableLength ?? 0) > UNREAD_BYTES) settle('deaf');
        else if (input?.writable === true) input.write(`${line}\n`);
      },
      event: (event) => this.#event(event, ''),
      note: (sentence) => this.#transcript.note(sentence),
      hangUp: () => {
        input?.end();
        settle('over');
      },
    });
    this.#transcript = transcript;
    this.#clock = clock;
    this.#secrets = secrets;
    this.#told = told;
    this.#lastEvent = clock.monotonicMs();
  }

  output(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.#transcript.output(chunk);
    for (const line of this.#lines.push(chunk)) this.#line(line);
  }

  /** No more comes; what stands without a line break is a line all the same. */
  async over(): Promise<void> {
    const last = this.#lines.end();
    if (last !== undefined) this.#line(last);
    await this.#reader.over?.();
  }

  /** Says once that no event came for so long. */
  stalled(boundMs: number): void {
    const idleMs = Math.round(this.#clock.monotonicMs() - this.#lastEvent);
    if (this.#saidStalled || idleMs < boundMs) return;
    this.#saidStalled = true;
    this.#told.event({ kind: 'stalled', idleMs });
  }

  /** What its envelope says; of a crash the end of its standard error, too. */
  end(exit: EngineerExit): ReturnType<ReturnType<Engineer['reader']>['end']> {
    const end = this.#reader.end(exit);
    this.#message = end.kind === 'none' ? this.errors.text().trim() : end.message;
    return end;
  }

  seen(run: EngineerRun): Omit<EngineerSeen, 'transcript' | 'left'> {
    return {
      run,
      message: this.#message,
      session: this.#session,
      model: this.#model,
      version: this.#version,
      usage: this.#reader.usage(),
      noise: { lines: this.#noiseLines, oversize: this.#lines.dropped, bytes: this.#noiseBytes },
    };
  }

  #line(line: string): void {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (text.trim() === '') return;
    for (const event of this.#reader.line(this.#secrets.text(text))) this.#event(event, line);
  }

  #event(event: EngineerEvent, line: string): void {
    if (event.kind === 'noise') {
      this.#noiseLines++;
      this.#noiseBytes += Buffer.byteLength(line, 'utf8') + 1;
      this.#told.event(event);
      return;
    }
    this.began = true;
    this.#lastEvent = this.#clock.monotonicMs();
    this.#saidStalled = false;
    if (event.kind === 'began') {
      this.#session = event.session ?? this.#session;
      this.#model = event.model ?? this.#model;
      this.#version = event.version ?? this.#version;
    }
    this.#told.event(event);
  }
}
