// A team and a real coding agent, the whole way: it is sent out, it reads and edits a file with its own tools, the tests of
// the repository verify it, a reviewer reads the difference, and the run is done. The word that it has to write stands only
// in the repository, and is another one each time: no script knows it.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Releases } from '../../src/shared/releases.js';
import { does, says, TOLD_DIGEST, when } from '../cases/play.js';
import { type Agent, realAgent } from '../helpers/engineers/at-work.js';
import { type Call, callsThenSays, startModel, toolResults } from '../helpers/engineers/model-server.js';
import { startOutside } from '../helpers/engineers/outside.js';
import type { Respond } from '../helpers/providers/far-side.js';
import { INSTALL_MS, type RealKind } from '../helpers/real-engineers.js';
import { git } from '../helpers/repository.js';
import type { Mission } from '../helpers/team.js';
import { delegating, delegatingJob } from './delegation.js';

let releases = new Releases();
afterEach(async () => {
  await releases.run();
  releases = new Releases();
});

const COMMIT = 'git add greet.mjs && git commit --quiet --message "Say the wanted word"';

/** The word that a result of a call shows. */
const wordIn = (result = ''): string => /wanted: (\w+)/.exec(result)?.[1] ?? 'nothing of it was read';

/** What the model of each kind does with its tools, out of what they have given. */
const WORK: Readonly<Record<RealKind, Respond>> = {
  'claude-code': (() => {
    const file = (results: readonly string[]): string => `${results[0]?.trim()}/greet.mjs`;
    const calls: readonly Call[] = [
      ['Bash', { command: 'pwd', description: 'where am I' }],
      (seen) => ['Read', { file_path: file(toolResults(seen)) }],
      (seen) => {
        const results = toolResults(seen);
        const edit = { old_string: "'nothing'", new_string: `'${wordIn(results[1])}'` };
        return ['Edit', { file_path: file(results), ...edit }];
      },
      ['Bash', { command: COMMIT, description: 'commit' }],
    ];
    return callsThenSays(calls, 'It says the word.');
  })(),
  codex: (() => {
    const patch = (word: string): string =>
      [
        "apply_patch <<'EOF'",
        '*** Begin Patch',
        '*** Update File: greet.mjs',
        '@@',
        "-export const greet = () => 'nothing';",
        `+export const greet = () => '${word}';`,
        '*** End Patch',
        'EOF',
      ].join('\n');
    const calls: readonly Call[] = [
      ['exec_command', { cmd: 'cat greet.mjs' }],
      (seen) => ['exec_command', { cmd: patch(wordIn(toolResults(seen)[0])) }],
      ['exec_command', { cmd: COMMIT }],
    ];
    return callsThenSays(calls, 'It says the word.');
  })(),
  gemini: (() => {
    const edit = { file_path: 'greet.mjs', old_string: "'nothing'", instruction: 'say the wanted word' };
    const calls: readonly Call[] = [
      ['read_file', { file_path: 'greet.mjs' }],
      (seen) => ['replace', { ...edit, new_string: `'${wordIn(toolResults(seen)[0])}'` }],
      ...COMMIT.split(' && ').map((command): Call => ['run_shell_command', { command }]),
    ];
    return callsThenSays(calls, 'It says the word.');
  })(),
};

const TESTS = `import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { greet } from './greet.mjs';

test('it says the wanted word', () => {
  const [, wanted] = /wanted: (\\w+)/.exec(readFileSync(new URL('greet.mjs', import.meta.url), 'utf8'));
  assert.equal(greet(), wanted);
});
`;

// What a difference shows of the word that is wanted and the one that is said.
const WANTED = 'wanted: (\\w+)\\n[^]*\\n\\+export const greet = \\(\\) => ';
const SAYS_IT = `${WANTED}'\\1'`;
const SAYS_ANOTHER = `${WANTED}'(?!\\1')`;

