/**
 * What a member may do with a task: claim, give back, block, complete, review (spec/team.md §4).
 *
 * One live attempt per task; the attempt's number is the fence, and a write under an older one is refused and kept
 * as evidence (invariant 2).
 */

import type { Fact, FactOf } from '../../events/event.js';
import { sha256 } from '../../shared/digest.js';
import { oneLine } from '../../shared/terminal-text.js';
import { boardEdges, findCycle, isReady, waitingOn } from '../board.js';
import type { Command } from '../command.js';
import { accepted, type Decision, refused } from '../decision.js';
import { message, type Numbering, reportToLead } from '../mail.js';
import { quote } from '../notices/notices.js';
import { completionReport, reviewMail } from '../notices/task-reports.js';
import { fits, isOnlyJudge } from '../offers.js';
import { isOpen, type Member, type Task, type TeamState } from '../state.js';
import { ridden, riderOf } from '../task-riders.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

/** Takes a ready task: exactly one of any number of claimants wins. */
export function claimTask(state: TeamState, command: Of<'task.claim'>, ids: Numbering): Decision {
  const task = state.tasks.get(command.task);
  const member = state.members.get(command.member);
  if (task === undefined || member === undefined) return unknownTask(state, command.task);
  if (task.state.kind === 'claimed' || task.state.kind === 'in_review') {
    const mine = task.state.member === command.member;
    const holder = mine ? `${task.state.member} (you)` : task.state.member;
    const remedy = mine ? 'go on with it' : 'take another task';
    return refused(
      'already_claimed',
      `${task.id} is claimed by ${holder}, attempt ${task.state.attempt}; ${remedy}`,
    );
  }
  if (task.state.kind !== 'pending')
    return refused('not_claimable', `${task.id} is ${task.state.kind}, not pending; the lead may reopen it`);
  const { role } = member.seat;
  if (isOnlyJudge(state, task, role)) {
    return refused(
      'gate_by_owner',
      `${task.id} is judged by ${role}, and you are the only one: nobody's verdict on their own work counts; take another task`,
    );
  }
  if (!fits(state, task, member)) {
    return refused(
      'wrong_role',
      `${task.id} is for role ${task.spec.role ?? 'any'}; you are ${role}: take another task`,
    );
  }
  if (!isReady(state, task)) {
    return refused(
      'waiting',
      `${task.id} waits on ${waitingOn(state, task).join(', ')}; it is offered when they are done`,
    );
  }
  return accepted(
    { type: 'task.claimed', task: task.id, member: command.member, attempt: task.attempts + 1 },
    ...entriesWithClaim(task, member, ids),
  );
}

/** Whoever takes a task that was never offered to it is told what comes with it all the same. */
function entriesWithClaim(task: Task, member: Member, ids: Numbering): Fact[] {
  if (riderOf(task, member.name) === undefined || ridden(task.id, member).length > 0) return [];
  return [
    message(
      ids,
      'entries',
      'runtime',
      [member.name],
      `With ${task.id}, which you have claimed, come:`,
      task.id,
    ),
  ];
}

/** Gives a task back undone. */
export function releaseTask(state: TeamState, command: Of<'task.release'>, ids: Numbering): Decision {
  const held = heldAttempt(state, command);
  if ('kind' in held) return held;
  return accepted(
    {
      type: 'task.released',
      task: held.task.id,
      member: command.member,
      attempt: held.attempt,
      reason: 'released',
      detail: command.detail,
    },
    ...reportToLead(
      state,
      ids,
      command.member,
      `${command.member} has released ${held.task.id}.\n${quote(`reason by ${command.member}`, command.detail)}`,
      held.task.id,
    ),
  );
}

