/**
 * The person of a chat, or the pipe in their place: hands on lines one at a time, and puts confirmations to them in
 * the form that runs of teams have (`live/prompts.ts`).
 *
 * Always true: while a request is shown the next line answers it and is no message; what was typed before never
 * answers it. Without a terminal nobody is asked anything.
 */

import type { RequestView } from '../../team/show/status.js';
import {
  linesTyped,
  NO_PROMPTS,
  type PromptState,
  type PromptStep,
  requestClosed,
  requestOpened,
} from '../live/prompts.js';
import type { Screen } from '../live/screen.js';
import { LINE_BYTES, onLines, type TerminalInput } from '../terminal-input.js';

const PROMPT = '> ';

export class Person {
  readonly #screen: Screen;
  readonly #isTerminal: boolean;
  readonly #stopReading: () => void;
  /** Lines that nobody has taken yet. */
  #lines: string[] = [];
  #ended = false;
  #lost = false;
  /** Wakes whoever waits for a line. */
  #wake: (() => void) | null = null;
  #prompts: PromptState = NO_PROMPTS;
  #answer: ((word: 'approve' | 'deny') => void) | null = null;

  /** Begins to read. */
  constructor(input: TerminalInput, screen: Screen) {
    this.#screen = screen;
    this.#isTerminal = input.isTerminal;
    this.#stopReading = onLines(
      input,
      (lines) => this.#typed(lines),
      () => this.#lostOne(),
    );
  }

  /** Whether a line was too long to be taken. */
  get hasLost(): boolean {
    return this.#lost;
  }

  /** Puts a request to them; null where nobody is. */
  get confirm(): ((request: RequestView, signal: AbortSignal) => Promise<'approve' | 'deny'>) | null {
    return this.#isTerminal ? (request, signal) => this.#ask(request, signal) : null;
  }

  /** The next line; undefined when the input has ended or the signal fires. */
  async next(signal: AbortSignal): Promise<string | undefined> {
    if (this.#isTerminal && this.#lines.length === 0 && !this.#ended && !signal.aborted)
      this.#screen.ask(PROMPT);
    const wake = (): void => this.#wake?.();
    signal.addEventListener('abort', wake, { once: true });
    while (this.#lines.length === 0 && !this.#ended && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    signal.removeEventListener('abort', wake);
    this.#screen.unask();
    return signal.aborted ? undefined : this.#lines.shift();
  }

  /** Stops reading and lets the process end. */
  end(): void {
    this.#stopReading();
    this.#inputEnded();
  }

  #ask(request: RequestView, signal: AbortSignal): Promise<'approve' | 'deny'> {
    if (this.#ended || signal.aborted) return Promise.resolve('deny');
    return new Promise((resolve) => {
      const onAbort = (): void => {
        this.#take(requestClosed(this.#prompts, request.id, 'was withdrawn'));
        this.#answer?.('deny');
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#answer = (word) => {
        signal.removeEventListener('abort', onAbort);
        this.#answer = null;
        resolve(word);
      };
      this.#take(requestOpened(this.#prompts, request));
    });
  }

  #typed(lines: readonly string[] | undefined): void {
    if (lines === undefined) {
      this.#inputEnded();
      return;
    }
    if (this.#isTerminal) this.#screen.typed();
    if (this.#answer === null) this.#lines.push(...lines);
    else this.#take(linesTyped(this.#prompts, lines));
    this.#wake?.();
  }

  #lostOne(): void {
    this.#lost = true;
    this.#screen.print([`  not sent: a line of more than ${LINE_BYTES} bytes; put it into a file`]);
  }

  #inputEnded(): void {
    this.#ended = true;
    this.#prompts = NO_PROMPTS;
    this.#answer?.('deny');
    this.#wake?.();
  }

  #take(step: PromptStep): void {
    this.#prompts = step.state;
    for (const action of step.actions) {
      switch (action.kind) {
        case 'answer':
          this.#answer?.(action.answer.kind === 'approve' ? 'approve' : 'deny');
          break;
        case 'send':
          this.#lines.push(action.text);
          break;
        default:
          this.#screen.act(action);
      }
    }
  }
}
