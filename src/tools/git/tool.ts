/** What the five reading git tools share: a request in, an answer out; they differ in their arguments only. */

import { z } from 'zod';
import type { Tool } from '../../agent/tool.js';
import type { Arguments } from '../arguments.js';
import { defineTool, refused } from '../define-tool.js';
import type { GitAccess } from './access.js';
import type { GitRequest } from './request.js';
import { REVISION_TEXT, requestProblem, requestText } from './request.js';

/** Arguments that several of them take. */
export const repositoryArgument = z
  .string()
  .optional()
  .describe(
    '"." for the workspace, "reads:1" for the first read root; the first that is a repository unless given',
  );

export const revisionArgument = z.string().optional().describe(`${REVISION_TEXT}; HEAD unless given`);

export const pathArgument = z.string().describe('file or directory below the root of the repository');

export const pathsArgument = z
  .array(pathArgument)
  .max(100)
  .optional()
  .describe('only these files and directories');

export const statArgument = z
  .boolean()
  .optional()
  .describe('only names and counts of changed lines, no patch');

interface GitToolParts<T> {
  readonly name: string;
  readonly description: string;
  readonly arguments: Arguments<T>;
  request(args: T): GitRequest;
}

/** A reading git tool. */
export function gitTool<T extends { repository?: string | undefined }>(
  git: Pick<GitAccess, 'read'>,
  parts: GitToolParts<T>,
): Tool {
  return defineTool({
    name: parts.name,
    description: `${parts.description} Hooks, filters and external programs of the repository do not run.`,
    class: 'read',
    arguments: parts.arguments,
    prepare(args) {
      const request = parts.request(args);
      const problem = requestProblem(request);
      if (problem !== undefined) return refused(problem);
      return { kind: 'ready', summary: requestText(request), subject: requestText(request) };
    },
    run: (args, signal) => git.read(parts.request(args), args.repository, signal),
  });
}
