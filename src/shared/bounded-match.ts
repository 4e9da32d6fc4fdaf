/**
 * Work whose time a stranger decides, with a bound on it: some regular expressions need longer than the age of the
 * universe for one line, some schemas double their work with each reference, and nothing in the language can stop them.
 *
 * It runs under the time-out that `node:vm` has, which interrupts the matcher of expressions too. The code in the
 * context is ours and constant.
 */

import { createContext, Script } from 'node:vm';
import { systemCode } from './errors.js';

/** What came of it, or `too-slow`. */
export type Bounded<Value> = { readonly value: Value } | 'too-slow';

/** Indexes of the texts that match, or `too-slow`. */
export type MatchOutcome = readonly number[] | 'too-slow';

/** The event loop stands still meanwhile: longer would be felt by every member of the team; less would fail on a loaded machine. */
const BUDGET_MS = 1_000;

/** Makes what runs one piece of work at a time within the bound. Whatever the work throws is thrown. */
export function boundedTime(): <Value>(work: () => Value) => Bounded<Value> {
  const values: { work: () => void } = { work: () => {} };
  const context = createContext(values);
  const script = new Script('work();');
  return (work) => {
    const done: { value: ReturnType<typeof work> }[] = [];
    values.work = () => {
      done.push({ value: work() });
    };
    try {
      script.runInContext(context, { timeout: BUDGET_MS });
    } catch (error) {
      if (systemCode(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'too-slow';
      throw error;
    } finally {
      values.work = () => {};
    }
    return done[0] ?? 'too-slow';
  };
}

/** A test of many texts at once, since each start of the watchdog costs a tenth of a millisecond. */
export function boundedMatcher(expression: RegExp): (texts: readonly string[]) => MatchOutcome {
  const bounded = boundedTime();
  return (texts) => {
    const found = bounded(() => texts.flatMap((text, at) => (expression.test(text) ? [at] : [])));
    return found === 'too-slow' ? found : found.value;
  };
}

/** What a model is told of a pattern that took too long. */
export const TOO_SLOW_TEXT =
  'the pattern took too long on one text (nested repetition such as (a+)+ does that); write a simpler one';
