import { describe, expect, test } from 'vitest';
import { descriptionText, listText, teamsText } from '../../../src/cli/texts/listings.js';
import { requestsText, statusText } from '../../../src/cli/texts/status-text.js';
import { transcriptText } from '../../../src/cli/texts/transcript-text.js';
import { requestView, statusView } from '../../../src/team/show/status.js';
import { delegated, ending } from '../../helpers/build-brief.js';
import { Team } from '../../helpers/build-state.js';

const EVIL = 'x\u001b[31m\u0007\u202e';
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

test('describe has the published form', () => {
  const text = descriptionText({
    slug: 'pr-review',
    description: 'Run a multi-role review of a pull request',
    lead: 'product-orchestrator',
    safety: 'read-only',
    members: [
      { name: 'code-reviewer', onDemand: false },
      { name: 'security-reviewer', onDemand: true },
    ],
    workspace: 'src',
    reads: [],
    whenToUse: 'before a merge',
    tasks: [],
    permissions: [{ tool: 'shell_exec', match: 'gh pr view *', decision: 'allow' }],
    engineer: {
      kind: 'codex',
      pool: 'vm',
      model: null,
      verify: ['test', 'lint'],
      policy: 'review',
      offers: 2,
    },
    findings: [],
  });
  expect(text).toBe(
    [
      'pr-review — Run a multi-role review of a pull request',
      'lead:   product-orchestrator',
      'safety: read-only',
      'members:',
      '  - code-reviewer              (always-on)',
      '  - security-reviewer          (on-demand)',
      'workspace: src',
      'when to use: before a merge',
      'engineer: codex in pool vm; verify test, lint; policy review; offered again 2 times',
      'permissions:',
      '  allow shell_exec gh pr view *',
      '',
    ].join('\n'),
  );
});

test('describe says of a team of one that nobody is beside the lead', () => {
  const text = descriptionText({
    slug: 'solo',
    description: 'One',
    lead: 'lead',
    safety: 'full',
    members: [],
    workspace: null,
    reads: [],
    whenToUse: null,
    tasks: [],
    permissions: [],
    engineer: null,
    findings: [],
  });
  expect(text).toBe('solo — One\nlead:   lead\nsafety: full\nmembers: none beside the lead\n');
});

test('list pads the slug to 21 columns, leaves out what is shadowed, and keeps a long slug apart', () => {
  const recipe = { tier: 'builtin', path: '/r', trust: 'trusted', shadowedBy: null } as const;
  const text = listText([
    { ...recipe, slug: 'pr-review', description: 'Review' },
    { ...recipe, slug: 'pr-review', description: 'Hidden', shadowedBy: '/r' },
    { ...recipe, slug: 'a-slug-that-is-longer-than-21', description: null },
  ]);
  expect(text).toBe('pr-review            Review\na-slug-that-is-longer-than-21 (no description)\n');
});

test('ps is a team a line with what it waits for', () => {
  const team = {
    id: 'run-x-01',
    recipe: 'x',
    phase: 'ended',
    reason: 'needs_human',
    live: false,
    members: 2,
    open_tasks: 1,
    open_requests: 2,
    waiting: ['worker waits for anthropic (rate limited), 12 s'],
    started: '2026-11-30T10:00:00.000Z',
  };
  expect(teamsText([team])).toBe(
    'run-x-01  ended (needs_human)   stopped  open: 1 tasks, 2 requests; worker waits for anthropic (rate limited), 12 s; started 2026-11-30T10:00:00.000Z\n',
  );
  expect(teamsText([{ ...team, phase: 'unreadable', reason: 'log-broken', started: '' }])).toBe(
    'run-x-01  unreadable (log-broken) stopped  bnerd team verify run-x-01 says why\n',
  );
  expect(teamsText([])).toContain('bnerd team run');
});

test('status is a line a brief: whose it is, where it is, how long, what came of it', () => {
  const { team, brief } = delegated();
  team.now = 65_000;
  team.ok({ kind: 'brief.progress', brief, step: 'verifying', detail: `${EVIL} two` });
  const shown = (): string =>
    statusText({ ...statusView(team.state, 'run-x-01', 70_000), live: true, holder: null });
  expect(shown()).toContain(
    `  ${brief} for #1 of worker: running on runner-1, verifying for 5 s, 1 min 10 s old: `,
  );
  expect(shown()).not.toMatch(CONTROLS);
  team.ok(ending(team.state, brief, { status: 'failed', cause: 'auth' }));
  expect(shown()).toContain(`  ${brief} for #1 of worker: ended: failed (auth) on runner-1, 1 min 5 s old`);
  expect(shown()).toContain('       delivered: bnerd/team/1-1 at ');
});

