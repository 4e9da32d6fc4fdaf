/**
 * The runtime's own messages to members: offers, nudges, reports (spec/team.md §4, §5).
 *
 * Our words are plain; whatever a model or a file wrote is fenced with its author and id, and bounded.
 */

import { fenced } from '../../shared/fence.js';
import { oneLine } from '../../shared/terminal-text.js';
import { missingResults, waitingOn } from '../board.js';
import { briefWord } from '../brief.js';
import { fits } from '../offers.js';
import { isLive, type Task, type TeamState } from '../state.js';

/** Longest quotation in a notice, in characters; the whole text stays in the record. */
const QUOTE_LIMIT = 8000;

export function quote(label: string, text: string): string {
  const shown =
    text.length <= QUOTE_LIMIT ? text : `${text.slice(0, QUOTE_LIMIT)}\n[cut: ${text.length} characters]`;
  return fenced(label, shown);
}

/** A ready task, offered to one member. */
export function offerText(state: TeamState, task: Task): string {
  return [
    `Task ${task.id} is ready and offered to you. Claim it with team_task_claim {"task":"${task.id}"}, do it, then`,
    'report with team_task_complete. If you cannot do it, leave it unclaimed, or claim it and say why with team_task_block.',
    ...goesOnWithout(state, task),
    quote(`task ${task.id} by ${task.by}`, taskText(task)),
  ].join('\n');
}

/** Whoever does a task that goes on although a result is missing has to say so in its own (`continue_with_missing`). */
export function goesOnWithout(state: TeamState, task: Task): string[] {
  const missing = task.spec.upstream === 'continue_with_missing' ? missingResults(state, task) : [];
  return missing.length === 0
    ? []
    : [`It goes on without ${missing.join(', ')}: that result is missing, and yours has to say so.`];
}

/** Everything a member needs to know of a task. */
export function taskText(task: Pick<Task, 'spec'>): string {
  const { spec } = task;
  const lines = [spec.subject];
  if (spec.description !== '') lines.push('', spec.description);
  if (spec.acceptance.length > 0)
    lines.push('', 'Acceptance:', ...spec.acceptance.map((item) => `- ${item}`));
  if (spec.artifacts.length > 0) lines.push('', 'Artifacts:', ...spec.artifacts.map((path) => `- ${path}`));
  if (spec.gates.length > 0) lines.push('', `Reviewed by: ${spec.gates.join(', ')}`);
  return lines.join('\n');
}

/** What a member handed in: its words, its evidence for each item, its artifacts. */
export function reportText(report: {
  readonly summary: string;
  readonly evidence: readonly { readonly item: string; readonly text: string }[];
  readonly artifacts: readonly string[];
}): string {
  const { summary, evidence, artifacts } = report;
  const lines = [summary];
  if (evidence.length > 0)
    lines.push('', 'Evidence:', ...evidence.map(({ item, text }) => `- ${item}: ${text}`));
  if (artifacts.length > 0) lines.push('', 'Artifacts:', ...artifacts.map((path) => `- ${path}`));
  return lines.join('\n');
}

/**
 * What a nudged member is told.
 * @param named open tasks that its last words name: what it seems to wait on
 */
export function nudgeText(
  held: readonly string[],
  offered: readonly string[],
  count: number,
  named: readonly string[] = [],
): string {
  const last = count >= 2 ? ' This is the last reminder: the attempt ends after the next such turn.' : '';
  if (held.length > 0) {
    const on = JSON.stringify(named.length > 0 ? named : ['#…']);
    return (
      `You ended your turn while you hold ${held.join(', ')}. Go on with the work, or use team_task_complete, ` +
      'team_task_block (say what you wait for) or team_task_release. Words alone wait for nothing: when it waits on ' +
      `another task, call team_task_block {"task":"${held[0]}","reason":"needs_input","on":${on},"detail":"…"}, and it ` +
      `comes back when that is done.${last}`
    );
  }
  if (offered.length > 0) {
    return (
      `You ended your turn without a word on ${offered.join(', ')}, which is offered to you. Claim it with ` +
      `team_task_claim and do it; text alone changes nothing.${last}`
    );
  }
  return `Your last turn had neither text nor a tool call. Go on, or say why you cannot.${last}`;
}

/** What a member is told whose turn a limit has cut off. */
export function cutOffText(limit: string, bound: number, held: readonly string[], count: number): string {
  const last = count >= 2 ? ' This is the last reminder: after the next such turn nobody reminds you.' : '';
  const what =
    held.length > 0
      ? `You hold ${held.join(', ')}: go on with the work in fewer steps, or use team_task_complete, team_task_block or team_task_release.`
      : 'Go on in fewer steps, or say what you have found so far.';
  return `Your turn was cut off by limits.${limit} (${bound}). ${what}${last}`;
}

