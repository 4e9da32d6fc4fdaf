/**
 * What two runs of one script have in common: a state without times, ids, numbers, attempt numbers and costs, and
 * without the order of concurrent facts of different members (architecture "Equal states").
 */

import type { TeamState } from '../../src/team/show/view.js';

/** A plain value to be compared with `toEqual`. */
export function stateShape(state: TeamState): unknown {
  const { phase } = state;
  return {
    phase:
      phase.kind === 'ended' ? { reason: phase.reason, exit: phase.exit, result: phase.result } : phase.kind,
    members: [...state.members.values()]
      .map((member) => ({
        name: member.name,
        life: member.life.kind,
        plan: member.plan.kind,
        unread: member.unread.length,
        claims: [...member.claims],
        lastText: member.lastText,
        entries: member.seat.entries.map((entry) => entry.name),
        prompt: member.seat.prompt_sha256,
      }))
      .sort(byText),
    tasks: [...state.tasks.values()].map((task) => ({
      id: task.id,
      spec: task.spec,
      state: task.state.kind,
      by: 'member' in task.state ? task.state.member : null,
      summary: 'summary' in task.state ? task.state.summary : null,
      artifacts: 'artifacts' in task.state ? task.state.artifacts : [],
      delivered: task.delivered !== null,
    })),
    briefs: [...state.briefs.values()]
      .map(({ sent: { task, member }, status }) => ({
        task,
        member,
        status: status.kind === 'ended' ? status.status : status.kind,
      }))
      .sort(byText),
    messages: [...state.messages.values()]
      .filter((message) => message.kind !== 'idle' && message.kind !== 'nudge' && message.kind !== 'progress') // they follow the order of wake-ups
      .map(({ kind, from, to, task, pending }) => ({ kind, from, to, task, pending: pending.size }))
      .sort(byText),
    requests: [...state.requests.values()]
      .map(({ kind, member, tool, class: toolClass, arguments: args, summary, status }) => ({
        kind,
        member,
        tool,
        toolClass,
        args,
        summary,
        status: status.kind === 'decided' ? { decision: status.decision, used: status.used } : status.kind,
      }))
      .sort(byText),
  };
}

function byText(left: unknown, right: unknown): number {
  return JSON.stringify(left) < JSON.stringify(right) ? -1 : 1;
}
