/** Rows of the table: the commands about the program itself. */

import type { CommandRow } from '../command-row.js';

/** In the order of the help. */
export const PROGRAM_ROWS: readonly CommandRow[] = [
  {
    name: 'schema recipe',
    group: 'program',
    summary: 'print the JSON Schema of the frontmatter of a recipe',
    arguments: [],
    flags: [],
    examples: [{ line: 'bnerd schema recipe > recipe.schema.json', says: 'for an editor or a check' }],
    exits: 'answer',
    json: true,
  },
  {
    name: 'schema role',
    group: 'program',
    summary: 'print the JSON Schema of the frontmatter of a role',
    arguments: [],
    flags: [],
    examples: [{ line: 'bnerd schema role > role.schema.json', says: 'for an editor or a check' }],
    exits: 'answer',
    json: true,
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
