/**
 * A provider that fails when a test says so, and else answers as the model behind it does: the far side of a run that
 * meets 429 and cut connections. What came of every call is kept, in order.
 */

import type { Model, ModelFailure, ModelOutcome } from '../../src/models/model.js';

export interface Call {
  readonly member: string;
  readonly outcome: ModelOutcome['kind'];
}

export class Limiter {
  readonly calls: Call[] = [];
  readonly #failureOf: (count: number) => ModelFailure | undefined;
  #count = 0;

  /** @param failureOf by the number of the call, from 1: what comes in place of an answer */
  constructor(failureOf: (count: number) => ModelFailure | undefined) {
    this.#failureOf = failureOf;
  }

  /** The model behind this provider. */
  before(model: Model): Model {
    return {
      id: model.id,
      facts: model.facts,
      generate: async (request, signal, watch) => {
        const failure = this.#failureOf(++this.#count);
        const outcome = failure ?? (await model.generate(request, signal, watch));
        this.calls.push({ member: request.member, outcome: outcome.kind });
        return outcome;
      },
      leftover: (member, role, messages) => model.leftover(member, role, messages),
    };
  }
}
