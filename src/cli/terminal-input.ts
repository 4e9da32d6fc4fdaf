/**
 * Stdin, touched only when somebody asks: without a terminal it is read for `--prompt -` and for nothing else
 * (spec/team.md §3), so that a program that runs this one keeps its own input.
 */

import { addAbortSignal, type Readable } from 'node:stream';
import { errorText } from '../shared/errors.js';
import { LineSplitter } from '../shared/jsonl.js';

export interface TerminalInput {
  /** Whether a person is there: stdin and stderr are both terminals. */
  readonly isTerminal: boolean;
  /** Opens the stream; called once, by the part that reads. */
  readonly open: () => Readable;
}

/** Longer than any line a terminal lets a person type. */
export const LINE_BYTES = 1024 * 1024;

/** The most that is taken for a prompt. */
const PROMPT_BYTES = 1024 * 1024;

/**
 * Hands on what is typed, the lines of one piece of input together; undefined once, when the input has ended. The last
 * line of a pipe needs no line break; what a person has begun and not entered is no line.
 * @param tooLong called for each line of more than `LINE_BYTES`, which is not handed on
 * @returns stops reading and lets the process end
 */
export function onLines(
  input: TerminalInput,
  listener: (lines: readonly string[] | undefined) => void,
  tooLong: () => void = () => {},
): () => void {
  const stream = input.open();
  const splitter = new LineSplitter(LINE_BYTES);
  let told = 0;
  const hand = (lines: readonly string[]): void => {
    for (; told < splitter.dropped; told++) tooLong();
    if (lines.length > 0) listener(lines.map((line) => line.replace(/\r$/, '')));
  };
  const onData = (chunk: Buffer): void => hand(splitter.push(chunk));
  const onEnd = (): void => {
    const last = input.isTerminal ? undefined : splitter.end();
    hand(last === undefined ? [] : [last]);
    listener(undefined);
  };
  stream.on('data', onData);
  stream.once('end', onEnd);
  stream.once('error', onEnd);
  return () => {
    stream.off('data', onData);
    stream.off('end', onEnd);
    stream.pause();
    stream.destroy();
  };
}

export type ReadInput =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too-long' }
  /** The signal fired before the end came. */
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly reason: string };

/** All of stdin as text. Waits for its end as long as it takes; the signal ends the wait. */
export async function readAll(input: TerminalInput, signal: AbortSignal): Promise<ReadInput> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of addAbortSignal(signal, input.open())) {
      const part = Buffer.from(chunk);
      bytes += part.length;
      if (bytes > PROMPT_BYTES) return { kind: 'too-long' };
      chunks.push(part);
    }
  } catch (error) {
    return signal.aborted ? { kind: 'stopped' } : { kind: 'failed', reason: errorText(error) };
  }
  return { kind: 'text', text: Buffer.concat(chunks).toString('utf8') };
}
