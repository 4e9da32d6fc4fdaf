/** `git_diff`: a patch between the work tree, what is staged, and commits. */

import { z } from 'zod';
import type { Tool } from '../agent/tool.js';
import { toolArguments } from './arguments.js';
import type { GitAccess } from './git/access.js';
import { REVISION_TEXT } from './git/request.js';
import { gitTool, pathsArgument, repositoryArgument, statArgument } from './git/tool.js';

const args = toolArguments({
  from: z.string().optional().describe(`${REVISION_TEXT}, to compare with; what is staged unless given`),
  to: z.string().optional().describe('second commit; the work tree unless given'),
  staged: z.boolean().optional().describe('what is staged, instead of the work tree'),
  stat: statArgument,
  paths: pathsArgument,
  repository: repositoryArgument,
});

export function gitDiff(git: Pick<GitAccess, 'read'>): Tool {
  return gitTool(git, {
    name: 'git_diff',
    description: 'Shows changes as a patch, files with secrets left out.',
    arguments: args,
    request: ({ from, to, staged = false, stat = false, paths = [] }) => {
      // Without `from`, a second commit is compared with HEAD.
      const first = from ?? (to === undefined ? undefined : 'HEAD');
      const revisions = [first, to].filter((revision) => revision !== undefined);
      return { kind: 'diff', revisions, staged, stat, paths };
    },
  });
}
