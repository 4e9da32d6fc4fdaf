/** Flags of the commands that lint: the same in each of them. */

import { callFlag } from '../command-row.js';

/** How findings are written. */
export const FORMAT = callFlag(
  'format',
  '<form>',
  'text',
  'text, json, github (workflow commands) or sarif (SARIF 2.1.0)',
);

/** What makes a lint fail. */
export const STRICT = callFlag('strict', null, 'no', 'fail on warnings as well');
