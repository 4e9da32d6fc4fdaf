/**
 * What a run freezes at its start: the roster with every name resolved and every default set, the loadout of
 * each seat, permission rules, limits (spec/engine.md §3 "run.started freezes"). Texts are blobs, named here by
 * their SHA-256 and written before the entry that names them.
 */

import { z } from 'zod';

const toolClass = z.enum(['read', 'write', 'destructive', 'coordination']);

export const safety = z.enum(['read-only', 'non-destructive', 'full']);
export type Safety = z.infer<typeof safety>;

export const tier = z.enum(['builtin', 'global', 'project', 'mission']);

export const finding = z.object({
  code: z.string(),
  severity: z.enum(['error', 'warning', 'info']),
  path: z.string(),
  line: z.number().int().optional(),
  message: z.string(),
  remedy: z.string(),
  detail: z.array(z.string()).readonly().optional(),
});

/** One rule of `permissions`; `origin` says who wrote it (`settings`, `recipe`, `role:<name>`, `operator`). */
export const permissionRule = z.object({
  tool: z.string(),
  match: z.string().nullable(),
  decision: z.enum(['allow', 'ask', 'deny']),
  origin: z.string(),
});
export type PermissionRule = z.infer<typeof permissionRule>;

/**
 * The file that an approval was asked for, as `bnerd trust` names it: null for a file that counts by where it lies.
 * With kind and digest of what it was it is the question that is asked again while the run lives (spec/skills.md §4).
 */
export const approval = z
  .object({ tier: z.enum(['project', 'mission']), root: z.string(), path: z.string() })
  .nullable();

/**
 * The proof that an entry was composed (spec/skills.md §7.5). Digests are `1:<hex>` and plain hex; the hex of `digest`
 * names the stored text of the entry. `level`: by what it came: with the role (what the operator adds and always-on
 * rules included), with a task, or as the recipe's process.
 */
const loadedEntry = z.object({
  kind: z.enum(['rule', 'skill']),
  name: z.string(),
  level: z.enum(['role', 'task', 'process']),
  version: z.string().nullable(),
  digest: z.string(),
  rendered_sha256: z.string(),
  tier,
  trust: z.enum(['instruction', 'reference']),
  origin: z.string().nullable(),
  bytes: z.number().int(),
  approval,
});
export type LoadedEntry = z.infer<typeof loadedEntry>;

/** One part of a system prompt, in order. `name`: `preamble`, `role`, `process`, `rule:<n>`, `skill:<n>`, … */
const promptPart = z.object({ name: z.string(), sha256: z.string(), bytes: z.number().int() });
export type FrozenPromptPart = z.infer<typeof promptPart>;

/**
 * A tool as the model is told of it, with the class the policy uses (`shell_exec` is classed per call). `entry`: the
 * entry of this seat that provides it, whose stored text holds its definition; null for a tool of this program.
 */
const frozenTool = z.object({
  name: z.string(),
  class: toolClass,
  entry: z.string().nullable(),
});

/** One seat of the roster with its loadout. `prompt_sha256` is over the parts joined as they are sent. */
export const seat = z.object({
  member: z.string(),
  role: z.string(),
  role_path: z.string(),
  role_tier: tier,
  role_digest: z.string(),
  role_approval: approval,
  lead: z.boolean(),
  on_demand: z.boolean(),
  /** `provider/name`. */
  model: z.string(),
  /** The file a scripted model is read from, and the path as the user would type it; null for providers. */
  model_file: z.object({ path: z.string(), shown: z.string() }).nullable(),
  tools: z.array(frozenTool),
  /**
   * Patterns of the role (spec/team.md §2). `allow`: of this tool only calls that match one of its allow patterns run,
   * and those are answered; `deny`: calls that match never run.
   */
  patterns: z.array(permissionRule),
  plan_mode: z.boolean(),
  /** Who decides this member's plans: the lead, unless the role says `approver: operator`. */
  plan_approver: z.enum(['lead', 'operator']),
  /** Who may confirm its calls of class Write beside the operator: the lead where the role says `approver: lead`. */
  confirm_approver: z.enum(['lead', 'operator']),
  exclusive_workspace: z.boolean(),
  max_turns: z.number().int().nullable(),
  prompt_sha256: z.string(),
  prompt_bytes: z.number().int(),
  parts: z.array(promptPart),
  /** The reference block that stands in front of the member's first input: a blob; null without one. */
  reference: z.object({ sha256: z.string(), bytes: z.number().int() }).nullable(),
  /** Whether the page of the run is named in the member's first input. */
  page: z.boolean(),
  entries: z.array(loadedEntry),
});
export type Seat = z.infer<typeof seat>;

