/** What the table of commands says of each: the shape that parser and help texts are built from. */

export interface FlagRow {
  /** Without dashes. */
  readonly name: string;
  /** How its value is shown (`<mode>`); null: it takes none. */
  readonly value: string | null;
  /** A value may follow with `=` and may be left out; what is then meant. */
  readonly bare?: string;
  /** May be given several times. */
  readonly repeats?: true;
  /** The variable that says the same; null where a standing order would be a trap. */
  readonly env: string | null;
  /** What holds when nobody says anything, in words. */
  readonly default: string | null;
  readonly help: string;
}

/**
 * A flag of one call: no variable says the same.
 * @param fallback what holds without it, in words
 */
export function callFlag(name: string, value: string | null, fallback: string | null, help: string): FlagRow {
  return { name, value, env: null, default: fallback, help };
}

/** A variable that is no flag's. */
export interface VariableRow {
  readonly name: string;
  readonly says: string;
  /** What it holds is never shown. */
  readonly secret?: true;
}

export interface ArgumentRow {
  readonly name: string;
  readonly count: 'one' | 'optional' | 'any' | 'some';
  readonly help: string;
}

export interface CommandRow {
  readonly name: string;
  readonly group: 'team' | 'program';
  readonly summary: string;
  readonly arguments: readonly ArgumentRow[];
  readonly flags: readonly FlagRow[];
  readonly examples: readonly { readonly line: string; readonly says: string }[];
  /** `run`: as the run ended; `answer`: 0 yes, 1 no, 2 wrong use; `brief`: what became of the result of a brief. */
  readonly exits: 'run' | 'answer' | 'brief';
  /** Whether it can print JSON on stdout. */
  readonly json: boolean;
  /** The last argument is free text: what stands behind the first argument is never read as a flag. */
  readonly freeText?: true;
}
