/** The teams that walks are made with: up to twelve members, boards as recipes may have them, limits that bind now and then. */

import type { FactOf } from '../../../src/events/event.js';
import type { FrozenEngineer, Limits, Seat } from '../../../src/events/facts/frozen.js';
import type { Command } from '../../../src/team/command.js';
import { frozenEngineer } from '../../helpers/build-brief.js';
import { type SeatOptions, started, taskSpec } from '../../helpers/build-start.js';
import type { Random } from './random.js';

const MOST_WORKERS = 5;

/** Tools by which a member writes the workspace, reads it, or does neither. */
const TOOLS: Seat['tools'] = [
  { name: 'fs_write_file', class: 'write', entry: null },
  { name: 'fs_read_file', class: 'read', entry: null },
  { name: 'web_fetch', class: 'read', entry: null },
];

/** Limits of the run that are reached within a walk. */
const TIGHT: readonly Partial<Limits>[] = [
  { turns: 20 },
  { model_calls: 20 },
  { tokens: 200 },
  { wall_minutes: 2 },
];

/** The start of a team with a lead and up to eleven others. One team in twelve has a limit that it will meet. */
export function randomStart(random: Random): Extract<Command, { kind: 'run.start' }> {
  const seats: SeatOptions[] = [{ member: 'lead', plan_mode: random.chance(5) }];
  const others: SeatOptions[] = [
    { member: 'worker', max_turns: random.chance(10) ? 6 : null },
    { member: 'reviewer' },
    {
      member: 'planner',
      plan_mode: true,
      plan_approver: random.of<'lead' | 'operator'>('lead', 'operator'),
    },
    { member: 'solo', exclusive_workspace: true },
    { member: 'extra', exclusive_workspace: true, on_demand: random.chance(60) },
  ];
  seats.push(...random.some(others, 60));
  if (random.chance(40)) {
    const workers = Array.from({ length: random.below(MOST_WORKERS + 1) }, (_, index) => index + 1);
    seats.push(...workers.map((index) => ({ member: `worker-${index}`, on_demand: random.chance(20) })));
  }
  if (seats.length === 1) seats.push({ member: 'worker' });
  // Two of one role: each may judge what the other has done.
  if (seats.some(({ member }) => member === 'reviewer')) seats.push({ member: 'twin', role: 'reviewer' });
  const roles = [...new Set(seats.map((seat) => seat.role ?? seat.member))];
  const keys = Array.from({ length: random.below(9) }, (_, index) => `t${index}`);
  const always = seats.filter((seat) => seat.on_demand !== true).length;
  const tight = random.chance(8) ? random.pick(TIGHT) : undefined;
  const start = started({
    seats: seats.map((seat) => ({
      ...seat,
      tools: random.some(TOOLS, 40),
      confirm_approver:
        seat.member === 'lead' ? 'operator' : random.of<'lead' | 'operator'>('lead', 'operator'),
    })),
    safety: random.of<FactOf<'run.started'>['safety']>('read-only', 'non-destructive', 'full'),
    limits: {
      members: random.of(12, always),
      turns: 5_000,
      tasks: random.of(1_000, 12),
      open_requests: random.of(4, 1),
      review_rounds: random.of(3, 1),
      lost_turns: random.of(3, 3, 1, 5),
      unread_bytes: random.of(256 * 1024, 600),
      wall_minutes: 1_000_000,
      cost_usd: random.chance(15) ? 3 : null,
      ...tight,
    },
    request_timeout_ms: random.of(null, 60_000),
    engineer: random.chance(80) ? randomEngineer(random, seats) : null,
  });
  const judges = (gate: string, role: string | null): boolean => gate !== role || gate === 'reviewer';
  const tasks = keys.map((key, index) => {
    // Some are done by one reviewer and judged by the other.
    const among = roles.includes('reviewer') && random.chance(15);
    const role = among ? 'reviewer' : random.chance(40) ? (random.pick(roles) ?? null) : null;
    const gates = random.chance(30) ? random.some(roles, 40).filter((gate) => judges(gate, role)) : [];
    return taskSpec({
      key,
      subject: key,
      role,
      blocked_by: random.some(keys.slice(0, index), 30),
      gates: among ? ['reviewer'] : gates,
      acceptance: random.chance(20) ? ['it works'] : [],
      artifacts: random.chance(10) ? ['report.md'] : [],
      required: random.chance(10),
      upstream: random.of<'wait' | 'continue_with_missing' | 'fail'>('wait', 'continue_with_missing', 'fail'),
    });
  });
  const left = { member: 'lead', entry: 'skill:long', detail: 'too long' };
  const entries: Extract<Command, { kind: 'run.start' }>['entries'] = random.chance(90)
    ? []
    : [
        { type: 'entry.omitted', reason: 'budget', ...left },
        { type: 'entry.rejected', reason: 'capability', ...left },
      ];
  return { kind: 'run.start', started: start, tasks, entries };
}

/** Some of the team may delegate; how often a lost brief is offered again, and what is done with what comes back. */
function randomEngineer(random: Random, seats: readonly SeatOptions[]): FrozenEngineer {
  const members = random.some(seats, 85).map(({ member }) => member);
  return frozenEngineer(members, {
    offers: random.below(3),
    policy: random.of<FrozenEngineer['policy']>('review', 'complete_on_verified'),
  });
}

/** Whether the team has a limit that a walk reaches: such a run may end for it, however diligent its members are. */
export function isTight({ turns, model_calls, tokens, wall_minutes, cost_usd }: Limits): boolean {
  return cost_usd !== null || turns <= 20 || model_calls <= 20 || tokens <= 200 || wall_minutes <= 2;
}
