/**
 * The scripted model's script in its working shape: checked, compiled, every default set (spec/team.md §9).
 *
 * What a script says, as people write it:
 *
 *   script: 1
 *   roles:
 *     reader:                          # compared without case and `-_ `, as role names are
 *       idle: "Waiting."               # said when the next turn's `await` is not met, or no turn is left
 *       turns:
 *         - name: kickoff
 *           await: ["regex", …]        # all must match, else the model says `idle` and stays where it is
 *           steps:                     # one step is one answer
 *             - expect: ["regex", …]   # all must match what was sent
 *               capture: { file: "^path: (.+)$", kind: { match: "kind (\\w+)", default: "text" } }
 *               text: "reading {{file}}"
 *               calls: [{ tool: fs_read_file, args: { path: "{{file}}" } }]
 *             - text: "done"           # a step without calls ends the turn
 *
 * 1. *What was sent* is the text of the user messages and tool results since the last step (idle answers do not
 *    count); for the first step of a turn also the user messages since the turn before gave its first answer, so
 *    that mail put in between two steps is not lost to the next turn's `await`.
 * 2. When a closing step is due and the next turn's `await` is met by mail that came since its own turn's first
 *    answer, both are said in one answer. So what a script does never depends on how the mail was batched
 *    over wake-ups. A turn that needs several messages names them all in one `await` list.
 * 3. Regexes are JavaScript with the flags `m` and `u`: `^` and `$` stand at every line, `.` stays within one
 *    (`[^]` crosses). They see the newest 64 Ki characters of what was sent. The first match counts.
 * 4. Captures last for the rest of the conversation and are used as `{{name}}` in text, args (any depth), `await`,
 *    `expect` and `capture` (there escaped, so they match literally). `{{member}}` and `{{role}}` are always known,
 *    and are all that `idle` may use.
 * 5. `args` is a mapping, or a text: the raw arguments of a model that failed to write JSON.
 * 6. `delay_ms` answers late. `fail: {kind: fatal, code, message}` fails fatally in place of an answer, each time it is asked.
 *    `fail: {kind: rate_limited, message, retry_after_ms, times}` (or `unavailable`) fails that often (once, where it
 *    does not say) before the step is said; how often it was is known to this process alone, so another one that takes
 *    the team up meets the failures again. `retry_after_ms` may be left out: then the provider names no time.
 * 7. A step with `when: ["regex", …]` is said only when all match what was sent; else it is passed over, and is then
 *    neither a step too many nor one left over: for what seldom happens, such as a call that was interrupted. It
 *    has calls, and a turn neither begins nor ends with it. What it captures is set only when it was said.
 */

import type { Pattern } from './pattern.js';

export interface Script {
  /** The file as the user would type it. */
  readonly path: string;
  /** By `roleIdentity`. */
  readonly parts: ReadonlyMap<string, Part>;
}

export interface Part {
  readonly role: string;
  /** 1-based line of the file, here and below. */
  readonly line: number;
  /** Null when the script declares none; then a call after the last turn is a failure. */
  readonly idle: string | null;
  readonly turns: readonly ScriptTurn[];
}

export interface ScriptTurn {
  readonly name: string | null;
  readonly line: number;
  /** `roles.<r>.turns[2]`. */
  readonly place: string;
  readonly await: readonly Pattern[];
  readonly steps: readonly Step[];
}

export interface Step {
  readonly line: number;
  /** `roles.<r>.turns[2].steps[0]`. */
  readonly place: string;
  /** Empty: the step is always said. */
  readonly when: readonly Pattern[];
  readonly expect: readonly Pattern[];
  readonly capture: readonly Capture[];
  readonly text: string;
  readonly calls: readonly StepCall[];
  readonly delayMs: number;
  readonly failure: { readonly code: string; readonly message: string } | null;
  /** What comes before the answer, so many times. */
  readonly passing: PassingFailure | null;
}

export interface PassingFailure {
  readonly kind: 'rate_limited' | 'unavailable';
  readonly message: string;
  readonly retryAfterMs: number | null;
  readonly times: number;
}

export interface Capture {
  readonly name: string;
  readonly pattern: Pattern;
  readonly fallback: string | null;
}

export interface StepCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>> | string;
}

/** Said while waiting by a role that declares no `idle`. Not blank: a blank answer counts as no progress. */
export const DEFAULT_IDLE = 'Nothing to do yet.';

/** Captures that every conversation has from its start. */
export const BUILTIN_CAPTURES: readonly string[] = ['member', 'role'];
