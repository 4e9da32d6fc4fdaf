/** What the record of the one team of a place holds, as it stands on disk. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BnerdPlace } from '../helpers/bnerd.js';

export interface RecordedFact {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Throws when there is not exactly one team. */
export async function factsOf(place: BnerdPlace): Promise<{
  readonly id: string;
  /** In the order in which they happened. */
  readonly all: readonly RecordedFact[];
  readonly facts: (type: string) => readonly RecordedFact[];
}> {
  const [id, ...others] = await readdir(join(place.state, 'runs'));
  if (id === undefined || others.length > 0) throw new Error('there is not exactly one team');
  const log = await readFile(join(place.state, 'runs', id, 'log.jsonl'), 'utf8');
  const all = log
    .trim()
    .split('\n')
    .flatMap((line): RecordedFact[] => JSON.parse(line).facts);
  return { id, all, facts: (type) => all.filter((fact) => fact.type === type) };
}
