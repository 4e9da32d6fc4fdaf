/**
 * How a member stops, in two steps (spec/team.md §5, invariants 1 and 2).
 *
 *  S1 a member whose turn runs is *stopping* first: its tasks, requests and mail are nobody else's before that turn has
 *     ended, for until then its tools may still write; one without a turn stops at once;
 *  S2 a stopping member begins nothing: no model call, no tool with an effect, no request, no claim;
 *  S3 a turn that obeys neither its signal nor the killing of its tools is cut off: from then on its fence is stale.
 */

import type { Fact, FactOf } from '../../events/event.js';
import { nameRemedy } from '../../shared/did-you-mean.js';
import type { Command } from '../command.js';
import { accepted, type Decision, refused } from '../decision.js';
import { endFacts } from '../end.js';
import { unanswered } from '../ledger.js';
import { bounceUnread, type Numbering, reportToLead } from '../mail.js';
import type { Member, TeamState } from '../state.js';
import { askerName, askingMember, notLead } from './asker.js';
import { leaveBrief } from './brief-leave.js';
import { withdrawGate } from './gate.js';
import { withdrawFacts } from './request.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

/** What a stopping member may not begin any more. */
const BEGINS: ReadonlySet<Command['kind']> = new Set([
  'budget.reserve',
  'tool.start',
  'task.claim',
  'request.open',
  'brief.send',
]);

/** The refusal of a command by which a stopping member would begin something, or undefined. */
export function stoppingTakesNoMore(state: TeamState, command: Command): Decision | undefined {
  if (!BEGINS.has(command.kind) || !('member' in command)) return undefined;
  if ((state.members.get(command.member)?.stopping ?? null) === null) return undefined;
  return refused('stopping', `${command.member} is being stopped and begins nothing more; end your turn`);
}

/**
 * Stops a member at once, or calls its running turn off and stops it when that has ended; `forced` kills what the turn's
 * tools have started. Saying it twice is fine.
 */
export function stopMember(state: TeamState, command: Of<'member.stop'>, ids: Numbering): Decision {
  const refusal = notLead(state, command.by, 'stop members');
  if (refusal !== undefined) return refusal;
  const member = namedMember(state, command.member);
  if (member === undefined) return notNamed(state, command.member);
  if (member.name === state.lead) return refused('lead', 'the lead cannot be stopped alone; stop the team');
  const { reason, forced = false } = command;
  if (member.stopping !== null) return forced ? forcedFacts(member) : accepted();
  const stop = { by: askerName(command.by), reason, forced };
  return stopFacts(state, member, stop, askingMember(command.by), ids);
}

/** What the asker is told of an accepted `member.stop`; `typed` is the word it was asked with. */
export function stopText(typed: string, facts: readonly Fact[]): string {
  const fact = facts.find(({ type }) => type === 'member.stopped' || type === 'member.stopping');
  if (fact?.type === 'member.stopping') {
    const how = fact.forced ? 'its turn is called off and its tools are killed' : 'its turn is called off';
    return `${fact.member} is stopping: ${how}; its tasks are back when the turn has ended`;
  }
  return fact?.type === 'member.stopped' ? `${fact.member} is stopped` : `${typed} was stopped before`;
}

/** What follows when a stopping member has not stopped. Anybody may say so; of others it says nothing. */
export function unheeded(state: TeamState, command: Of<'member.unheeded'>, ids: Numbering): Decision {
  const member = state.members.get(command.member);
  if (member === undefined || member.stopping === null) return accepted();
  if (command.step === 'force') return forcedFacts(member);
  if (command.step === 'gone' || member.life.kind !== 'working') {
    return accepted(...unanswered(member), ...stoppedFacts(state, member, member.stopping, ids));
  }
  if (!member.stopping.forced) {
    return refused('not_forced', `${member.name} is cut off only after its tools were killed`);
  }
  const cut = `turn ${member.life.turn} did not end and was cut off: what it still does is not recorded`;
  const reason = member.stopping.reason === '' ? cut : `${member.stopping.reason}; ${cut}`;
  return accepted(...unanswered(member), ...stoppedFacts(state, member, { ...member.stopping, reason }, ids));
}

/**
 * A member may not go on with what it was given: a text of it has no approval any more, or is not whole. Nobody else can
 * take the place of the lead, so with it the run ends.
 */