/** Says that a task cannot go on, with a typed reason; the attempt ends and the lead is told. */
export function blockTask(state: TeamState, command: Of<'task.block'>, ids: Numbering): Decision {
  const held = heldAttempt(state, command);
  if ('kind' in held) return held;
  const edges = boardEdges(state);
  for (const on of command.on) {
    const other = state.tasks.get(on);
    if (other === undefined) return unknownTask(state, on);
    if (!isOpen(other)) {
      return refused(
        'ended',
        `${on} is ${other.state.kind}: waiting on it changes nothing; go on, or block without it and say what is missing`,
      );
    }
    edges.get(held.task.id)?.add(on);
  }
  const cycle = findCycle(edges);
  if (cycle !== undefined) return refused('cycle', `that would close a cycle: ${cycle.join(' → ')}`);
  const facts: Fact[] = [];
  const offeredAgain = command.reason === 'transient' && held.task.transients === 0;
  if (command.on.length > 0) {
    // Waiting on a task is an edge, so its completion makes this one ready again (no prose that nobody reads).
    facts.push(
      {
        type: 'task.released',
        task: held.task.id,
        member: command.member,
        attempt: held.attempt,
        reason: 'released',
        detail: `waits on ${command.on.join(', ')}`,
      },
      {
        type: 'task.updated',
        task: held.task.id,
        by: command.member,
        subject: null,
        description: null,
        role: null,
        add_blocked_by: [...command.on],
        remove_blocked_by: [],
      },
    );
  } else {
    facts.push({
      type: 'task.blocked',
      task: held.task.id,
      by: command.member,
      attempt: held.attempt,
      reason: command.reason,
      on: [],
      detail: command.detail,
    });
    // What passes by itself is tried once more by whoever is free; the second time the lead has to look.
    if (offeredAgain) facts.push({ type: 'task.reopened', task: held.task.id, by: 'runtime' });
  }
  const next = command.on.length === 0 && offeredAgain ? ' It is offered once more.' : '';
  const on = command.on.length === 0 ? '' : ` on ${command.on.join(', ')}`;
  facts.push(
    ...reportToLead(
      state,
      ids,
      command.member,
      `${command.member} has blocked ${held.task.id} (${command.reason}${on}).${next}\n` +
        quote(`reason by ${command.member}`, command.detail),
      held.task.id,
    ),
  );
  return accepted(...facts);
}

/** Reports a task done: refused while evidence or artifacts are missing, sent to review when it has gates. */
export function completeTask(state: TeamState, command: Of<'task.complete'>, ids: Numbering): Decision {
  const held = heldAttempt(state, command);
  if ('kind' in held) return held;
  const { task, attempt } = held;
  const missing = task.spec.acceptance.filter(
    (item) => !command.evidence.some((given) => given.item === item && given.text.trim() !== ''),
  );
  if (missing.length > 0 || command.missingArtifacts.length > 0) {
    const lines = [
      ...missing.map((item) => `no evidence for: ${onOneLine(item)}`),
      ...command.missingArtifacts.map((path) => `artifact not found in the workspace: ${onOneLine(path)}`),
    ];
    return refused('evidence_missing', `${task.id} cannot be completed yet:\n${lines.join('\n')}`);
  }
  for (const id of command.addBlocks) {
    const blocked = state.tasks.get(id);
    if (blocked === undefined) return unknownTask(state, id);
    if (id === task.id) return refused('cycle', `${task.id} cannot wait on itself: ${task.id} → ${task.id}`);
    const refusal = task.spec.gates.length === 0 ? undefined : edgeRefusal(blocked, task);
    if (refusal !== undefined) return refusal;
  }
  const facts: Fact[] = command.addBlocks.map((blocked) => ({
    type: 'task.updated',
    task: blocked,
    by: command.member,
    subject: null,
    description: null,
    role: null,
    add_blocked_by: [task.id],
    remove_blocked_by: [],
  }));
  if (command.addBlocks.length > 0) {
    const edges = boardEdges(state);
    for (const blocked of command.addBlocks) edges.get(blocked)?.add(task.id);
    const cycle = findCycle(edges);
    if (cycle !== undefined) return refused('cycle', `that would close a cycle: ${cycle.join(' → ')}`);
  }
  const evidence = command.evidence.map((given) => ({ ...given }));
  // What the task names is part of the report, whoever wrote it down.
  const artifacts = [...new Set([...task.spec.artifacts, ...command.artifacts])];
  if (task.spec.gates.length > 0) {
    const { summary, artifactBytes } = command;
    // Each report has a digest of its own, the same words handed in again included: a verdict is about one of them.
    const round = task.submissions.length + 1;
    const seen = [task.id, attempt, round, summary, evidence, artifacts, artifactBytes];
    const evidenceDigest = sha256(JSON.stringify(seen));
    facts.push({
      type: 'task.submitted',
      task: task.id,
      member: command.member,
      attempt,
      summary,
      evidence,
      artifacts,
      artifact_bytes: artifactBytes,
      evidence_digest: evidenceDigest,
    });
    facts.push(...reviewMail(state, ids, task, { ...command, artifacts, attempt, evidenceDigest }));
    return accepted(...facts);
  }
  facts.push({
    type: 'task.completed',
    task: task.id,
    member: command.member,
    attempt,
    summary: command.summary,
    evidence,
    artifacts,
  });
  facts.push(...completionReport(state, ids, task, command.member, command.summary));
  return accepted(...facts);
}

