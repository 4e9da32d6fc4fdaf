/**
 * A far side that plays the three roles of `pr-review`, whatever the wire. What a reviewer reports stands in the tool
 * results it was sent, what the lead reports in what the reviewers said: with another commit in the repository the
 * review reads otherwise.
 */

import type { Deed, Seen } from '../helpers/providers/far-side.js';
import { acceptanceOf, calls, claimed, everything, lastStep, playing, text } from './playing.js';

export const reviewTeam = playing({
  'product orchestrator': lead,
  'code reviewer': (seen) => reviewer(seen, 'correctness'),
  'security reviewer': (seen) => reviewer(seen, 'security'),
});

/** The word that the commit under review brings in, in the line `codename: <word>`. */
const CODENAME = /codename: (\w+)/;

function lead(seen: Seen): Deed {
  const { results, said } = lastStep(seen);
  if (said === 0) return calls('First the commit.', ['git_log', { limit: 1 }]);
  const log = results.get('git_log')?.[0];
  if (log !== undefined) {
    const commit = log.match(/\b[0-9a-f]{7,40}\b/)?.[0] ?? 'HEAD';
    const task = {
      subject: 'Review the change for security',
      description: `Read ${commit} as an attacker would.`,
      role: 'security-reviewer',
      acceptance: ['the commits are named by hash', 'each finding has a path and a remedy'],
    };
    return calls(
      'Both reviewers begin.',
      ['team_spawn', { role: 'security-reviewer' }],
      ['team_task_create', { tasks: [task] }],
      ['team_send_message', { to: 'code-reviewer', message: `The commit is ${commit}.` }],
    );
  }
  const board = results.get('team_task_list')?.[0];
  if (board !== undefined) {
    const ids = [...board.matchAll(/^(#\d+) \[(\w+)/gm)];
    const ended = ids.length === 2 && ids.every(([, , state]) => state === 'completed');
    if (!ended) return text('The reviews are under way.');
    return calls('Both are in.', ...ids.map(([, id]) => ['team_task_get', { task: id }] as const));
  }
  const summaries = results.get('team_task_get');
  if (summaries !== undefined) {
    const findings = summaries.map((summary) => `- ${/finding: (.*)/.exec(summary)?.[1] ?? 'none'}`);
    const result = ['Merge after changes.', '', '## Findings', ...findings].join('\n');
    return calls('', ['team_finish', { outcome: 'done', result }]);
  }
  // Woken by mail: look at the board. After one's own calls: nothing to do until somebody has something.
  return seen.messages.at(-1)?.role === 'user'
    ? calls('What has changed?', ['team_task_list', {}])
    : text('I wait for the reviews.');
}

function reviewer(seen: Seen, kind: string): Deed {
  const { results } = lastStep(seen);
  const shown = results.get('git_show')?.[0];
  const offer = [...everything(seen).matchAll(/Task (#\d+) is ready and offered to you/g)].at(-1)?.[1];
  if (shown !== undefined && offer !== undefined) {
    const word = CODENAME.exec(shown)?.[1] ?? 'nothing';
    const evidence = acceptanceOf(seen).map((item) => ({ item, text: `seen in ${word}` }));
    const summary = `finding: minor, ${kind}: the commit gives away the codename ${word}`;
    return calls('', ['team_task_complete', { task: offer, summary, evidence }]);
  }
  if (results.has('team_task_complete')) return text(`The ${kind} review is in.`);
  if (offer === undefined || claimed(seen).length > 0) return text('Nothing to do.');
  return calls('I take it.', ['team_task_claim', { task: offer }], ['git_show', { revision: 'HEAD' }]);
}
