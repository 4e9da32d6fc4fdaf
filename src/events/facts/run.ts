/** Facts about the run itself, its members and their turns. */

import { z } from 'zod';
import {
  acceptedKey,
  approval,
  engineer,
  finding,
  limits,
  permissionRule,
  safety,
  seat,
  tier,
} from './frozen.js';

export const endReason = z.enum([
  'done',
  'failed',
  'partial',
  'needs_human',
  'budget',
  'deadline',
  'stalled',
  'unverified',
  'cancelled',
]);
export type EndReason = z.infer<typeof endReason>;

const failureCause = z.enum(['lead', 'error', 'disk_full', 'approval_revoked', 'empty_plan']);
export type FailureCause = z.infer<typeof failureCause>;

export const runFacts = [
  z.object({
    type: z.literal('run.started'),
    /** Whose record this is: a log that lies in another team's folder is never gone on with. */
    team: z.string(),
    versions: z.object({ bnerd: z.string(), record: z.number().int() }),
    recipe: z.object({
      slug: z.string(),
      description: z.string(),
      tier,
      path: z.string(),
      digest: z.string(),
      approval,
    }),
    prompt: z.string(),
    /** The page the run works on: an address or a path, as the operator or the recipe gave it. */
    page: z.string().nullable(),
    variables: z.record(z.string(), z.string()),
    /**
     * `named`: by the operator, or by a trusted place; else it was found by walking up. `by_place`: by that place alone,
     * so that what lies in it is used for as long as the place is trusted.
     */
    mission: z
      .object({
        path: z.string(),
        named: z.boolean(),
        by_place: z.boolean().default(false),
        commit: z.string().nullable(),
      })
      .nullable(),
    /** Trust files that were named at the start, absolute: what they say counts for as long as the run lives. */
    trust_files: z.array(z.string()),
    /** The repository around the directory the run was started in, from its root down to that directory. */
    project: z.object({ root: z.string(), folders: z.array(z.string()) }).nullable(),
    workspace: z.object({
      path: z.string(),
      kind: z.enum(['directory', 'temp']),
      /** The machine that it is on, of a team that several may serve. */
      host: z.string().optional(),
      /** What another machine makes its own from: a commit that it can fetch, or nothing. Absent: it is on `host` alone. */
      source: z.union([z.literal('empty'), z.object({ repo: z.string(), commit: z.string() })]).optional(),
    }),
    /** `bnerd team simulate`: no model was asked. */
    simulated: z.boolean(),
    reads: z.array(z.string()),
    safety,
    plan_approval: z.boolean(),
    edits_agents: z.boolean(),
    auto_approve: z.enum(['never', 'safe', 'all']),
    auto_skip_questions: z.boolean(),
    request_timeout_ms: z.number().int().nullable(),
    grace_ms: z.number().int(),
    limits,
    permissions: z.array(permissionRule),
    /** The argv prefix under which programs of tools run (`shell.wrap`); empty: none. */
    shell_wrap: z.array(z.string()),
    /** Every seat the team may ever fill, the lead first; on-demand ones included. */
    seats: z.array(seat),
    /** How work is delegated to engineers; null: nobody of this team may. */
    engineer: engineer.nullable(),
    /** Whose signatures count, and as what: operators, workers that may act for the team, runners. */
    keys: z.array(acceptedKey),
    /** The operator key that has signed whose team it is and these keys (`shared/team-keys.ts`); null: nobody has. */
    key_id: z.string().nullable(),
    signature: z.string().nullable(),
    findings: z.array(finding),
  }),
  /** A process took the team up again: turns that were live are interrupted, errored members may try again. */
  z.object({
    type: z.literal('run.resumed'),
    host: z.string(),
    /** Turns that other processes hold still: they go on. Absent: none. */
    kept: z.array(z.number().int()).optional(),
    /** Entries of seats that are disabled by now, and by what: whoever has them keeps them, nobody new is given them. */
    disabled: z.array(z.object({ name: z.string(), place: z.string() })),
    /** Keys that count from here on as well, and ids of those that count no more. */
    keys: z.array(acceptedKey),
    retired_keys: z.array(z.string()),
    findings: z.array(finding),
  }),
  z.object({
    type: z.literal('run.stopping'),
    by: z.string(),
    cause: z.enum(['interrupt', 'terminate', 'hangup', 'stop']),
  }),
  z.object({ type: z.literal('run.killing'), by: z.string() }),
  /** The lead has closed the team: no new turns; the run ends when the running ones have. */
  z.object({
    type: z.literal('run.finishing'),
    by: z.string(),
    outcome: z.enum(['done', 'partial', 'failed']),
    result: z.string(),
  }),
  /** The lead has been told that nothing moves. Counted; the count starts again when the board changes. */
  z.object({
    type: z.literal('run.nudged'),
    about: z.enum(['empty_plan', 'stalled', 'unfinished']),
    text: z.string(),
  }),
  z.object({
    type: z.literal('run.ended'),
    reason: endReason,
    exit: z.number().int(),
    cause: failureCause.nullable(),
    detail: z.string().nullable(),
    closed_by: z.enum(['lead', 'runtime', 'operator']),
    result: z.string().nullable(),
    artifacts: z.array(z.string()),
    open_requests: z.array(z.string()),
    open_tasks: z.array(z.string()),
    totals: z.object({
      turns: z.number().int(),
      model_calls: z.number().int(),
      input_tokens: z.number().int(),
      output_tokens: z.number().int(),
      cost_usd: z.number().nullable(),
      /** The part of tokens and cost that was booked as reserved, since nobody said what was used. */
      estimated_tokens: z.number().int(),
      estimated_cost_usd: z.number(),
      messages: z.number().int(),
      tasks_completed: z.number().int(),
      /** Briefs that were sent, each offer counted. */
      briefs: z.number().int(),
      elapsed_ms: z.number().int(),
    }),
  }),
  z.object({ type: z.literal('run.archived'), by: z.string() }),
  /**
   * A limit has been met for the first time: by the run, which ends, or by a member, which was refused something or whose
   * turn was cut off. What comes later of the same limit is refused without a fact; `value` is what was found.
   */
  z.object({
    type: z.literal('limit.reached'),
    limit: z.string(),
    value: z.number(),
    member: z.string().nullable(),
  }),
] as const;

