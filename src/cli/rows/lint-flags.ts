/** Flags of the commands that lint: the same in each of them. */

import type { FlagRow } from '../command-row.js';

/** How findings are written. */
export const FORMAT: FlagRow = {
  name: 'format',
  value: '<form>',
  env: null,
  default: 'text',
  help: 'text, json, github (workflow commands) or sarif (SARIF 2.1.0)',
};

/** What makes a lint fail. */
export const STRICT: FlagRow = {
  name: 'strict',
  value: null,
  env: null,
  default: 'no',
  help: 'fail on warnings as well',
};
