/** Bringing members into the team, and the lead closing it (spec/team.md §2, §7). */

import { liveBriefs } from '../brief.js';
import type { Command } from '../command.js';
import { accepted, type Decision, refused } from '../decision.js';
import type { Numbering } from '../mail.js';
import { waitingReviews } from '../notices/task-reports.js';
import { isOpen, type TeamState } from '../state.js';
import { askerName, askingMember, notLead } from './asker.js';
import { refusedByLimit } from './met-limit.js';
import { unknownRole } from './task-refusals.js';
import { MAX_TURNS } from './turn-end.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

/**
 * Brings an on-demand role into the team, told of the reviews that wait for it, or an errored member back to work. Never
 * a second session of a seat.
 */
export function spawnMember(state: TeamState, command: Of<'member.spawn'>, ids: Numbering): Decision {
  const refusal = notLead(state, command.by, 'spawn members');
  if (refusal !== undefined) return refusal;
  const run = state.run;
  const seat = run?.seats.find((seat) => seat.role === command.role || seat.member === command.role);
  if (run === null || seat === undefined) {
    return unknownRole(command.role, state);
  }
  const member = state.members.get(seat.member);
  if (member !== undefined) {
    if (member.life.kind === 'errored') {
      if (member.life.code === MAX_TURNS) {
        return refused(
          'limit',
          `${member.name} has failed for good: ${member.life.error}; give its tasks to another`,
        );
      }
      return accepted({ type: 'member.restarted', member: member.name, by: askerName(command.by) });
    }
    if (member.life.kind !== 'stopped' && member.stopping === null) {
      return refused(
        'already_live',
        `${member.name} is in the team already (${member.life.kind}); send it a message`,
      );
    }
    return refused(
      'stopped',
      `${member.name} was stopped and does not come back in this run; give its tasks to another role`,
    );
  }
  const live = [...state.members.values()].filter((other) => other.life.kind !== 'stopped').length;
  if (live >= run.limits.members) {
    const text = `the team has ${live} members; the limit is ${run.limits.members} (limits.members): stop one first`;
    const asker = askingMember(command.by);
    return refusedByLimit(state, ids, { limit: 'members', value: live, member: asker, text });
  }
  const off = seat.entries.find(({ name }) => state.disabled.has(name));
  if (off !== undefined) {
    const place = state.disabled.get(off.name) ?? '';
    return refused(
      'entry_disabled',
      `${seat.member} cannot be brought in: ${off.kind} ${off.name} is disabled by ${place}; give its tasks to another role`,
    );
  }
  return accepted(
    { type: 'member.spawned', by: askerName(command.by), seat },
    ...waitingReviews(state, ids, seat),
  );
}

/** The lead closes the team: refused while anything is open, and a good outcome needs good endings. */
export function finishRun(state: TeamState, command: Of<'run.finish'>): Decision {
  if (command.member !== state.lead)
    return refused('lead_only', `only the lead (${state.lead}) may close the team`);
  if (state.phase.kind !== 'running') return refused('not_running', `the run is ${state.phase.kind} already`);
  const tasks = [...state.tasks.values()];
  const open = tasks.filter(isOpen).map((task) => `${task.id} (${task.state.kind})`);
  const requests = [...state.requests.values()]
    .filter((request) => request.status.kind === 'open')
    .map((request) => `${request.id} (${request.kind} of ${request.member})`);
  const briefs = liveBriefs(state).map(
    ({ sent, status }) => `${sent.brief} (brief of ${sent.task}, ${status.kind})`,
  );
  if (open.length > 0 || requests.length > 0 || briefs.length > 0) {
    return refused(
      'still_open',
      `the team cannot be closed yet; open: ${[...open, ...requests, ...briefs].join(', ')}. Wait for them, cancel tasks with team_task_update, or stop who asks with team_stop_member`,
    );
  }
  const unwell = tasks.filter((task) => task.state.kind === 'failed' || task.state.kind === 'cancelled');
  if (command.outcome === 'done' && unwell.length > 0) {
    const list = unwell.map((task) => `${task.id} ${task.state.kind}`).join(', ');
    return refused('not_done', `outcome done does not hold: ${list}; use partial or failed, or reopen them`);
  }
  return accepted({
    type: 'run.finishing',
    by: command.member,
    outcome: command.outcome,
    result: command.result,
  });
}
