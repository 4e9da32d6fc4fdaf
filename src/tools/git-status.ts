/** `git_status`: branch, changed and untracked files. */

import type { Tool } from '../agent/tool.js';
import { toolArguments } from './arguments.js';
import type { GitAccess } from './git/access.js';
import { gitTool, repositoryArgument } from './git/tool.js';

const args = toolArguments({ repository: repositoryArgument });

export function gitStatus(git: Pick<GitAccess, 'read'>): Tool {
  return gitTool(git, {
    name: 'git_status',
    description: 'Shows the branch, changed and untracked files, in the short form of git.',
    arguments: args,
    request: () => ({ kind: 'status' }),
  });
}
