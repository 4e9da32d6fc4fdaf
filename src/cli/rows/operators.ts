/** Flags of commands that operators look after: the same words in each, and of a runner its own variables. */

import type { FlagRow } from '../command-row.js';

export const LOG_LEVEL: FlagRow = {
  name: 'log-level',
  value: '<level>',
  env: 'BNERD_LOG_LEVEL',
  default: 'silent; of worker and runner info',
  help: 'JSON lines for operators, on stderr, of worker and runner on stdout: silent, error, warn, info or debug',
};

export const HEALTH: FlagRow = {
  name: 'health',
  value: '<address:port>',
  env: 'BNERD_HEALTH',
  default: 'none: no port is opened',
  help: 'answer /healthz (200 with progress, 503 with what has stopped) and /metrics (Prometheus) there',
};

/** The same flag of a runner. */
export function ofRunner(flag: FlagRow): FlagRow {
  return { ...flag, env: `BNERD_RUNNER_${flag.name.toUpperCase().replaceAll('-', '_')}` };
}
