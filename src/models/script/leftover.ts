/** What a conversation has left unsaid of its script: the check that the test double was used up. */

import { roleIdentity } from '../../shared/role-identity.js';
import type { ModelMessage } from '../model.js';
import { nextAnswer } from './next-answer.js';
import { replay } from './replay.js';
import type { Part, Script } from './script.js';

/**
 * One line per turn that has steps which were never used, each with its place; empty when all were, and for a
 * role without a part. A step with `when` may stay unused. A `fail` step counts as used once it was due, as no answer can show that it was.
 */
export function leftover(
  script: Script,
  name: string,
  member: string,
  role: string,
  messages: readonly ModelMessage[],
): string[] {
  const part = script.parts.get(roleIdentity(role));
  if (part === undefined) return [];
  const replayed = replay(part, member, messages);
  if (replayed.kind === 'lost') return [`${name}: ${replayed.message}`];
  const { position } = replayed;
  const used = failureIsDue(part, replayed.position) ? position.step + 1 : position.step;
  return part.turns.slice(position.turn).flatMap((turn, offset) => {
    const rest = turn.steps.slice(offset === 0 ? used : 0);
    const unused = rest.filter((step) => step.when.length === 0).length;
    if (unused === 0) return [];
    const label = turn.name === null ? '' : ` (${turn.name})`;
    return [`${name}: ${turn.place}${label}: ${unused} of ${turn.steps.length} steps were never used`];
  });
}

function failureIsDue(part: Part, position: Parameters<typeof nextAnswer>[1]): boolean {
  if (position.sent === '') return false;
  const answer = nextAnswer(part, position);
  return answer.kind === 'steps' && answer.played.some(({ step }) => step.failure !== null);
}