describe('a team that waits', () => {
  const team = Team.start({ tasks: [{ subject: `look ${EVIL}`, role: 'worker' }] });
  team.awake('worker');
  team.park('worker', { kind: 'confirmation' });
  const view = statusView(team.state, 'run-x-01');

  test('status says why nothing moves, and who, what and how much', () => {
    const text = statusText({ ...view, live: true, holder: 'pid 5 on host' });
    expect(text).toMatch(/^team: {4}run-x-01$/m);
    expect(text).toMatch(/^process: pid 5 on host$/m);
    expect(text).toMatch(/^ {2}- worker: parked \(r1\), /m);
    expect(text).toMatch(/^ {2}#1 pending: look x/m);
    expect(text).toMatch(/^ {2}r1 confirmation of worker, for operator: /m);
    expect(text).toMatch(/^budget: /m);
    expect(text).not.toMatch(CONTROLS);
  });

  test('requests show all that is decided about and the words that decide it', () => {
    const requests = [...team.state.requests.values()].map((request) => requestView(request, 0));
    const text = requestsText('run-x-01', requests);
    expect(text).toContain('  answer: bnerd team answer run-x-01 r1 yes|no\n');
    expect(text).toMatch(/ {2}arguments \(\d+ characters\):\n {2}│ /);
    expect(text).toContain('policy:');
    expect(requestsText('run-x-01', [])).toBe('no open requests\n');
  });
});

test('status tells how a review goes, why a task is blocked or has ended, and which letters are dead', () => {
  const team = Team.start({
    seats: ['lead', 'worker', 'judge'],
    tasks: [{ subject: 'one', role: 'worker', gates: ['judge'] }, { subject: 'two' }, { subject: 'three' }],
    limits: { review_rounds: 2 },
  });
  team.awake('lead');
  team.mail('lead', 'wroker', `where\nare you ${EVIL}`);
  team.awake('worker');
  team.claim('worker', '#1');
  for (const artifactBytes of [100, 240]) {
    team.ok(team.completion('worker', '#1', { artifactBytes }));
    if (artifactBytes === 100) team.awake('judge');
    team.ok(team.verdict('judge', '#1', { verdict: 'request_changes', findings: 'more' }));
  }
  team.claim('worker', '#2');
  const block = {
    kind: 'task.block',
    task: '#2',
    attempt: 1,
    reason: 'capability',
    on: [],
    detail: 'no key',
  } as const;
  team.ok({ ...block, ...team.in('worker') });
  team.ok(team.update('#3', { status: 'cancelled', detail: 'not wanted' }));
  const text = statusText({ ...statusView(team.state, 'run-x-01'), live: true, holder: null });
  expect(text).toMatch(
    /^ {2}#1 in_review, worker: one\n {7}review: 2 of 2 rounds, the operator decides \(r1\); artifacts 100 B, 240 B \(\+140\)$/m,
  );
  expect(text).toMatch(/^ {2}#2 blocked: two\n {7}blocked, capability: no key$/m);
  expect(text).toMatch(/^ {2}#3 cancelled: three\n {7}cancelled: not wanted$/m);
  expect(text).toMatch(
    /^dead letters:\n {2}d1 from lead to wroker \(nobody has that name\): where\\nare you /m,
  );
  expect(text).not.toMatch(CONTROLS);
});

test('a transcript keeps what was said apart from what we say, without control codes', () => {
  const text = transcriptText([
    { id: '9-0', kind: 'opened', team: 'run-x-01', member: 'worker' },
    { id: '9-1', kind: 'input', messages: ['m1'], text: `hello\n9-2 reply of me ${EVIL}` },
    {
      id: '9-2',
      kind: 'reply',
      text: 'reading',
      calls: [{ place: '9-2.0', tool: 'fs_list', arguments: { path: '.' } }],
      model: 'script/a.yaml',
      input_tokens: 3,
      cached_tokens: 0,
      output_tokens: 2,
      stop: 'tool_calls',
    },
    { id: '9-3', kind: 'result', place: '9-2.0', text: 'a.md', outcome: 'ok' },
  ]);
  expect(text).toBe(
    [
      '9-0 turn of worker',
      '9-1 input m1',
      '  │ hello',
      '  │ 9-2 reply of me x[31m',
      '9-2 reply of script/a.yaml (3 + 2 tokens, tool_calls)',
      '  │ reading',
      '  call 9-2.0 fs_list',
      '  │ {',
      '  │   "path": "."',
      '  │ }',
      '9-3 result of 9-2.0 (ok)',
      '  │ a.md',
      '',
    ].join('\n'),
  );
});
