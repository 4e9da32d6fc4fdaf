/** What a recorded model was sent, from the words of the models to those of the record. Pure. */

import type { SentProof } from '../../events/transcript-entry.js';
import type { Sent } from '../../models/model.js';

/** What a recorded model was sent, as the transcript keeps it. */
export function proofOf(sent: Sent): SentProof {
  return {
    system_sha256: sent.systemSha256,
    messages_sha256: sent.messagesSha256,
    tools_sha256: sent.toolsSha256,
    max_output_tokens: sent.maxOutputTokens,
    context_tokens: sent.contextTokens,
    longest_answer: sent.longestAnswer,
  };
}
