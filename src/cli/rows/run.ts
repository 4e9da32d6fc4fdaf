/** Rows of the table: the commands that drive a team. */

import { type CommandRow, callFlag, type FlagRow } from '../command-row.js';
import { HEALTH, LOG_LEVEL } from './operators.js';
import {
  AUTO_APPROVE,
  JSON_EVENTS,
  MISSION_REPO,
  MODEL,
  QUIET,
  REDIS,
  SAFETY,
  TEAM,
  TRUST,
  VAR,
} from './shared.js';

/** What `run` and `simulate` have in common. */
const RUN_ARGUMENTS: CommandRow['arguments'] = [
  { name: 'slug', count: 'one', help: 'recipe, as "bnerd team list" shows it' },
  {
    name: 'prompt',
    count: 'any',
    help: "the order to the team; without one the recipe's description serves",
  },
];

const ORDERS: CommandRow['flags'] = [
  {
    name: 'prompt',
    value: '<text|->',
    env: 'BNERD_PROMPT',
    default: "the recipe's description",
    help: 'the order to the team; "-" reads all of stdin',
  },
  SAFETY,
  AUTO_APPROVE,
  {
    name: 'auto-skip-questions',
    value: null,
    env: 'BNERD_AUTO_SKIP_QUESTIONS',
    default: 'no',
    help: 'answer every question of a member with "decide yourself and state the assumption"',
  },
  {
    name: 'request-timeout',
    value: '<duration>',
    env: 'BNERD_REQUEST_TIMEOUT',
    default: 'none',
    help: 'how long a request waits for an answer before it expires (30s, 5m, 2h)',
  },
  {
    name: 'grace',
    value: '<duration>',
    env: 'BNERD_GRACE',
    default: '5s',
    help: 'how long running tools get when the run is stopped',
  },
];

/** What every start of a run ends its flags with: bounds, places, output. */
const REST: CommandRow['flags'] = [
  {
    name: 'limit',
    value: '<name=value>',
    repeats: true,
    env: 'BNERD_LIMIT',
    default: "the recipe's limits",
    help: 'tighten a limit of the run (turns, wall_minutes, cost_usd, …)',
  },
  {
    name: 'page',
    value: '<url-or-path>',
    env: 'BNERD_PAGE',
    default: "the recipe's page, if it names one",
    help: 'the page that skills of the run work on; told to each member that carries one',
  },
  VAR,
  MISSION_REPO,
  TRUST,
  JSON_EVENTS,
  QUIET,
  LOG_LEVEL,
];

const NO_WORKER: FlagRow = {
  name: 'no-worker',
  value: null,
  env: 'BNERD_NO_WORKER',
  default: 'no',
  help: 'with --redis: only coordinate the run; its turns are taken by workers elsewhere',
};

const ATTACH: FlagRow = {
  name: 'attach',
  value: null,
  env: 'BNERD_ATTACH',
  default: 'no',
  help: 'with --redis: a team that another process coordinates is looked on and answered from here; Ctrl-C ends the looking on alone',
};

/** In the order of the help. */
export const RUN_ROWS: readonly CommandRow[] = [
  {
    name: 'team run',
    group: 'team',
    summary: 'start a team from a recipe and see it to its end',
    arguments: RUN_ARGUMENTS,
    flags: [
      {
        name: 'id',
        value: '<name>',
        env: 'BNERD_ID',
        default: 'run-<recipe>-<ULID>',
        help: 'name of the team; one that is there goes on where it stopped, and one that has finished says so again',
      },
      ...ORDERS,
      MODEL,
      ...REST,
      HEALTH,
      REDIS,
      NO_WORKER,
      ATTACH,
    ],
    examples: [
      { line: 'bnerd team run quickstart', says: 'a team at work, with no network and no key' },
      {
        line: 'bnerd team run quickstart "look at the tests first" > report.md',
        says: 'stdout is the result',
      },
      {
        line: 'git diff | bnerd team run quickstart --prompt - --safety read-only',
        says: 'the order from stdin',
      },
      {
        line: 'bnerd team run quickstart --id nightly',
        says: 'start it, or go on with it: the same line again never runs it twice',
      },
      { line: 'bnerd team run quickstart --json-events | jq .type', says: 'what happens, for a program' },
      {
        line: 'bnerd team run pr-review --model record/sonnet',
        says: 'record the answers; then --model replay/<team-id> plays them again, with no network',
      },
    ],
    exits: 'run',
    json: true,
  },
  {
    name: 'team simulate',
    group: 'team',
    summary: 'see how a recipe moves, with no model, no network and no key',
    arguments: RUN_ARGUMENTS,
    flags: [
      callFlag(
        'script',
        '<file>',
        "the recipe's own script, else members that think nothing and do what they are asked",
        'script that plays the members',
      ),
      callFlag(
        'workspace',
        '<copy|temp|here>',
        'copy',
        'where they work: a copy of the workspace, an empty directory, or the workspace itself',
      ),
      ...ORDERS,
      ...REST,
    ],
    examples: [
      {
        line: 'bnerd team simulate pr-review --auto-approve all',
        says: 'spawns, board, gates and policy of a recipe',
      },
      {
        line: 'bnerd team simulate job --script play.yaml',
        says: 'a script that says what each member does',
      },
    ],
    exits: 'run',
    json: true,
  },
  {
    name: 'team resume',
    group: 'team',
    summary: 'go on with a team that was stopped, or whose process died',
    arguments: [TEAM],
    flags: [
      callFlag(
        'take-over',
        null,
        'no',
        'your word on what cannot be known from here: its holder is gone, or its server has lost the record',
      ),
      MISSION_REPO,
      TRUST,
      JSON_EVENTS,
      QUIET,
      LOG_LEVEL,
      HEALTH,
      REDIS,
      NO_WORKER,
      ATTACH,
    ],
    examples: [
      { line: 'bnerd team resume run-quickstart-01J', says: 'the beginning of the id is enough' },
      {
        line: 'bnerd team resume nightly --redis env:TEAM_REDIS --attach',
        says: 'look on at a team that runs elsewhere, and answer it',
      },
    ],
    exits: 'run',
    json: true,
  },
];
