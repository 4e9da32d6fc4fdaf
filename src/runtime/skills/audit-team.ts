/**
 * What a run was given, member by member and brief by brief, told from its record alone: whatever lies on the disk today changes nothing
 * of it (spec/skills.md §7.5, §9 `audit <team>`).
 */

import type { Named } from '../../delegate/brief/brief.js';
import type { Fact, FactOf } from '../../events/event.js';
import type { LoadedEntry, Seat } from '../../events/facts/frozen.js';
import { compareBytes } from '../../skills/byte-order.js';
import { type Inventory, type InventoryItem, inventory } from '../../skills/inventory/inventory.js';
import { carriesRider } from '../../team/task-riders.js';
import type { Found } from '../find-team.js';
import type { House } from '../house.js';
import { type RecordedBrief, recordedBriefs } from '../recorded-briefs.js';
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

/** An entry that rode a brief, and who put it there. */
export interface RidingEntry extends Named {
  readonly came: 'brief' | 'runner';
}

/** What an engineer was given, or would have been by who takes its brief. */
export interface BriefAudit {
  readonly brief: string;
  /** Who delegated. */
  readonly member: string;
  readonly task: string;
  readonly engineer: string;
  readonly model: string | null;
  /** Null: nobody has taken it, so no engineer was given anything as far as the record knows. */
  readonly runner: string | null;
  readonly sent_block: string;
  readonly final_block: string | null;
  /** Where the runner says that the transcript lies; null: it has not said. */
  readonly transcript: string | null;
  /** Sorted by name, as they stand in the block. */
  readonly entries: readonly RidingEntry[];
}

export interface TeamAudit {
  readonly team: string;
  readonly recipe: string;
  /** Wall clock, ISO 8601, of the first entry of the record. */
  readonly started: string;
  /** In the order they were spawned. */
  readonly members: readonly MemberAudit[];
  /** In the order they were sent. */
  readonly briefs: readonly BriefAudit[];
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
      briefs: recordedBriefs(facts).map(briefAudit),
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

function briefAudit({ sent, accepted, ended }: RecordedBrief): BriefAudit {
  const entries = [
    ...sent.entries.map((entry) => ({ ...entry, came: 'brief' as const })),
    ...(accepted?.additions ?? []).map((entry) => ({ ...entry, came: 'runner' as const })),
  ];
  return {
    brief: sent.brief,
    member: sent.member,
    task: sent.task,
    engineer: sent.engineer.kind,
    model: sent.engineer.model,
    runner: accepted?.runner ?? null,
    sent_block: sent.sent_block,
    final_block: accepted?.final_block ?? null,
    transcript: ended?.transcript?.path ?? null,
    entries: entries.sort((left, right) => compareBytes(left.name, right.name)),
  };
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

/**
 * The same as an inventory: each text once, with the members that were given it and the briefs that it rode. Of entries of
 * members the record knows no licences; of those that rode a brief, no tier.
 */
export function teamInventory({ team, members, briefs }: TeamAudit): Inventory {
  const items = new Map<string, InventoryItem>();
  for (const { member, entries } of members) {
    for (const { kind, name, version, digest, tier, trust, origin } of entries) {
      const key = JSON.stringify([kind, name, digest, tier, trust]);
      const users = [...(items.get(key)?.users ?? []), `member ${member}`];
      const unknown = { description: '', license: null, upstream: null, vetted: null, path: null };
      items.set(key, { kind, name, version, digest, tier, trust, origin, ...unknown, users });
    }
  }
  for (const { brief, entries } of briefs) {
    for (const { kind, name, version, digest, origin, license, upstream } of entries) {
      const [known] = [...items].find(([, item]) => isText(item, { kind, name, digest })) ?? [];
      const key = known ?? JSON.stringify([kind, name, digest]);
      const unknown = { description: '', vetted: null, path: null, tier: null, users: [] };
      const item = items.get(key) ?? {
        ...unknown,
        kind,
        name,
        version,
        digest,
        trust: 'instruction',
        origin,
      };
      items.set(key, { ...item, license, upstream, users: [...item.users, `brief ${brief}`] });
    }
  }
  return inventory(team, [...items.values()]);
}

/** What rides is rendered as an instruction: a text that a member was shown as reference is another item. */
function isText(item: InventoryItem, of: Pick<Named, 'kind' | 'name' | 'digest'>): boolean {
  const { kind, name, digest, trust } = item;
  return kind === of.kind && name === of.name && digest === of.digest && trust === 'instruction';
}
