/**
 * Regular expressions of a model, with a bound on their time: some need longer than the age of the universe for
 * one line, and nothing in the language can stop them.
 *
 * The test runs in a context of its own, under the time-out that `node:vm` has, which interrupts the matcher
 * too. The code in it is ours and constant; the expression and the texts are values.
 */

import { createContext, Script } from 'node:vm';
import { systemCode } from '../shared/errors.js';

/** Indexes of the texts that match, or `too-slow`. */
export type MatchOutcome = readonly number[] | 'too-slow';

/** The event loop stands still meanwhile: longer would be felt by every member of the team; less would fail on a loaded machine. */
const BUDGET_MS = 1_000;

/** A test of many texts at once, since each start of the watchdog costs a tenth of a millisecond. */
export function boundedMatcher(expression: RegExp): (texts: readonly string[]) => MatchOutcome {
  const values = { expression, texts: [] as readonly string[], found: [] as number[] };
  const context = createContext(values);
  const script = new Script(
    'for (let at = 0; at < texts.length; at++) if (expression.test(texts[at])) found.push(at);',
  );
  return (texts) => {
    values.texts = texts;
    values.found = [];
    try {
      script.runInContext(context, { timeout: BUDGET_MS });
    } catch (error) {
      if (systemCode(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'too-slow';
      throw error;
    }
    return values.found;
  };
}

/** What a model is told of a pattern that took too long. */
export const TOO_SLOW_TEXT =
  'the pattern took too long on one text (nested repetition such as (a+)+ does that); write a simpler one';
