/** The last lines of stderr: how the run ended and what can be done next (spec/team.md §7). Pure. */

import type { Ended } from '../../runtime/live-team.js';
import { oneLine } from '../../shared/terminal-text.js';
import { isOverLimit } from '../../team/end.js';
import { costText } from '../texts/cost-text.js';

export interface Closing {
  readonly team: string;
  readonly workspace: string;
  readonly ended: Pick<
    Ended,
    | 'reason'
    | 'exit'
    | 'cause'
    | 'detail'
    | 'result'
    | 'openTasks'
    | 'openRequests'
    | 'costUsd'
    | 'estimatedUsd'
    | 'resumable'
    | 'recorded'
  >;
  /** What became of the result on stdout: `written`, `not-asked` (events went there), or why it could not be. */
  readonly stdout:
    | { readonly kind: 'written' | 'not-asked' }
    | { readonly kind: 'failed'; readonly why: string };
}

/** The lines, without line ends. */
export function closingLines({ team, workspace, ended, stdout }: Closing): string[] {
  const [why = '', ...more] = [ended.cause, ended.detail]
    .filter((part) => part !== null)
    .join(': ')
    .split('\n');
  const lines = [
    `${ended.reason} (exit ${ended.exit})${why === '' ? '' : `: ${why}`}`,
    ...more.map((line) => `  │ ${line}`),
    `open tasks: ${ended.openTasks.length === 0 ? 'none' : ended.openTasks.join(', ')}`,
  ];
  if (ended.openRequests.length > 0) {
    lines.push(
      `open requests: ${ended.openRequests.join(', ')}; answer: bnerd team answer ${team} <request> yes|no|<text>`,
    );
  }
  lines.push(`cost: ${costText(ended.costUsd, ended.estimatedUsd)}`);
  lines.push(`result: ${resultPlace(team, ended.result, stdout)}`, `workspace: ${workspace}`);
  if (!ended.recorded) lines.push('the end could not be recorded; what was acknowledged before it is kept');
  if (isOverLimit(ended.reason))
    lines.push('a resume would meet the limit again: start a new team, with more room for it');
  if (ended.resumable) lines.push(`resume: bnerd team resume ${team}`);
  return lines.map((line) => oneLine(line, Number.MAX_SAFE_INTEGER));
}

function resultPlace(team: string, result: string | null, stdout: Closing['stdout']): string {
  if (result === null) return 'none';
  const again = `bnerd team result ${team}`;
  switch (stdout.kind) {
    case 'written':
      return `on stdout; again with ${again}`;
    case 'not-asked':
      return again;
    case 'failed':
      return `not written, stdout is closed (${stdout.why}); print it with ${again}`;
  }
}
