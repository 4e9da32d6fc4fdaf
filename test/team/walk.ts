/**
 * A walk: a team that random commands are given to, with every promise checked after each (`invariants.ts`).
 * `moves.ts` says what may happen, `drive.ts` how a walk is brought to its end.
 */

import { logEntry } from '../../src/events/log-entry.js';
import type { Command } from '../../src/team/command.js';
import { decide } from '../../src/team/decide.js';
import type { Decision } from '../../src/team/decision.js';
import { dueMembers } from '../../src/team/due.js';
import type { TeamState } from '../../src/team/state.js';
import type { SeatOptions } from '../helpers/build-start.js';
import { sameState, Team } from '../helpers/build-state.js';
import { brokenIn, Watch } from './invariants.js';
import type { Random } from './random.js';

/** How many commands a failure shows. */
const SHOWN = 25;

/** Commands between two looks at all mailboxes. */
const MAILBOX_EVERY = 10;

export interface Given {
  readonly id: string;
  readonly command: Command;
  readonly decision: Decision;
}

export class Walk {
  readonly team: Team;
  readonly watch = new Watch();
  readonly given: Given[] = [];
  #seen = 0;
  #checked = 0;

  constructor(team: Team) {
    this.team = team;
    this.#see();
  }

  /** Gives one command to the team and checks everything. */
  do(command: Command, id: string = this.team.commandId(command)): Decision {
    const known = this.team.state.applied.has(id);
    const before = this.team.state.next;
    const decision = this.team.do(command, id);
    this.given.push({ id, command, decision });
    if (known && this.team.state.next !== before) this.fail([`the repeated ${id} has changed the team`]);
    if (decision.kind === 'refused' && decision.message.length < 8)
      this.fail(['a refusal without a sentence']);
    this.#see();
    return decision;
  }

  /** Loses the process: the state is folded again from the record, then the next process takes it up. */
  crash(): void {
    this.team.state = this.refold();
    this.do({ kind: 'run.resume', host: 'host', disabled: [], findings: [] });
  }

  /** Invariants 3 and 7, and that every entry is what the published schema says; gives the fold. */
  refold(): TeamState {
    const folded = this.team.refold();
    if (!sameState(folded, this.team.state)) this.fail(['7: the fold differs from the live state']);
    const lost = this.watch.mailbox(this.team.state);
    if (lost.length > 0) this.fail(lost);
    for (const entry of this.team.entries.slice(this.#checked)) {
      const parsed = logEntry.safeParse(entry);
      if (!parsed.success) this.fail([`no valid entry: ${JSON.stringify(parsed.error.issues)}`]);
    }
    this.#checked = this.team.entries.length;
    return folded;
  }

  /** Invariant 9: with nothing due no turn can be started, by nobody. */
  nothingDue(): void {
    const { state, now } = this.team;
    if (dueMembers(state, now).length > 0) return;
    for (const member of state.members.keys()) {
      const decision = decide(state, 'probe', { kind: 'turn.start', member, cause: 1 }, now);
      if (decision.kind === 'accepted') this.fail([`9: ${member} is not due and may start a turn`]);
    }
    const swept = decide(state, 'probe', { kind: 'run.sweep', operatorPresent: true }, now);
    if (swept.kind === 'accepted' && swept.facts.some((fact) => fact.type === 'turn.started'))
      this.fail(['9: a sweep has made a turn']);
  }

  fail(broken: readonly string[]): never {
    const last = this.given.slice(-SHOWN).map(({ id, command, decision }) => {
      const answer =
        decision.kind === 'refused' ? decision.code : decision.facts.map((fact) => fact.type).join(' ');
      return `${id} ${JSON.stringify(command)} → ${answer}`;
    });
    throw new Error(`${broken.join('\n')}\nafter:\n${last.join('\n')}`);
  }

  #see(): void {
    for (; this.#seen < this.team.entries.length; this.#seen++)
      this.watch.see(this.team.entries[this.#seen]?.facts ?? []);
    const broken = [...this.watch.broken, ...brokenIn(this.team.state, this.team.now)];
    // All mail of a run is looked through now and then only: a message that ends twice is seen at once anyway.
    if (this.given.length % MAILBOX_EVERY === 0) broken.push(...this.watch.mailbox(this.team.state));
    if (broken.length > 0) this.fail(broken);
  }
}

/** A team of up to six members with a board, some of it odd, as recipes may be. */
export function randomTeam(random: Random): Team {
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
  if (seats.length === 1) seats.push({ member: 'worker' });
  const roles = seats.map((seat) => seat.member);
  const keys = Array.from({ length: random.below(6) }, (_, index) => `t${index}`);
  return Team.start({
    seats,
    limits: {
      members: random.of(8, seats.filter((seat) => seat.on_demand !== true).length),
      turns: 5_000,
      tasks: random.of(1_000, 12),
      open_requests: random.of(4, 1),
      unread_bytes: random.of(256 * 1024, 600),
      wall_minutes: 1_000_000,
    },
    request_timeout_ms: random.of(null, 60_000),
    tasks: keys.map((key, index) => ({
      key,
      subject: key,
      role: random.chance(60) ? (random.pick(roles) ?? null) : null,
      blocked_by: random.some(keys.slice(0, index), 30),
      gates: random.chance(15) ? [random.pick(roles) ?? 'lead'] : [],
      acceptance: random.chance(20) ? ['it works'] : [],
      artifacts: random.chance(10) ? ['report.md'] : [],
      required: random.chance(10),
      upstream: random.of<'wait' | 'continue_with_missing' | 'fail'>('wait', 'continue_with_missing', 'fail'),
    })),
  });
}
