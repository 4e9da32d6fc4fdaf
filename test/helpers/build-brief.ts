/** Facts and words about briefs to begin with: each field can be set, the rest is what a small order holds. */

import type { FactOf } from '../../src/events/event.js';
import type { FrozenEngineer } from '../../src/events/facts/frozen.js';
import type { BriefOffer, BriefResult, Command } from '../../src/team/command.js';
import { type StartOptions, Team } from './build-state.js';

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
    labels: [],
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

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

/** A runner that takes a brief. */
export function acceptance(
  brief: string,
  more: Partial<Of<'brief.accept'>['accepted']> = {},
): Of<'brief.accept'> {
  return {
    kind: 'brief.accept',
    accepted: {
      brief,
      runner: 'runner-1',
      key_id: '0123456789abcdef',
      engineer_version: '1.0',
      sent_block: BLOCK,
      final_block: BLOCK,
      additions: [],
      without: [],
      project_settings: false,
      ...more,
    },
  };
}

/** What decides of a result: completed, one commit, verified, 40 cents, unless said otherwise. */
export function briefResult(more: Partial<BriefResult> = {}): BriefResult {
  return {
    status: 'completed',
    cause: null,
    detail: null,
    message: 'The line is there.',
    head: HEAD,
    diffstat: { files: 1, insertions: 2, deletions: 0 },
    uncommitted: [],
    protected: [],
    verify: [{ key: 'test', outcome: 'passed' }],
    not_verified: null,
    workspace_changes: [],
    usage: { input_tokens: 80, cached_tokens: 0, output_tokens: 20, turns: 3, cost_usd: 0.4 },
    sent_block: BLOCK,
    final_block: BLOCK,
    transcript: null,
    ...more,
  };
}

/** The end of a brief by a result whose commits were delivered, unless said otherwise. */
export function ending(
  { briefs }: Team['state'],
  brief: string,
  result: Partial<BriefResult> = {},
  more: Partial<Of<'brief.end'>> = {},
): Of<'brief.end'> {
  const of = briefResult(result);
  const branch = briefs.get(brief)?.sent.branch ?? 'none';
  return {
    kind: 'brief.end',
    brief,
    text: 'r'.repeat(64),
    result: of,
    delivery:
      of.head === null ? { kind: 'nothing' } : { kind: 'delivered', branch, head: of.head, commits: 1 },
    missingArtifacts: [],
    ...more,
  };
}

/** A team whose worker may delegate and holds #1 in its turn. */
export function delegating(options: Parameters<typeof Team.start>[0] = {}): Team {
  const team = Team.start({ engineer: frozenEngineer(), tasks: [{ role: 'worker' }], ...options });
  team.awake('lead');
  team.awake('worker');
  team.claim('worker', '#1');
  return team;
}

/** So it is, and it has sent a brief that a runner has taken; gives the brief's id with the team. */
export function delegated(
  options: StartOptions & Parameters<typeof Team.start>[0] = {},
  more: Partial<BriefOffer> = {},
): { readonly team: Team; readonly brief: string } {
  const team = delegating(options);
  const brief = send(team, more);
  team.ok(acceptance(brief));
  return { team, brief };
}

/** The worker sends a brief; gives its id. */
export function send(team: Team, more: Partial<BriefOffer> = {}): string {
  const sent = briefOffer(more);
  team.ok({ kind: 'brief.send', sent, ...team.in('worker') });
  return sent.brief;
}

/** The text of the result that comes late. */
export const LATE = 'l'.repeat(64);

/** A team whose brief is lost and offered no more, so that its task has failed; then its result has come. */
export function lateResult(
  options: StartOptions & Parameters<typeof Team.start>[0] = {},
  result: Partial<BriefResult> = {},
): { readonly team: Team; readonly brief: string } {
  const { team, brief } = delegated(options);
  team.ok({ kind: 'brief.lose', brief, detail: 'its runner is gone', again: null });
  team.refusal(ending(team.state, brief, result, { text: LATE }));
  return { team, brief };
}

/** The operator adopts that result, as it was delivered, unless said otherwise. */
export function adopting(
  { state }: Pick<Team, 'state'>,
  more: Partial<Of<'brief.adopt'>> = {},
  result: Partial<BriefResult> = {},
): Of<'brief.adopt'> {
  const { brief = briefOffer().brief } = more;
  const by = { kind: 'operator' as const, name: 'operator' };
  return { ...ending(state, brief, result, { text: LATE }), by, ...more, kind: 'brief.adopt' };
}
