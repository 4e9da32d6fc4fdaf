/**
 * A runner for one brief, as a child of the program that gives it (spec/runner.md §3): on its input the brief in the first
 * line, then words about it; the end of the input is the end of that program. On its output lines of the protocol.
 *
 *  O1 whoever gave the brief is gone: the work is called off, the result lies in the outbox;
 *  O2 every wait here ends: by a line, by the end of the input, by a signal, by its deadline;
 *  O3 a line that cannot be read, or is not signed by somebody who may say it, changes nothing and is reported.
 */

import type { Readable } from 'node:stream';
import { deadlineAfter } from '../../shared/abort.js';
import { CancelledError, errorText } from '../../shared/errors.js';
import { LineSplitter } from '../../shared/jsonl.js';
import { checkSignature } from '../../shared/signature.js';
import { oneLine } from '../../shared/terminal-text.js';
import { BRIEF_BYTES } from '../brief/brief.js';
import { type OrdererLine, ordererLine, type RunnerLine } from './lines.js';
import { runBrief, settleBrief } from './run-brief.js';
import type { RunnerHouse } from './runner-house.js';
import type { Voice } from './voice.js';

/** What a run for one brief is given beside the house. */
export interface Orderer {
  readonly input: Readable;
  readonly say: (line: RunnerLine) => void;
  /** A remark for people. */
  readonly note: (text: string) => void;
  /** The process was told to stop. */
  readonly stop: AbortSignal;
}

export type OnceEnd =
  /** The result is in the record, as its orderer has said. */
  | 'acknowledged'
  /** The result lies in the outbox. */
  | 'unacknowledged'
  /** There was no brief of anybody who may give one. */
  | 'no_brief'
  /** The offer is another's, or was at its end before. */
  | 'taken';

/** For the first line, and for the word that a result was taken. */
const WORD_MS = 10 * 60_000;

/** For that word, when the runner has been told to stop. */
const STOPPED_MS = 3_000;

/** A brief at its bound, with escapes that nobody needs. */
const LINE_BYTES = 2 * BRIEF_BYTES;

/** Serves one brief. Rejects only where not even its result could be written. */
export async function runOnce(house: RunnerHouse, orderer: Orderer): Promise<OnceEnd> {
  const words = new Words(house, orderer);
  // Its parent is there, and calls off what may not begin.
  const voice: Voice = { say: orderer.say, begins: async () => ({ kind: 'begins' }) };
  try {
    const text = await words.brief();
    if (text === null) {
      orderer.note(
        words.isTooLong
          ? `the first line has more than ${LINE_BYTES} bytes; a brief has at most ${BRIEF_BYTES}`
          : 'no brief came on standard input',
      );
      return 'no_brief';
    }
    const end = await runBrief(text, house, voice, words.cancel);
    if (end.kind !== 'result') {
      orderer.note(end.message);
      return end.kind === 'taken' ? 'taken' : 'no_brief';
    }
    const acknowledged = await words.acknowledged(end.result.brief);
    await settleBrief(end, acknowledged ? 'acknowledged' : 'none', house).catch((error: unknown) =>
      orderer.note(`the folder of the brief could not be put in order: ${errorText(error)}`),
    );
    return acknowledged ? 'acknowledged' : 'unacknowledged';
  } finally {
    words.close();
  }
}

/** The lines of the orderer. */
class Words {
  readonly #house: RunnerHouse;
  readonly #orderer: Orderer;
  readonly #splitter = new LineSplitter(LINE_BYTES);
  readonly #cancel = new AbortController();
  /** Fires when no more lines come. */
  readonly #over = new AbortController();
  readonly #acknowledged = new Set<string>();
  #brief: string | null = null;
  #wake: () => void = () => {};

  constructor(house: RunnerHouse, orderer: Orderer) {
    this.#house = house;
    this.#orderer = orderer;
    const { input, stop } = orderer;
    input.on('data', (chunk: Buffer) => {
      const dropped = this.#splitter.dropped;
      const lines = this.#splitter.push(chunk);
      if (this.#brief !== null && this.#splitter.dropped > dropped)
        this.#note(`a line on standard input has more than ${LINE_BYTES} bytes: it is none of the protocol`);
      if (this.isTooLong) this.#wake();
      else for (const line of lines) this.#hear(line);
    });
    for (const event of ['end', 'error', 'close']) input.once(event, () => this.#ended());
    const stopped = (): void =>
      this.#cancel.abort(new CancelledError('stopped', 'the runner was told to stop'));
    if (stop.aborted) stopped();
    stop.addEventListener('abort', stopped, { once: true });
  }

  /** Fires with the reason when the work is to be called off. */
  get cancel(): AbortSignal {
    return this.#cancel.signal;
  }

  /** Whether the first line was longer than any brief; nothing behind it is one. */
  get isTooLong(): boolean {
    return this.#brief === null && this.#splitter.dropped > 0;
  }

  /** The first line; null when none came that could be a brief. */
  async brief(): Promise<string | null> {
    await this.#until(() => this.#brief !== null || this.isTooLong, [this.#over.signal, this.#orderer.stop]);
    return this.#brief;
  }

  /** Whether the result of a brief was taken; false when nobody is there to say so, or does not in time. */
  async acknowledged(brief: string): Promise<boolean> {
    const { stop } = this.#orderer;
    const ends = stop.aborted ? [deadlineAfter(STOPPED_MS)] : [stop];
    await this.#until(() => this.#acknowledged.has(brief), [this.#over.signal, ...ends]);
    return this.#acknowledged.has(brief);
  }

  close(): void {
    this.#orderer.input.destroy();
  }

  async #until(isSo: () => boolean, ends: readonly AbortSignal[]): Promise<void> {
    const end = AbortSignal.any([...ends, deadlineAfter(WORD_MS)]);
    while (!isSo() && !end.aborted)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        end.addEventListener('abort', () => resolve(), { once: true });
      });
  }

  #ended(): void {
    const last = this.#splitter.end();
    if (last !== undefined) this.#hear(last);
    this.#over.abort();
    this.#cancel.abort(new CancelledError('parent-gone', 'the program that gave the brief is gone'));
  }

  #hear(line: string): void {
    if (this.#brief === null) this.#brief = line;
    else this.#obey(line);
    this.#wake();
  }

  #obey(line: string): void {
    const word = ordererLine.safeParse(parsed(line)).data;
    if (word === undefined) this.#note(`a line on standard input is none of the protocol: ${line}`);
    else if (word.type === 'acknowledged') this.#acknowledged.add(word.brief);
    else this.#cancelBy(word);
  }

  #cancelBy(word: Extract<OrdererLine, { type: 'cancel' }>): void {
    const verdict = checkSignature('cancel', word, this.#house.keys);
    if (verdict.kind === 'refused') this.#note(verdict.message);
    else if (!this.#isMine(word.brief)) this.#note(`told to cancel ${word.brief}, which is not at work here`);
    else this.#cancel.abort(new CancelledError('cancelled', word.reason));
  }

  #isMine(brief: string): boolean {
    const own = parsed(this.#brief ?? '');
    return typeof own === 'object' && own !== null && 'id' in own && own.id === brief;
  }

  #note(text: string): void {
    this.#orderer.note(oneLine(text, 300));
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
