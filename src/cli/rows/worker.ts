/** Rows of the table: workers, which take turns of the teams on a Redis. */

import { type CommandRow, callFlag } from '../command-row.js';
import { HEALTH, LOG_LEVEL } from './operators.js';
import { JSON_FLAG, REDIS } from './shared.js';

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
      callFlag(
        'pools',
        '<any|host|any,host>',
        'any,host',
        'which turns: those that any machine may take, those that have to be on this one, or both',
      ),
      callFlag('max-safety', '<mode>', 'full', 'teams whose safety is looser are left to others'),
      {
        name: 'workspace-root',
        value: '<dir>',
        repeats: true,
        env: 'BNERD_WORKSPACE_ROOT',
        default: 'none: anywhere',
        help: 'teams whose workspace lies in none of these folders are left to others; one that is made here lies in the first',
      },
      {
        ...callFlag('grace', '<duration>', '5s', 'how long running tools get when it is stopped'),
        env: 'BNERD_GRACE',
      },
      LOG_LEVEL,
      HEALTH,
    ],
    examples: [
      {
        line: 'bnerd worker --redis redis://redis.example:6379',
        says: 'Ctrl-C ends it; its turns go on elsewhere',
      },
      { line: 'bnerd worker --redis env:TEAM_REDIS --concurrency 16', says: 'an address with a password' },
      {
        line: 'bnerd worker --redis env:TEAM_REDIS --max-safety read-only --workspace-root /srv/teams',
        says: 'only teams that change nothing, in one place',
      },
      {
        line: 'bnerd worker --redis env:TEAM_REDIS --health 127.0.0.1:9464',
        says: 'curl 127.0.0.1:9464/healthz says whether it makes progress',
      },
    ],
    exits: 'answer',
    json: false,
  },
  {
    name: 'workers',
    group: 'program',
    summary: 'list the workers of a Redis: what they serve, what they do',
    arguments: [],
    flags: [REDIS, JSON_FLAG],
    examples: [
      { line: 'bnerd workers --redis env:TEAM_REDIS', says: 'a worker that died is gone after one lease' },
    ],
    exits: 'answer',
    json: true,
  },
];
