// Delegation to the real Claude Code: what rides the brief reaches its model, and what it commits comes back.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { NO_APPROVALS } from '../../src/catalog/trust.js';
import { sha256 } from '../../src/shared/digest.js';
import { Releases } from '../../src/shared/releases.js';
import { loadRegistry } from '../../src/skills/registry.js';
import { renderDelegatedBlock } from '../../src/skills/render/delegated-block.js';
import { DEFAULT_SKILL_SETTINGS } from '../../src/skills/settings.js';
import { complete, does, says, when } from '../cases/play.js';
import { type Agent, realAgent } from '../helpers/engineers/at-work.js';
import { callsThenSays, startModel, textParts } from '../helpers/engineers/model-server.js';
import { startOutside } from '../helpers/engineers/outside.js';
import { INSTALL_MS } from '../helpers/real-engineers.js';
import { git } from '../helpers/repository.js';
import { delegates, delegating, delegatingJob } from './delegation.js';

let claude: Agent;
beforeAll(async () => {
  claude = await realAgent('claude-code');
}, INSTALL_MS);

let releases = new Releases();
afterEach(async () => {
  await releases.run();
  releases = new Releases();
});

/** The block of entries of this package, by their names. */
async function blockOf(...names: readonly string[]): Promise<string> {
  const { entries } = await loadRegistry(
    {
      packageRoot: join(import.meta.dirname, '../..'),
      global: null,
      project: null,
      mission: null,
      trust: NO_APPROVALS,
    },
    { signal: new AbortController().signal, log: { info: () => {} }, settings: DEFAULT_SKILL_SETTINGS },
  );
  const block = renderDelegatedBlock(entries.filter(({ name }) => names.includes(name)));
  if (block.kind === 'refused') throw new Error(JSON.stringify(block.refusals));
  expect(block.entries.map(({ name }) => name)).toEqual([...names].sort());
  return block.text;
}

const BASELINE = ['implementation-craft', 'verification-before-handoff'];

test.each([
  ['as it was sent', []],
  ['with an addition of the runner', ['writing-a-report']],
] as const)(
  'L18: the block reaches its model byte for byte, %s, and stands at the head of the transcript',
  async (_, additions) => {
    const commit = 'git commit --allow-empty --quiet --message "Greet"';
    const respond = callsThenSays([['Bash', { command: commit, description: 'commit' }]], 'It greets.');
    const far = await startModel(claude.wire, respond, releases);
    const outside = await startOutside(releases);
    const { path, args, env } = claude.settings(far.url);
    const job = await delegatingJob(
      delegating(
        [
          when('Task #1 is ready', does(delegates('#1', ['nothing at all'])), says('Sent.')),
          when('has ended: completed', does(complete('#1')), says('It is in.')),
        ],
        { recipe: { engineer: { kind: 'claude-code' } } },
      ),
      { 'claude-code': { path, args, env: { ...outside.env, ...env } } },
    );
    const run = await job.run(['--auto-approve', 'all'], {
      env: { BNERD_RUNNER_ENGINEER_SKILLS: additions.join(',') },
    });
    expect(run.exit, `${run.stderr}\n${JSON.stringify(await job.of('brief.ended'), null, 1)}`).toBe(0);
    const [sent] = await job.of('brief.sent');
    const [accepted] = await job.of('brief.accepted');
    const [ended] = await job.of('brief.ended');
    const block = await blockOf(...BASELINE, ...additions);
    expect(accepted?.sent_block).toBe(sent?.sent_block);
    expect(sent?.sent_block).toBe(sha256(await blockOf(...BASELINE)));
    expect([accepted?.final_block, ended?.final_block]).toEqual([sha256(block), sha256(block)]);
    expect(accepted?.additions.map(({ name }) => name)).toEqual(additions);
    expect(far.seen.some((seen) => textParts(seen).some((part) => part.startsWith(block)))).toBe(true);
    const transcript = await readFile(ended?.transcript?.path ?? '', 'utf8');
    expect(transcript.startsWith(block)).toBe(true);
    expect(git(job.workspace, 'log', '--format=%s', '-1', sent?.branch ?? '')).toBe('Greet');
    expect(outside.attempts).toEqual([]);
    const audit = await job.here([
      'skills',
      'audit',
      '--transcript',
      ended?.transcript?.path ?? '',
      '--team',
      await job.id(),
    ]);
    expect(audit.exit, audit.stdout + audit.stderr).toBe(0);
  },
);