/** Whole, and without a line break by which it could pose as something else. */
function onOneLine(text: string): string {
  return oneLine(text, Number.POSITIVE_INFINITY);
}

/** The fact of one failure; what waited on the task follows by `upstreamFacts`. */
export function taskFailed(
  task: Task,
  by: string,
  cause: FactOf<'task.failed'>['cause'],
  detail: string,
): FactOf<'task.failed'> {
  const held = task.state.kind === 'claimed' || task.state.kind === 'in_review';
  return { type: 'task.failed', task: task.id, by, attempt: held ? task.attempts : null, cause, detail };
}

/**
 * The refusal of a dependency that could not hold: somebody works on the task already, or it has ended. A task that
 * waits on a completed one waits on nothing, so that edge is always fine.
 */
export function edgeRefusal(blocked: Task, blocker: Task): Decision | undefined {
  if (blocker.state.kind === 'completed') return undefined;
  switch (blocked.state.kind) {
    case 'claimed':
    case 'in_review':
      return refused(
        'claimed',
        `${blocked.id} is ${blocked.state.kind} by ${blocked.state.member} and cannot wait on ${blocker.id} now; ` +
          `ask ${blocked.state.member} to name it in team_task_block, or cancel ${blocked.id}`,
      );
    case 'completed':
      return refused('completed', `${blocked.id} is completed and waits on nothing; create a new task`);
    default:
      return undefined;
  }
}

/** `unknown_task` with what exists. */
export function unknownTask(state: TeamState, id: string): Decision {
  const known = [...state.tasks.keys()];
  const list = known.length === 0 ? 'the board is empty' : `the board has ${known.join(', ')}`;
  return refused('unknown_task', `no task ${id}; ${list}`);
}

/** The task, when the member holds exactly this attempt of it; else the refusal, kept as evidence when stale. */
function heldAttempt(
  state: TeamState,
  command: Of<'task.release' | 'task.block' | 'task.complete'>,
): { readonly task: Task; readonly attempt: number } | Extract<Decision, { kind: 'refused' }> {
  const task = state.tasks.get(command.task);
  if (task === undefined) return unknownTask(state, command.task) as Extract<Decision, { kind: 'refused' }>;
  if (
    task.state.kind === 'claimed' &&
    task.state.member === command.member &&
    task.state.attempt === command.attempt
  ) {
    return { task, attempt: command.attempt };
  }
  const live = (task.state.kind === 'claimed' || task.state.kind === 'in_review') && task.state.attempt;
  if (task.state.kind === 'in_review' && live === command.attempt && task.state.member === command.member) {
    const text = `${task.id} is handed in and in review by ${task.spec.gates.join(', ')}; wait for the verdict`;
    return refused('in_review', text) as Extract<Decision, { kind: 'refused' }>;
  }
  const never = command.attempt < 1 || command.attempt > task.attempts || command.attempt === live;
  const code = never ? 'not_claimed' : 'stale_attempt';
  const now =
    task.state.kind === 'claimed' || task.state.kind === 'in_review'
      ? `${task.state.kind} by ${task.state.member}, attempt ${task.state.attempt}`
      : task.state.kind;
  const text =
    code === 'not_claimed'
      ? `you do not hold ${task.id}: it is ${now}; claim it with team_task_claim first`
      : `attempt ${command.attempt} of ${task.id} is over: it is ${now}; nothing was changed`;
  const summary = command.kind === 'task.complete' ? command.summary : command.detail;
  const decision = refused(
    code,
    text,
    code === 'stale_attempt'
      ? [
          {
            type: 'write.refused',
            task: task.id,
            member: command.member,
            attempt: command.attempt,
            code,
            detail: text,
            summary,
          },
        ]
      : [],
  );
  return decision as Extract<Decision, { kind: 'refused' }>;
}
