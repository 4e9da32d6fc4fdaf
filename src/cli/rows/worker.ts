/** Rows of the table: workers, which take turns of the teams on a Redis. */

import { type CommandRow, callFlag } from '../command-row.js';
import { REDIS } from './shared.js';

/** In the order of the help. */
export const WORKER_ROWS: readonly CommandRow[] = [
  {
    name: 'worker',
    group: 'program',
    summary: 'take turns of the teams on a Redis, until it is stopped',
    arguments: [],
    flags: [
      REDIS,
      callFlag('concurrency', '<n>', '4', 'turns at once, of all teams'),
      {
        ...callFlag('grace', '<duration>', '5s', 'how long running tools get when it is stopped'),
        env: 'BNERD_GRACE',
      },
    ],
    examples: [
      {
        line: 'bnerd worker --redis redis://redis.example:6379',
        says: 'Ctrl-C ends it; its turns go on elsewhere',
      },
      { line: 'bnerd worker --redis env:TEAM_REDIS --concurrency 16', says: 'an address with a password' },
    ],
    exits: 'answer',
    json: false,
  },
];
