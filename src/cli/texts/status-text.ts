/** Where a team stands, as lines for people. Pure; controls stripped, what a member wrote on a line of its own. */

import type { LiveStatus } from '../../runtime/teams.js';
import { durationText } from '../../shared/duration.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { RequestView } from '../../team/show/status.js';
import type { BriefView } from '../../team/show/status-briefs.js';
import type { ReviewView, TaskView } from '../../team/show/status-tasks.js';
import { escapedInOneLine, foldMarked } from '../live/marked-text.js';
import { answerWords, explanation } from '../live/prompt-blocks.js';
import { costText } from './cost-text.js';

/** A snapshot: why nothing moves if so, members, tasks, requests, mail, budget. */
export function statusText(status: LiveStatus): string {
  const { members, tasks, requests, briefs, mail, budget, dead_letters: letters } = status;
  const ended = status.reason === null ? '' : ` (${status.reason}, exit ${status.exit})`;
  const cost = costText(budget.cost_usd, budget.estimated_cost_usd);
  const reserved = budget.reserved_tokens > 0 ? ` (${budget.reserved_tokens} more reserved)` : '';
  return text([
    `team:    ${status.team}`,
    `recipe:  ${status.recipe}`,
    `phase:   ${status.phase}${ended}`,
    `process: ${status.holder ?? 'none'}`,
    ...status.waiting,
    'members:',
    ...members.map(({ name, state, detail, turns, unread, tasks: held }) =>
      [
        `  - ${name}: ${state}${detail === null ? '' : ` (${detail})`}`,
        `${turns} turns`,
        `${unread} unread`,
        ...(held.length === 0 ? [] : [`holds ${held.join(', ')}`]),
      ].join(', '),
    ),
    'tasks:',
    ...tasks.flatMap(taskLines),
    ...(briefs.length === 0 ? [] : ['briefs:', ...briefs.flatMap(briefLines)]),
    ...(requests.length === 0 ? ['requests: none'] : ['requests:', ...requests.map(requestLine)]),
    `mail:    ${mail.sent} sent, ${mail.delivered} delivered, ${mail.unread} unread, ${mail.dead} dead, ${mail.expired} expired`,
    ...(letters.length === 0 ? [] : ['dead letters:', ...letters.map(letterLine)]),
    `budget:  ${budget.turns} turns, ${budget.model_calls} model calls, ${budget.input_tokens + budget.output_tokens} tokens${reserved}, cost ${cost}, ${Math.round(budget.elapsed_ms / 1000)} s`,
  ]);
}

/** A task with what keeps it, and how its review goes. */
function taskLines({ id, subject, state, owner, waiting_on: on, ...task }: TaskView): string[] {
  const of = owner === null ? '' : `, ${owner}`;
  const flag = task.flag === null ? '' : `; its last attempt ended as ${task.flag}`;
  const { blocked, ended } = task;
  return [
    `  ${id} ${state}${of}: ${subject}${on.length === 0 ? '' : ` (waits for ${on.join(', ')})`}${flag}`,
    ...(blocked === null ? [] : [`       blocked, ${blocked.reason}: ${oneLine(blocked.detail)}`]),
    ...(ended === null ? [] : [`       ${ended.cause}: ${oneLine(ended.detail)}`]),
    ...(task.review === null ? [] : [`       ${reviewLine(task.review)}`]),
    ...(task.delivered === null
      ? []
      : [`       delivered: ${task.delivered.branch} at ${task.delivered.head}`]),
  ];
}

/** `team.t1.a1.o1 for #1 of worker: running on vm-3, verifying for 2 min, 31 min old`, and what its engineer does. */
function briefLines({ id, task, member, state, runner, ...brief }: BriefView): string[] {
  const on = runner === null ? '' : ` on ${runner}`;
  const step = brief.step === null ? '' : `, ${brief.step} for ${durationText(brief.still_ms)}`;
  const end =
    brief.status === null ? '' : `: ${brief.status}${brief.cause === null ? '' : ` (${brief.cause})`}`;
  const detail = brief.detail === null ? '' : `: ${oneLine(brief.detail)}`;
  const age = durationText(brief.age_ms);
  const { activity } = brief;
  return [
    `  ${id} for ${task} of ${member}: ${state}${end}${on}${step}, ${age} old${detail}`,
    ...(activity === null
      ? []
      : [`       ${durationText(activity.ago_ms)} ago, round ${activity.turns}: ${oneLine(activity.text)}`]),
  ];
}

/** `review: 2 of 3 rounds, waits for security; artifacts 100 B, 240 B (+140)`. */
function reviewLine({ rounds, limit, waits_for: roles, gate, submissions }: ReviewView): string {
  const of = limit === null ? '' : ` of ${limit}`;
  const waits = roles.length === 0 ? '' : `, waits for ${roles.join(', ')}`;
  const on = gate === null ? waits : `, the operator decides (${gate})`;
  const sizes = submissions.map(({ artifact_bytes: bytes, grown_by: more }) => {
    const grown = more === null ? '' : ` (${more < 0 ? '' : '+'}${more})`;
    return bytes === null ? 'unknown' : `${bytes} B${grown}`;
  });
  const grew = submissions.some(({ artifact_bytes: bytes }) => bytes !== 0);
  return `review: ${rounds}${of} rounds${on}${grew ? `; artifacts ${sizes.join(', ')}` : ''}`;
}

function letterLine({ id, from, to, reason, line }: LiveStatus['dead_letters'][number]): string {
  const why = reason === 'unknown' ? 'nobody has that name' : 'it was stopped';
  return `  ${id} from ${from} to ${to} (${why}): ${line}`;
}

/**
 * Every open request in full, with the words that answer it.
 * @param width of the terminal in columns; null: it is none
 */
export function requestsText(
  team: string,
  requests: readonly RequestView[],
  width: number | null = null,
): string {
  if (requests.length === 0) return text(['no open requests']);
  return requests
    .map((request) => {
      const head = [
        requestLine(request).trim(),
        `  answer: bnerd team answer ${team} ${request.id} ${answerWords(request)}`,
        `  digest: ${request.digest}`,
      ];
      // The explanation is escaped where it is made, and its marks stand at the left.
      const lines = explanation(request).flatMap((line) => foldMarked(line, width));
      return `${text(head)}${lines.map((line) => `${line}\n`).join('')}`;
    })
    .join('\n');
}

function requestLine({ id, kind, member, summary, principals, left_ms: left }: RequestView): string {
  const time = left === null ? '' : left > 0 ? `, expires in ${durationText(left)}` : ', overdue';
  return `  ${id} ${kind} of ${member}, for ${principals.join(' or ')}${time}: ${escapedInOneLine(summary)}`;
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${oneLine(line, Number.MAX_SAFE_INTEGER)}\n`).join('');
}