export function withdrawMember(
  state: TeamState,
  command: Of<'member.withdraw'>,
  now: number,
  ids: Numbering,
): Decision {
  const member = state.members.get(command.member);
  if (member === undefined) return refused('unknown_member', `no member is named ${command.member}`);
  if (member.life.kind === 'stopped' || member.stopping !== null) return accepted();
  const { cause, reason } = command;
  const omitted: Fact[] =
    command.omitted === null
      ? []
      : [{ type: 'entry.omitted', member: member.name, ...command.omitted, detail: reason }];
  if (member.name === state.lead) {
    const detail = `${member.name} leads the team and cannot go on: ${reason}`;
    return accepted(
      ...omitted,
      ...endFacts(state, { reason: 'failed', cause, detail, closedBy: 'runtime', result: null }, now),
    );
  }
  const stopped = stopFacts(state, member, { by: 'runtime', reason, forced: false }, null, ids);
  return stopped.kind === 'accepted' ? accepted(...omitted, ...stopped.facts) : stopped;
}

/**
 * The member is out: tasks go back, requests and mail come to an end, the lead is told. What its last turn has used is for
 * the caller to book.
 * @param asker the member whose wish it is and who has the answer with it; null: nobody who has one
 */
export function stoppedFacts(
  state: TeamState,
  member: Member,
  { by, reason }: { readonly by: string; readonly reason: string },
  ids: Numbering,
  asker: string | null = null,
): Fact[] {
  const facts: Fact[] = withdrawFacts(state, member.name, `${member.name} was stopped`);
  const released: FactOf<'task.released'>[] = [];
  for (const id of member.claims) {
    const task = state.tasks.get(id);
    if (task === undefined) continue;
    const back = { task: id, member: member.name, attempt: task.attempts, detail: null };
    released.push({ type: 'task.released', reason: 'stopped', ...back });
    facts.push(...withdrawGate(task, `${member.name} was stopped`));
    facts.push(...leaveBrief(state, task, by, `${member.name} was stopped`));
  }
  facts.push(...released, ...bounceUnread(state, ids, member));
  facts.push({ type: 'member.stopped', member: member.name, by, reason });
  facts.push(...reportToLead(state, ids, asker, report(member.name, by, reason, released)));
  return facts;
}

function stopFacts(
  state: TeamState,
  member: Member,
  stop: { readonly by: string; readonly reason: string; readonly forced: boolean },
  asker: string | null,
  ids: Numbering,
): Decision {
  if (member.life.kind === 'stopped') return accepted();
  if (!mayRun(state, member))
    return accepted(...unanswered(member), ...stoppedFacts(state, member, stop, ids, asker));
  const withdrawn = withdrawFacts(state, member.name, `${member.name} is being stopped`);
  return accepted(...withdrawn, { type: 'member.stopping', member: member.name, ...stop });
}

/** Whether a process may be at a turn of it. One that was left behind by a run which has ended is nobody's. */
function mayRun({ phase }: TeamState, { life }: Member): boolean {
  return life.kind === 'working' && phase.kind !== 'ended';
}

function forcedFacts(member: Member): Decision {
  if (member.stopping === null || member.stopping.forced) return accepted();
  return accepted({ type: 'member.stopping', member: member.name, ...member.stopping, forced: true });
}

function report(
  name: string,
  by: string,
  reason: string,
  released: readonly FactOf<'task.released'>[],
): string {
  const back = released.map(({ task }) => task).join(', ');
  const tasks = back === '' ? '' : ` Back on the board: ${back}.`;
  if (by === 'runtime') return `${name} was stopped: ${reason}. Give its tasks to another role.${tasks}`;
  return `${name} was stopped by ${by}${reason === '' ? '' : `: ${reason}`}.${tasks}`;
}

/** By its name, its role, or the word `lead`. */
function namedMember(state: TeamState, typed: string): Member | undefined {
  if (typed === 'lead') return state.members.get(state.members.has(typed) ? typed : state.lead);
  const ofRole = [...state.members.values()].filter(({ seat }) => seat.role === typed);
  return state.members.get(typed) ?? (ofRole.length === 1 ? ofRole[0] : undefined);
}

/** Whatever else `status` shows has a member behind it, which is named (case B26). */
function notNamed(state: TeamState, typed: string): Decision {
  const task = state.tasks.get(typed) ?? state.tasks.get(`#${typed}`);
  if (task !== undefined) {
    const holder = [...state.members.values()].find(({ claims }) => claims.has(task.id));
    const who =
      holder === undefined ? 'nobody holds it' : `${holder.name} holds it: stop ${holder.name} by name`;
    return refused('not_a_member', `${task.id} is a task; ${who}`);
  }
  const request = state.requests.get(typed);
  if (request !== undefined) {
    const text = `${typed} is a request of ${request.member}: stop ${request.member} by name, or decide the request`;
    return refused('not_a_member', text);
  }
  const seat = state.run?.seats.find(({ role, member }) => role === typed || member === typed);
  if (seat !== undefined) return refused('unknown_member', `${typed} was never brought into the team`);
  const names = [...state.members.keys()];
  return refused('unknown_member', `no member is named ${typed}; ${nameRemedy(typed, names)}`);
}
