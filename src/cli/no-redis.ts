/** What is said where a command is about a Redis and none is named. */

import type { Finding } from '../shared/findings.js';

/** @param why what the command does with one */
export function noRedis(why: string): Finding {
  const remedy = 'give --redis redis://host:port, or set BNERD_REDIS_URL';
  return {
    code: 'no-redis',
    severity: 'error',
    path: '--redis',
    message: `${why}, and none is named`,
    remedy,
  };
}
