/**
 * Whole lines on stderr beside one open question: a line that comes while a question stands is put above it, and
 * the question is asked again. No control codes, ever (spec/team.md §3).
 */

import { stripControls } from '../../shared/terminal-text.js';
import type { Sink } from '../output.js';
import { foldMarked } from './marked-text.js';

/** What can be done on a screen, as a value. */
export type ScreenAction =
  | { readonly kind: 'print'; readonly lines: readonly string[] }
  | { readonly kind: 'ask'; readonly question: string }
  /** The open question is taken back. */
  | { readonly kind: 'unask' };

export class Screen {
  readonly #sink: Sink;
  /** The question whose line is not ended, null when the next text begins a line. */
  #question: string | null = null;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Whether a question stands open. */
  get asking(): boolean {
    return this.#question !== null;
  }

  /** Writes whole lines. */
  print(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const text = lines
      .flatMap((line) => foldMarked(stripControls(line), this.#sink.lineWidth))
      .map((line) => `${line}\n`)
      .join('');
    const question = this.#question;
    this.#sink.write(question === null ? text : `\n${text}${question}`);
  }

  /** Writes a question and leaves its line open. */
  ask(question: string): void {
    this.#endLine();
    this.#question = question;
    this.#sink.write(question);
  }

  /** The person has typed a line: their terminal has ended it. */
  typed(): void {
    this.#question = null;
  }

  /** Takes the open question back. */
  unask(): void {
    this.#endLine();
  }

  /** Does one of these. */
  act(action: ScreenAction): void {
    switch (action.kind) {
      case 'print':
        this.print(action.lines);
        break;
      case 'ask':
        this.ask(action.question);
        break;
      case 'unask':
        this.unask();
        break;
    }
  }

  #endLine(): void {
    if (this.#question !== null) this.#sink.write('\n');
    this.#question = null;
  }
}