export const memberFacts = [
  z.object({ type: z.literal('member.spawned'), by: z.string(), seat }),
  /** An entry that a role or rule named and that was not composed (spec/skills.md §6, §7). */
  z.object({
    type: z.literal('entry.rejected'),
    member: z.string(),
    entry: z.string(),
    reason: z.enum(['capability', 'guard']),
    detail: z.string(),
  }),
  z.object({
    type: z.literal('entry.omitted'),
    member: z.string(),
    entry: z.string(),
    reason: z.enum(['budget', 'trust', 'integrity', 'process', 'disabled']),
    detail: z.string(),
  }),
  z.object({
    type: z.literal('member.nudged'),
    member: z.string(),
    task: z.string().nullable(),
    count: z.number().int(),
  }),
  z.object({ type: z.literal('member.failed'), member: z.string(), code: z.string(), error: z.string() }),
  /** An errored member is put back to work by the lead: same seat, same memory. */
  z.object({ type: z.literal('member.restarted'), member: z.string(), by: z.string() }),
  /**
   * The member's memory was compacted: entry `entry` of its transcript stands for what came before it. `model` wrote
   * the summary, null: no model did. Tokens of the next request, as they are estimated, before and after.
   */
  z.object({
    type: z.literal('member.compacted'),
    member: z.string(),
    turn: z.number().int(),
    entry: z.string(),
    model: z.string().nullable(),
    before_tokens: z.number().int(),
    after_tokens: z.number().int(),
  }),
  /**
   * A member is to stop and has a turn that runs: it is called off, and `member.stopped` follows when it has ended.
   * `forced`: the processes of its tools are killed at once; said again when the first word was not obeyed in time.
   */
  z.object({
    type: z.literal('member.stopping'),
    member: z.string(),
    by: z.string(),
    reason: z.string(),
    forced: z.boolean(),
  }),
  z.object({ type: z.literal('member.stopped'), member: z.string(), by: z.string(), reason: z.string() }),
] as const;

const turnOutcome = z.enum(['finished', 'parked', 'no_progress', 'limit', 'cancelled', 'failed']);
export type TurnOutcome = z.infer<typeof turnOutcome>;

