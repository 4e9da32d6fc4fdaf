/** Rows of the table: the commands about recipes and roles. */

import { type CommandRow, callFlag } from '../command-row.js';
import { FORMAT, STRICT } from './lint-flags.js';
import { JSON_FLAG, MISSION_REPO, SAFETY, TRUST, VAR } from './shared.js';

/** In the order of the help. */
export const CATALOGUE_ROWS: readonly CommandRow[] = [
  {
    name: 'team list',
    group: 'team',
    summary: 'list the recipes there are',
    arguments: [],
    flags: [MISSION_REPO, TRUST, JSON_FLAG],
    examples: [{ line: 'bnerd team list', says: 'slug and description' }],
    exits: 'answer',
    json: true,
  },
  {
    name: 'team describe',
    group: 'team',
    summary: 'show what a recipe is made of',
    arguments: [{ name: 'slug', count: 'one', help: 'recipe' }],
    flags: [
      callFlag(
        'prompt',
        '<role>',
        null,
        'print the system prompt of this member, exactly as a run would give it',
      ),
      callFlag(
        'policy',
        null,
        'no',
        'print what each class of calls meets in each safety mode, the rules, and the tools of each member',
      ),
      SAFETY,
      VAR,
      MISSION_REPO,
      TRUST,
      JSON_FLAG,
    ],
    examples: [
      { line: 'bnerd team describe quickstart', says: 'lead, safety, members, permissions' },
      {
        line: 'bnerd team describe quickstart --prompt scout > scout.txt',
        says: 'its parts, with size, origin and digest, are on stderr',
      },
      { line: 'bnerd team describe feature --policy', says: 'what would run, be asked about, be refused' },
    ],
    exits: 'answer',
    json: true,
  },
  {
    name: 'team lint',
    group: 'team',
    summary: 'check recipes and roles without asking a model',
    arguments: [{ name: 'target', count: 'any', help: 'slug, role name, file or folder; none: everything' }],
    flags: [FORMAT, STRICT, MISSION_REPO, TRUST, JSON_FLAG],
    examples: [
      { line: 'bnerd team lint', says: 'all of them; exit 1 when there is an error' },
      { line: 'bnerd team lint ./team.md ./agents --strict', says: 'a file, and every role of a folder' },
      { line: 'bnerd team lint --format github', says: 'annotations of a pull request' },
      { line: 'bnerd team lint --format sarif > lint.sarif', says: 'for code scanning' },
    ],
    exits: 'answer',
    json: true,
  },
  {
    name: 'team new',
    group: 'team',
    summary: 'write the files of a new team: a recipe, two roles, a skill',
    arguments: [{ name: 'slug', count: 'one', help: 'name of the recipe and of its folder' }],
    flags: [
      callFlag('mission', null, 'no', 'into the mission repository that was named, instead of this one'),
      MISSION_REPO,
      JSON_FLAG,
    ],
    examples: [
      { line: 'bnerd team new code-tour', says: 'into .bnerd of this repository' },
      { line: 'bnerd team new code-tour --mission --mission-repo ../ops', says: 'into a mission repository' },
    ],
    exits: 'answer',
    json: true,
  },
];
