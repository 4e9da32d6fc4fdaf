/** `git_show`: one commit with its patch, or one file as it was in a commit. */

import { z } from 'zod';
import type { Tool } from '../agent/tool.js';
import { toolArguments } from './arguments.js';
import type { GitAccess } from './git/access.js';
import type { GitRequest } from './git/request.js';
import { gitTool, pathsArgument, repositoryArgument, revisionArgument, statArgument } from './git/tool.js';

const args = toolArguments({
  revision: revisionArgument,
  file: z.string().optional().describe('show this file as it was in the revision, instead of the commit'),
  stat: statArgument,
  paths: pathsArgument,
  repository: repositoryArgument,
});

export function gitShow(git: Pick<GitAccess, 'read'>): Tool {
  return gitTool(git, {
    name: 'git_show',
    description:
      'Shows a commit: author, date, message, and its patch (a merge against its first parent), files with ' +
      'secrets left out. With file: that file as it was in the revision.',
    arguments: args,
    request: ({ revision = 'HEAD', file, stat = false, paths = [] }): GitRequest =>
      file === undefined ? { kind: 'show', revision, stat, paths } : { kind: 'file', revision, path: file },
  });
}
