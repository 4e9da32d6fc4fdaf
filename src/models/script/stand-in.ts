/**
 * Plays any member of any team without a model: `bnerd team simulate` of a recipe that has no script (spec/team.md §9).
 * It reads what the runtime says and does what is asked there: claims what it is offered, writes the artifacts, hands in
 * evidence for each acceptance item, approves what it reviews; the lead brings in who is missing and closes the team when
 * the board is done. It thinks nothing: what it shows is how a recipe moves.
 *
 * Always true: it keeps nothing between calls (M1); it is not asked twice for what was refused twice.
 */

import { requestFailure } from '../check-request.js';
import type { Model, ModelRequest } from '../model.js';
import { FREE } from '../settings.js';
import { estimatedReply } from './estimated-reply.js';
import { type Deed, leadDeed } from './stand-in-lead.js';
import { memberDeed } from './stand-in-member.js';
import { whatHappened } from './stand-in-memory.js';

/** The name behind `simulated/`. */
export const STAND_IN = 'stand-in';

/** A model that plays every role. */
export function standIn(): Model {
  return {
    id: `simulated/${STAND_IN}`,
    facts: FREE,
    generate: async (request, signal, watch) => {
      if (signal.aborted) return { kind: 'cancelled' };
      const failure = requestFailure(request);
      if (failure !== null) return failure;
      const { text, calls } = deedOf(request);
      if (text !== '') watch?.(text);
      return estimatedReply(text, calls, request);
    },
    leftover: () => [],
  };
}

function deedOf(request: ModelRequest): Deed {
  const memory = whatHappened(request);
  const own = memberDeed(memory);
  if (own !== undefined) return own;
  return (memory.tools.has('team_finish') ? leadDeed(memory) : undefined) ?? IDLE;
}

const IDLE: Deed = { text: 'Nothing to do for me now.', calls: [] };
