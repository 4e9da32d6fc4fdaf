/** What a run has used and what may still be used by what is under way: the numbers that the ledger's rules keep (`ledger.ts`). */

/** What a model call may use, from its reservation until its answer is booked. */
export interface Reservation {
  readonly turn: number;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The sum of both, but for records of version 2, which reserved the answer alone. */
  readonly tokens: number;
  /** At list price; null: unknown. */
  readonly costUsd: number | null;
}

/** The ledger of the run (`ledger.ts`): what was used, and what calls and briefs under way may use. */
export interface Budget {
  readonly turns: number;
  /** Those under way included. */
  readonly modelCalls: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** Null once something of unknown price was used. */
  readonly costUsd: number | null;
  /** The part of tokens and cost that was booked as reserved, since nobody said what was used. */
  readonly estimatedTokens: number;
  readonly estimatedUsd: number;
  /** Calls that have no answer yet, and briefs with a limit of costs that have not ended. */
  readonly underWay: number;
  readonly reservedTokens: number;
  /** Of calls whose price is known, and of briefs. */
  readonly reservedUsd: number;
}

export const NOTHING_USED: Budget = {
  turns: 0,
  modelCalls: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  estimatedTokens: 0,
  estimatedUsd: 0,
  underWay: 0,
  reservedTokens: 0,
  reservedUsd: 0,
};
