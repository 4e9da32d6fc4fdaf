/**
 * The one table of what can be typed: commands, arguments, flags with their variables and defaults, examples, exit
 * codes (spec/team.md §8). The parser is built from it, every help text is made from it, tests compare it with the
 * configuration and the README. Plain data.
 */

import type { ArgumentRow, CommandRow, FlagRow } from './command-row.js';

const MISSION_REPO: FlagRow = {
  name: 'mission-repo',
  value: '<dir>',
  env: 'BNERD_MISSION_REPO',
  default: 'none',
  help: 'repository whose orchestrator folder holds recipes, roles and skills (also MISSION_REPO)',
};
const JSON_EVENTS: FlagRow = {
  name: 'json-events',
  value: '[=facts|all]',
  bare: 'facts',
  env: 'BNERD_JSON_EVENTS',
  default: 'off',
  help: 'write one JSON object a fact to stdout and nothing else; all: transcript entries as well',
};
const QUIET: FlagRow = {
  name: 'quiet',
  value: null,
  env: 'BNERD_QUIET',
  default: 'no',
  help: 'no progress on stderr; prompts and the last lines stay',
};
const JSON_FLAG: FlagRow = {
  name: 'json',
  value: null,
  env: null,
  default: null,
  help: 'print one JSON document instead of text',
};
const TEAM: ArgumentRow = { name: 'id', count: 'one', help: 'team id, or the beginning of one' };

