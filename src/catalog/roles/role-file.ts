/**
 * A role as it is written: the agent file format of Claude Code, so that files made for it load, and our own keys
 * (spec/team.md §1). The working shape is in `role.ts`.
 */

import { z } from 'zod';

const text = z.string().trim().min(1);
const names = z.union([z.string(), z.array(z.string())], { error: 'a list of names, or text with commas' });

/** The frontmatter of a role. A key without a value counts as absent, but for `tools`, where it is an empty list. */
export const roleFile = z.object({
  name: text
    .max(128)
    .refine((name) => !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name), {
      error: 'a name on one line, without control characters',
    })
    .nullish(),
  description: z.string().nullish(),
  model: text.nullish(),
  tools: names.nullish(),
  disallowedTools: names.nullish(),
  permissionMode: text.nullish(),
  skills: names.nullish(),
  color: z.unknown().optional(),
  maxTurns: z.int().min(1).nullish(),
  base: z.enum(['read', 'write', 'none']).nullish(),
  grants: names.nullish(),
  approver: z.enum(['lead', 'operator']).nullish(),
  delegate: z.boolean().nullish(),
  engineer_skills: names.nullish(),
  workspace: z.enum(['shared', 'exclusive']).nullish(),
});

export type RoleFile = z.infer<typeof roleFile>;
