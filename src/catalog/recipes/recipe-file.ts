/**
 * A recipe as it is written: the schema of the frontmatter of `team.md` (spec/team.md §1). The working shape,
 * with every default set, is in `recipe.ts`; what has to agree between fields is in `recipe-checks.ts`.
 */

import { z } from 'zod';
import { INNER_PATH_RULE, innerPath } from '../../shared/inner-path.js';
import { PAGE_RULE, pageProblem } from '../../shared/page.js';
import { isMemberName, isSlug, MEMBER_NAME_RULE, SLUG_RULE } from '../files/names.js';
import { limitsFile } from './limits.js';
import { isProtectGlob, PROTECT_RULE } from './protect-glob.js';

const text = z.string().trim().min(1);
const name = text.refine(isMemberName, { error: `a name: ${MEMBER_NAME_RULE}` });
const taskId = text.refine(isSlug, { error: `a task id: ${SLUG_RULE}, at most 64 characters` });
const path = z.string().refine((written) => innerPath(written) !== undefined, { error: INNER_PATH_RULE });
const names = z.union([z.string(), z.array(text)], { error: 'a list of names, or text with commas' });

const task = z.object({
  id: taskId,
  subject: text,
  description: z.string().optional(),
  role: name.optional(),
  blocked_by: z.array(text).optional(),
  gates: z.array(name).optional(),
  acceptance: z.array(text).optional(),
  artifacts: z.array(path).optional(),
  required: z.boolean().optional(),
  skills: names.optional(),
  upstream: z.enum(['wait', 'continue_with_missing', 'fail']).optional(),
});

/** Words of the key `page` of an entry, which says whether a page is needed; a recipe says which one it is. */
const PAGE_WORDS = ['required', 'optional', 'none'];
const page = text
  .refine((written) => !PAGE_WORDS.includes(written.toLowerCase()), {
    error: 'the page itself; whether one is needed is said by the entry, in its own `page`',
  })
  .refine((written) => pageProblem(written) === null, { error: PAGE_RULE });

const permission = z.object({
  tool: text,
  match: text.optional(),
  decision: z.enum(['allow', 'ask', 'deny']),
});

const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]*$/, {
  error: 'letters, digits, "_" and "-", beginning with a letter or "_"',
});

const variable = z.object({
  description: z.string().optional(),
  default: z
    .union([z.string(), z.number(), z.boolean()], { error: 'text, a number, true or false' })
    .optional(),
  required: z.boolean().optional(),
});

/** A word of a command: no program can be given one with a zero byte. */
const word = z.string().refine((written) => !written.includes('\0'), { error: 'text without a zero byte' });

/** As many as a brief carries. */
const PROTECTED_MOST = 200;

const glob = text.refine(isProtectGlob, { error: PROTECT_RULE });

const engineer = z.object({
  pool: text.optional(),
  labels: z.array(text).max(50).optional(),
  kind: text.optional(),
  model: text.optional(),
  verify: z.record(z.string(), z.array(word).min(1)).optional(),
  skills: names.optional(),
  protect: z.array(glob).max(PROTECTED_MOST).optional(),
  policy: z.enum(['review', 'complete_on_verified']).optional(),
  offers: z.int().min(1).optional(),
});

/** The frontmatter of a recipe. Keys that begin with `x-` are free; every other unknown key is an error. */
export const recipeFile = z.object({
  name: text,
  description: text,
  lead: name,
  roles: z.array(name).min(1),
  size: z.union([z.int(), text], { error: 'a whole number or text' }).optional(),
  repos: z.union([text, z.array(text)], { error: 'text or a list of texts' }).optional(),
  when_to_use: text.optional(),
  mode: z.enum(['in-process', 'queue']).optional(),
  safety: z.enum(['read-only', 'non-destructive', 'full']).optional(),
  plan_approval: z.boolean().optional(),
  workspace: path.optional(),
  reads: z.array(path).optional(),
  model: text.optional(),
  on_demand: z.array(name).optional(),
  tasks: z.array(task).optional(),
  permissions: z.array(permission).optional(),
  process: text.optional(),
  page: page.optional(),
  limits: limitsFile.optional(),
  engineer: engineer.optional(),
  edits_agents: z.boolean().optional(),
  variables: z.record(variableName, variable).optional(),
});

export type RecipeFile = z.infer<typeof recipeFile>;
export type TaskFile = z.infer<typeof task>;
export type EngineerFile = z.infer<typeof engineer>;