/** What the lead is told when nothing moves any more. */
export function stalledText(
  state: TeamState,
  about: 'empty_plan' | 'stalled' | 'unfinished',
  count: number,
): string {
  const last = count >= 2 ? ' This is the last reminder before the run ends.' : '';
  switch (about) {
    case 'empty_plan':
      return (
        'There is no task on the board and nobody is working. Create tasks with team_task_create, or close the ' +
        `team with team_finish.${last}`
      );
    case 'unfinished':
      return (
        `Every task has ended, not all of them well: ${endings(state)}. Reopen a task with team_task_update, or ` +
        `close the team with team_finish (outcome partial or failed).${last}`
      );
    case 'stalled': {
      const open = [...stillTasks(state).map(stillNotice), ...requestsToDecide(state)].join('\n');
      return `Nothing is due, and this is open:\n${open}\nDo what is needed, or close the team with team_finish.${last}`;
    }
  }
}

/** One line per open task: why it does not move. For people: `status` and the last lines of a run. */
export function diagnosis(state: TeamState): string[] {
  return stillTasks(state).map(({ task, why, said }) =>
    said === undefined ? `${task}: ${why}` : `${task}: ${why}: ${oneLine(said.text)}`,
  );
}

/** A task that does not move: the reason in our words, and what somebody else wrote about it. */
interface Still {
  readonly task: string;
  readonly why: string;
  readonly said?: { readonly label: string; readonly text: string };
}

function stillTasks(state: TeamState): Still[] {
  return [...state.tasks.values()].flatMap((task) => whyStill(state, task) ?? []);
}

function stillNotice({ task, why, said }: Still): string {
  const line = `${task}: ${why}`;
  return said === undefined ? line : `${line}\n${quote(said.label, said.text)}`;
}

function requestsToDecide(state: TeamState): string[] {
  return [...state.requests.values()]
    .filter((request) => request.status.kind === 'open' && request.principals.includes('lead'))
    .map(({ id, kind, member }) =>
      kind === 'plan'
        ? `${id}: the plan of ${member} waits for you (team_plan_decide)`
        : `${id}: a call of ${member} waits for you (team_request_decide)`,
    );
}

function whyStill(state: TeamState, task: Task): Still | undefined {
  const still = (why: string): Still => ({ task: task.id, why });
  switch (task.state.kind) {
    case 'pending': {
      if (task.brief !== null)
        return still(`waits for the end of its last attempt: ${briefText(state, task.brief)}`);
      const waiting = waitingOn(state, task);
      if (waiting.length > 0)
        return still(`waits on ${waiting.map((id) => `${id} (${statusWord(state, id)})`).join(', ')}`);
      const fitting = [...state.members.values()].filter(
        (member) => isLive(member) && fits(state, task, member),
      );
      if (fitting.length === 0)
        return still(
          `nobody of role ${task.spec.role ?? 'any'} can take it (bring one with team_spawn, or change its role)`,
        );
      const asked = [...task.offeredTo].join(', ');
      return still(
        asked === ''
          ? 'ready; no fitting member is free'
          : `ready; let pass by ${asked}: offer it anew (team_task_update with status pending), or change its role`,
      );
    }
    case 'claimed': {
      const name = task.state.member;
      if (task.brief !== null) return still(`claimed by ${name}, ${briefText(state, task.brief)}`);
      const life = state.members.get(name)?.life;
      const on = life?.kind === 'parked' ? ` on ${life.request}` : '';
      const of = life?.kind === 'waiting' ? ` for ${life.provider}` : '';
      const by = still(`claimed by ${name} (${life?.kind ?? 'unknown'}${on}${of})`);
      return life?.kind === 'errored' ? { ...by, said: { label: `error of ${name}`, text: life.error } } : by;
    }
    case 'in_review': {
      const { verdicts } = task.state;
      const roles = task.spec.gates.filter((role) => !verdicts.has(role)).join(', ');
      return still(
        task.gate === null
          ? `in review, waits for ${roles}`
          : `in review, the operator decides (${task.gate})`,
      );
    }
    case 'blocked': {
      const { reason, on, detail } = task.state;
      const blocked = still(`blocked, ${reason}${on.length === 0 ? '' : ` on ${on.join(', ')}`}`);
      return { ...blocked, said: { label: `reason of ${task.id}`, text: detail } };
    }
    case 'completed':
    case 'failed':
    case 'cancelled':
      return undefined;
  }
}

/** `an engineer works on it: brief … (verifying)`. */
function briefText({ briefs }: TeamState, id: string): string {
  const brief = briefs.get(id);
  return `an engineer works on it: brief ${id}${brief === undefined ? '' : ` (${briefWord(brief)})`}`;
}

function statusWord(state: TeamState, id: string): string {
  return state.tasks.get(id)?.state.kind ?? 'missing';
}

function endings(state: TeamState): string {
  return [...state.tasks.values()]
    .filter((task) => task.state.kind === 'failed' || task.state.kind === 'cancelled')
    .map((task) => `${task.id} ${task.state.kind}`)
    .join(', ');
}
