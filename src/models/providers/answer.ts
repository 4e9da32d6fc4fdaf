/** What a provider answered, whole or in a stream, in one form for both. */

import type {
  LanguageModelV3FinishReason,
  LanguageModelV3GenerateResult,
  LanguageModelV3Usage,
} from '@ai-sdk/provider';

export interface Answer {
  /** Everything else that a model gives (its reasoning, sources, files) is left out. */
  readonly text: string;
  readonly calls: readonly AnsweredCall[];
  readonly finish: LanguageModelV3FinishReason;
  readonly usage: LanguageModelV3Usage;
}

export interface AnsweredCall {
  readonly tool: string;
  /** As the model wrote it. */
  readonly input: string;
}

/** An answer that came whole. */
export function wholeAnswer(result: LanguageModelV3GenerateResult): Answer {
  let text = '';
  const calls: AnsweredCall[] = [];
  for (const part of result.content) {
    if (part.type === 'text') text += part.text;
    // The ids that providers give repeat and are not looked at: the order is all that counts.
    if (part.type === 'tool-call') calls.push({ tool: part.toolName, input: part.input });
  }
  return { text, calls, finish: result.finishReason, usage: result.usage };
}
