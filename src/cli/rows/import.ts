/** Rows of the table: the commands that write rules and skills, and the lock beside them (spec/skills.md §9, §10). */

import { type CommandRow, callFlag } from '../command-row.js';
import { JSON_FLAG, MISSION_REPO } from './shared.js';

const INTO = callFlag(
  'into',
  '<dir>',
  'skills of the named mission repository, else skills/ here',
  'folder of entries to write into',
);

const DRY_RUN = callFlag(
  'dry-run',
  null,
  'no',
  'check everything, show what would be written, and write nothing',
);

/** In the order of the help. */
export const IMPORT_ROWS: readonly CommandRow[] = [
  {
    name: 'skills import',
    group: 'program',
    summary: 'take a skill from a git repository, pinned to a commit, with a checklist for its review',
    arguments: [],
    flags: [
      callFlag(
        'url',
        '<url>',
        null,
        'https address of the repository; it is recorded with the commit as upstream',
      ),
      callFlag('ref', '<ref>', null, 'tag, branch or full commit; always resolved to the commit'),
      callFlag('file', '<path>', 'SKILL.md', 'the file in the repository'),
      callFlag('license', '<SPDX>', 'as declared', 'its licence, where the text declares none'),
      callFlag('version', '<x.y.z>', 'as declared', 'its version, where the text declares none'),
      callFlag('source', '<url>', '--url', 'fetch from here instead: https, file, or http on this machine'),
      INTO,
      DRY_RUN,
      MISSION_REPO,
      JSON_FLAG,
    ],
    examples: [
      {
        line: 'bnerd skills import --url https://github.com/example/commit-guide --ref v2.3.0',
        says: 'writes skills/<name>/SKILL.md and skills.lock; the checklist for the pull request is on stdout',
      },
      {
        line: 'bnerd skills import --url https://github.com/example/skills --ref v1 --file pdf/SKILL.md --license MIT --dry-run',
        says: 'one of several, with a licence that its text does not declare; nothing is written',
      },
    ],
    exits: 'answer',
    json: true,
  },
  {
    name: 'skills govern',
    group: 'program',
    summary: 'give an own rule or skill the governed form, with version and origin',
    arguments: [{ name: 'name', count: 'one', help: 'name of the entry' }],
    flags: [
      callFlag('version', '<x.y.z>', 'as declared', 'its version'),
      callFlag('origin', '<origin>', null, 'proprietary; what others wrote comes by import'),
      INTO,
      DRY_RUN,
      MISSION_REPO,
      JSON_FLAG,
    ],
    examples: [
      {
        line: 'bnerd skills govern house-style --version 1.0.0 --origin proprietary',
        says: 'shows the difference and what has no place in the strict grammar',
      },
      {
        line: 'bnerd skills govern house-style --version 1.0.0 --origin proprietary --into notes/skills --dry-run',
        says: 'one of another folder; nothing is written',
      },
    ],
    exits: 'answer',
    json: true,
  },
  {
    name: 'skills lock',
    group: 'program',
    summary: 'write skills.lock: which text each entry of a folder has under which version',
    arguments: [{ name: 'folder', count: 'optional', help: 'folder of entries; none: as for skills import' }],
    flags: [MISSION_REPO, JSON_FLAG],
    examples: [
      { line: 'bnerd skills lock', says: 'refused while a text has changed and its version has not' },
      { line: 'bnerd skills lock notes/skills', says: 'the entries of another folder' },
    ],
    exits: 'answer',
    json: true,
  },
];
