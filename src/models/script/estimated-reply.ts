/** What a model says that asks nobody: what it has used is an estimate (`estimate-tokens.ts`). */

import { estimateReplyTokens, estimateRequestTokens } from '../estimate-tokens.js';
import type { ModelReply, ModelRequest } from '../model.js';

/** The whole reply to a request, which it is counted with. */
export function estimatedReply(text: string, calls: ModelReply['calls'], request: ModelRequest): ModelReply {
  const usage = {
    inputTokens: estimateRequestTokens(request),
    cachedTokens: 0,
    outputTokens: estimateReplyTokens(text, calls),
  };
  return { kind: 'reply', text, calls, usage, stop: calls.length > 0 ? 'tool_calls' : 'end' };
}
