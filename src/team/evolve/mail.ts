/** What facts about mail do to the mailboxes. A message is pending for each addressee until one fact ends it. */

import type { FactOf } from '../../events/event.js';
import { assertNever } from '../../shared/assert-never.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { Message, TeamState } from '../state.js';
import { carriesRider, riderOf } from '../task-riders.js';
import { copyMessage } from './copies.js';
import { without } from './none.js';
import { memberOf, setMember, setTask, taskOf, writable } from './writable.js';

type MailFact = FactOf<'mail.sent' | 'mail.delivered' | 'mail.dead' | 'mail.expired'>;

/** Applies one fact about mail. */
export function evolveMail(state: TeamState, fact: MailFact, number: number): void {
  const draft = writable(state);
  switch (fact.type) {
    case 'mail.sent':
      draft.messages.set(fact.id, {
        id: fact.id,
        number,
        kind: fact.kind,
        from: fact.from,
        to: fact.to,
        body: fact.body,
        task: fact.task,
        sentAt: state.at,
        pending: new Set(fact.to),
      });
      for (const name of fact.to) {
        setMember(state, name, { unread: [...memberOf(state, name).unread, fact.id] });
        tellOf(state, name, fact);
        if (fact.kind === 'offer' && fact.task !== null) {
          const offeredTo = new Set(taskOf(state, fact.task).offeredTo).add(name);
          setTask(state, fact.task, { offeredTo, offer: name });
          setMember(state, name, { offers: new Set(memberOf(state, name).offers).add(fact.task) });
        }
      }
      break;
    case 'mail.delivered':
      settle(
        state,
        fact.member,
        fact.messages.map((message) => message.id),
      );
      draft.counts = {
        delivered: state.counts.delivered + fact.messages.length,
        dead: state.counts.dead,
        expired: state.counts.expired,
        suppressed: state.counts.suppressed + fact.suppressed.length,
      };
      break;
    case 'mail.dead':
      keepDead(state, fact);
      settle(state, fact.to, [fact.id]);
      draft.counts = { ...state.counts, dead: state.counts.dead + 1 };
      break;
    case 'mail.expired':
      settle(state, fact.member, fact.ids);
      forgetRides(state, fact.member, fact.ids);
      draft.counts = { ...state.counts, expired: state.counts.expired + fact.ids.length };
      break;
    default:
      assertNever(fact, 'mail fact');
  }
}

/** Keeps which message could have brought a member what rides with its task. */
function tellOf(state: TeamState, name: string, { id, kind, task }: FactOf<'mail.sent'>): void {
  const about = task === null ? undefined : state.tasks.get(task);
  if (about === undefined || riderOf(about, name) === undefined) return;
  const { riders } = memberOf(state, name);
  const before = riders.get(about.id) ?? [];
  const messages = carriesRider({ kind, task }) ? [...before, id] : before;
  setMember(state, name, { riders: new Map(riders).set(about.id, messages) });
}

/** With a message that was never read nothing has come. */
function forgetRides(state: TeamState, name: string, ids: readonly string[]): void {
  const { riders } = memberOf(state, name);
  if (riders.size === 0) return;
  const read = [...riders].map(([task, all]) => [task, all.filter((id) => !ids.includes(id))] as const);
  setMember(state, name, { riders: new Map(read) });
}

/** How many dead letters `status` tells of, and how much of each. */
const DEAD_LETTERS = 50;
const DEAD_LINE = 200;

function keepDead(state: TeamState, { id, from, to, reason, body }: FactOf<'mail.dead'>): void {
  const line = oneLine(body ?? state.messages.get(id)?.body ?? '', DEAD_LINE);
  writable(state).deadLetters = [...state.deadLetters, { id, from, to, reason, line }].slice(-DEAD_LETTERS);
}

/** These messages are no longer unread for this member; a body that nobody waits for is let go. */
function settle(state: TeamState, name: string, ids: readonly string[]): void {
  const member = state.members.get(name);
  if (member === undefined) return; // A dead letter may name somebody who never was.
  const gone = new Set(ids);
  setMember(state, name, { unread: member.unread.filter((id) => !gone.has(id)) });
  for (const id of ids) {
    const message = state.messages.get(id);
    if (message !== undefined) writable(state).messages.set(id, withoutPending(message, name));
  }
}

function withoutPending(message: Message, name: string): Message {
  const copy = copyMessage(message);
  copy.pending = without(message.pending, name);
  if (copy.pending.size === 0) copy.body = '';
  return copy;
}
