/**
 * What came of a brief (spec/runner.md §3 "Result"): made and signed by the runner, checked by the team's side, kept as
 * it is in the record, published (`bnerd schema result`).
 */

import { z } from 'zod';
import { commitName, named } from './brief.js';

/** `completed` only when envelope, process and verification all say so. */
export const resultStatus = z.enum([
  'completed',
  'failed',
  'timed_out',
  'cancelled',
  'lost',
  'malformed',
  'refused',
]);
export type ResultStatus = z.infer<typeof resultStatus>;

/** Why it was not completed. */
export const resultCause = z.enum([
  /** The engineer's provider failed, or wants a key, or is spent. */
  'api_error',
  'auth',
  'quota',
  /** The program died, could not be started, or runs and never says that it works. */
  'crashed',
  'spawn_failed',
  'no_start',
  /** It wrote more than an engineer may, and was ended. */
  'output_limit',
  /** It ended without the word that says how. */
  'no_result',
  /** Its envelope says success and shows that it was not at its end. */
  'unfinished',
  'max_turns',
  'max_budget',
  /** Its envelope says that it failed. */
  'engineer_error',
  'verify_failed',
  'result_too_large',
  'missing_artifacts',
  /** It changed what it must not: another brief's repository, other refs, the team's workspace. */
  'escaped',
  /** The workspace could not be made, or what it held could not be taken out. */
  'workspace',
  'disk_full',
  'lost',
  /** The brief was not taken: `detail` begins with the code that says why. */
  'refused',
]);
export type ResultCause = z.infer<typeof resultCause>;

const bytes = z.int().min(0);
const shortText = z.string().max(64 << 10);

export const verifyOutcome = z.strictObject({
  key: z.string(),
  argv: z.array(z.string()),
  /** Null: it was ended by a signal, or did not start. */
  exit: z.int().nullable(),
  outcome: z.enum(['passed', 'failed', 'timed_out', 'cancelled', 'not_started']),
  /** The end of its output. */
  tail: shortText,
  ms: z.int().min(0),
});
export type VerifyOutcome = z.infer<typeof verifyOutcome>;

export const resultBody = z.strictObject({
  v: z.literal(1),
  brief: z.string().min(1),
  team: z.string(),
  task: z.string(),
  attempt: z.int().min(1),
  offer: z.int().min(1),
  runner: z.string().min(1),
  status: resultStatus,
  cause: resultCause.nullable(),
  /** One sentence for people: what happened and what to do. Null where `status` says all. */
  detail: shortText.nullable(),
  /** The engineer's last text; untrusted. */
  message: z.string().max(256 << 10),
  base: commitName,
  /** Null: nothing was committed. */
  head: commitName.nullable(),
  branch: z.string(),
  commits: z.array(z.strictObject({ sha: commitName, subject: z.string().max(1 << 10) })).max(1_000),
  diffstat: z.strictObject({ files: z.int().min(0), insertions: z.int().min(0), deletions: z.int().min(0) }),
  changed: z.array(z.string()).max(10_000),
  /** Changed and not committed. */
  uncommitted: z.array(z.string()).max(1_000),
  /** Changed files under the globs of `protect`. */
  protected: z.array(z.string()).max(10_000),
  /** Of `base..head`, beside the result; null: nothing to bundle, or it was pushed. */
  bundle: z.strictObject({ sha256: z.string(), bytes }).nullable(),
  pushed: z.boolean(),
  verify: z.array(verifyOutcome),
  /** Why no command was run; null when they were, or there was none. */
  not_verified: z.enum(['read_only', 'nothing_to_verify', 'not_reached']).nullable(),
  missing_artifacts: z.array(z.string()),
  /** What differs in the team's own repository, where it lies on this machine; who did it, the team's record knows. */
  workspace_changes: z.array(z.string()).max(100),
  engineer: z.strictObject({
    kind: z.string(),
    version: z.string().nullable(),
    model: z.string().nullable(),
  }),
  session: z.string().nullable(),
  usage: z.strictObject({
    input_tokens: z.int().min(0),
    cached_tokens: z.int().min(0),
    output_tokens: z.int().min(0),
    turns: z.int().min(0),
    /** US dollars; null: nobody said. */
    cost_usd: z.number().min(0).nullable(),
  }),
  /** Lines and bytes of output that were no events of the protocol. */
  noise: z.strictObject({ lines: z.int().min(0), oversize: z.int().min(0), bytes }),
  /** A target repository's own settings were in effect. */
  project_settings: z.boolean(),
  sent_block: z.string(),
  final_block: z.string(),
  additions: z.array(named),
  transcript: z.strictObject({ path: z.string(), bytes, sha256: z.string() }).nullable(),
  accepted_at: z.string(),
  ended_at: z.string(),
  key_id: z.string(),
});
export type ResultBody = z.infer<typeof resultBody>;

export const result = z.strictObject({ ...resultBody.shape, signature: z.string() });
export type Result = z.infer<typeof result>;
