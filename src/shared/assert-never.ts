/** The end of every exhaustive switch: a new member of the union is then a type error, not a silent gap. */

import { BugError } from './errors.js';

/** Refuses any value at run time: reaching it means that data passed a door unchecked. */
export function assertNever(value: never, what: string): never {
  throw new BugError('unreachable', `unhandled ${what}: ${JSON.stringify(value)}`);
}
