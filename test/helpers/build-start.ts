/** Builders of what a team starts from: seats, tasks, the first fact. Every default is set and can be overridden. */

import type { FactOf } from '../../src/events/event.js';
import type { Limits, LoadedEntry, Seat, TaskSpec } from '../../src/events/facts/frozen.js';
import { RECORD_VERSION } from '../../src/events/log-entry.js';
import type { Asker, Command } from '../../src/team/command.js';
import type { Wish } from '../../src/team/ledger.js';

const NO_DIGEST = '0'.repeat(64);

/** The limits of spec/team.md §1. */
export const LIMITS: Limits = {
  members: 8,
  concurrency: 4,
  turns: 500,
  turn_minutes: 30,
  lost_turns: 3,
  model_calls: 2_000,
  tokens: 5_000_000,
  cost_usd: null,
  wall_minutes: 120,
  messages: 10_000,
  mail_bytes: 32 * 1024,
  unread_bytes: 256 * 1024,
  tasks: 1_000,
  open_requests: 4,
  calls_per_reply: 32,
  calls_per_turn: 100,
  review_rounds: 3,
  record_bytes: 2 ** 30,
};

/** A skill of the built-in tier that came with the role, unless said otherwise. */
export function loadedEntry(name: string, more: Partial<LoadedEntry> = {}): LoadedEntry {
  return {
    kind: 'skill',
    name,
    level: 'role',
    version: null,
    digest: `1:${NO_DIGEST}`,
    rendered_sha256: NO_DIGEST,
    tier: 'builtin',
    trust: 'instruction',
    origin: null,
    bytes: 0,
    approval: null,
    ...more,
  };
}

export type SeatOptions = Partial<Seat> & { readonly member: string };

/** One seat; its role is named like it, and the member `lead` leads, unless said otherwise. */
export function seat(options: string | SeatOptions): Seat {
  const given = typeof options === 'string' ? { member: options } : options;
  return {
    role: given.member,
    role_path: `roles/${given.member}.md`,
    role_tier: 'builtin',
    role_digest: `1:${NO_DIGEST}`,
    role_approval: null,
    lead: given.member === 'lead',
    on_demand: false,
    model: 'script/test.yaml',
    model_file: null,
    patterns: [],
    tools: [],
    plan_mode: false,
    plan_approver: 'lead',
    confirm_approver: 'operator',
    exclusive_workspace: false,
    max_turns: null,
    prompt_sha256: NO_DIGEST,
    prompt_bytes: 0,
    parts: [],
    reference: null,
    page: false,
    entries: [],
    ...given,
  };
}

/** A task as the lead would make it; `subject` is all it has unless said otherwise. */
export function taskSpec(options: Partial<TaskSpec> = {}): TaskSpec {
  return {
    key: null,
    subject: 'a task',
    description: '',
    role: null,
    blocked_by: [],
    gates: [],
    acceptance: [],
    artifacts: [],
    required: false,
    upstream: 'wait',
    skills: [],
    ...options,
  };
}

export type StartOptions = Partial<Omit<FactOf<'run.started'>, 'type' | 'seats' | 'limits'>> & {
  readonly seats?: readonly (string | SeatOptions)[];
  readonly limits?: Partial<Limits>;
};

/** A `run.started` with every default set; two seats, `lead` and `worker`, unless said otherwise. */
export function started(options: StartOptions = {}): FactOf<'run.started'> {
  const { seats = ['lead', 'worker'], limits = {}, ...rest } = options;
  return {
    type: 'run.started',
    team: 'run-test-01JZZZZZZZZZZZZZZZZZZZZZZZ',
    simulated: false,
    versions: { bnerd: '0.1.0', record: RECORD_VERSION },
    recipe: {
      slug: 'test',
      description: 'a test team',
      tier: 'builtin',
      path: 'recipes/test/team.md',
      digest: `1:${NO_DIGEST}`,
      approval: null,
    },
    prompt: 'do it',
    page: null,
    variables: {},
    mission: null,
    trust_files: [],
    project: null,
    workspace: { path: '/workspace', kind: 'directory' },
    reads: [],
    safety: 'non-destructive',
    plan_approval: true,
    edits_agents: false,
    auto_approve: 'never',
    auto_skip_questions: false,
    request_timeout_ms: null,
    grace_ms: 5_000,
    limits: { ...LIMITS, ...limits },
    permissions: [],
    shell_wrap: [],
    seats: seats.map(seat),
    engineer: null,
    keys: [],
    key_id: null,
    signature: null,
    findings: [],
    ...rest,
  };
}

/** What a call would take: nothing but an answer of so many tokens, at no price, in a record of no size. */
export function aCall(
  tokens = 100,
  more: Partial<Wish> = {},
): Pick<Extract<Command, { kind: 'budget.reserve' }>, 'wish' | 'recordBytes'> {
  const priced = { inputUsd: 0, outputUsd: 0 };
  return {
    wish: {
      model: 'script/test.yaml',
      inputTokens: 0,
      outputTokens: tokens,
      leastOutputTokens: 1,
      priced,
      ...more,
    },
    recordBytes: 0,
  };
}

/** The operator, as askers are named. */
export const OPERATOR: Asker = { kind: 'operator', name: 'operator' };
