/**
 * What lies in an outbox of briefs that are not out, when a team is taken up again (spec/runner.md §3 "Report"): each is
 * looked at once. What may still be adopted stays; all else is evidence then, and goes.
 */

import { isLiveBrief } from '../../team/brief.js';
import { isRecorded, type TakingParts, takeResult } from './take-result.js';

/** That one start looks at: nobody fills a record with them. */
const AT_ONCE = 50;

/** Takes them in. Gives what is to be said of the outbox, a line each. */
export async function takeWaiting(parts: TakingParts, signal: AbortSignal): Promise<readonly string[]> {
  const { outbox, store } = parts;
  const { waiting, findings } = await outbox.list();
  const others = waiting.filter(({ result }) => !isLiveBrief(store.state.briefs.get(result.brief)));
  for (const { result } of others.slice(0, AT_ONCE)) {
    const taken = await takeResult(parts, result.brief, signal);
    if (isRecorded(taken) || taken.kind === 'none') await outbox.acknowledge(result.brief);
  }
  const more = others.length - AT_ONCE;
  const told = `outbox: ${more} more results of briefs that are not out wait for the next start`;
  return [
    ...findings.map(({ path, message }) => `${path ?? 'outbox'}: ${message}`),
    ...(more > 0 ? [told] : []),
  ];
}