/** A turn is named by the number of its `turn.started` fact; that number is its fence. */
export const turnFacts = [
  z.object({
    type: z.literal('turn.started'),
    member: z.string(),
    /** Number of the fact that made the member due. */
    cause: z.number().int(),
    /** 1 for the first try after a cause, higher when earlier tries were lost with their process. */
    attempt: z.number().int(),
    /** Numbers of the further facts that made the member due meanwhile: they have no turn of their own. */
    coalesced: z.array(z.number().int()),
    /** The machine and the process that run it, where several serve the team. */
    host: z.string().optional(),
    worker: z.string().optional(),
  }),
  /** A member is due and cannot take its turn yet: `behind` works in the exclusive workspace. Said once a wait. */
  z.object({
    type: z.literal('turn.deferred'),
    member: z.string(),
    cause: z.number().int(),
    behind: z.string(),
  }),
  /** Its process is gone: nothing of this turn counts any more, and the member is due again (spec/engine.md §2). */
  z.object({
    type: z.literal('turn.lost'),
    turn: z.number().int(),
    member: z.string(),
    host: z.string().optional(),
    detail: z.string(),
  }),
  /**
   * It was to be taken over and was not: its old process is still alive on `host`, however dead its lease is. Kept for
   * people; `count` is how often that has been found of this turn, the last that is kept is the one that they are told of.
   */
  z.object({
    type: z.literal('turn.reclaim_deferred'),
    turn: z.number().int(),
    member: z.string(),
    host: z.string(),
    count: z.number().int(),
    detail: z.string(),
  }),
  z.object({
    type: z.literal('turn.ended'),
    turn: z.number().int(),
    member: z.string(),
    outcome: turnOutcome,
    /** The request it is parked on; null for every other outcome, and when it is parked on a time. */
    request: z.string().nullable(),
    /**
     * Parked until a time, not on a request: the provider of its model has to be left alone (spec/team.md §9), or the
     * budget is reserved by others. Team
     * time in milliseconds; `try` counts the refusals in a row, of this kind, that this member's own calls have met
     * since its last reply: 0 where it came to a provider that refuses others, and did not ask.
     */
    wait: z
      .object({
        until: z.number().int(),
        why: z.enum(['rate_limited', 'unavailable', 'budget']),
        provider: z.string(),
        try: z.number().int(),
        detail: z.string(),
        /**
         * `budget`: what is left holds this call only once others that are under way are booked. It goes on when so much
         * is free, or none of them is left; `until` says nothing then. Null for the other reasons.
         */
        need: z.object({ tokens: z.number().int(), cost_usd: z.number().nullable() }).nullable(),
      })
      .nullable(),
    /** Id of the last transcript entry of this turn, `<turn>-<k>`. */
    upto: z.string(),
    /** The member's last text of the turn, null when it wrote none. */
    text: z.string().nullable(),
    calls: z.number().int(),
    detail: z.string().nullable(),
    /** A limit of the turn (`calls_per_turn`, `turn_minutes`) has cut it off: text and work may be a part only. */
    truncated: z.boolean(),
  }),
  z.object({
    type: z.literal('tool.started'),
    turn: z.number().int(),
    member: z.string(),
    /** The call's place in the transcript, `<turn>-<k>.<index>`; never the provider's id. */
    place: z.string(),
    tool: z.string(),
    class: z.enum(['read', 'write', 'destructive']),
    /** SHA-256 over tool, arguments, directory and class: exactly what was approved. */
    digest: z.string(),
    request: z.string().nullable(),
  }),
  z.object({
    type: z.literal('budget.reserved'),
    turn: z.number().int(),
    member: z.string(),
    model: z.string(),
    /** Counted input and the longest answer allowed; `tokens` is their sum. */
    input_tokens: z.number().int(),
    output_tokens: z.number().int(),
    tokens: z.number().int(),
    /** At list price; null where the price is unknown. */
    cost_usd: z.number().nullable(),
  }),
  z.object({
    type: z.literal('budget.spent'),
    turn: z.number().int(),
    member: z.string(),
    model: z.string(),
    input_tokens: z.number().int(),
    cached_tokens: z.number().int(),
    output_tokens: z.number().int(),
    cost_usd: z.number().nullable(),
    estimated: z.boolean(),
  }),
] as const;

/** Where the workspace is, when several machines serve a team whose members write it (spec/engine.md §3). */
export const workspaceFacts = [
  /**
   * It is on `host`, and turns that need it go there. `commit` is the newest of it that others can get, null where it is
   * no git repository; said again by the same host when there is a newer one.
   */
  z.object({ type: z.literal('workspace.bound'), host: z.string(), commit: z.string().nullable() }),
  /** That host is gone, and what it had beside `commit` with it: the next that binds the workspace starts from there. */
  z.object({
    type: z.literal('workspace.lost'),
    host: z.string(),
    commit: z.string().nullable(),
    detail: z.string(),
  }),
] as const;
