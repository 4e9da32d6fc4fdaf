/** Members that wait for their provider, in words and in time: what every view says of them. */

import type { Life, Member, TeamState, WaitReason } from './state.js';

export type Waiting = Extract<Life, { kind: 'waiting' }>;

/** What is waited for: `anthropic (rate limited)`, or room in the budget. */
export function waitedFor({
  provider,
  why,
}: {
  readonly provider: string;
  readonly why: WaitReason;
}): string {
  if (why === 'budget') return 'room in the budget (reserved by calls and briefs under way)';
  return `${provider} (${why === 'rate_limited' ? 'rate limited' : 'unavailable'})`;
}

/** The members that wait, in the order of the seats. */
export function waitingMembers(state: TeamState): { readonly member: Member; readonly wait: Waiting }[] {
  const waiting: { member: Member; wait: Waiting }[] = [];
  for (const member of state.members.values())
    if (member.life.kind === 'waiting') waiting.push({ member, wait: member.life });
  return waiting;
}

/** Milliseconds from now until a member may ask again, 0 when it may. */
export function leftOf(wait: Waiting, now: number): number {
  return Math.max(0, wait.until - now);
}

/** `12 s`: to the second, and never a wait of none. */
export function secondsText(ms: number): string {
  return `${Math.max(1, Math.round(ms / 1000))} s`;
}