/** Every limit has a value in a running team; null means none (spec/team.md §1). */
export const limits = z.object({
  members: z.number().int(),
  concurrency: z.number().int(),
  turns: z.number().int(),
  turn_minutes: z.number(),
  lost_turns: z.number().int(),
  model_calls: z.number().int(),
  tokens: z.number().int(),
  cost_usd: z.number().nullable(),
  wall_minutes: z.number(),
  messages: z.number().int(),
  mail_bytes: z.number().int(),
  unread_bytes: z.number().int(),
  tasks: z.number().int(),
  open_requests: z.number().int(),
  calls_per_reply: z.number().int(),
  calls_per_turn: z.number().int(),
  review_rounds: z.number().int(),
  record_bytes: z.number().int(),
});
export type Limits = z.infer<typeof limits>;

/**
 * What rides in the message that offers a task to one of `members`: rules and skills that the recipe names for it, as
 * one text, a blob. Members that are told the same share one; a seat that is in none is told nothing.
 */
const taskEntries = z.object({
  members: z.array(z.string()),
  sha256: z.string(),
  bytes: z.number().int(),
  entries: z.array(loadedEntry),
});
export type TaskEntries = z.infer<typeof taskEntries>;

/** A task of the recipe, or one the lead makes. `key` is the recipe's id for it, null when the lead made it. */
export const taskSpec = z.object({
  key: z.string().nullable(),
  subject: z.string(),
  description: z.string(),
  role: z.string().nullable(),
  blocked_by: z.array(z.string()),
  gates: z.array(z.string()),
  acceptance: z.array(z.string()),
  artifacts: z.array(z.string()),
  required: z.boolean(),
  upstream: z.enum(['wait', 'continue_with_missing', 'fail']),
  skills: z.array(taskEntries),
});
export type TaskSpec = z.infer<typeof taskSpec>;

/** An entry that rides briefs, with the digest of its text as it stands in the block. */
export const ridingEntry = z.object({
  kind: z.enum(['rule', 'skill']),
  name: z.string(),
  version: z.string(),
  digest: z.string(),
  rendered_sha256: z.string(),
  origin: z.enum(['proprietary', 'third-party']),
  license: z.string().nullable(),
  upstream: z.string().nullable(),
});
export type RidingEntry = z.infer<typeof ridingEntry>;

/** What the recipe says of delegated work, every default set (spec/team.md §1 `engineer`). */
export const engineer = z.object({
  pool: z.string().nullable(),
  /** What a runner of that pool has to have; records of before say none. */
  labels: z.array(z.string()).default([]),
  kind: z.string(),
  model: z.string().nullable(),
  /** Commands that check a reported commit. A member names their keys and writes none. */
  verify: z.array(z.object({ key: z.string(), argv: z.array(z.string()) })),
  protect: z.array(z.string()),
  policy: z.enum(['review', 'complete_on_verified']),
  /** How often the brief of an attempt is offered again when its runner was lost. */
  offers: z.number().int(),
  /** Members that may delegate, each with what rides its briefs, sorted by name. */
  delegates: z.array(z.object({ member: z.string(), entries: z.array(ridingEntry) })),
});
export type FrozenEngineer = z.infer<typeof engineer>;

/** A public key that counts for the life of the run (spec/runner.md §3 "Keys"). */
export const acceptedKey = z.object({
  id: z.string(),
  key: z.string(),
  name: z.string(),
  role: z.enum(['operator', 'worker', 'runner']),
});
