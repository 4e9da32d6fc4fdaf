/** A record that takes nothing more, since its server has lost of it, made whole by the process that runs the team. */

import { CodedError, errorText } from '../shared/errors.js';
import type { Ended } from './ended.js';
import type { TeamParts } from './team-parts.js';

/**
 * Never rejects.
 * @param problems hears why it could not be
 * @returns what was lost, once the record is whole again; null where nothing was, or where it cannot be helped from here
 */
export async function regained(
  { store: { failure }, regain }: Pick<TeamParts, 'store' | 'regain'>,
  problems: string[],
): Promise<Ended['loss']> {
  const lost = failure instanceof CodedError && (failure.code === 'log-gone' || failure.code === 'log-lost');
  if (!lost || regain === undefined) return null;
  try {
    return (await regain()) ?? null;
  } catch (error) {
    problems.push(errorText(error));
    return null;
  }
}
