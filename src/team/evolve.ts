/**
 * What each fact does to the state: the only writer of `TeamState` (spec/engine.md §1).
 *
 * `evolve` takes the state over and gives it back changed; it decides nothing, refuses nothing and is total over
 * every fact that `decide` can make. Facts are applied in the order of the log and in no other.
 */

import type { Fact, FactOf } from '../events/event.js';
import type { LogEntry } from '../events/log-entry.js';
import { assertNever } from '../shared/assert-never.js';
import { scopeOf } from './applied.js';
import { evolveBoard, holdOffer, letOffersPass, releaseClaims, takeOffersBack } from './evolve/board.js';
import { evolveBrief } from './evolve/brief.js';
import { evolveMail } from './evolve/mail.js';
import { NONE, NOTHING } from './evolve/none.js';
import { evolveRequest } from './evolve/request.js';
import { dropReservation, evolveTurn, loseTurn } from './evolve/turn.js';
import { setMember, writable } from './evolve/writable.js';
import { type Applied, type Closing, type Life, NO_PART, NO_REFUSALS, type TeamState } from './state.js';
import { freshWorkspace } from './workspace.js';

export { turnScope } from './applied.js';

/** How many command ids outside turns are remembered: enough for every operator who repeats a word. */
const REMEMBERED_COMMANDS = 256;

/** Applies one log entry: its facts in order, then the memory of its command ids. */
export function evolveEntry(state: TeamState, entry: LogEntry): TeamState {
  writable(state).at = entry.at;
  let place = 0;
  for (const command of entry.commands) {
    // Most entries are of one command, and a copy for each is a part of what a long log costs.
    const whole = command.facts === entry.facts.length;
    const facts = whole ? entry.facts : entry.facts.slice(place, place + command.facts);
    place += command.facts;
    for (const fact of facts) evolve(state, fact);
    remember(state, command.id, { facts, refused: command.refused ?? null });
  }
  return state;
}

