/** Briefs and results to begin with: each field can be set, the rest is what a small order holds. */

import { type Brief, type BriefBody, briefBranch, briefId } from '../../src/delegate/brief/brief.js';
import type { ResultBody } from '../../src/delegate/brief/result.js';
import { type AcceptedKey, type KeyPair, signed } from '../../src/shared/signature.js';

export const BASE = '0123456789abcdef0123456789abcdef01234567';

type Order = Partial<Omit<BriefBody, 'key_id' | 'workspace'>> & {
  readonly workspace?: Partial<BriefBody['workspace']>;
};

/** A brief without key and signature. */
export function briefOrder({ workspace, ...order }: Order = {}): Omit<BriefBody, 'key_id'> {
  const named = { team: 'run-feature-01', task: '#1', attempt: 1, offer: 1, ...order };
  return {
    v: 1,
    id: briefId(named),
    from: 'engineer',
    goal: 'Add a line to the file.',
    acceptance: ['The line is there.'],
    context: '',
    constraints: [],
    limits: { wall_minutes: 10, cost_usd: 1, turns: 20 },
    safety: 'non-destructive',
    verify: [],
    protect: [],
    artifacts: [],
    engineer: { kind: 'command', model: null },
    skills: [],
    pool: null,
    labels: [],
    created_at: '2026-01-01T00:00:00.000Z',
    deadline: '2030-01-01T00:00:00.000Z',
    ...named,
    workspace: { repo: '/repository', base: BASE, branch: briefBranch(named), subdir: '', ...workspace },
  };
}

/** A signed brief. */
export function aBrief(pair: KeyPair, order: Order = {}): Brief {
  return signed('brief', briefOrder(order), pair);
}

/** A result of this brief without key and signature. */
export function resultOrder(
  brief: Brief,
  change: Partial<Omit<ResultBody, 'key_id'>> = {},
): Omit<ResultBody, 'key_id'> {
  const { team, task, attempt, offer } = brief;
  return {
    v: 1,
    brief: brief.id,
    team,
    task,
    attempt,
    offer,
    runner: 'runner-1',
    status: 'completed',
    cause: null,
    detail: null,
    message: 'It is done.',
    base: brief.workspace.base,
    head: null,
    branch: brief.workspace.branch,
    commits: [],
    diffstat: { files: 0, insertions: 0, deletions: 0 },
    changed: [],
    uncommitted: [],
    protected: [],
    bundle: null,
    pushed: false,
    verify: [],
    not_verified: 'nothing_to_verify',
    missing_artifacts: [],
    workspace_changes: [],
    engineer: { kind: brief.engineer.kind, version: null, model: null },
    session: null,
    usage: { input_tokens: 0, cached_tokens: 0, output_tokens: 0, turns: 1, cost_usd: 0.1 },
    noise: { lines: 0, oversize: 0, bytes: 0 },
    project_settings: false,
    sent_block: '0'.repeat(64),
    final_block: '0'.repeat(64),
    additions: [],
    transcript: null,
    accepted_at: '2026-01-01T00:00:01.000Z',
    ended_at: '2026-01-01T00:00:02.000Z',
    ...change,
  };
}

/** The public half of a key pair, accepted for a role. */
export function accepted(
  { id, key }: KeyPair,
  role: AcceptedKey['role'],
  change: Partial<AcceptedKey> = {},
): AcceptedKey {
  return { id, key, name: `${role}-key`, role, retired: false, ...change };
}