export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'team run',
    group: 'team',
    summary: 'start a team from a recipe and see it to its end',
    arguments: [
      { name: 'slug', count: 'one', help: 'recipe, as "bnerd team list" shows it' },
      {
        name: 'prompt',
        count: 'any',
        help: "the order to the team; without one the recipe's description serves",
      },
    ],
    flags: [
      {
        name: 'prompt',
        value: '<text|->',
        env: 'BNERD_PROMPT',
        default: "the recipe's description",
        help: 'the order to the team; "-" reads all of stdin',
      },
      {
        name: 'safety',
        value: '<mode>',
        env: 'BNERD_SAFETY',
        default: "the recipe's floor",
        help: 'read-only, non-destructive or full; may only tighten the floor',
      },
      {
        name: 'auto-approve',
        value: '<what>',
        env: 'BNERD_AUTO_APPROVE',
        default: 'never',
        help: 'confirmations answered without asking: never, safe (class Read) or all that the safety mode admits',
      },
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
      {
        name: 'model',
        value: '<[role=]model>',
        repeats: true,
        env: 'BNERD_MODEL',
        default: 'role, recipe, then ~/.bnerd.yaml',
        help: 'model for all roles or for one, as provider/name (script/<file> plays a script)',
      },
      {
        name: 'limit',
        value: '<name=value>',
        repeats: true,
        env: 'BNERD_LIMIT',
        default: "the recipe's limits",
        help: 'tighten a limit of the run (turns, wall_minutes, cost_usd, …)',
      },
      {
        name: 'var',
        value: '<name=value>',
        repeats: true,
        env: 'BNERD_VAR',
        default: "the recipe's defaults",
        help: 'value of a variable of the recipe',
      },
      MISSION_REPO,
      JSON_EVENTS,
      QUIET,
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
      { line: 'bnerd team run quickstart --json-events | jq .type', says: 'what happens, for a program' },
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
      {
        name: 'take-over',
        value: null,
        env: null,
        default: 'no',
        help: 'take it from a holder that cannot be looked at from here; only when you know that it is gone',
      },
      MISSION_REPO,
      JSON_EVENTS,
      QUIET,
    ],
    examples: [{ line: 'bnerd team resume run-quickstart-01J', says: 'the beginning of the id is enough' }],
    exits: 'run',
    json: true,
  },
  {
    name: 'team list',
    group: 'team',
    summary: 'list the recipes there are',
    arguments: [],
    flags: [MISSION_REPO, JSON_FLAG],
    examples: [{ line: 'bnerd team list', says: 'slug and description' }],
    exits: 'answer',
    json: true,
  },
  {
    name: 'team describe',
    group: 'team',
    summary: 'show what a recipe is made of',
    arguments: [{ name: 'slug', count: 'one', help: 'recipe' }],
    flags: [MISSION_REPO, JSON_FLAG],
    examples: [{ line: 'bnerd team describe quickstart', says: 'lead, safety, members, permissions' }],
    exits: 'answer',
    json: true,
  },
  {
    name: 'team lint',
    group: 'team',
    summary: 'check recipes and roles without asking a model',
    arguments: [{ name: 'target', count: 'any', help: 'slug, role name or path; none: everything' }],
    flags: [
      { name: 'strict', value: null, env: null, default: 'no', help: 'fail on warnings as well' },
      MISSION_REPO,
      JSON_FLAG,
    ],
    examples: [
      { line: 'bnerd team lint', says: 'all of them; exit 1 when there is an error' },
      { line: 'bnerd team lint ./team.md --strict', says: 'one file' },
    ],
    exits: 'answer',
    json: true,
  },
  {
    name: 'team status',
    group: 'team',
    summary: 'show where a team stands: members, tasks, requests, mail, budget',
    arguments: [TEAM],
    flags: [JSON_FLAG],
    examples: [
      { line: 'bnerd team status run-quickstart-01J --json | jq .waiting', says: 'why nothing moves' },
    ],
    exits: 'answer',
    json: true,
  },
  {
    name: 'team ps',
    group: 'team',
    summary: 'list the teams there are, live and stopped',
    arguments: [],
    flags: [JSON_FLAG],
    examples: [{ line: 'bnerd team ps', says: 'oldest first' }],
    exits: 'answer',
    json: true,
  },
  {
    name: 'team requests',
    group: 'team',
    summary: 'list what a team waits for an answer to',
    arguments: [TEAM],
    flags: [JSON_FLAG],
    examples: [{ line: 'bnerd team requests run-quickstart-01J', says: 'with the arguments in full' }],
    exits: 'answer',
    json: true,
  },
  {
    name: 'team answer',
    group: 'team',
    summary: 'decide a request; on a stopped team it is recorded for the resume',
    arguments: [
      TEAM,
      { name: 'request', count: 'one', help: 'request id (r3)' },
      { name: 'answer', count: 'some', help: 'yes, no, or the text of the answer' },
    ],
    flags: [],
    examples: [
      { line: 'bnerd team answer run-quickstart-01J r3 yes', says: 'approve' },
      { line: 'bnerd team answer run-quickstart-01J r4 use the old table', says: 'answer a question' },
    ],
    exits: 'answer',
    json: false,
    freeText: true,
  },
  {
    name: 'team send',
    group: 'team',
    summary: 'send a message to a member or the lead',
    arguments: [
      TEAM,
      { name: 'to', count: 'one', help: 'member, or "lead"' },
      { name: 'text', count: 'some', help: 'the message' },
    ],
    flags: [],
    examples: [
      { line: 'bnerd team send run-quickstart-01J lead stop after the first finding', says: 'in your name' },
    ],
    exits: 'answer',
    json: false,
    freeText: true,
  },
  {
    name: 'team stop',
    group: 'team',
    summary: 'stop a team, or one member of it; what is done stays done',
    arguments: [TEAM, { name: 'member', count: 'optional', help: 'member; none: the whole team' }],
    flags: [{ name: 'force', value: null, env: null, default: 'no', help: 'kill running tools at once' }],
    examples: [{ line: 'bnerd team stop run-quickstart-01J', says: 'resumable' }],
    exits: 'answer',
    json: false,
  },
  {
    name: 'team transcript',
    group: 'team',
    summary: 'show what a member was given, answered and did',
    arguments: [TEAM, { name: 'member', count: 'one', help: 'member' }],
    flags: [JSON_FLAG],
    examples: [{ line: 'bnerd team transcript run-quickstart-01J scout', says: 'oldest first' }],
    exits: 'answer',
    json: true,
  },
  {
    name: 'team result',
    group: 'team',
    summary: 'print the result of a team that has ended',
    arguments: [TEAM],
    flags: [],
    examples: [
      { line: 'bnerd team result run-quickstart-01J > report.md', says: 'exit 1 when there is none' },
    ],
    exits: 'answer',
    json: false,
  },
  {
    name: 'team verify',
    group: 'team',
    summary: 'check a record whole: numbers, texts, and the fold against the state',
    arguments: [TEAM],
    flags: [],
    examples: [{ line: 'bnerd team verify run-quickstart-01J', says: 'exit 1 when something differs' }],
    exits: 'answer',
    json: false,
  },
  {
    name: 'team cleanup',
    group: 'team',
    summary: 'put a team away: stop it, then archive its record',
    arguments: [TEAM],
    flags: [
      { name: 'yes', value: null, env: null, default: 'no', help: 'do not ask' },
      {
        name: 'purge',
        value: null,
        env: null,
        default: 'no',
        help: 'delete the record instead of archiving it',
      },
    ],
    examples: [{ line: 'bnerd team cleanup run-quickstart-01J --yes', says: 'without a question' }],
    exits: 'answer',
    json: false,
  },
  {
    name: 'schema events',
    group: 'program',
    summary: 'print the JSON Schema of a line of --json-events',
    arguments: [],
    flags: [],
    examples: [{ line: 'bnerd schema events > events.schema.json', says: 'every line validates against it' }],
    exits: 'answer',
    json: true,
  },
  {
    name: 'help',
    group: 'program',
    summary: 'explain a command, or one of: exit-codes, environment',
    arguments: [{ name: 'topic', count: 'any', help: 'command or topic' }],
    flags: [],
    examples: [
      { line: 'bnerd help team run', says: 'flags, variables, examples' },
      { line: 'bnerd help exit-codes', says: 'what each number means' },
    ],
    exits: 'answer',
    json: false,
  },
];

