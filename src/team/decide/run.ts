/** The run's own life: start, resume, stop, failure, archive (spec/team.md §7). */

import type { Fact } from '../../events/event.js';
import { liveBriefs } from '../brief.js';
import type { Command } from '../command.js';
import { accepted, type Decision, refused } from '../decision.js';
import { endFacts, isResumable } from '../end.js';
import { unanswered } from '../ledger.js';
import { message, type Numbering } from '../mail.js';
import type { TeamState } from '../state.js';
import { cancelAll } from './brief-leave.js';
import { lostFact } from './brief-over.js';
import { taskFacts } from './create-tasks.js';
import { afterLoss } from './lost-turn.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

/**
 * Starts a team: roster, every always-on member, every task of the recipe and the operator's order in one entry,
 * so a crash leaves either the whole team or none of it.
 */
export function startRun(state: TeamState, command: Of<'run.start'>, ids: Numbering): Decision {
  if (state.run !== null) return refused('already_started', 'this team was started before; use resume');
  const lead = command.started.seats.find((seat) => seat.lead);
  if (lead === undefined || lead.on_demand) {
    return refused(
      'no_lead',
      'the roster has no lead that is there from the start; name one always-on role as lead',
    );
  }
  const spawned = command.started.seats.filter((seat) => !seat.on_demand);
  const limit = command.started.limits.members;
  if (spawned.length > limit) {
    return refused(
      'limit',
      `the recipe starts ${spawned.length} members; the limit is ${limit} (limits.members): raise it or make roles on_demand`,
    );
  }
  const tasks = taskFacts(state, 'recipe', command.tasks, ids);
  if (tasks.kind === 'refused') return tasks;
  return accepted(
    command.started,
    ...spawned.map((seat): Fact => ({ type: 'member.spawned', by: 'runtime', seat })),
    ...command.entries,
    ...tasks.facts,
    message(ids, 'prompt', 'operator', [lead.member], command.started.prompt),
  );
}

/**
 * Takes a team up again after a crash or a stop. Turns that were live count as lost, but for those that other processes
 * hold; who was to stop has stopped.
 */
export function resumeRun(state: TeamState, command: Of<'run.resume'>, ids: Numbering): Decision {
  if (state.phase.kind === 'ended' && !isResumable(state.phase.reason, state.phase.cause)) {
    return refused('finished', `the run has ended: ${state.phase.reason}; there is nothing to resume`);
  }
  const { host, disabled, keys = [], retiredKeys = [], findings } = command;
  const kept = keptTurns(state, command);
  const others = [...state.members.values()].filter(
    ({ life }) => !(life.kind === 'working' && kept.includes(life.turn)),
  );
  return accepted(
    {
      type: 'run.resumed',
      host,
      ...(kept.length === 0 ? {} : { kept }),
      disabled: [...disabled],
      keys: [...keys],
      retired_keys: [...retiredKeys],
      findings: [...findings],
    },
    ...others.flatMap(unanswered),
    ...others.flatMap((member) =>
      member.stopping !== null || member.life.kind === 'working' ? afterLoss(state, member, ids) : [],
    ),
  );
}

/** Live turns that are held elsewhere. What the end of a run has left behind is nobody's any more. */
function keptTurns(
  { phase, members }: TeamState,
  { kept = [], asOf = Number.POSITIVE_INFINITY }: Of<'run.resume'>,
): number[] {
  if (phase.kind === 'ended') return [];
  return [...members.values()].flatMap(({ life }) =>
    life.kind === 'working' && (kept.includes(life.turn) || life.turn >= asOf) ? [life.turn] : [],
  );
}

/** No new turns from here on, and every engineer is called off. Stopping a stopping or ended run changes nothing and is not an error. */
export function stopRun(state: TeamState, command: Of<'run.stop'>): Decision {
  if (state.phase.kind !== 'running' && state.phase.kind !== 'finishing') return accepted();
  return accepted(
    { type: 'run.stopping', by: command.by, cause: command.cause },
    ...cancelAll(state, command.by, 'the run is being stopped'),
  );
}

/** The second word: what still runs is killed. */
export function killRun(state: TeamState, command: Of<'run.kill'>): Decision {
  if (state.phase.kind !== 'stopping' || state.phase.forced) return accepted();
  return accepted({ type: 'run.killing', by: command.by });
}

/** The process cannot go on with this team: the run ends as failed, with its cause. */
export function failRun(state: TeamState, command: Of<'run.fail'>, now: number): Decision {
  if (state.phase.kind === 'ended') return accepted();
  return accepted(
    ...endFacts(
      state,
      { reason: 'failed', cause: command.cause, detail: command.detail, closedBy: 'runtime', result: null },
      now,
    ),
  );
}

/** Closes the record for good; mail that nobody read expires with it, and what nobody decided is taken back. */
export function archiveRun(state: TeamState, command: Of<'run.archive'>): Decision {
  if (state.phase.kind !== 'ended') return refused('live', `the run is ${state.phase.kind}; stop it first`);
  const facts: Fact[] = [];
  for (const member of state.members.values()) {
    if (member.unread.length > 0)
      facts.push({ type: 'mail.expired', member: member.name, ids: [...member.unread] });
  }
  for (const { id, status } of state.requests.values()) {
    if (status.kind === 'open')
      facts.push({ type: 'request.withdrawn', request: id, reason: 'the team was archived' });
  }
  const lost = 'the run was archived before it had ended';
  facts.push(...liveBriefs(state).map((brief) => lostFact(brief, lost)));
  return accepted(...facts, { type: 'run.archived', by: command.by });
}