/** A small repository whose tests fail, a lead that sends the engineer, and a gate that judges by what it has read. */
function mission(kind: RealKind, word: string): Mission {
  const review = (verdict: 'approve' | 'request_changes', findings: string) =>
    does({
      tool: 'team_review',
      args: { task: '#1', verdict, findings, evidence_digest: '{{digest}}' },
    });
  const order = {
    task: '#1',
    goal: 'Let greet() of greet.mjs say the word that the file asks for, and commit it.',
    acceptance: ['greet() says the wanted word'],
    verify_keys: ['tests'],
  };
  return delegating(
    [
      when('Task #1 is ready', does({ tool: 'delegate_engineer', args: order }), says('Sent.')),
      when(['has ended: completed', 'verify: tests passed'], says('It is under review.')),
    ],
    {
      recipe: {
        tasks: [{ id: 'build', subject: 'Build it', role: 'boss', gates: ['reviewer'] }],
        // A model that codex does not know gets its plain tools.
        engineer: { kind, model: 'a-model-of-nobody', verify: { tests: ['node', '--test'] } },
      },
      roles: { reviewer: { base: 'read' } },
      script: {
        reviewer: {
          idle: 'Ready.',
          turns: [
            when(
              'waits for your review',
              {
                capture: {
                  digest: TOLD_DIGEST,
                  branch: 'branch (bnerd/\\S+), ',
                  base: '([0-9a-f]{40})\\.\\.',
                },
                ...does({ tool: 'git_diff', args: { from: '{{base}}', to: '{{branch}}' } }),
              },
              { when: [SAYS_IT], capture: { word: SAYS_IT }, ...review('approve', 'it says {{word}}') },
              {
                when: [SAYS_ANOTHER],
                capture: { word: SAYS_ANOTHER },
                ...review('request_changes', '{{word}} is wanted, and not what it says'),
              },
              says('My verdict is given.'),
            ),
          ],
        },
      },
      files: {
        'greet.mjs': `// wanted: ${word}\nexport const greet = () => 'nothing';\n`,
        'greet.test.mjs': TESTS,
      },
    },
  );
}

describe.each(['claude-code', 'codex', 'gemini'] as const)('%s', (kind) => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await realAgent(kind);
  }, INSTALL_MS);

  test('B30: reads, edits and commits with its own tools; the tests of the repository and the gate agree, and the run is done', async () => {
    const word = `w${randomBytes(6).toString('hex')}`;
    const far = await startModel(agent.wire, WORK[kind], releases);
    const outside = await startOutside(releases);
    const { path, args, env } = agent.settings(far.url);
    const job = await delegatingJob(mission(kind, word), {
      [kind]: { path, args, env: { ...outside.env, ...env } },
    });
    const run = await job.run(['--auto-approve', 'all']);
    const given = far.seen.at(-1);
    expect(
      run.stderr,
      JSON.stringify([given && toolResults(given), await job.of('brief.ended')], null, 1),
    ).toMatch(/^done \(exit 0\)$/m);
    expect(await job.of('brief.ended')).toMatchObject([
      { status: 'completed', verify: [{ key: 'tests', outcome: 'passed' }] },
    ]);
    const [sent] = await job.of('brief.sent');
    const branch = `bnerd/${await job.id()}/1-1`;
    expect(sent).toMatchObject({ branch, turns: null, cost_usd: null });
    expect(git(job.workspace, 'log', '--format=%s', '--name-status', `${sent?.base}..${branch}`)).toBe(
      'Say the wanted word\n\nM\tgreet.mjs',
    );
    expect(git(job.workspace, 'show', `${branch}:greet.mjs`)).toBe(
      `// wanted: ${word}\nexport const greet = () => '${word}';`,
    );
    expect(await job.of('task.reviewed')).toMatchObject([
      { verdict: 'approve', findings: `it says ${word}` },
    ]);
    expect(git(job.workspace, 'status', '--porcelain')).toBe('');
    expect(outside.attempts).toEqual([]);
  });
});
