/**
 * The port of an engineer: a coding agent that is another program (spec/runner.md §3 "Engineer"). An adapter is two
 * things without any I/O: what to start for a brief, and how its lines are read, and answered where it asks back.
 * Starting, watching and ending it is `run-engineer.ts`, the same for all.
 *
 * Promised by every adapter, and tried by the contract suite on each:
 *  A1 the prompt goes over standard input, never as an argument;
 *  A2 hooks, skills, MCP servers and instruction files of the repository are not in effect, unless the runner's own
 *     settings say `project-settings`, and then the result says so;
 *  A3 what it may do follows `safety`: nothing is changed under `read-only`;
 *  A4 its reader is total: any line, any exit, in any order, gives events and one end, and never throws;
 *  A5 what is denied to whoever delegates is denied to it, by its program's own means, or the order is refused with the
 *     name of the rule (case E106).
 */

import type { DeniedRule, SafetyMode } from '../brief/brief.js';
import type { ResultCause } from '../brief/result.js';

/** What an engineer is to do, where, and within which bounds. */
export interface EngineerOrder {
  /** The whole prompt: skills first, then the brief as Markdown. */
  readonly prompt: string;
  readonly safety: SafetyMode;
  /** What is denied; empty: nothing is. */
  readonly deny: readonly DeniedRule[];
  /** As the brief names it; null: the engineer's default. */
  readonly model: string | null;
  readonly costUsd: number | null;
  readonly turns: number | null;
  /** The root of its repository and tree, absolute: all below it may be changed, as `safety` allows. */
  readonly tree: string;
  /** Where in the tree it starts, absolute: the tree itself, or a folder below it. */
  readonly directory: string;
  /** A folder of its own that becomes HOME; empty at the start, removed after the run. */
  readonly home: string;
  readonly settings: EngineerSettings;
}

/** What the runner's settings file says of one kind (`runner.engineers.<kind>`). */
export interface EngineerSettings {
  /** The program: a name looked up in PATH, or an absolute path. */
  readonly path: string;
  /** Arguments in front of those of the adapter; the whole command for `command`. */
  readonly args: readonly string[];
  /** Variables that this kind is given besides the allow-list, with their values. */
  readonly env: Readonly<Record<string, string>>;
  /** The repository's own hooks, skills, servers and instructions are in effect. */
  readonly projectSettings: boolean;
  /** `full` may be asked of it. */
  readonly mayBeFull: boolean;
}

/** What to start. */
export interface EngineerStart {
  readonly program: string;
  readonly args: readonly string[];
  /** What it is given over standard input: all of that, or the prompt in it where its reader speaks with it. */
  readonly stdin: string;
  /** Added to the engineer's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Files that have to stand in its home first, by inner path. */
  readonly files: Readonly<Record<string, string>>;
}

/** What a line of output has told. */
export type EngineerEvent =
  /** It has begun, and who it is. */
  | {
      readonly kind: 'began';
      readonly session: string | null;
      readonly model: string | null;
      readonly version: string | null;
    }
  /** Something it said or did, in one line for people; untrusted. */
  | { readonly kind: 'activity'; readonly text: string }
  /** Used so far, all together. */
  | { readonly kind: 'usage'; readonly usage: EngineerUsage }
  /** A line that is no event of its protocol. */
  | { readonly kind: 'noise' };

export interface EngineerUsage {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly turns: number;
  /** US dollars; null: it does not say. */
  readonly costUsd: number | null;
}

/** What the engineer's own envelope says of its end; whether the work is good is not for it to say. */
export type EngineerEnd =
  | { readonly kind: 'success'; readonly message: string }
  | {
      readonly kind: 'failure';
      readonly cause: Extract<
        ResultCause,
        'api_error' | 'auth' | 'quota' | 'max_turns' | 'max_budget' | 'engineer_error' | 'unfinished'
      >;
      /** Never empty: where the program gives no text, one is made of what it did give (case J208). */
      readonly detail: string;
      readonly message: string;
    }
  /** The process ended and no line said how. */
  | { readonly kind: 'none' };

export type EngineerExit =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  /** It stayed when its conversation was over, and was ended by us: that says nothing of its work. */
  | { readonly kind: 'dismissed' };

/** What a reader that speaks with its program is given for that. */
export interface EngineerVoice {
  /** Writes a line, without its line break, to the program's standard input. */
  say(line: string): void;
  /** An event that came of lines which were taken before. */
  event(event: EngineerEvent): void;
  /** A sentence of ours for the transcript, on a line of its own: what was answered, and why. */
  note(sentence: string): void;
  /** Nothing more is said: its standard input is closed, at which it has to end by itself. */
  hangUp(): void;
}

/** Reads one run of the program, line by line. Holds what it has seen, and no more of it than its end needs. */
export interface EngineerReader {
  /** @param line without its line break, valid UTF-8 */
  line(line: string): readonly EngineerEvent[];
  /** Where it speaks: after the last line, settles when all that was said has been taken. Never rejects. */
  over?(): Promise<void>;
  /** After the last line. */
  end(exit: EngineerExit): EngineerEnd;
  /** Used, as far as it was told. */
  usage(): EngineerUsage;
}

export type EngineerPlan =
  | { readonly kind: 'start'; readonly start: EngineerStart }
  /** This engineer cannot do that: said before anything is started. */
  | { readonly kind: 'refused'; readonly detail: string };

export interface Engineer {
  /** `claude-code`, `codex`, `gemini`, `acp`, `command`. */
  readonly kind: string;
  /** Arguments that make the program print its version, or null where it has none to print. */
  readonly versionArgs: readonly string[] | null;
  /** Its first event comes as soon as it runs: a silence then means that it does not (case B28). */
  readonly announces: boolean;
  /** Its reader speaks with it: its standard input stays open until that hangs up. */
  readonly speaks: boolean;
  /**
   * The rule that it cannot be held to under such an order, and what a person can do, or null (A5). Whoever sends a brief asks
   * before it leaves, and a runner before it takes one; `tree` is known only there.
   */
  unheld(
    order: Pick<EngineerOrder, 'deny' | 'safety' | 'settings'> & { readonly tree?: string },
  ): string | null;
  /** Refuses what `unheld` does. */
  plan(order: EngineerOrder): EngineerPlan;
  /** @param voice used by none that does not speak */
  reader(order: EngineerOrder, voice: EngineerVoice): EngineerReader;
}

/** Nothing used. */
export const NO_USAGE: EngineerUsage = {
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  turns: 0,
  costUsd: null,
};
