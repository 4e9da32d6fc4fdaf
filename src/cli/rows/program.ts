/** Rows of the table: the commands about the program itself. */

import { type CommandRow, callFlag } from '../command-row.js';
import { RUN_ROWS } from './run.js';
import { JSON_FLAG, REDIS } from './shared.js';

/** Every flag that is a setting: it has a variable, and some have a key in the settings file. */
const SETTINGS = RUN_ROWS.flatMap(({ name, flags }) => (name === 'team run' ? flags : []));

/** In the order of the help. */
export const PROGRAM_ROWS: readonly CommandRow[] = [
  {
    name: 'doctor',
    group: 'program',
    summary: 'examine this machine, and the Redis that is named: what is in the way, and what to do',
    arguments: [],
    flags: [
      REDIS,
      {
        ...callFlag(
          'acl',
          '[=6.2|7]',
          'no',
          'print a file of users for the server instead: operator, worker and runner of the prefix, for Redis 6.2, or 7 and later',
        ),
        bare: '7',
      },
      callFlag(
        'acl-passwords',
        'file:<path>',
        'none: words that the server refuses',
        'their passwords, <role> <password> a line; only digests of them are printed',
      ),
      JSON_FLAG,
    ],
    examples: [
      {
        line: 'bnerd doctor',
        says: 'Node, git, keys by name, engineers; exit 1 when something is in the way',
      },
      {
        line: 'bnerd doctor --redis env:TEAM_REDIS',
        says: 'what a crash of the server loses, latency, clocks, workers, teams that nobody serves',
      },
      {
        line: 'bnerd doctor --acl --acl-passwords file:passwords > users.acl',
        says: 'rules for BNERD_REDIS_PREFIX; redis-server --aclfile users.acl',
      },
    ],
    exits: 'answer',
    json: true,
  },
  {
    name: 'config show',
    group: 'program',
    summary: 'show every setting with its value, as a run would have it here',
    arguments: [],
    flags: [
      ...SETTINGS,
      callFlag(
        'origin',
        null,
        'no',
        'say of each where it comes from: flag, variable, file with line, default',
      ),
      JSON_FLAG,
    ],
    examples: [
      { line: 'bnerd config show --origin', says: 'keys are told as set, never by value' },
      { line: 'bnerd config show --origin --grace 10s', says: 'what a flag would change' },
    ],
    exits: 'answer',
    json: true,
  },
  schemaRow('recipe', 'the frontmatter of a recipe', 'for an editor or a check'),
  schemaRow('role', 'the frontmatter of a role', 'for an editor or a check'),
  schemaRow('skill', 'the frontmatter of a skill or rule', 'for an editor or a check'),
  schemaRow('brief', 'a brief, the signed order to an engineer', 'for a runner of your own'),
  schemaRow('result', 'a result, what a runner signs of a brief', 'for a reader of records'),
  schemaRow('events', 'a line of --json-events', 'every line validates against it'),
  {
    name: 'help',
    group: 'program',
    summary: 'explain a command or a topic; alone it lists them',
    arguments: [{ name: 'topic', count: 'any', help: 'command or topic' }],
    flags: [],
    examples: [
      { line: 'bnerd help team run', says: 'flags, variables, examples' },
      { line: 'bnerd help recipes', says: 'a page on a topic' },
    ],
    exits: 'answer',
    json: false,
  },
];

function schemaRow(name: string, of: string, says: string): CommandRow {
  return {
    name: `schema ${name}`,
    group: 'program',
    summary: `print the JSON Schema of ${of}`,
    arguments: [],
    flags: [],
    examples: [{ line: `bnerd schema ${name} > ${name}.schema.json`, says }],
    exits: 'answer',
    json: true,
  };
}
