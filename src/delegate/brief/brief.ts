/**
 * A brief: the signed order to an engineer in a separate process (spec/runner.md §1), as the one schema that is
 * checked where it is made and where it is taken, and published (`bnerd schema brief`).
 *
 * Bounded everywhere: a field that is too large is refused by name, never cut. All that the runner does is in it, but
 * for what the runner's own machine forbids: no file of the team's side is read there.
 */

import { z } from 'zod';
import { isTeamId } from '../../shared/ids.js';
import { innerPath as readInnerPath } from '../../shared/inner-path.js';
import { CAPABILITIES } from '../../skills/entry.js';

/** The version that this program writes and takes; a newer one is refused as `unsupported_version`. */
export const BRIEF_VERSION = 1;

/** The longest brief, in bytes of its canonical JSON. */
export const BRIEF_BYTES = 4 << 20;

const KB = 1 << 10;
const line = z
  .string()
  .min(1)
  .max(KB)
  .refine((text) => !/[\p{Cc}\u2028\u2029]/u.test(text), 'one line without control characters');
const text = z.string().max(256 * KB);
const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);
/** A commit, named in full: SHA-1 or SHA-256. */
export const commitName = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/);
const time = z.iso.datetime({ precision: 3 });
const innerPath = z
  .string()
  .max(KB)
  .refine((path) => readInnerPath(path) === path, 'a path inside of the repository, in its shortest form');

export const safetyMode = z.enum(['read-only', 'non-destructive', 'full']);
export type SafetyMode = z.infer<typeof safetyMode>;

/** Whether a mode allows more than another; they are listed from the strictest on. */
export function isLooser(mode: SafetyMode, than: SafetyMode): boolean {
  return safetyMode.options.indexOf(mode) > safetyMode.options.indexOf(than);
}

/** An entry that rides a brief, with all that its digest is over; `rendered_sha256` is over its text in the block. */
export const riding = z.strictObject({
  kind: z.enum(['rule', 'skill']),
  name: line,
  version: line,
  description: text,
  body: text,
  support: z.enum(['full', 'partial']),
  allowed_tools: z.array(line).nullable(),
  process: z.boolean(),
  always_on: z.boolean(),
  keywords: z.array(line),
  applies_to: z.array(line).nullable(),
  requires: z.array(z.enum(CAPABILITIES)),
  origin: z.enum(['proprietary', 'third-party']),
  license: line.optional(),
  upstream: line.optional(),
  digest: z.string().regex(/^1:[0-9a-f]{64}$/),
  rendered_sha256: sha256Hex,
});
export type Riding = z.infer<typeof riding>;

/** The same without its text, as records and results name it (invariant 12); what it has not is null. */
export const named = z.strictObject({
  kind: riding.shape.kind,
  name: z.string(),
  version: z.string(),
  digest: z.string(),
  rendered_sha256: z.string(),
  origin: riding.shape.origin,
  license: z.string().nullable(),
  upstream: z.string().nullable(),
});
export type Named = z.infer<typeof named>;

export const verifyCommand = z.strictObject({
  key: line,
  argv: z
    .array(
      z
        .string()
        .max(4 * KB)
        .refine((word) => !word.includes('\0'), 'no zero byte'),
    )
    .min(1)
    .max(100),
});
export type VerifyCommand = z.infer<typeof verifyCommand>;

/**
 * A rule that denies something to the member that delegates, and so to its engineer (case E106). A rule that asks is one as
 * well: an engineer works alone, and nobody answers there.
 */
export const deniedRule = z.strictObject({
  /** A tool as members have it, or `*` for every one. */
  tool: line,
  /** What of the tool; null: all of it. */
  match: line.nullable(),
  /** `rule`: `*` is any run of characters; `pattern`: as a role writes one, which is Claude Code's way. */
  form: z.enum(['rule', 'pattern']),
  decision: z.enum(['deny', 'ask']),
  /** Whose word it is: `settings`, `recipe`, `role:<name>`. */
  origin: line,
});
export type DeniedRule = z.infer<typeof deniedRule>;

/** All but the signature: what is signed. */
export const briefBody = z.strictObject({
  v: z.literal(BRIEF_VERSION),
  id: line,
  team: z.string().refine(isTeamId, 'a team id'),
  /** `#1`, `#2`, … */
  task: z.string().regex(/^#[1-9][0-9]{0,8}$/),
  /** The fence: of the task, counted by the team. */
  attempt: z.int().min(1),
  /** How often this attempt's brief was offered, this time included. */
  offer: z.int().min(1),
  /** The member that delegates. */
  from: line,
  goal: text.min(1),
  acceptance: z.array(text).max(200),
  context: text,
  constraints: z.array(text).max(200),
  limits: z.strictObject({
    /** Counted from acceptance. */
    wall_minutes: z.number().positive().max(100_000),
    /** US dollars; null: none, where the team has none. */
    cost_usd: z.number().positive().nullable(),
    /** Rounds of the engineer's own loop; null: the engineer's default. */
    turns: z.int().min(1).nullable(),
  }),
  safety: safetyMode,
  /**
   * What is denied; absent: nothing is. Optional, so that briefs without it stay as they were; whoever does not know the
   * field refuses a brief that has it, and nothing of it is ever dropped.
   */
  deny: z.array(deniedRule).min(1).max(500).optional(),
  workspace: z.strictObject({
    /** The repository: an absolute path or an https, ssh or file address. The recipe's or the operator's word. */
    repo: line,
    /** The commit the work starts from. */
    base: commitName,
    /** `bnerd/<team>/<task>-<attempt>`, where the work is delivered. */
    branch: line,
    /** Where in the repository the engineer starts; empty: at its root. */
    subdir: z.union([z.literal(''), innerPath]),
    /** Push the branch to `repo` instead of sending a bundle: only where the recipe says so. */
    push: z.boolean().optional(),
  }),
  /** Commands of the recipe that check the reported commit; a model names keys and writes none. */
  verify: z.array(verifyCommand).max(50),
  /** Globs whose changed files are listed for the gate. */
  protect: z.array(line).max(200),
  /** Files that must exist in the reported commit. */
  artifacts: z.array(innerPath).max(200),
  engineer: z.strictObject({ kind: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/), model: line.nullable() }),
  /** Sorted by name. */
  skills: z.array(riding).max(100),
  pool: line.nullable(),
  labels: z.array(line).max(50),
  created_at: time,
  /** No work begins behind it. */
  deadline: time,
  key_id: z.string().regex(/^[0-9a-f]{16}$/),
});
export type BriefBody = z.infer<typeof briefBody>;

const signature = z.string().regex(/^[A-Za-z0-9_-]{86}$/);

/** A brief as it travels. */
export const brief = z.strictObject({ ...briefBody.shape, signature });
export type Brief = z.infer<typeof brief>;

/** What names one offer of one attempt, in a form that may be a file name. */
export function briefId({
  team,
  task,
  attempt,
  offer,
}: Pick<Brief, 'team' | 'task' | 'attempt' | 'offer'>): string {
  return `${team}.t${task.slice(1)}.a${attempt}.o${offer}`;
}

/** The team that stands in the id of a brief; null: it is none. */
export function teamOfBrief(id: string): string | null {
  return /^(.+)\.t[^.]+\.a\d+\.o\d+$/.exec(id)?.[1] ?? null;
}

/** The branch on which an attempt is delivered, in the runner's repository and in the team's. */
export function briefBranch({ team, task, attempt }: Pick<Brief, 'team' | 'task' | 'attempt'>): string {
  return `bnerd/${team}/${task.slice(1)}-${attempt}`;
}
