/** What the record of the one team of a place holds, as it is recorded. */

import type { Home } from '../helpers/bnerd.js';
import { engine } from '../helpers/engines.js';

export interface RecordedFact {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Throws when there is not exactly one team. */
export async function factsOf(place: Home): Promise<{
  readonly id: string;
  /** In the order in which they happened. */
  readonly all: readonly RecordedFact[];
  readonly facts: (type: string) => readonly RecordedFact[];
}> {
  const [id, ...others] = await engine().ids(place);
  if (id === undefined || others.length > 0) throw new Error('there is not exactly one team');
  const { entries } = await engine().record(place, id).log();
  const all = entries.flatMap(({ facts }): RecordedFact[] => facts.map((fact) => ({ ...fact })));
  return { id, all, facts: (type) => all.filter((fact) => fact.type === type) };
}
