// The recipe `feature` on a machine with an engineer: the plan is the team's, the change an engineer's, on a branch.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Releases } from '../../src/shared/releases.js';
import { bnerd, bnerdPlace } from '../helpers/bnerd.js';
import type { Deed, Seen } from '../helpers/providers/far-side.js';
import { startFarSide } from '../helpers/providers/start-far-side.js';
import { commitAll, git, makeRepository, putFiles } from '../helpers/repository.js';
import { COMMITS } from './commits-engineer.js';
import { FEATURE_PARTS } from './feature-team.js';
import {
  acceptanceOf,
  calls,
  claimed,
  everything,
  lastStep,
  news,
  offered,
  playing,
  text,
} from './playing.js';
import { factsOf } from './record-facts.js';
import { runnersFor } from './runner-machine.js';

let releases = new Releases();
afterEach(async () => {
  await releases.run();
  releases = new Releases();
});

const BUILT = "export const greet = () => 'kestrel';";

/** Plans as before, and sends an engineer in place of writing. */
function engineer(seen: Seen): Deed {
  const { results } = lastStep(seen);
  const offer = offered(seen);
  if (offer !== undefined) return calls('I take it.', ['team_task_claim', { task: offer }]);
  if (results.has('team_task_claim'))
    return calls('', [
      'team_plan_submit',
      { plan: 'greet.mjs says nothing now, kestrel then; greet.test.mjs shows it.' },
    ]);
  if (results.has('team_plan_submit')) {
    const goal = `DO commit greet.mjs ${BUILT}`;
    return calls('', [
      'delegate_engineer',
      { task: claimed(seen).at(-1), goal, acceptance: acceptanceOf(seen) },
    ]);
  }
  return text('I wait.');
}

const branchIn = (seen: Seen): string => /branch (bnerd\/\S+), /.exec(everything(seen))?.[1] ?? '';

function reviewer(seen: Seen): Deed {
  const { results } = lastStep(seen);
  const asked = /(#\d+), attempt \d+ by software-engineer, waits for your review/.exec(news(seen))?.[1];
  if (asked !== undefined) {
    const base = /([0-9a-f]{40})\.\./.exec(news(seen))?.[1];
    return calls('', ['git_diff', { from: base, to: branchIn(seen) }]);
  }
  const diff = results.get('git_diff')?.[0];
  if (diff === undefined) return text('The verdict is given.');
  const digest = /"evidence_digest":"([0-9a-f]{64})"/.exec(everything(seen))?.[1];
  const verdict = diff.includes(`+${BUILT}`) ? 'approve' : 'request_changes';
  return calls('', [
    'team_review',
    { task: '#1', evidence_digest: digest, verdict, findings: diff.slice(0, 200) },
  ]);
}

function verifier(seen: Seen): Deed {
  const { results } = lastStep(seen);
  const offer = offered(seen);
  if (offer !== undefined)
    return calls('', ['team_task_claim', { task: offer }], ['team_task_get', { task: '#1' }]);
  if (results.has('team_task_get'))
    return calls('', ['git_show', { revision: `${branchIn(seen)}:greet.mjs` }]);
  const shown = results.get('git_show')?.[0];
  if (shown === undefined) return text('Verified.');
  const evidence = acceptanceOf(seen).map((item) => ({ item, text: shown }));
  return calls('', [
    'team_task_complete',
    { task: claimed(seen).at(-1), summary: `summary: ${shown}`, evidence },
  ]);
}

test('plan, brief, review of the difference, verification of the branch: done, and the working directory is as it was', async () => {
  const place = await bnerdPlace();
  const repository = await makeRepository(join(place.root, 'repository'));
  await putFiles(repository, {
    'wanted.txt': 'wanted: kestrel\n',
    'greet.mjs': "export const greet = () => 'nothing';\n",
  });
  commitAll(repository, 'Begin');
  await writeFile(
    join(place.home, '.bnerd.yaml'),
    JSON.stringify({ runner: { engineers: COMMITS, 'min-free': 0 } }),
  );
  await runnersFor(place, repository);
  const parts = { ...FEATURE_PARTS, 'software engineer': engineer, 'code reviewer': reviewer, verifier };
  const far = await startFarSide('anthropic', playing(parts), releases);
  const env = { ANTHROPIC_API_KEY: 'test-key-anthropic-000000', ANTHROPIC_BASE_URL: far.url };
  const run = await bnerd(
    ['team', 'run', 'feature', 'greet with the word of wanted.txt', '--auto-approve', 'all'],
    {
      place,
      cwd: repository,
      env,
    },
  );
  expect(run.stderr).toMatch(/^done \(exit 0\)$/m);
  const { facts } = await factsOf(place);
  expect(facts('brief.ended')).toMatchObject([{ status: 'completed' }]);
  expect(facts('task.reviewed').map(({ verdict }) => verdict)).toEqual(['approve']);
  const [delivered] = facts('brief.delivered');
  expect(git(repository, 'show', `${delivered?.branch}:greet.mjs`)).toBe(BUILT);
  expect(git(repository, 'status', '--porcelain')).toBe('');
});
