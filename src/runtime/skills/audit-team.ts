/**
 * What a run was given, member by member, told from its record alone: whatever lies on the disk today changes nothing
 * of it (spec/skills.md §7.5, §9 `audit <team>`).
 */

import type { Fact, FactOf } from '../../events/event.js';
import type { LoadedEntry, Seat } from '../../events/facts/frozen.js';
import { type Inventory, type InventoryItem, inventory } from '../../skills/inventory/inventory.js';
import { carriesRider } from '../../team/task-riders.js';
import type { Found } from '../find-team.js';
import type { House } from '../house.js';
import { teamLog } from '../teams.js';

/** An entry that a member was given; `task`: the task it rode with, null for one of its role or its process. */
export interface GivenEntry extends LoadedEntry {
  readonly task: string | null;
}

export interface MemberAudit {
  readonly member: string;
  readonly role: string;
  readonly model: string;
  /** Of the whole system prompt. */
  readonly prompt_sha256: string;
  readonly reference: Seat['reference'];
  readonly entries: readonly GivenEntry[];
  /** Named, and not given. */
  readonly withheld: readonly Omit<FactOf<'entry.rejected' | 'entry.omitted'>, 'member'>[];
}

export interface TeamAudit {
  readonly team: string;
  readonly recipe: string;
  /** Wall clock, ISO 8601, of the first entry of the record. */
  readonly started: string;
  /** In the order they were spawned. */
  readonly members: readonly MemberAudit[];
}

/** Audits one team: live, stopped or ended. */
export async function auditTeam(house: House, typed: string): Promise<Found<TeamAudit>> {
  const log = await teamLog(house, typed);
  if (log.kind === 'refused') return log;
  const facts = log.value.flatMap((entry) => entry.facts);
  const started = facts.find((fact) => fact.type === 'run.started');
  if (started === undefined) {
    const message = 'its record has no beginning: the process died before the run started';
    const finding = { code: 'not-started', severity: 'error', path: typed, message } as const;
    return { kind: 'refused', findings: [{ ...finding, remedy: 'start it again with bnerd team run' }] };
  }
  return {
    kind: 'found',
    value: {
      team: started.team,
      recipe: started.recipe.slug,
      started: log.value[0]?.wall ?? '',
      members: membersOf(facts),
    },
  };
}

function membersOf(facts: readonly Fact[]): MemberAudit[] {
  const seats = new Map<string, Seat>();
  for (const fact of facts) if (fact.type === 'member.spawned') seats.set(fact.seat.member, fact.seat);
  return [...seats.values()].map((seat) => ({
    member: seat.member,
    role: seat.role,
    model: seat.model,
    prompt_sha256: seat.prompt_sha256,
    reference: seat.reference,
    entries: [...seat.entries.map((entry) => ({ ...entry, task: null })), ...withTasks(facts, seat.member)],
    withheld: facts.flatMap((fact) => {
      if (fact.type !== 'entry.rejected' && fact.type !== 'entry.omitted') return [];
      const { member, ...rest } = fact;
      return member === seat.member ? [rest] : [];
    }),
  }));
}

/** What rode with tasks to a member. The record holds what would ride to every seat; who was told of no task was given none. */
function withTasks(facts: readonly Fact[], member: string): GivenEntry[] {
  const tasks = new Set(
    facts.flatMap((fact) =>
      fact.type === 'mail.sent' && carriesRider(fact) && fact.to.includes(member) ? [fact.task] : [],
    ),
  );
  return facts.flatMap((fact) => {
    if (fact.type !== 'task.created' || !tasks.has(fact.task)) return [];
    const told = fact.spec.skills.filter(({ members }) => members.includes(member));
    return told.flatMap(({ entries }) => entries.map((entry) => ({ ...entry, task: fact.task })));
  });
}

/** The same as an inventory: each text once, with the members that were given it. The record knows no licences. */
export function teamInventory({ team, members }: TeamAudit): Inventory {
  const items = new Map<string, InventoryItem>();
  for (const { member, entries } of members) {
    for (const { kind, name, version, digest, tier, trust, origin } of entries) {
      const key = JSON.stringify([kind, name, digest, tier, trust]);
      const users = [...(items.get(key)?.users ?? []), `member ${member}`];
      const unknown = { description: '', license: null, upstream: null, vetted: null, path: null };
      items.set(key, { kind, name, version, digest, tier, trust, origin, ...unknown, users });
    }
  }
  return inventory(team, [...items.values()]);
}
