/** Coordination tools of every member: the board and mail (spec/team.md §2, §4, §5). */

import { z } from 'zod';
import { failed, ok } from '../../agent/tool.js';
import { waitingOn } from '../../team/board.js';
import { deliveredHead } from '../../team/brief.js';
import { sentText } from '../../team/decide/mail.js';
import { goesOnWithout, quote, reportText, taskText } from '../../team/notices/notices.js';
import { reviewArguments } from '../../team/notices/task-reports.js';
import { statusView } from '../../team/show/status.js';
import type { Task, TeamState } from '../../team/show/view.js';
import {
  asker,
  attemptOf,
  type CoordinationTool,
  coordinationTool,
  lookForArtifacts,
  taskId,
  taskNamed,
  told,
} from './coordination.js';

const attempt = z.number().int().min(1).optional().describe('the attempt you hold; absent: your newest');

export const memberTools: readonly CoordinationTool[] = [
  coordinationTool(
    'team_send_message',
    'Send mail to another member by name, to "lead", or to "all". It is read at the receiver\'s next step.',
    {
      to: z.string().describe('a member\'s name, "lead" or "all"'),
      message: z.string().describe('the text'),
      task: taskId.optional(),
    },
    async ({ to, message, task }, context) => {
      const state = context.state();
      const about = task === undefined ? null : taskNamed(state, task);
      const sent = await context.send({
        kind: 'mail.send',
        by: asker(context),
        to,
        body: message,
        task: about,
      });
      return told(sent, (facts) => sentText(context.state(), facts));
    },
  ),
  coordinationTool(
    'team_task_list',
    'List the tasks of the team with state, role, owner and what each waits on.',
    { state: z.enum(['open', 'all']).optional().describe('default: all') },
    async ({ state: which }, context) => {
      const state = context.state();
      const tasks = [...state.tasks.values()].filter(
        (task) => which !== 'open' || !['completed', 'failed', 'cancelled'].includes(task.state.kind),
      );
      return ok(
        tasks.length === 0 ? 'The board is empty.' : tasks.map((task) => taskLine(state, task)).join('\n'),
      );
    },
  ),
  coordinationTool(
    'team_task_get',
    'Everything about one task: description, acceptance, state, report with evidence.',
    { task: taskId },
    async ({ task: id }, context) => {
      const state = context.state();
      const task = state.tasks.get(taskNamed(state, id));
      if (task === undefined)
        return failed(`unknown_task: no task ${id}; known: ${[...state.tasks.keys()].join(', ')}`);
      const text = quote(`task ${task.id} by ${task.by}`, taskText(task));
      const lines = [taskLine(state, task), ...goesOnWithout(state, task), text];
      if (task.state.kind === 'completed' || task.state.kind === 'in_review') {
        lines.push(quote(`report on ${task.id} by ${task.state.member}`, reportText(task.state)));
      }
      if (task.state.kind === 'in_review') {
        lines.push(`evidence digest: ${task.state.evidenceDigest}`, reviewNote(task, task.state));
      }
      if ('detail' in task.state) lines.push(quote(`detail of ${task.id}`, task.state.detail));
      return ok(lines.join('\n'));
    },
  ),
  coordinationTool(
    'team_task_claim',
    'Take a ready task. Exactly one member gets it; the answer names your attempt.',
    { task: taskId },
    async ({ task }, context) => {
      const id = taskNamed(context.state(), task);
      const sent = await context.send({
        kind: 'task.claim',
        member: context.member,
        turn: context.turn,
        task: id,
      });
      return told(sent, (facts) => {
        const claimed = facts.find((fact) => fact.type === 'task.claimed');
        const number = claimed?.type === 'task.claimed' ? claimed.attempt : 1;
        return `${id} is yours, attempt ${number}. Report with team_task_complete when it is done.`;
      });
    },
  ),
  coordinationTool(
    'team_task_complete',
    'Report a task you hold as done. Give evidence for each acceptance item, and the artifacts you made.',
    {
      task: taskId,
      summary: z.string().describe('what was done and what came of it'),
      evidence: z.array(z.strictObject({ item: z.string(), text: z.string() })).default([]),
      artifacts: z.array(z.string()).default([]).describe('paths in the workspace'),
      add_blocks: z.array(taskId).default([]).describe('tasks that should wait on this one'),
      attempt,
    },
    async ({ task, summary, evidence, artifacts, add_blocks, attempt: named }, context) => {
      const state = context.state();
      const id = taskNamed(state, task);
      const wanted = [...new Set([...(state.tasks.get(id)?.spec.artifacts ?? []), ...artifacts])];
      const { missing, bytes } = await lookForArtifacts(context, wanted, headOf(state, id));
      const sent = await context.send({
        kind: 'task.complete',
        member: context.member,
        turn: context.turn,
        task: id,
        attempt: attemptOf(context, id, named),
        summary,
        evidence,
        artifacts: wanted,
        missingArtifacts: missing,
        artifactBytes: bytes,
        addBlocks: add_blocks.map((blocked) => taskNamed(state, blocked)),
      });
      return told(sent, (facts) =>
        facts.some((fact) => fact.type === 'task.submitted')
          ? `${id} is handed in and waits for review.`
          : `${id} is completed.`,
      );
    },
  ),
  coordinationTool(
    'team_task_release',
    'Give a task you hold back undone, with the reason; it is offered to others.',
    { task: taskId, reason: z.string(), attempt },
    async ({ task, reason, attempt: named }, context) => {
      const id = taskNamed(context.state(), task);
      const sent = await context.send({
        kind: 'task.release',
        member: context.member,
        turn: context.turn,
        task: id,
        attempt: attemptOf(context, id, named),
        detail: reason,
      });
      return told(sent, `${id} is released.`);
    },
  ),
  coordinationTool(
    'team_task_block',
    'Say that a task you hold cannot go on. Name the tasks it waits on, if any: then it comes back by itself.',
    {
      task: taskId,
      reason: z.enum(['needs_input', 'capability', 'transient', 'limit']),
      on: z.array(taskId).default([]).describe('tasks it waits on'),
      detail: z.string(),
      attempt,
    },
    async ({ task, reason, on, detail, attempt: named }, context) => {
      const state = context.state();
      const id = taskNamed(state, task);
      const sent = await context.send({
        kind: 'task.block',
        member: context.member,
        turn: context.turn,
        task: id,
        attempt: attemptOf(context, id, named),
        reason,
        on: on.map((other) => taskNamed(state, other)),
        detail,
      });
      return told(sent, (facts) => {
        if (on.length > 0) return `${id} waits on ${on.join(', ')}.`;
        const again = facts.some((fact) => fact.type === 'task.reopened');
        return again ? `${id} is given back and offered once more.` : `${id} is blocked; the lead is told.`;
      });
    },
  ),
  coordinationTool(
    'team_review',
    "Give your role's verdict on a task in review: approve, or request_changes with findings. Name the evidence digest of the report you saw.",
    {
      task: taskId,
      verdict: z.enum(['approve', 'request_changes']),
      evidence_digest: z
        .string()
        .describe('of the report you judge, as the review mail and team_task_get tell it'),
      findings: z
        .string()
        .default('')
        .describe('what keeps the task from being accepted as it was asked for'),
      new_findings: z
        .array(z.string())
        .max(20)
        .default([])
        .describe('what lies beside the task: proposed to the lead as new tasks, holds nothing up'),
      attempt,
    },
    async ({ task, verdict, evidence_digest, findings, new_findings, attempt: named }, context) => {
      const state = context.state();
      const id = taskNamed(state, task);
      const review = state.tasks.get(id)?.state;
      const artifacts = review?.kind === 'in_review' && verdict === 'approve' ? review.artifacts : [];
      const looked = await lookForArtifacts(context, artifacts, headOf(state, id));
      const sent = await context.send({
        kind: 'task.review',
        member: context.member,
        turn: context.turn,
        task: id,
        attempt: named ?? state.tasks.get(id)?.attempts ?? 0,
        verdict: context.cut ? 'inconclusive' : verdict,
        findings,
        evidenceDigest: evidence_digest.trim(),
        newFindings: new_findings,
        missingArtifacts: looked.missing,
      });
      return told(sent, context.cut ? cutVerdict(id) : `Your verdict on ${id} is recorded.`);
    },
  ),
  coordinationTool(
    'team_overview',
    'Who is in the team and what each is doing, with open tasks and requests.',
    {},
    async (_args, context) => {
      const view = statusView(context.state(), '');
      const members = view.members.map((member) => {
        const tasks = member.tasks.length === 0 ? '' : `, holds ${member.tasks.join(', ')}`;
        return `${member.name} (${member.role}): ${member.state}${tasks}, ${member.unread} unread`;
      });
      const requests = view.requests.map((request) => `${request.id}: ${request.kind} of ${request.member}`);
      return ok([...members, ...requests].join('\n'));
    },
  ),
];

