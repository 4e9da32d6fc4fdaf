/**
 * A runner as a child of the team (spec/runner.md §3): a program in a process group of its own, which gets the brief as the
 * first line of its input and tells in lines what it does. Its input stays open: the end of it means that nobody is there
 * any more. What it says waits in its pipe when nobody takes it: memory is bounded, however much it writes.
 */

import { type OrdererLine, ordererLine, type RunnerLine, runnerLine } from '../../delegate/runner/lines.js';
import { LineSplitter } from '../../shared/jsonl.js';
import { closedWithin } from '../../shared/output-closed.js';
import type { Ending, EndStep } from '../../shared/process-ending.js';
import type { GroupExit, GroupSpec, ProcessGroup, ProcessGroups } from '../../shared/processes.js';
import { oneLine } from '../../shared/terminal-text.js';

/** No line of the protocol is nearly as long. */
const LINE_BYTES = 1 << 20;

/** As much of it waits here, in lines and in UTF-16 units; then it is read no further until half of that is taken. */
const WAITING = { lines: 1_000, units: 1 << 20 };

/** After its exit, for what is still in its pipe. */
const PIPE_GRACE_MS = 500;

/** What is kept of its remarks: their end. */
const REMARKS = 2_000;

export type ChildStart =
  | { readonly kind: 'started'; readonly child: RunnerChild }
  | { readonly kind: 'failed'; readonly reason: string };

export class RunnerChild {
  readonly #group: ProcessGroup;
  readonly #lines: { readonly line: RunnerLine; readonly units: number }[] = [];
  #units = 0;
  #wake: () => void = () => {};
  #over = false;
  #remarks = '';

  private constructor(group: ProcessGroup) {
    this.#group = group;
    const splitter = new LineSplitter(LINE_BYTES);
    group.output.on('data', (chunk: Buffer) => {
      for (const line of splitter.push(chunk)) this.#hear(line);
    });
    group.errors?.on('data', (chunk: Buffer) => {
      this.#remarks = (this.#remarks + chunk.toString('utf8')).slice(-REMARKS);
    });
    const over = (): void => {
      this.#over = true;
      this.#wake();
    };
    group.output.once('close', over);
    // Whoever holds its output open after it has no say.
    void group.exited.then(() => closedWithin(group.output, PIPE_GRACE_MS)).then(over);
  }

  /**
   * Starts one.
   * @param brief the signed text, on one line
   */
  static async start(
    groups: Pick<ProcessGroups, 'start'>,
    spec: Omit<GroupSpec, 'input' | 'keepsInput' | 'errors'>,
    brief: string,
  ): Promise<ChildStart> {
    const started = await groups.start({ ...spec, input: `${brief}\n`, keepsInput: true, errors: 'apart' });
    if (started.kind === 'failed') return started;
    return { kind: 'started', child: new RunnerChild(started.group) };
  }

  /** Its lines in their order, until it has ended; what is no line of the protocol is left out. */
  async *lines(): AsyncGenerator<RunnerLine> {
    for (;;) {
      const next = this.#lines.shift();
      this.#units -= next?.units ?? 0;
      if (!this.#isFull(0.5) && this.#group.output.isPaused()) this.#group.output.resume();
      if (next !== undefined) yield next.line;
      else if (this.#over) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  /** Tells it something. One that has ended hears nothing. */
  say(line: OrdererLine): void {
    const { input } = this.#group;
    if (input?.writable === true) input.write(`${JSON.stringify(ordererLine.parse(line))}\n`);
  }

  /** Nobody says anything any more: it comes to its end by itself. */
  leave(): void {
    this.#group.input?.end();
  }

  get exited(): Promise<GroupExit> {
    return this.#group.exited;
  }

  /** What it has said for people, at its end. */
  get remarks(): string {
    return oneLine(this.#remarks.trim(), REMARKS);
  }

  /** Ends what is left of it and of what it has started. */
  end(ladder: readonly EndStep[]): Promise<Ending> {
    return this.#group.end(ladder);
  }

  #hear(text: string): void {
    const line = runnerLine.safeParse(parsed(text)).data;
    if (line === undefined) return;
    this.#lines.push({ line, units: text.length });
    this.#units += text.length;
    if (this.#isFull(1)) this.#group.output.pause();
    this.#wake();
  }

  /** @param part of the bound */
  #isFull(part: number): boolean {
    return this.#lines.length >= WAITING.lines * part || this.#units >= WAITING.units * part;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
