/**
 * Gates: a task that was handed in waits for the verdict of each gate role (spec/team.md §4). A verdict counts from a
 * member of that role who is not the owner, names the attempt it saw, and changes void the earlier ones.
 */

import type { Fact } from '../events/event.js';
import type { Command } from './command.js';
import { unknownTask } from './decide-task.js';
import { accepted, type Decision, refused } from './decision.js';
import type { Numbering } from './mail.js';
import { quote } from './notices.js';
import type { TeamState } from './state.js';
import { completionReport } from './task-reports.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

/** A gate role's verdict on a submitted attempt. The last missing approval completes the task. */
export function reviewTask(state: TeamState, command: Of<'task.review'>, ids: Numbering): Decision {
  const task = state.tasks.get(command.task);
  const reviewer = state.members.get(command.member);
  if (task === undefined || reviewer === undefined) return unknownTask(state, command.task);
  if (task.state.kind !== 'in_review')
    return refused('not_in_review', `${task.id} is ${task.state.kind}, not in review`);
  if (task.state.attempt !== command.attempt) {
    return refused(
      'stale_attempt',
      `attempt ${command.attempt} of ${task.id} is over; ${task.state.attempt} is in review`,
    );
  }
  const role = reviewer.seat.role;
  if (!task.spec.gates.includes(role)) {
    return refused('not_a_gate', `${task.id} is reviewed by ${task.spec.gates.join(', ')}; you are ${role}`);
  }
  if (task.state.member === command.member)
    return refused('own_work', `you cannot review your own ${task.id}`);
  const reviewed: Fact = {
    type: 'task.reviewed',
    task: task.id,
    attempt: command.attempt,
    role,
    member: command.member,
    verdict: command.verdict,
    findings: command.findings,
    evidence_digest: task.state.evidenceDigest,
  };
  const owner = task.state.member;
  if (command.verdict === 'request_changes') {
    const text = `${role} asks for changes on ${task.id}.\n${quote(`findings by ${command.member}`, command.findings)}`;
    return accepted(reviewed, {
      type: 'mail.sent',
      id: ids.message(),
      kind: 'report',
      from: 'runtime',
      to: [owner],
      body: text,
      task: task.id,
    });
  }
  const approved = new Set([...task.state.verdicts.keys(), role]);
  if (!task.spec.gates.every((gate) => approved.has(gate))) return accepted(reviewed);
  return accepted(
    reviewed,
    {
      type: 'task.completed',
      task: task.id,
      member: owner,
      attempt: task.state.attempt,
      summary: task.state.summary,
      evidence: [...task.state.evidence],
      artifacts: [...task.state.artifacts],
    },
    ...completionReport(state, ids, task, owner, task.state.summary),
  );
}
