/**
 * What a member was given, as the record says: the texts it was given them as, and whose word it took to use each
 * (spec/skills.md §4). Pure; the state is read at the moment of the question, for what rides with tasks comes later.
 */

import type { TrustQuestion } from '../../catalog/trust.js';
import type { LoadedEntry, Seat } from '../../events/facts/frozen.js';
import { storedName } from '../../skills/stored-text.js';
import type { TeamState } from '../../team/show/view.js';
import { riderOf } from '../../team/task-riders.js';

type Run = NonNullable<TeamState['run']>;

/** A stored text, and what it is to a reader. */
export interface StoredText {
  readonly sha256: string;
  /** As in "skill k8s". */
  readonly what: string;
  /** The name of the entry; null where it is the text of several. */
  readonly entry: string | null;
}

/** What the operator is asked again. */
export interface AskedAgain {
  /** As in "skill k8s (.bnerd/skills/k8s.md)"; of what counts by its place alone, as in "skill k8s (/srv/mission)". */
  readonly what: string;
  /** The name of the entry; null for a role and a recipe. */
  readonly entry: string | null;
  readonly question: TrustQuestion;
}

/** What the record holds of the entries of a seat: their own texts, the parts of its prompt, its reference block. */
export function seatTexts({ parts, entries, reference }: Seat): readonly StoredText[] {
  const texts = entries.map(textOf);
  for (const { name, sha256 } of parts) {
    const entry = entries.find((each) => name === partOf(each));
    if (entry !== undefined) texts.push({ ...textOf(entry), sha256 });
  }
  if (reference !== null) {
    texts.push({ sha256: reference.sha256, what: 'the reference block of its first input', entry: null });
  }
  return texts;
}

/** The name of the part of a prompt that an entry stands in. */
function partOf({ kind, name, level }: LoadedEntry): string {
  return level === 'process' ? 'process' : `${kind}:${name}`;
}

/** What the record holds of the entries that have come to a member with tasks. */
export function riderTexts(
  state: Pick<TeamState, 'tasks' | 'members'>,
  member: string,
): readonly StoredText[] {
  return riders(state, member).flatMap(({ task, sha256, entries }) => [
    ...entries.map(textOf),
    { sha256, what: `the rules and skills of task ${task}`, entry: null },
  ]);
}

/** Every word that a member's work rests on: on its entries, its role, the place they lie in. */
export function approvalsOf(
  state: Pick<TeamState, 'run' | 'tasks' | 'members'>,
  member: string,
): readonly AskedAgain[] {
  const { run } = state;
  const seat = seatOf(run, member);
  if (run === null || seat === undefined) return [];
  const { role, role_tier: tier, role_approval: approval, role_digest: digest } = seat;
  const entries = [...seat.entries, ...riders(state, member).flatMap((rider) => rider.entries)];
  return [
    ...askedAgain('role', run, { noun: 'role', name: role, tier, approval, digest }),
    ...entries
      .filter(({ trust }) => trust === 'instruction')
      .flatMap((entry) => askedAgain('entry', run, { noun: entry.kind, ...entry })),
  ];
}

/** Every word that the whole run rests on: on its recipe, or the place it lies in. */
export function approvalsOfRun({ run }: Pick<TeamState, 'run'>): readonly AskedAgain[] {
  if (run === null) return [];
  return askedAgain('recipe', run, { noun: 'recipe', name: run.recipe.slug, ...run.recipe });
}

function seatOf(run: TeamState['run'], member: string): Seat | undefined {
  return run?.seats.find((seat) => seat.member === member);
}

interface Rider {
  readonly task: string;
  readonly sha256: string;
  readonly entries: readonly LoadedEntry[];
}

/** What rides with the tasks that a member was told of. */
function riders({ tasks, members }: Pick<TeamState, 'tasks' | 'members'>, member: string): readonly Rider[] {
  return [...(members.get(member)?.riders.keys() ?? [])].flatMap((id) => {
    const task = tasks.get(id);
    const rider = task === undefined ? undefined : riderOf(task, member);
    return rider === undefined ? [] : [{ task: id, ...rider }];
  });
}

function textOf({ kind, name, digest }: LoadedEntry): StoredText {
  return { sha256: storedName(digest), what: `${kind} ${name}`, entry: name };
}

/** A file as the record has it. */
interface Recorded extends Pick<LoadedEntry, 'name' | 'tier' | 'approval' | 'digest'> {
  /** What it is to a reader: of entries, rules and skills are told apart. */
  readonly noun: string;
}

function askedAgain(
  kind: TrustQuestion['kind'],
  run: Pick<Run, 'mission'>,
  { noun, name, tier, approval, digest }: Recorded,
): readonly AskedAgain[] {
  const asked = approval ?? placeOf(run, tier);
  if (asked === null) return [];
  const where = approval?.path ?? asked.root;
  return [
    {
      what: `${noun} ${name} (${where})`,
      entry: kind === 'entry' ? name : null,
      question: { kind, ...asked, digest },
    },
  ];
}

/** Nobody has approved a file of a repository that is trusted as a place, its project files included: the place is asked about. */
function placeOf({ mission }: Pick<Run, 'mission'>, tier: LoadedEntry['tier']): LoadedEntry['approval'] {
  if (mission === null || !mission.by_place || (tier !== 'mission' && tier !== 'project')) return null;
  return { tier: 'mission', root: mission.path, path: '.' };
}
