/**
 * A far side that plays the roles of `incident-response` on a repository whose `app.log` holds an error and whose last
 * commit on `config/limit.txt` is its cause. What each reports stands in what it was sent; the commander's first
 * explanation is one that the investigator refutes.
 */

import type { Deed, Seen } from '../helpers/providers/far-side.js';
import {
  acceptanceOf,
  calls,
  claimed,
  everything,
  lastStep,
  news,
  offered,
  playing,
  resultsOf,
  text,
} from './playing.js';

export const incidentTeam = playing({
  'incident commander': commander,
  investigator,
  'platform engineer': (seen) => explanation(seen),
  scribe,
});

const ERROR = /ERROR (\S+)/;

function commander(seen: Seen): Deed {
  const { results, said } = lastStep(seen);
  if (said === 0) {
    const order = /operator's order to this team\]\n(.*)/.exec(news(seen))?.[1] ?? '';
    return calls('', ['team_send_message', { to: 'all', message: `The picture: ${order}` }]);
  }
  const offer = offered(seen);
  if (offer !== undefined) {
    const symptom = ERROR.exec(news(seen) + everything(seen))?.[1] ?? 'nothing';
    const explain = (id: string, subject: string, role: string): Record<string, unknown> => ({
      id,
      subject,
      description: `${symptom}: refute it or bring the commit.`,
      role,
      acceptance: ['proven or refuted, with the place'],
    });
    return calls(
      'Two explanations.',
      ['team_task_claim', { task: offer }],
      ['team_spawn', { role: 'platform-engineer' }],
      [
        'team_task_create',
        {
          tasks: [
            explain('disk', 'The disk is full', 'investigator'),
            explain('limit', 'The limit was changed in config/limit.txt', 'platform-engineer'),
          ],
        },
      ],
      ['team_task_update', { task: 'account', add_blocked_by: ['disk', 'limit'] }],
    );
  }
  if (results.has('team_task_update')) {
    const task = claimed(seen).at(-1);
    const evidence = acceptanceOf(seen).map((item) => ({ item, text: results.get('team_task_update')?.[0] }));
    return calls('', ['team_task_complete', { task, summary: 'disk and limit', evidence }]);
  }
  const board = results.get('team_task_list')?.[0];
  if (board !== undefined) {
    const rows = [...board.matchAll(/^#\d+ \[(\w+)/gm)];
    if (rows.some(([, state]) => state !== 'completed')) return text('It is being looked into.');
    return calls('', ['fs_read_file', { path: 'incident.md' }]);
  }
  const account = results.get('fs_read_file')?.[0];
  if (account !== undefined) {
    const cause = /cause: (.*)/.exec(account)?.[1] ?? 'unknown';
    return calls('', ['team_finish', { outcome: 'done', result: `Cause: ${cause}. See incident.md.` }]);
  }
  return news(seen) === '' ? text('I wait.') : calls('What has changed?', ['team_task_list', {}]);
}

function investigator(seen: Seen): Deed {
  const { results } = lastStep(seen);
  const offer = offered(seen);
  if (offer !== undefined && claimed(seen).length > 0) return explanation(seen);
  if (offer !== undefined) {
    return calls(
      '',
      ['team_task_claim', { task: offer }],
      ['fs_grep', { pattern: 'ERROR' }],
      ['git_log', { limit: 3 }],
    );
  }
  if (results.has('fs_grep')) {
    const symptom = `${ERROR.exec(results.get('fs_grep')?.[0] ?? '')?.[0]} in app.log`;
    const evidence = acceptanceOf(seen).map((item) => ({ item, text: symptom }));
    const task = claimed(seen).at(-1);
    return calls('', ['team_task_complete', { task, summary: symptom, evidence }]);
  }
  return explanation(seen);
}

/** Takes one explanation: the history of the file that it names proves it; one that names none is refuted. */
function explanation(seen: Seen): Deed {
  const { results } = lastStep(seen);
  const offer = offered(seen);
  if (offer !== undefined) {
    const path = /(config\/limit\.txt)/.exec(news(seen))?.[1] ?? 'app.log';
    return calls('', ['team_task_claim', { task: offer }], ['git_log', { paths: [path], limit: 1 }]);
  }
  const log = results.get('git_log')?.[0];
  if (log === undefined) return text('Nothing to do.');
  const commit = /\b[0-9a-f]{7,40}\b/.exec(log)?.[0] ?? 'none';
  const proven = /limit/.test(log);
  const summary = proven ? `cause: the limit, ${commit}` : 'refuted: no write failed';
  const evidence = acceptanceOf(seen).map((item) => ({ item, text: summary }));
  return calls('', ['team_task_complete', { task: claimed(seen).at(-1), summary, evidence }]);
}

function scribe(seen: Seen): Deed {
  const { results } = lastStep(seen);
  const offer = offered(seen);
  if (offer !== undefined) {
    return calls('', ['team_task_claim', { task: offer }], ['team_task_list', {}]);
  }
  const board = results.get('team_task_list')?.[0];
  if (board !== undefined) {
    const done = [...board.matchAll(/^(#\d+) \[completed/gm)];
    return calls('', ...done.map(([, id]) => ['team_task_get', { task: id }] as const));
  }
  if (results.has('team_task_get')) {
    const facts = resultsOf(seen, 'team_task_get').join('\n');
    const content = [
      '# Incident',
      ...(ERROR.exec(facts) ?? []).slice(0, 1),
      ...(/cause: .*/.exec(facts) ?? ['cause: open']),
      ...(/refuted: .*/.exec(facts) ?? []),
      '',
    ].join('\n');
    return calls('', ['fs_write_file', { path: 'incident.md', content }]);
  }
  if (results.has('fs_write_file')) {
    const evidence = acceptanceOf(seen).map((item) => ({ item, text: 'taken from the board' }));
    const task = claimed(seen).at(-1);
    return calls('', ['team_task_complete', { task, summary: 'incident.md stands', evidence }]);
  }
  return text('Nothing to do.');
}
