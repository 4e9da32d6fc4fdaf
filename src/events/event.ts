/**
 * Facts: numbered events that changed the team (spec/engine.md §1). This is the whole list, with its schemas;
 * `team/evolve.ts` says what each does to the state, and within v1 fields are only added.
 */

import { z } from 'zod';
import { briefFacts } from './facts/briefs.js';
import { memberFacts, runFacts, turnFacts, workspaceFacts } from './facts/run.js';
import { mailFacts, planFacts, requestFacts, taskFacts } from './facts/work.js';

export const fact = z.discriminatedUnion('type', [
  ...runFacts,
  ...memberFacts,
  ...turnFacts,
  ...workspaceFacts,
  ...taskFacts,
  ...mailFacts,
  ...requestFacts,
  ...planFacts,
  ...briefFacts,
]);

/** One fact. Its number is not in it: it follows from its place in the log. */
export type Fact = z.infer<typeof fact>;
export type FactType = Fact['type'];
export type FactOf<Type extends FactType> = Extract<Fact, { type: Type }>;

/** Every type a fact can have, in the order of this file. */
export const FACT_TYPES: readonly FactType[] = fact.options.map((option) => option.shape.type.value);
