/** The briefs of a record, each with the facts that tell of it, read off the facts: a log that cannot be folded has them too. Pure. */

import type { Fact, FactOf } from '../events/event.js';

export interface RecordedBrief {
  readonly sent: FactOf<'brief.sent'>;
  /** Null: no runner has taken it. */
  readonly accepted: FactOf<'brief.accepted'> | null;
  readonly delivered: FactOf<'brief.delivered'> | null;
  /** Null: it has not ended. */
  readonly ended: FactOf<'brief.ended'> | null;
}

/** All of them, in the order they were sent. */
export function recordedBriefs(facts: readonly Fact[]): readonly RecordedBrief[] {
  const briefs = new Map<string, RecordedBrief>();
  const tell = (id: string, told: Partial<RecordedBrief>): void => {
    const brief = briefs.get(id);
    if (brief !== undefined) briefs.set(id, { ...brief, ...told });
  };
  for (const fact of facts) {
    switch (fact.type) {
      case 'brief.sent':
        briefs.set(fact.brief, { sent: fact, accepted: null, delivered: null, ended: null });
        break;
      case 'brief.accepted':
        tell(fact.brief, { accepted: fact });
        break;
      case 'brief.delivered':
        tell(fact.brief, { delivered: fact });
        break;
      case 'brief.ended':
        tell(fact.brief, { ended: fact });
        break;
      default:
        break;
    }
  }
  return [...briefs.values()];
}
