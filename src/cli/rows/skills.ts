/** Rows of the table: the commands that look at rules and skills (spec/skills.md §10). */

import { type CommandRow, callFlag } from '../command-row.js';
import { FORMAT, STRICT } from './lint-flags.js';
import { JSON_FLAG, MISSION_REPO, TRUST } from './shared.js';

/** In the order of the help. */
export const SKILL_ROWS: readonly CommandRow[] = [
  {
    name: 'skills list',
    group: 'program',
    summary: 'list the rules and skills there are, and how each stands',
    arguments: [],
    flags: [
      callFlag('tier', '<tier>', 'all', 'builtin, global, project or mission'),
      callFlag('role', '<role>', 'none', 'show what a member of this role would be given, and why'),
      callFlag('findings', null, 'no', 'print every finding on every file as well'),
      MISSION_REPO,
      TRUST,
      JSON_FLAG,
    ],
    examples: [
      { line: 'bnerd skills list', says: 'kind, name, tier, state, description' },
      { line: 'bnerd skills list --tier project --findings', says: 'what does not load, and why' },
      { line: 'bnerd skills list --role scout', says: 'in the order they are composed' },
    ],
    exits: 'answer',
    json: true,
  },
  {
    name: 'skills show',
    group: 'program',
    summary: 'show one rule or skill: fields, digest, trust, what it hides',
    arguments: [{ name: 'name', count: 'one', help: 'name of the entry, or the path of its file' }],
    flags: [
      callFlag('rendered', null, 'no', 'print what a system prompt would hold of it, and nothing else'),
      callFlag('resources', null, 'no', 'list the other files of its directory: path, type, size'),
      MISSION_REPO,
      TRUST,
      JSON_FLAG,
    ],
    examples: [
      { line: 'bnerd skills show flux', says: 'all that is known of it' },
      { line: 'bnerd skills show flux --rendered > flux.txt', says: 'exactly the text a model is given' },
    ],
    exits: 'answer',
    json: true,
  },
  {
    name: 'skills lint',
    group: 'program',
    summary: 'check rules and skills and their locks without asking a model',
    arguments: [
      { name: 'path', count: 'any', help: 'file, directory or folder of entries; none: all tiers' },
    ],
    flags: [FORMAT, STRICT, MISSION_REPO, TRUST, JSON_FLAG],
    examples: [
      { line: 'bnerd skills lint', says: 'all tiers, weighed as a run would' },
      { line: 'bnerd skills lint ./skills --strict', says: 'a folder, as it stands' },
      { line: 'bnerd skills lint --format sarif > skills.sarif', says: 'for code scanning' },
    ],
    exits: 'answer',
    json: true,
  },
  {
    name: 'skills audit',
    group: 'program',
    summary: 'print what is in use and where it comes from, or what a team was given',
    arguments: [
      { name: 'team', count: 'optional', help: 'team id, or the beginning of one; none: what lies here' },
    ],
    flags: [
      callFlag('format', '<form>', 'table', 'table, json, cyclonedx (CycloneDX 1.6) or spdx (SPDX 3.0.1)'),
      callFlag('online', null, 'no', 'fetch what came by import again, and compare'),
      callFlag('transcript', '<file>', 'none', 'read off the transcript of an engineer what it was given'),
      callFlag('team', '<team>', 'none', 'hold the transcript against the record of this team'),
      callFlag('record', '<file>', 'none', 'hold the transcript against this log.jsonl of a record'),
      callFlag(
        'created',
        '<time>',
        'none, so that the bytes are reproducible',
        'time told in cyclonedx and spdx: now, or ISO 8601',
      ),
      MISSION_REPO,
      TRUST,
      JSON_FLAG,
    ],
    examples: [
      { line: 'bnerd skills audit', says: 'exit 1 for a third-party entry that did not come by import' },
      { line: 'bnerd skills audit --format cyclonedx > skills.cdx.json', says: 'a bill of materials' },
      { line: 'bnerd skills audit run-quickstart-01J', says: 'member by member, from the record' },
      {
        line: 'bnerd skills audit --transcript ./transcript --team run-feature-01J',
        says: 'what an engineer was given; exit 1 when it is not what the record says',
      },
    ],
    exits: 'answer',
    json: true,
  },
];
