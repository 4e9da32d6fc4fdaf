/**
 * What is put into a member's conversation when mail is due. Pure.
 *
 *  U1 a message that was put in before is not put in again;
 *  U2 the lead's first input is the operator's order and nothing else, also when it was put in by a turn that was lost
 *     before it was answered: nothing is put beside it until it is;
 *  U3 the first input of every other member begins with that order: tasks speak of it ("do what the order asks for"),
 *     and whoever does or reviews one has to know it. It is no mail of theirs: it wakes nobody and is not counted;
 *  U4 in front of the first input stands what the member's seat brings: its reference block, the page of the run;
 *  U5 the rules and skills of a task ride with the first message about it, and with no later one;
 *  U6 an offer that was taken back before it was read is not put in (case D96), nor is the progress of a brief that has
 *     ended: they expire when the turn ends;
 *  U7 where little room is left, as many messages go in as fit, the oldest first and one at least; the rest come next.
 */

import { isOverProgress } from '../../team/brief.js';
import { isOverOffer } from '../../team/offers.js';
import { renderMessages, renderOrder, renderPage } from '../../team/show/render-message.js';
import type { Member, Message, TeamState } from '../../team/show/view.js';
import { carriesRider, ridden, riderOf } from '../../team/task-riders.js';

export interface Input {
  /** Ids of the messages in it. */
  readonly messages: string[];
  readonly text: string;
}

/** What was put in before, and the texts that the record names by their digest. */
export interface Told {
  /** Whether a message stands in the conversation, answered or not. */
  wasPutIn(id: string): boolean;
  /** Nothing was put into the conversation before. */
  readonly first: boolean;
  /** By SHA-256. */
  text(sha256: string): string;
  /** How many bytes the messages may take; null: as many as there are. */
  readonly mostBytes: number | null;
}

/** The next input, undefined when nothing is due. */
export function unreadInput(
  { run, messages, tasks }: Pick<TeamState, 'run' | 'messages' | 'tasks'>,
  member: Pick<Member, 'name' | 'unread' | 'seat' | 'riders' | 'offers'>,
  told: Told,
): Input | undefined {
  const all = member.unread
    .map((id) => messages.get(id))
    .filter((message): message is Message => message !== undefined);
  if (all.some(({ id, kind }) => kind === 'prompt' && told.wasPutIn(id))) return undefined;
  const unread = all.filter(
    (message) =>
      !told.wasPutIn(message.id) && !isOverOffer(message, member) && !isOverProgress(message, tasks),
  );
  const kickoff = unread.filter((message) => message.kind === 'prompt');
  const chosen = withinRoom(kickoff.length > 0 ? kickoff : unread, told.mostBytes);
  if (chosen.length === 0) return undefined;
  const riders = ridersOf(chosen, tasks, member, told);
  const opening = told.first ? openingOf(run, messages, member, told) : [];
  return {
    messages: chosen.map(({ id }) => id),
    text: [...opening, renderMessages(chosen, ({ id }) => riders.get(id) ?? '')].join('\n\n'),
  };
}

function withinRoom(messages: readonly Message[], mostBytes: number | null): readonly Message[] {
  if (mostBytes === null) return messages;
  let bytes = 0;
  const over = messages.findIndex((message) => {
    bytes += Buffer.byteLength(message.body);
    return bytes > mostBytes;
  });
  return over === -1 ? messages : messages.slice(0, Math.max(1, over));
}

/** What stands in front of the first input of a member, and stays in front of its memory. */
export function openingOf(
  run: TeamState['run'],
  messages: TeamState['messages'],
  { seat }: Pick<Member, 'seat'>,
  told: Pick<Told, 'text'>,
): string[] {
  if (run === null) return [];
  const opening: string[] = [];
  if (seat.reference !== null) opening.push(told.text(seat.reference.sha256));
  if (seat.page && run.page !== null) opening.push(renderPage(run.page));
  const order = seat.lead ? undefined : orderOf(messages);
  if (order !== undefined) opening.push(renderOrder(order.id, run.prompt));
  return opening;
}

/** What rides with these messages, by id: with the first about each task, unless an earlier input held one. */
function ridersOf(
  chosen: readonly Message[],
  tasks: TeamState['tasks'],
  member: Pick<Member, 'name' | 'riders'>,
  told: Told,
): ReadonlyMap<string, string> {
  const riders = new Map<string, string>();
  const riding = new Set<string>();
  for (const message of chosen) {
    const task = message.task === null ? undefined : tasks.get(message.task);
    if (task === undefined || !carriesRider(message) || riding.has(task.id)) continue;
    riding.add(task.id);
    const rider = riderOf(task, member.name);
    if (rider === undefined || ridden(task.id, member).some((id) => told.wasPutIn(id))) continue;
    riders.set(message.id, told.text(rider.sha256));
  }
  return riders;
}

/** The message that holds the order; its text is let go once the lead has read it, and kept in `run.started`. */
export function orderOf(messages: TeamState['messages']): Message | undefined {
  for (const message of messages.values()) if (message.kind === 'prompt') return message;
  return undefined;
}
