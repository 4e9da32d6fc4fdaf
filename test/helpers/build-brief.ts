/** Facts and words about briefs to begin with: each field can be set, the rest is what a small order holds. */

import type { FactOf } from '../../src/events/event.js';
import type { FrozenEngineer } from '../../src/events/facts/frozen.js';
import type { BriefOffer } from '../../src/team/command.js';

const BLOCK = 'b'.repeat(64);
export const BASE = '0123456789abcdef0123456789abcdef01234567';
export const HEAD = 'fedcba9876543210fedcba9876543210fedcba98';

/** What the recipe says of delegated work: these members may delegate, `review` is the policy, unless said otherwise. */
export function frozenEngineer(
  members: readonly string[] = ['worker'],
  more: Partial<FrozenEngineer> = {},
): FrozenEngineer {
  return {
    pool: null,
    kind: 'command',
    model: null,
    verify: [{ key: 'test', argv: ['npm', 'test'] }],
    protect: [],
    policy: 'review',
    offers: 2,
    delegates: members.map((member) => ({ member, entries: [] })),
    ...more,
  };
}

/** A prepared brief: the first of the first attempt at #1, at most one dollar, unless said otherwise. */
export function briefOffer(more: Partial<BriefOffer> = {}): BriefOffer {
  const { task = '#1', attempt = 1, offer = 1 } = more;
  return {
    brief: `team.t${task.slice(1)}.a${attempt}.o${offer}`,
    task,
    attempt,
    offer,
    text: 't'.repeat(64),
    bytes: 1_000,
    engineer: { kind: 'command', model: null },
    safety: 'non-destructive',
    pool: null,
    base: BASE,
    branch: `bnerd/team/${task.slice(1)}-${attempt}`,
    verify: ['test'],
    wall_minutes: 30,
    turns: null,
    cost_usd: 1,
    sent_block: BLOCK,
    entries: [],
    ...more,
  };
}

/** The fact of one that the worker has sent. */
export function briefSent(more: Partial<BriefOffer> = {}, member = 'worker'): FactOf<'brief.sent'> {
  return { type: 'brief.sent', member, ...briefOffer(more) };
}

/** A good end, of 100 tokens and 40 cents. */
export function briefEnded(brief: string, more: Partial<FactOf<'brief.ended'>> = {}): FactOf<'brief.ended'> {
  return {
    type: 'brief.ended',
    brief,
    status: 'completed',
    cause: null,
    detail: null,
    result: 'r'.repeat(64),
    head: HEAD,
    usage: { input_tokens: 80, cached_tokens: 0, output_tokens: 20, turns: 3 },
    cost_usd: 0.4,
    estimated: false,
    verify: [{ key: 'test', outcome: 'passed' }],
    protected: [],
    uncommitted: [],
    final_block: BLOCK,
    transcript: null,
    ...more,
  };
}