/** Exit codes of `team run` and `team resume`; the first three also mean yes, no and wrong use elsewhere. */
export const EXIT_CODES: readonly { readonly code: number; readonly name: string; readonly says: string }[] =
  [
    { code: 0, name: 'done', says: 'the team has finished its work (other commands: yes)' },
    { code: 1, name: 'failed', says: 'the lead reported failure, or the run broke (other commands: no)' },
    { code: 2, name: 'refused', says: 'wrong use or bad input; nothing was created' },
    { code: 3, name: 'partial', says: 'finished with failed or cancelled tasks, accepted by the lead' },
    { code: 4, name: 'needs_human', says: 'nothing can move without an answer nobody can give here' },
    { code: 5, name: 'budget', says: 'turns, model calls, tokens, cost or record size reached a limit' },
    { code: 6, name: 'deadline', says: 'the time limit of the run was reached' },
    { code: 7, name: 'stalled', says: 'open tasks remain and nothing is due' },
    { code: 8, name: 'unverified', says: 'a task that must have a result has none' },
    { code: 129, name: 'cancelled', says: 'stopped by a hang-up' },
    { code: 130, name: 'cancelled', says: 'stopped by Ctrl-C, or with "bnerd team stop"' },
    { code: 143, name: 'cancelled', says: 'stopped by TERM' },
  ];

/** Variables that are no flag's. */
export const VARIABLES: readonly { readonly name: string; readonly says: string }[] = [
  { name: 'BNERD_HOME', says: 'where teams are kept; default: the folder .bnerd in your home directory' },
  { name: 'BNERD_AGENT_SKILLS', says: 'skills added to roles: role=a,b;role2=c, or a,b for all' },
  { name: 'BLOOM_AGENT_SKILLS', says: 'the same, read when BNERD_AGENT_SKILLS is not set' },
  { name: 'MISSION_REPO', says: 'the same as BNERD_MISSION_REPO, which beats it' },
];
