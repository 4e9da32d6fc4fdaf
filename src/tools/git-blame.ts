/** `git_blame`: who last changed each line of a file. */

import { z } from 'zod';
import type { Tool } from '../agent/tool.js';
import { toolArguments } from './arguments.js';
import type { GitAccess } from './git/access.js';
import { gitTool, pathArgument, repositoryArgument, revisionArgument } from './git/tool.js';

/** Also of a plain `git blame` in a shell. */
export const DEFAULT_LINES = 200;

const args = toolArguments({
  path: pathArgument,
  revision: revisionArgument.describe('a commit; the work tree unless given'),
  first: z.int().min(1).optional().describe('number of the first line, from 1'),
  count: z.int().min(1).max(1_000).optional().describe('how many lines; 200 unless given'),
  repository: repositoryArgument,
});

export function gitBlame(git: Pick<GitAccess, 'read'>): Tool {
  return gitTool(git, {
    name: 'git_blame',
    description: 'Shows commit, author, date and number of lines of a file.',
    arguments: args,
    request: ({ path, revision, first = 1, count = DEFAULT_LINES }) => ({
      kind: 'blame',
      revision,
      path,
      first,
      count,
    }),
  });
}
