/** Coordination tools of the lead: tasks, members, plans, calls to confirm, the end (spec/team.md §2). */

import { z } from 'zod';
import { failed } from '../../agent/tool.js';
import { stopText } from '../../team/decide/stop.js';
import type { Fact, TeamState } from '../../team/show/view.js';
import { asker, type CoordinationTool, coordinationTool, taskId, taskNamed, told } from './coordination.js';

const newTask = z.strictObject({
  id: z.string().optional().describe('a short name of yours, to be used in blocked_by of other tasks'),
  subject: z.string().min(1),
  description: z.string().default(''),
  role: z.string().optional().describe('the role that should do it; absent: anyone'),
  blocked_by: z
    .array(z.union([z.string(), z.number()]))
    .default([])
    .describe('tasks that must be completed first'),
  gates: z.array(z.string()).default([]).describe('roles that review the result'),
  acceptance: z.array(z.string()).default([]),
  artifacts: z.array(z.string()).default([]),
  required: z.boolean().default(false),
  upstream: z.enum(['wait', 'continue_with_missing', 'fail']).default('wait'),
});

export const leadTools: readonly CoordinationTool[] = [
  coordinationTool(
    'team_task_create',
    'Put one or more tasks on the board, all or none. Tasks with blocked_by are offered when those are completed.',
    { tasks: z.array(newTask).min(1).max(50) },
    async ({ tasks }, context) => {
      const sent = await context.send({
        kind: 'task.create',
        by: asker(context),
        tasks: tasks.map((task) => ({
          key: task.id ?? null,
          subject: task.subject,
          description: task.description,
          role: task.role ?? null,
          blocked_by: task.blocked_by.map((id) => (/^\d+$/.test(String(id)) ? `#${id}` : String(id))),
          gates: task.gates,
          acceptance: task.acceptance,
          artifacts: task.artifacts,
          required: task.required,
          upstream: task.upstream,
          skills: [],
        })),
      });
      return told(sent, (facts) => `Created:\n${createdLines(facts).join('\n')}`);
    },
  ),
  coordinationTool(
    'team_task_update',
    'Change a task: its text, role, what it waits on, or its fate (status pending reopens, cancelled and failed end it).',
    {
      task: taskId,
      subject: z.string().optional(),
      description: z.string().optional(),
      role: z.string().optional(),
      add_blocked_by: z.array(taskId).default([]),
      remove_blocked_by: z.array(taskId).default([]),
      add_blocks: z.array(taskId).default([]),
      status: z.enum(['pending', 'cancelled', 'failed']).optional(),
      detail: z.string().default('').describe('why it ends; for cancelled and failed only'),
    },
    async (args, context) => {
      const named = (id: string): string => taskNamed(context.state(), id);
      const sent = await context.send({
        kind: 'task.update',
        by: asker(context),
        task: named(args.task),
        subject: args.subject ?? null,
        description: args.description ?? null,
        role: args.role ?? null,
        addBlockedBy: args.add_blocked_by.map(named),
        removeBlockedBy: args.remove_blocked_by.map(named),
        addBlocks: args.add_blocks.map(named),
        status: args.status ?? null,
        detail: args.detail,
      });
      const lost =
        args.status === 'pending' && args.detail.trim() !== ''
          ? ' What you wrote as detail reaches nobody: whoever takes it reads subject and description.'
          : '';
      return told(sent, `${named(args.task)} is changed.${lost}`);
    },
  ),
  coordinationTool(
    'team_spawn',
    'Bring an on-demand role into the team, or an errored member back to work.',
    { role: z.string() },
    async ({ role }, context) => {
      const sent = await context.send({ kind: 'member.spawn', by: asker(context), role });
      return told(sent, (facts) =>
        facts.some((fact) => fact.type === 'member.restarted')
          ? `${role} takes turns again.`
          : `${role} is in the team.`,
      );
    },
  ),
  coordinationTool(
    'team_stop_member',
    "End a member's part in the team. Its tasks go back to the board; it does not return in this run.",
    { member: z.string(), reason: z.string().default('') },
    async ({ member, reason }, context) => {
      const sent = await context.send({ kind: 'member.stop', by: asker(context), member, reason });
      return told(sent, (facts) => `${stopText(member, facts)}.`);
    },
  ),
  coordinationTool(
    'team_plan_decide',
    "Decide a member's plan. Name the digest of the plan you read; feedback goes to the member.",
    {
      member: z.string(),
      plan_digest: z.string(),
      decision: z.enum(['approve', 'revise']),
      feedback: z.string().optional(),
    },
    async ({ member, plan_digest, decision, feedback }, context) => {
      const request = planRequest(context.state(), member, plan_digest);
      if (request === undefined) return failed(`no_plan: ${member} has no plan that waits for a decision`);
      const sent = await context.send({
        kind: 'request.decide',
        by: asker(context),
        request,
        decision,
        text: feedback ?? null,
        digest: plan_digest,
      });
      return told(sent, decision === 'approve' ? `${member} may go on.` : `${member} revises its plan.`);
    },
  ),
  coordinationTool(
    'team_request_decide',
    'Decide a call of class Write that a member wants confirmed. Name the digest of the call you read; your reason goes to the member.',
    {
      request: z.string(),
      digest: z.string(),
      decision: z.enum(['approve', 'deny']),
      reason: z.string().optional(),
    },
    async ({ request, digest, decision, reason }, context) => {
      const sent = await context.send({
        kind: 'request.decide',
        by: asker(context),
        request,
        decision,
        text: reason ?? null,
        digest,
      });
      return told(sent, decision === 'approve' ? `${request} runs once.` : `${request} is not run.`);
    },
  ),
  coordinationTool(
    'team_finish',
    'Close the team with its result. Refused while tasks or requests are open.',
    {
      outcome: z.enum(['done', 'partial', 'failed']),
      result: z.string().describe('the result of the whole run, for the operator'),
    },
    async ({ outcome, result }, context) => {
      const sent = await context.send({
        kind: 'run.finish',
        member: context.member,
        turn: context.turn,
        outcome,
        result,
      });
      return { ...told(sent, 'The team is closed.'), endsTurn: sent.kind === 'accepted' };
    },
  ),
];

/**
 * The request of the plan that waits; else of the newest plan with this digest, so that a decision which is run
 * again after a crash gives the answer that it gave, and one that comes too late is told so.
 */
function planRequest(state: TeamState, member: string, digest: string): string | undefined {
  const plan = state.members.get(member)?.plan;
  if (plan?.kind === 'pending') return plan.request;
  return [...state.requests.values()]
    .filter((request) => request.kind === 'plan' && request.member === member && request.digest === digest)
    .at(-1)?.id;
}

function createdLines(facts: readonly Fact[]): string[] {
  return facts.flatMap((fact) =>
    fact.type === 'task.created'
      ? [
          `${fact.task}${fact.spec.key === null ? '' : ` (${fact.spec.key})`}: ${JSON.stringify(fact.spec.subject).slice(1, -1)}`,
        ]
      : [],
  );
}
