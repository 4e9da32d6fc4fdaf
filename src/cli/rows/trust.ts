/** Rows of the table: the operator's word on files that came with somebody else's tree. */

import { type CommandRow, callFlag, type FlagRow } from '../command-row.js';
import { JSON_FLAG, MISSION_REPO, TRUST } from './shared.js';

const FLAGS: readonly FlagRow[] = [
  callFlag('digest', '<digest>', 'ask at the terminal', 'approve without asking, when this is its digest'),
  callFlag('repo', null, 'no', 'trust the repository itself for good: its path and its root commit'),
  callFlag('revoke', null, 'no', 'take the word back, for a file or, with --repo, for a place'),
  callFlag('as', '<name>', 'your git e-mail, else your user name', 'the name that is recorded with the word'),
  callFlag('show-invisible', null, 'no', 'accept no-break spaces and joiners; they are shown as <U+…>'),
  callFlag('accept', null, 'ask at the terminal', 'accept phrases that try to set aside other instructions'),
  callFlag('self', null, 'no', 'approve a text of a mission repository although you are its last author'),
  callFlag('yes', null, 'no', 'do not ask (--repo)'),
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
