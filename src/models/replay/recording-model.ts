/** A model whose answers say what they were given to, so that the record of its team can be played again. */

import { sha256 } from '../../shared/digest.js';
import type { Model, ModelRequest, Sent } from '../model.js';
import type { ModelFacts } from '../settings.js';

/** The same model under `record/`: it answers as before, and each answer carries the digests of what was sent. */
export function recordingModel(model: Model): Model {
  return {
    ...model,
    id: `record/${model.id}`,
    records: true,
    generate: async (request, signal, watch) => {
      const sent = sentOf(request, model.facts);
      const outcome = await model.generate(request, signal, watch);
      return outcome.kind === 'reply' ? { ...outcome, sent } : outcome;
    },
    leftover: (member, role, messages) => model.leftover(member, role, messages),
  };
}

/** The digests of what a model is sent. Pure. */
export function sentOf(
  request: Pick<ModelRequest, 'system' | 'messages' | 'tools' | 'maxOutputTokens'>,
  { contextTokens, maxOutputTokens }: Pick<ModelFacts, 'contextTokens' | 'maxOutputTokens'>,
): Sent {
  const tools = JSON.stringify(request.tools);
  return {
    systemSha256: sha256(JSON.stringify(request.system)),
    messagesSha256: sha256(JSON.stringify(request.messages)),
    tools,
    toolsSha256: sha256(tools),
    maxOutputTokens: request.maxOutputTokens,
    contextTokens,
    longestAnswer: maxOutputTokens,
  };
}
