/** Rows of the table: a runner of delegated engineers, and the keys by which runners and teams know each other. */

import { type CommandRow, callFlag, type FlagRow } from '../command-row.js';
import { HEALTH, LOG_LEVEL, ofRunner } from './operators.js';
import { JSON_FLAG, REDIS } from './shared.js';

function runnerFlag(
  name: string,
  value: string,
  fallback: string,
  help: string,
  repeats?: 'repeats',
): FlagRow {
  const env = `BNERD_RUNNER_${name.toUpperCase().replaceAll('-', '_')}`;
  const row = { name, value, env, default: fallback, help };
  return repeats === undefined ? row : { ...row, repeats: true };
}

const WORKDIR = runnerFlag(
  'workdir',
  '<dir>',
  'the folder runner in BNERD_HOME',
  'folder of the runner: identity, mirrors, workspaces, outbox',
);
const KEEP_FAILED = runnerFlag('keep-failed', '<time>', '168h', 'how long what was kept stays');
const MIN_FREE = runnerFlag('min-free', '<bytes>', '500MB', 'below it no brief is taken (500MB, 2GB)');

/** In the order of the help. */
export const RUNNER_ROWS: readonly CommandRow[] = [
  {
    name: 'runner',
    group: 'program',
    summary: 'run engineers for the teams on a Redis, until it is stopped',
    arguments: [],
    flags: [
      callFlag('once', null, 'no', 'take one brief from standard input, as a child of who gives it, and end'),
      REDIS,
      WORKDIR,
      runnerFlag(
        'repos',
        '<address>',
        'none',
        'repository that briefs may be about, * for anything',
        'repeats',
      ),
      runnerFlag('max-safety', '<mode>', 'non-destructive', 'the loosest mode that a brief may ask for'),
      runnerFlag(
        'engineer',
        '<kind[=program]>',
        'claude-code, codex and gemini, as their programs are found',
        'engineer that may be asked for: claude-code, codex, gemini, acp or command',
        'repeats',
      ),
      runnerFlag('pool', '<name>', 'none: briefs without one', 'pool whose briefs are taken'),
      runnerFlag('labels', '<label>', 'none', 'what a brief may ask of this machine', 'repeats'),
      runnerFlag(
        'engineer-wrap',
        '<word>',
        'none',
        'program and words in front of every engineer',
        'repeats',
      ),
      runnerFlag('env-grants', '<name>', 'none', 'variable that engineers are given', 'repeats'),
      runnerFlag(
        'git-env',
        '<name>',
        'none',
        "variable for the runner's own git, never an engineer's",
        'repeats',
      ),
      runnerFlag('concurrency', '<n>', '1', 'briefs at once'),
      {
        ...runnerFlag('same-user', '', 'no', 'engineers run as this user: the machine is disposable'),
        value: null,
      },
      runnerFlag('grace', '<duration>', '5s', 'how long engineers get when it is stopped'),
      KEEP_FAILED,
      ofRunner(LOG_LEVEL),
      ofRunner(HEALTH),
      MIN_FREE,
    ],
    examples: [
      {
        line: 'bnerd runner --redis env:TEAM_REDIS --pool vm --labels gpu --repos "https://git.example/*"',
        says: 'takes briefs of that pool; Ctrl-C ends it, and what it has done is brought when it starts again',
      },
      {
        line: 'bnerd runner --once --workdir /var/lib/bnerd --repos /srv/app --engineer claude-code',
        says: 'the first line on standard input is the brief; its end calls the work off',
      },
    ],
    exits: 'brief',
    json: true,
  },
  {
    name: 'runners',
    group: 'program',
    summary: 'list the runners of a Redis: what they serve, what they do',
    arguments: [],
    flags: [REDIS, JSON_FLAG],
    examples: [
      { line: 'bnerd runners --redis env:TEAM_REDIS', says: 'a runner that died is gone after one lease' },
    ],
    exits: 'answer',
    json: true,
  },
  {
    name: 'runner drain',
    group: 'program',
    summary: 'have a runner take no more briefs, finish what it has, and end',
    arguments: [{ name: 'id', count: 'one', help: 'runner id, or the beginning of one' }],
    flags: [REDIS],
    examples: [
      { line: 'bnerd runner drain vm-07 --redis env:TEAM_REDIS', says: 'before its machine is put away' },
    ],
    exits: 'answer',
    json: false,
  },
  {
    name: 'runner prune',
    group: 'program',
    summary: 'remove what a runner has kept of briefs that have ended',
    arguments: [],
    flags: [
      callFlag('dry-run', null, 'no', 'list it and remove nothing'),
      WORKDIR,
      KEEP_FAILED,
      MIN_FREE,
      JSON_FLAG,
    ],
    examples: [
      { line: 'bnerd runner prune --dry-run', says: 'what would go, how large it is, and why' },
      { line: 'bnerd runner prune --keep-failed 24h', says: 'all that is older than a day' },
    ],
    exits: 'answer',
    json: true,
  },
];

export const KEY_ROWS: readonly CommandRow[] = [
  {
    name: 'keys init',
    group: 'program',
    summary: 'make a key pair of your own',
    arguments: [],
    flags: [
      callFlag('role', '<role>', 'it has to be said', 'operator, worker or runner: what it may sign'),
      JSON_FLAG,
    ],
    examples: [
      { line: 'bnerd keys init --role worker', says: 'prints the public key, for keys accept there' },
    ],
    exits: 'answer',
    json: true,
  },
  {
    name: 'keys accept',
    group: 'program',
    summary: 'accept the public key of somebody else',
    arguments: [{ name: 'key', count: 'one', help: 'public key, as keys init has printed it' }],
    flags: [
      callFlag('name', '<name>', 'it has to be said', 'name under which you know it: vm-07'),
      callFlag('role', '<role>', 'runner', 'operator, worker or runner: what it may sign'),
      JSON_FLAG,
    ],
    examples: [
      {
        line: 'bnerd keys accept 11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo --name vm-07',
        says: 'results of that runner count from now on',
      },
    ],
    exits: 'answer',
    json: true,
  },
  {
    name: 'keys retire',
    group: 'program',
    summary: 'take the word back that a key counts; it stays listed',
    arguments: [{ name: 'id', count: 'one', help: 'id of a key, or the beginning of one' }],
    flags: [JSON_FLAG],
    examples: [{ line: 'bnerd keys retire 21fe31df', says: 'what it signs is refused from now on' }],
    exits: 'answer',
    json: true,
  },
  {
    name: 'keys list',
    group: 'program',
    summary: 'list your own keys and those you have accepted',
    arguments: [],
    flags: [JSON_FLAG],
    examples: [{ line: 'bnerd keys list', says: 'id, role, name, since when, retired or not' }],
    exits: 'answer',
    json: true,
  },
];
