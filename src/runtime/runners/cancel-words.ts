/** The word to call a brief off, as its runner looks for it on Redis: it counts when somebody has signed it who may say it. */

import { ordererLine } from '../../delegate/runner/lines.js';
import type { OfTeam, RunnerPost } from '../../dispatch/runner-post.js';
import { sleep } from '../../shared/abort.js';
import { CancelledError } from '../../shared/errors.js';
import { type AcceptedKey, checkSignature } from '../../shared/signature.js';

export interface CancelPlace {
  readonly post: Pick<RunnerPost, 'told'>;
  readonly of: OfTeam;
  /** Whose word counts. */
  readonly keys: readonly AcceptedKey[];
  /** Fires when nobody works on the brief any more. */
  readonly over: AbortSignal;
  /** For people; must not throw. */
  note(text: string): void;
}

/** Between two looks, in milliseconds. */
const LOOK_MS = 300;

/** Looks until it is over; never rejects. */
export async function cancelWords(place: CancelPlace, cancel: AbortController): Promise<void> {
  const { post, of, over } = place;
  let last: string | null = null;
  while (!over.aborted && !cancel.signal.aborted) {
    const told = await post.told(of).catch(() => null); // whoever needs the server says that it is away
    const text = told?.cancel ?? null;
    if (text !== null && text !== last) {
      last = text;
      const reason = reasonOf(text, place);
      if (reason !== null) cancel.abort(new CancelledError('cancelled', reason));
    }
    await sleep(LOOK_MS, over).catch(() => {}); // looked at above
  }
}

/** Why the brief is called off; null: the word does not count. */
function reasonOf(text: string, { of, keys, note }: CancelPlace): string | null {
  const word = read(text);
  if (word?.type !== 'cancel') return null;
  const verdict = checkSignature('cancel', word, keys);
  if (verdict.kind === 'refused') note(`${of.brief}: ${verdict.message}`);
  return verdict.kind === 'signed' && word.brief === of.brief ? word.reason : null;
}

function read(text: string) {
  try {
    return ordererLine.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
