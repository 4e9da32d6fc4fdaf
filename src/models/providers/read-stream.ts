/** A streamed answer, read to its end: the same answer that would have come whole. */

import type {
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider';
import type { Answer } from './answer.js';

export type Streamed =
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** An error stood in the stream. `frame`: what came over the wire, where the package tells. */
  | { readonly kind: 'error'; readonly error: unknown; readonly frame: unknown }
  /** It ended without saying why: cut off, however clean the line's end looked. */
  | { readonly kind: 'unfinished' };

interface OpenCall {
  readonly id: string;
  readonly tool: string;
  input: string;
  whole: boolean;
}

/**
 * Reads until the end, or until the first error.
 * @param watch told of each fragment of text; what it throws ends its watching, not the answer
 */
export async function readStream(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  watch: (fragment: string) => void,
): Promise<Streamed> {
  const reader = stream.getReader();
  const calls: OpenCall[] = [];
  let text = '';
  let frame: unknown;
  let watching = true;
  let end: { finish: LanguageModelV3FinishReason; usage: LanguageModelV3Usage } | null = null;
  try {
    for (;;) {
      const { done, value: part } = await reader.read();
      if (done) break;
      switch (part.type) {
        case 'raw':
          frame = part.rawValue;
          break;
        case 'text-delta':
          text += part.delta;
          if (watching && part.delta !== '') watching = show(watch, part.delta);
          break;
        case 'tool-input-start':
          calls.push({ id: part.id, tool: part.toolName, input: '', whole: false });
          break;
        case 'tool-input-delta': {
          const open = calls.findLast((call) => call.id === part.id && !call.whole);
          if (open !== undefined) open.input += part.delta;
          break;
        }
        case 'tool-call': {
          const open = calls.find((call) => call.id === part.toolCallId && !call.whole);
          const whole = { id: part.toolCallId, tool: part.toolName, input: part.input, whole: true };
          if (open === undefined) calls.push(whole);
          else calls[calls.indexOf(open)] = whole;
          break;
        }
        case 'error':
          return { kind: 'error', error: part.error, frame };
        case 'finish':
          end = { finish: part.finishReason, usage: part.usage };
          break;
        default:
          break; // beginnings, ends, reasoning, sources, files: nothing of the answer
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // the line is closed by its exchange
  }
  if (end === null || (end.finish.unified === 'other' && end.finish.raw === undefined)) {
    return { kind: 'unfinished' };
  }
  return { kind: 'answer', answer: { text, calls, ...end } };
}

function show(watch: (fragment: string) => void, fragment: string): boolean {
  try {
    watch(fragment);
    return true;
  } catch {
    return false; // said above: the answer does not depend on who looks on
  }
}
