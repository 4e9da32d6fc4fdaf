/** The rules of sending mail (spec/team.md §5). Success is only ever said for mail that will be read. */

import type { Fact } from '../../events/event.js';
import { nameRemedy } from '../../shared/did-you-mean.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { Command } from '../command.js';
import { accepted, type Decision, refused } from '../decision.js';
import { message, type Numbering } from '../mail.js';
import { isLive, type Member, type TeamState } from '../state.js';
import { waitedFor } from '../waits.js';
import { askerName, askingMember } from './asker.js';
import { refusedByLimit } from './met-limit.js';

/** Sends to a member, `lead`, or `all` (everyone but the sender). */
export function sendMail(
  state: TeamState,
  command: Extract<Command, { kind: 'mail.send' }>,
  ids: Numbering,
): Decision {
  const limits = state.run?.limits;
  if (limits === undefined) return refused('not_started', 'the team was never started');
  const bytes = Buffer.byteLength(command.body);
  const asker = askingMember(command.by);
  if (bytes > limits.mail_bytes) {
    const text = `the message has ${bytes} bytes; the limit is ${limits.mail_bytes} (limits.mail_bytes): put it into a file and name the file`;
    const met = { limit: 'mail_bytes', value: bytes, member: asker, text } as const;
    return refusedByLimit(state, ids, met, 'mail_too_large');
  }
  if (command.body.trim() === '') return refused('mail_empty', 'the message is empty');
  if (state.messages.size >= limits.messages) {
    const value = state.messages.size;
    const text = `the team has sent ${value} messages; the limit is ${limits.messages} (limits.messages)`;
    return refusedByLimit(state, ids, { limit: 'messages', value, member: asker, text });
  }
  const from = askerName(command.by);
  const kind = command.by.kind === 'operator' ? 'operator' : 'mail';
  if (command.to === 'all') {
    const everyone = [...state.members.values()].filter(
      (member) => member.name !== asker && !isLeaving(member),
    );
    if (everyone.length === 0) return refused('nobody', 'nobody else is in the team');
    const full = everyone.find((member) => overUnread(state, member, bytes));
    if (full !== undefined) return mailboxFull(state, ids, full, asker);
    return accepted(
      message(
        ids,
        kind,
        from,
        everyone.map((member) => member.name),
        command.body,
        command.task,
      ),
    );
  }
  const name = command.to === 'lead' ? state.lead : command.to;
  const member = state.members.get(name);
  if (member === undefined || isLeaving(member)) {
    return undelivered(state, command.to, {
      type: 'mail.dead',
      id: `d${state.counts.dead + 1}`,
      from,
      to: command.to,
      reason: member === undefined ? 'unknown' : 'stopped',
      body: command.body,
    });
  }
  if (member.name === asker) return refused('to_self', 'a message to yourself would wake nobody');
  if (overUnread(state, member, bytes)) return mailboxFull(state, ids, member, asker);
  return accepted(message(ids, kind, from, [member.name], command.body, command.task));
}

/**
 * What the sender is told of a message that was taken: its id, and of each receiver when it will read it. A word that
 * waits for a restart or a decision is never called sent and no more.
 * @param facts of the accepted `mail.send`
 */
export function sentText(state: TeamState, facts: readonly Fact[]): string {
  const mail = facts.find((fact) => fact.type === 'mail.sent');
  if (mail === undefined) return 'Sent.';
  const notes = mail.to.map((name) => {
    const member = state.members.get(name);
    return member === undefined ? name : deliveryNote(member);
  });
  return `Sent as ${mail.id}: ${notes.join('; ')}.`;
}

/** What the sender should know of when its message will be read, in the words of a tool result. */
export function deliveryNote(member: Member): string {
  if (member.life.kind === 'errored') {
    return `${member.name} has failed (${oneLine(member.life.error)}); the message is queued for its restart (team_spawn, or bnerd team resume)`;
  }
  if (member.life.kind === 'parked')
    return `${member.name} waits for ${member.life.request}; it reads the message after that`;
  if (member.life.kind === 'waiting')
    return `${member.name} waits for ${waitedFor(member.life)}; it reads the message after that`;
  return isLive(member) ? `queued for ${member.name}` : `${member.name} is ${member.life.kind}`;
}

/** The refusal of mail that nobody will read; `dead` keeps it as a dead letter. */
function undelivered(state: TeamState, to: string, ...dead: readonly Fact[]): Decision {
  if (!state.members.has(to)) {
    const names = new Set([...state.members.keys(), 'lead', 'all']);
    const why = state.run?.seats.some(({ member }) => member === to)
      ? `${to} is on demand and not in the team yet; the lead brings it with team_spawn, or write to another member`
      : `no member is named ${to}; ${nameRemedy(to, [...names])}`;
    return refused('unknown_member', `undelivered: ${why}`, dead);
  }
  const text = `undelivered: ${to} was stopped and reads no more mail; write to another member or to the lead`;
  return refused('member_stopped', text, dead);
}

/** Whether a member reads no more mail: it was stopped, or is to stop when its turn has ended. */
function isLeaving({ life, stopping }: Member): boolean {
  return life.kind === 'stopped' || stopping !== null;
}

function overUnread(state: TeamState, member: Member, bytes: number): boolean {
  return unreadBytes(state, member) + bytes > (state.run?.limits.unread_bytes ?? 0);
}

function unreadBytes(state: TeamState, member: Member): number {
  let unread = 0;
  for (const id of member.unread) unread += Buffer.byteLength(state.messages.get(id)?.body ?? '');
  return unread;
}

function mailboxFull(state: TeamState, ids: Numbering, to: Member, asker: string | null): Decision {
  const value = unreadBytes(state, to);
  const limit = state.run?.limits.unread_bytes ?? 0;
  const text = `${to.name} has ${value} bytes unread, and would have more than ${limit} (limits.unread_bytes); send less, or wait until it has read`;
  return refusedByLimit(state, ids, { limit: 'unread_bytes', value, member: asker, text }, 'mailbox_full');
}
