/**
 * A far side that plays the roles of `feature` on a repository with `wanted.txt` and `greet.mjs`: the word of the
 * first goes into the second. Each step rests on what was read: the lead has a plan revised that forgets the test, the
 * reviewer asks for changes while there is none, the verifier reports what it ran itself.
 */

import type { Deed, Seen } from '../helpers/providers/far-side.js';
import {
  acceptanceOf,
  calls,
  claimed,
  lastStep,
  news,
  offered,
  playing,
  resultsOf,
  text,
} from './playing.js';

/** Who plays which role, by its title. */
export const FEATURE_PARTS = {
  'product orchestrator': lead,
  'software engineer': engineer,
  'code reviewer': reviewer,
  verifier,
};

export const featureTeam = playing(FEATURE_PARTS);

/** A line of a file as `fs_read_file` shows it, without its number. */
const wordIn = (shown: string): string => /wanted: (\w+)/.exec(shown)?.[1] ?? 'nothing';

function lead(seen: Seen): Deed {
  const { results, said } = lastStep(seen);
  if (said === 0) {
    return calls('First a look.', ['git_status', {}], ['fs_read_file', { path: 'wanted.txt' }]);
  }
  const plan = /"plan_digest":"([^"]+)"/.exec(news(seen));
  if (plan !== null) {
    const word = wordIn(resultsOf(seen, 'fs_read_file').join('\n'));
    const wanting = [word, 'greet.test.mjs'].filter((needed) => !news(seen).includes(needed));
    const decision =
      wanting.length === 0
        ? { decision: 'approve' }
        : { decision: 'revise', feedback: `missing: ${wanting.join(', ')}` };
    return calls('', [
      'team_plan_decide',
      { member: 'software-engineer', plan_digest: plan[1], ...decision },
    ]);
  }
  const board = results.get('team_task_list')?.[0];
  if (board !== undefined) {
    const ids = [...board.matchAll(/^(#\d+) \[(\w+)/gm)];
    if (ids.some(([, , state]) => state !== 'completed')) return text('Work is under way.');
    return calls('All is in.', ...ids.map(([, id]) => ['team_task_get', { task: id }] as const));
  }
  const tasks = results.get('team_task_get');
  if (tasks !== undefined) {
    const said = tasks.map((task) => `- ${/summary: (.*)/.exec(task)?.[1] ?? 'nothing'}`);
    return calls('', ['team_finish', { outcome: 'done', result: ['It greets.', '', ...said].join('\n') }]);
  }
  return news(seen) === '' ? text('I wait.') : calls('What has changed?', ['team_task_list', {}]);
}

function engineer(seen: Seen): Deed {
  const { results } = lastStep(seen);
  const offer = offered(seen);
  if (offer !== undefined) {
    return calls(
      'I take it.',
      ['team_task_claim', { task: offer }],
      ['fs_read_file', { path: 'wanted.txt' }],
      ['fs_read_file', { path: 'greet.mjs' }],
    );
  }
  const task = claimed(seen).at(-1);
  const read = resultsOf(seen, 'fs_read_file').join('\n');
  const word = wordIn(read);
  const plan = `greet.mjs will say ${word}.`;
  if (results.has('fs_read_file')) return calls('My plan.', ['team_plan_submit', { plan }]);
  const decided = results.get('team_plan_submit')?.[0];
  if (decided?.includes('missing: ') === true) {
    return calls('', ['team_plan_submit', { plan: `${plan} greet.test.mjs will show it.` }]);
  }
  if (decided !== undefined) {
    const digest = /digest (\S+)/.exec(resultsOf(seen, 'fs_read_file')[1] ?? '')?.[1];
    return calls('', [
      'fs_edit_file',
      { path: 'greet.mjs', old: "'nothing'", new: `'${word}'`, ...(digest === undefined ? {} : { digest }) },
    ]);
  }
  if (results.has('fs_edit_file') || results.has('shell_exec')) {
    const ran = results.get('shell_exec')?.[0];
    const shown = ran === undefined ? 'not run: there is no test yet' : outcomeOf(ran);
    const evidence = acceptanceOf(seen).map((item) => ({ item, text: `greet.mjs:1 ${word}; ${shown}` }));
    return calls('', [
      'team_task_complete',
      { task, summary: `summary: greet.mjs says ${word}; ${shown}`, evidence },
    ]);
  }
  if (news(seen).includes('asks for changes')) {
    const content = [
      "import assert from 'node:assert';",
      "import { greet } from './greet.mjs';",
      `assert.equal(greet(), '${word}');`,
      "console.log('the word is said');",
      '',
    ].join('\n');
    return calls('Right.', ['fs_write_file', { path: 'greet.test.mjs', content }]);
  }
  if (results.has('fs_write_file')) return calls('', ['shell_exec', { command: 'node greet.test.mjs' }]);
  return text('Nothing to do.');
}

function reviewer(seen: Seen): Deed {
  const { results } = lastStep(seen);
  const asked = /(#\d+), attempt \d+ by software-engineer, waits for your review/.exec(news(seen))?.[1];
  if (asked !== undefined) {
    return calls('I look.', ['team_task_get', { task: asked }], ['git_status', {}], ['git_diff', {}]);
  }
  const status = results.get('git_status')?.[0];
  if (status !== undefined) {
    const got = results.get('team_task_get')?.[0] ?? '';
    const task = /^(#\d+) \[/.exec(got)?.[1];
    const digest = /^evidence digest: ([0-9a-f]{64})$/m.exec(got)?.[1];
    const verdict = status.includes('greet.test.mjs')
      ? { verdict: 'approve' }
      : { verdict: 'request_changes', findings: `no test among:\n${status}` };
    return calls('', ['team_review', { task, evidence_digest: digest, ...verdict }]);
  }
  return text('The verdict is given.');
}

function verifier(seen: Seen): Deed {
  const { results } = lastStep(seen);
  const offer = offered(seen);
  if (offer !== undefined) {
    return calls(
      'I look.',
      ['team_task_claim', { task: offer }],
      ['team_task_get', { task: '#1' }],
      ['fs_read_file', { path: 'greet.mjs' }],
    );
  }
  if (results.has('fs_read_file')) return calls('', ['shell_exec', { command: 'node greet.test.mjs' }]);
  const ran = results.get('shell_exec')?.[0];
  if (ran !== undefined) {
    const evidence = acceptanceOf(seen).map((item) => ({ item, text: outcomeOf(ran) }));
    const summary = `summary: may be handed over, ${outcomeOf(ran)}`;
    return calls('', ['team_task_complete', { task: claimed(seen).at(-1), summary, evidence }]);
  }
  return text('Verified.');
}

/** What a run of the test printed. */
function outcomeOf(ran: string): string {
  return /the word is said/.test(ran) ? 'run: the word is said' : `run: ${ran.split('\n')[0]}`;
}
