/** Rows of the table: the commands about teams that live or have ended. */

import { type CommandRow, callFlag } from '../command-row.js';
import { JSON_FLAG, REDIS, TEAM } from './shared.js';

/** In the order of the help. */
export const TEAM_ROWS: readonly CommandRow[] = [
  {
    name: 'team watch',
    group: 'team',
    summary: 'follow a team to its end: what happens, what it asks, and how to answer',
    arguments: [TEAM],
    flags: [
      callFlag(
        'from',
        '<n|now>',
        '1',
        'the event to begin with, by its number, or "now" for what comes next',
      ),
      JSON_FLAG,
      REDIS,
    ],
    examples: [
      { line: 'bnerd team watch run-quickstart-01J', says: 'from its start; Ctrl-C ends the watching alone' },
      {
        line: 'bnerd team watch run-quickstart-01J --from now --json | jq .type',
        says: 'a line an event, as --json-events writes them',
      },
    ],
    exits: 'answer',
    json: true,
  },
  {
    name: 'team status',
    group: 'team',
    summary: 'show where a team stands: members, tasks, requests, mail, budget',
    arguments: [TEAM],
    flags: [JSON_FLAG, REDIS],
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
    flags: [JSON_FLAG, REDIS],
    examples: [{ line: 'bnerd team ps', says: 'oldest first' }],
    exits: 'answer',
    json: true,
  },
  {
    name: 'team requests',
    group: 'team',
    summary: 'list what a team waits for an answer to',
    arguments: [TEAM],
    flags: [JSON_FLAG, REDIS],
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
      {
        name: 'answer',
        count: 'some',
        help: 'yes, no, or the text of the answer; of a review: accept, rescope <text> or abandon',
      },
    ],
    flags: [REDIS],
    examples: [
      { line: 'bnerd team answer run-quickstart-01J r3 yes', says: 'approve' },
      { line: 'bnerd team answer run-quickstart-01J r4 use the old table', says: 'answer a question' },
    ],
    exits: 'answer',
    json: false,
    freeText: true,
  },
  {
    name: 'team adopt',
    group: 'team',
    summary: 'have a result count that came when its brief was lost, while no newer attempt has started',
    arguments: [TEAM, { name: 'brief', count: 'one', help: 'the id of the brief' }],
    flags: [REDIS],
    examples: [
      {
        line: 'bnerd team adopt run-feature-01J t1.a1.o2',
        says: 'the attempt goes on with what it delivered',
      },
    ],
    exits: 'answer',
    json: false,
  },
  {
    name: 'team move',
    group: 'team',
    summary:
      'give up the machine that the workspace of a team on Redis is on; it starts again from its commit',
    arguments: [TEAM],
    flags: [REDIS],
    examples: [
      {
        line: 'bnerd team move nightly --redis env:TEAM_REDIS',
        says: 'when that machine will not come back; what was written there alone is gone',
      },
    ],
    exits: 'answer',
    json: false,
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
    flags: [REDIS],
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
    flags: [callFlag('force', null, 'no', 'kill running tools at once'), REDIS],
    examples: [{ line: 'bnerd team stop run-quickstart-01J', says: 'resumable' }],
    exits: 'answer',
    json: false,
  },
  {
    name: 'team transcript',
    group: 'team',
    summary: 'show what a member was given, answered and did, or the engineer of a brief',
    arguments: [TEAM, { name: 'member', count: 'one', help: 'member, or the id of a brief' }],
    flags: [JSON_FLAG, REDIS],
    examples: [
      { line: 'bnerd team transcript run-quickstart-01J scout', says: 'oldest first' },
      {
        line: 'bnerd team transcript run-feature-01J t1.a1.o1',
        says: 'the beginning of what was given, the end of the output',
      },
    ],
    exits: 'answer',
    json: true,
  },
  {
    name: 'team result',
    group: 'team',
    summary: 'print the result of a team that has ended',
    arguments: [TEAM],
    flags: [REDIS],
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
    flags: [REDIS],
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
      callFlag('yes', null, 'no', 'do not ask'),
      callFlag('purge', null, 'no', 'delete the record instead of archiving it'),
      REDIS,
    ],
    examples: [{ line: 'bnerd team cleanup run-quickstart-01J --yes', says: 'without a question' }],
    exits: 'answer',
    json: false,
  },
  {
    name: 'team prune',
    group: 'team',
    summary: 'put away the teams that have ended long ago; one that may still go on stays',
    arguments: [],
    flags: [
      callFlag(
        'older-than',
        '<duration>',
        'it has to be said',
        'how long ago the team must have ended (12h, 30d)',
      ),
      callFlag('dry-run', null, 'no', 'only say which they are'),
      JSON_FLAG,
      REDIS,
    ],
    examples: [
      { line: 'bnerd team prune --older-than 30d --dry-run', says: 'which they would be' },
      { line: 'bnerd team prune --older-than 30d', says: 'into the archive, one after the other' },
    ],
    exits: 'answer',
    json: true,
  },
];
