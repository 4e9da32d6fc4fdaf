/** The fact that ends a brief, and the books that it closes (F4 of `brief.ts`, L5 of `ledger.ts`). */

import type { FactOf } from '../../events/event.js';
import type { LiveBrief } from '../brief.js';
import type { BriefResult } from '../command.js';

type Ended = FactOf<'brief.ended'>;

/** How it ended: what the team's side says, which may be less than its result does. */
export type How = Pick<Ended, 'status' | 'cause' | 'detail'>;

/** Ended with a result, whatever the team makes of that. */
export function endedFact({ sent }: LiveBrief, how: How, text: string, result: BriefResult): Ended {
  const { cost_usd: told, ...usage } = result.usage;
  const { head, final_block, transcript } = result;
  // Of a brief that was not taken nothing was used.
  const cost = told ?? (result.status === 'refused' ? 0 : null);
  return {
    type: 'brief.ended',
    brief: sent.brief,
    ...how,
    result: text,
    head,
    usage: {
      input_tokens: usage.input_tokens,
      cached_tokens: usage.cached_tokens,
      output_tokens: usage.output_tokens,
      turns: usage.turns,
    },
    cost_usd: cost ?? sent.cost_usd,
    estimated: cost === null,
    verify: result.verify.map(({ key, outcome }) => ({ key, outcome })),
    protected: [...result.protected],
    uncommitted: [...result.uncommitted],
    final_block,
    transcript: transcript === null ? null : { ...transcript },
  };
}

/** Ended without one: nobody says what was used, so all that it might have cost is booked. */
export function endedWithout({ sent }: LiveBrief, how: How): Ended {
  return {
    type: 'brief.ended',
    brief: sent.brief,
    ...how,
    result: null,
    head: null,
    usage: { input_tokens: 0, cached_tokens: 0, output_tokens: 0, turns: 0 },
    cost_usd: sent.cost_usd,
    estimated: true,
    verify: [],
    protected: [],
    uncommitted: [],
    final_block: null,
    transcript: null,
  };
}

/** No runner has it any more. One that was to end has ended as that. */
export function lostFact(brief: LiveBrief, detail: string): Ended {
  const status = brief.status.kind === 'cancelling' ? 'cancelled' : 'lost';
  return endedWithout(brief, { status, cause: 'lost', detail });
}
