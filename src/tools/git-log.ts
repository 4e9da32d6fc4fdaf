/** `git_log`: commits, newest first, one a line. */

import { z } from 'zod';
import type { Tool } from '../agent/tool.js';
import { toolArguments } from './arguments.js';
import type { GitAccess } from './git/access.js';
import { gitTool, pathsArgument, repositoryArgument, revisionArgument, statArgument } from './git/tool.js';

/** Also of a plain `git log` in a shell. */
export const DEFAULT_COMMITS = 20;
export const MAX_COMMITS = 500;

const args = toolArguments({
  revision: revisionArgument,
  limit: z.int().min(1).max(MAX_COMMITS).optional().describe('how many commits; 20 unless given'),
  stat: statArgument,
  paths: pathsArgument,
  repository: repositoryArgument,
});

export function gitLog(git: Pick<GitAccess, 'read'>): Tool {
  return gitTool(git, {
    name: 'git_log',
    description: 'Lists commits, newest first: short id, date, author, subject. git_show tells more of one.',
    arguments: args,
    request: ({ revision, limit = DEFAULT_COMMITS, stat = false, paths = [] }) => ({
      kind: 'log',
      revisions: revision === undefined ? [] : [revision],
      limit,
      stat,
      paths,
    }),
  });
}
