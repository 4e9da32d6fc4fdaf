/** Rows of the table: the conversation at the terminal. */

import { type CommandRow, callFlag } from '../command-row.js';
import { AUTO_APPROVE, MISSION_REPO, MODEL, SAFETY, TRUST } from './shared.js';

/** In the order of the help. */
export const CHAT_ROWS: readonly CommandRow[] = [
  {
    name: 'chat',
    group: 'program',
    summary: 'talk with one agent that loads skills when they are needed; nothing of it is kept',
    arguments: [],
    flags: [
      callFlag(
        'mode',
        '<mode>',
        'chat',
        'chat (reads files), code (all tools, each change confirmed) or pa (only what skills bring)',
      ),
      callFlag(
        'role',
        '<role>',
        'none',
        'play this role: its text, its skills, and its tools as far as the mode admits them',
      ),
      MODEL,
      SAFETY,
      AUTO_APPROVE,
      MISSION_REPO,
      TRUST,
    ],
    examples: [
      { line: 'bnerd chat', says: 'a line is a message; /help, /skills, /skill load <name>, /quit' },
      { line: 'bnerd chat --mode code --model sonnet', says: 'with tools that write; you confirm each call' },
      { line: 'bnerd chat --role code-reviewer', says: 'one member of a team, without the team' },
      { line: 'git log -5 | bnerd chat > answers.txt', says: 'each line of a pipe is a message' },
    ],
    exits: 'answer',
    json: false,
  },
];
