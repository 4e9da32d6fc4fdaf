/**
 * The one table of what can be typed: commands, arguments, flags with their variables and defaults, examples, exit
 * codes (spec/team.md §8). The parser is built from it, every help text is made from it, tests compare it with the
 * configuration and the README. Plain data; the rows of the commands lie in `rows/`.
 */

import type { CommandRow } from './command-row.js';
import { CATALOGUE_ROWS } from './rows/catalogue.js';
import { PROGRAM_ROWS } from './rows/program.js';
import { RUN_ROWS } from './rows/run.js';
import { TEAM_ROWS } from './rows/teams.js';

export const COMMANDS: readonly CommandRow[] = [
  ...RUN_ROWS,
  ...CATALOGUE_ROWS,
  ...TEAM_ROWS,
  ...PROGRAM_ROWS,
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
