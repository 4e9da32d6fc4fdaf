/**
 * What a member was given, as the record says: the texts it was given them as, and whose word it took to use each
 * (spec/skills.md §4). Pure; the state is read at the moment of the question, for what rides with tasks comes later.
 */

import type { TrustQuestion } from '../../catalog/trust.js';
import type { LoadedEntry, Seat } from '../../events/facts/frozen.js';
import { storedName } from '../../skills/stored-text.js';
import type { TeamState } from '../../team/view.js';

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
  /** As in "skill k8s (.bnerd/skills/k8s.md)". */
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
  state: Pick<TeamState, 'tasks' | 'messages'>,
  member: string,
): readonly StoredText[] {
  return riders(state, member).flatMap(({ task, sha256, entries }) => [
    ...entries.map(textOf),
    { sha256, what: `the rules and skills of task ${task}`, entry: null },
  ]);
}

/** Every approval that a member's work rests on: of its entries, of its role. */
export function approvalsOf(
  state: Pick<TeamState, 'run' | 'tasks' | 'messages'>,
  member: string,
): readonly AskedAgain[] {
  const seat = seatOf(state.run, member);
  if (seat === undefined) return [];
  const role = askedAgain('role', seat.role, 'role', seat.role_approval, seat.role_digest);
  const entries = [...seat.entries, ...riders(state, member).flatMap((rider) => rider.entries)];
  return [
    ...role,
    ...entries.flatMap(({ kind, name, approval, digest }) =>
      askedAgain(kind, name, 'entry', approval, digest),
    ),
  ];
}

/** Every approval that the whole run rests on: that of its recipe. */
export function approvalsOfRun({ run }: Pick<TeamState, 'run'>): readonly AskedAgain[] {
  if (run === null) return [];
  const { slug, approval, digest } = run.recipe;
  return askedAgain('recipe', slug, 'recipe', approval, digest);
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
function riders(
  { tasks, messages }: Pick<TeamState, 'tasks' | 'messages'>,
  member: string,
): readonly Rider[] {
  const riding = [...tasks.values()].flatMap(({ id, spec }) =>
    spec.skills.filter(({ members }) => members.includes(member)).map((rider) => ({ task: id, ...rider })),
  );
  if (riding.length === 0) return [];
  const told = new Set<string | null>();
  for (const { task, to } of messages.values()) if (to.includes(member)) told.add(task);
  return riding.filter(({ task }) => told.has(task));
}

function textOf({ kind, name, digest }: LoadedEntry): StoredText {
  return { sha256: storedName(digest), what: `${kind} ${name}`, entry: name };
}

/** @param noun what the thing is to a reader: of entries, rules and skills are told apart */
function askedAgain(
  noun: string,
  name: string,
  kind: TrustQuestion['kind'],
  approval: LoadedEntry['approval'],
  digest: string,
): readonly AskedAgain[] {
  if (approval === null) return [];
  const question: TrustQuestion = { kind, ...approval, digest };
  return [{ what: `${noun} ${name} (${approval.path})`, entry: kind === 'entry' ? name : null, question }];
}