/** Who has to look at it still, and with which words. */
function reviewNote(task: Task, review: Extract<Task['state'], { kind: 'in_review' }>): string {
  if (task.gate !== null) return `The operator decides how it goes on (${task.gate}).`;
  const roles = task.spec.gates.filter((role) => !review.verdicts.has(role)).join(', ');
  return `Waits for the verdict of ${roles}: team_review ${reviewArguments(task, review)}`;
}

function cutVerdict(task: string): string {
  return (
    `Your reply was cut off by the limit of its length, so your verdict on ${task} is recorded as inconclusive and counts ` +
    'neither way. Give it again, in fewer words.'
  );
}

function taskLine(state: TeamState, task: Task): string {
  const owner = 'member' in task.state ? ` by ${task.state.member}` : '';
  const role = task.spec.role === null ? 'anyone' : task.spec.role;
  const waits = task.state.kind === 'pending' ? waitingOn(state, task) : [];
  const waiting = waits.length === 0 ? '' : `, waits on ${waits.join(', ')}`;
  return `${task.id} [${task.state.kind}${owner}${waiting}] for ${role}: ${oneSubject(task)}`;
}

/** A subject is one line by nature; one with line breaks may not pose as another row of the list. */
function oneSubject(task: Task): string {
  return JSON.stringify(task.spec.subject).slice(1, -1);
}

/** What an engineer has delivered for a task. */
function headOf({ tasks }: TeamState, id: string): string | null {
  const task = tasks.get(id);
  return task === undefined ? null : deliveredHead(task);
}
