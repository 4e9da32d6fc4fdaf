/** Rows of the table: the operator's word on files that came with somebody else's tree. */

import type { CommandRow, FlagRow } from '../command-row.js';
import { JSON_FLAG, MISSION_REPO, TRUST } from './shared.js';

const flag = (name: string, value: string | null, fallback: string | null, help: string): FlagRow => ({
  name,
  value,
  env: null,
  default: fallback,
  help,
});

const FLAGS: readonly FlagRow[] = [
  flag('digest', '<digest>', 'ask at the terminal', 'approve without asking, when this is its digest'),
  flag('repo', null, 'no', 'trust the repository itself for good: its path and its root commit'),
  flag('revoke', null, 'no', 'take the word back, for a file or, with --repo, for a place'),
  flag('as', '<name>', 'your git e-mail, else your user name', 'the name that is recorded with the word'),
  flag('show-invisible', null, 'no', 'accept no-break spaces and joiners; they are shown as <U+…>'),
  flag('accept', null, 'ask at the terminal', 'accept phrases that try to set aside other instructions'),
  flag('self', null, 'no', 'approve a text of a mission repository although you are its last author'),
  flag('yes', null, 'no', 'do not ask (--repo)'),
  MISSION_REPO,
  TRUST,
  JSON_FLAG,
];

const TARGET = {
  name: 'target',
  count: 'optional',
  help: 'file by path or name; with --repo a folder of the repository; none: list them',
} as const;

/** In the order of the help. */
export const TRUST_ROWS: readonly CommandRow[] = [
  {
    name: 'trust',
    group: 'program',
    summary: 'show files that need your word, approve or revoke them',
    arguments: [TARGET],
    flags: FLAGS,
    examples: [
      { line: 'bnerd trust', says: 'every recipe, role, rule and skill that is not in use without it' },
      { line: 'bnerd trust code-reviewer', says: 'show one, and ask' },
      { line: 'bnerd trust --repo', says: 'everything in this repository, now and later' },
      { line: 'bnerd trust --revoke code-reviewer', says: 'take it back' },
    ],
    exits: 'answer',
    json: true,
  },
  {
    name: 'skills approve',
    group: 'program',
    summary: 'the same as bnerd trust',
    arguments: [TARGET],
    flags: FLAGS,
    examples: [{ line: 'bnerd skills approve flux', says: 'show one, and ask' }],
    exits: 'answer',
    json: true,
  },
];
