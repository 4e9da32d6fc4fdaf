/** How bad tool arguments are told to a model: which field, what was found, what is allowed. */

import type { z } from 'zod';

/** One line per problem, bounded. */
export function argumentProblems(tool: string, error: z.ZodError): string {
  const lines = error.issues.slice(0, 10).map((issue) => {
    const field = issue.path.length === 0 ? 'arguments' : issue.path.join('.');
    return `- ${field}: ${issue.message}`;
  });
  return `${tool} was not run; its arguments are wrong:\n${lines.join('\n')}`;
}