/** Applies one fact; its number is `state.next`. */
export function evolve(state: TeamState, fact: Fact): TeamState {
  const number = state.next;
  const draft = writable(state);
  draft.next = number + 1;
  switch (fact.type) {
    case 'run.started':
      draft.run = fact;
      draft.keys = fact.keys.map((key) => ({ ...key, retired: false }));
      draft.phase = { kind: 'running' };
      draft.workspace = freshWorkspace(fact);
      draft.lead = fact.seats.find((seat) => seat.lead)?.member ?? '';
      break;
    case 'run.resumed': {
      const closing = closingOf(state);
      draft.phase = closing === null ? { kind: 'running' } : { kind: 'finishing', closing };
      draft.told = 0;
      draft.keys = keysAfter(state.keys, fact);
      draft.disabled = new Map(fact.disabled.map(({ name, place }) => [name, place]));
      for (const member of state.members.values()) {
        if (member.life.kind === 'working') {
          if (fact.kept?.includes(member.life.turn) !== true) loseTurn(state, member.name, number);
          continue;
        }
        dropReservation(state, member.name);
        if (member.life.kind === 'errored') {
          setMember(state, member.name, { life: idle(number, number), lost: 0, refusals: NO_REFUSALS });
        }
      }
      break;
    }
    case 'run.stopping':
      draft.phase = {
        kind: 'stopping',
        cause: fact.cause,
        by: fact.by,
        forced: false,
        closing: closingOf(state),
      };
      break;
    case 'run.killing':
      if (state.phase.kind === 'stopping') draft.phase = { ...state.phase, forced: true };
      break;
    case 'run.finishing':
      draft.phase = { kind: 'finishing', closing: { outcome: fact.outcome, result: fact.result } };
      break;
    case 'run.nudged':
      draft.told = state.told + 1;
      break;
    case 'run.ended':
      draft.phase = {
        kind: 'ended',
        reason: fact.reason,
        cause: fact.cause,
        exit: fact.exit,
        result: fact.result,
        closing: closingOf(state),
      };
      break;
    case 'run.archived':
      draft.phase = { kind: 'archived' };
      break;
    case 'limit.reached':
      draft.limitsMet.set(fact.limit, fact.value);
      break;
    case 'entry.rejected':
    case 'entry.omitted':
    case 'member.compacted':
    case 'write.refused':
      break; // Kept for people: nothing is decided by them.
    case 'member.spawned':
      draft.members.set(fact.seat.member, {
        name: fact.seat.member,
        seat: fact.seat,
        life: idle(number, null),
        plan: fact.seat.plan_mode ? { kind: 'required', version: 0 } : { kind: 'none' },
        unread: [],
        claims: NONE,
        offers: NONE,
        turns: 0,
        lost: 0,
        nudges: 0,
        refusals: NO_REFUSALS,
        reserved: null,
        beforeWait: NO_PART,
        lastText: null,
        upto: '',
        started: NOTHING,
        stopping: null,
        granted: [],
        riders: NOTHING,
        deferred: null,
      });
      break;
    case 'member.restarted':
      setMember(state, fact.member, {
        life: idle(number, number),
        lost: 0,
        nudges: 0,
        refusals: NO_REFUSALS,
      });
      break;
    case 'member.nudged':
      setMember(state, fact.member, { nudges: fact.count });
      if (fact.task !== null) holdOffer(state, fact.member, fact.task);
      break;
    case 'member.failed':
      dropReservation(state, fact.member);
      setMember(state, fact.member, {
        life: { kind: 'errored', code: fact.code, error: fact.error },
        beforeWait: NO_PART,
      });
      takeOffersBack(state, fact.member);
      break;
    case 'member.stopping':
      setMember(state, fact.member, {
        stopping: { by: fact.by, reason: fact.reason, forced: fact.forced },
      });
      break;
    case 'member.stopped':
      dropReservation(state, fact.member);
      setMember(state, fact.member, { life: { kind: 'stopped', by: fact.by }, unread: [], stopping: null });
      releaseClaims(state, fact.member);
      letOffersPass(state, fact.member);
      break;
    case 'workspace.bound':
      draft.workspace = { ...state.workspace, host: fact.host, commit: fact.commit };
      break;
    case 'workspace.lost':
      draft.workspace = {
        ...state.workspace,
        host: null,
        commit: fact.commit,
        losses: state.workspace.losses + 1,
      };
      break;
    case 'turn.started':
    case 'turn.deferred':
    case 'turn.lost':
    case 'turn.reclaim_deferred':
    case 'turn.ended':
    case 'tool.started':
    case 'budget.reserved':
    case 'budget.spent':
      evolveTurn(state, fact, number);
      break;
    case 'task.created':
    case 'task.updated':
    case 'task.claimed':
    case 'task.released':
    case 'task.blocked':
    case 'task.submitted':
    case 'task.reviewed':
    case 'task.completed':
    case 'task.failed':
    case 'task.cancelled':
    case 'task.reopened':
      draft.told = 0;
      evolveBoard(state, fact, number);
      break;
    case 'mail.sent':
    case 'mail.delivered':
    case 'mail.dead':
    case 'mail.expired':
      evolveMail(state, fact, number);
      break;
    case 'request.opened':
    case 'request.decided':
    case 'permission.granted':
    case 'request.expired':
    case 'request.withdrawn':
    case 'plan.submitted':
    case 'plan.decided':
      evolveRequest(state, fact, number);
      break;
    case 'brief.sent':
    case 'brief.accepted':
    case 'brief.progress':
    case 'brief.cancel_requested':
    case 'brief.delivered':
    case 'brief.ended':
    case 'brief.adopted':
    case 'brief.evidence':
      evolveBrief(state, fact, number);
      break;
    default:
      assertNever(fact, 'fact');
  }
  return state;
}

/** A key that is named again counts again; who resumes is asked for its signature before that (`operator-word.ts`). */
function keysAfter(keys: TeamState['keys'], resumed: FactOf<'run.resumed'>): TeamState['keys'] {
  const named = resumed.keys.map((key) => ({ ...key, retired: false }));
  const kept = keys.filter(({ id }) => !named.some((key) => key.id === id));
  return [...kept, ...named].map((key) =>
    resumed.retired_keys.includes(key.id) ? { ...key, retired: true } : key,
  );
}

function closingOf({ phase }: TeamState): Closing | null {
  return phase.kind === 'finishing' || phase.kind === 'stopping' || phase.kind === 'ended'
    ? phase.closing
    : null;
}

function remember(state: TeamState, id: string, given: Applied): void {
  const { applied, appliedInTurns } = writable(state);
  const scope = scopeOf(id);
  if (scope !== undefined) {
    const ofTurn = appliedInTurns.get(scope);
    if (ofTurn === undefined) appliedInTurns.set(scope, new Map([[id, given]]));
    else ofTurn.set(id, given);
    return;
  }
  applied.set(id, given);
  if (applied.size <= REMEMBERED_COMMANDS) return;
  const [oldest] = applied.keys();
  if (oldest !== undefined) applied.delete(oldest);
}

function idle(since: number, due: number | null): Life {
  return { kind: 'idle', since, due };
}
