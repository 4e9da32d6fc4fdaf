import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Releases } from '../../src/shared/releases.js';
import { type BnerdPlace, type BnerdRun, bnerd, bnerdPlace } from '../helpers/bnerd.js';
import { bnerdHere } from '../helpers/bnerd-here.js';
import type { FarSide } from '../helpers/providers/far-side.js';
import { startFarSide } from '../helpers/providers/start-far-side.js';
import { commitAll, git, makeRepository, putFiles } from '../helpers/repository.js';
import { featureTeam } from './feature-team.js';
import { factsOf } from './record-facts.js';

let releases = new Releases();
afterEach(async () => {
  await releases.run();
  releases = new Releases();
});

const ORDER = 'greet with the word of wanted.txt';

interface Scene {
  readonly place: BnerdPlace;
  readonly repository: string;
  readonly word: string;
  readonly far: FarSide;
  run(...args: readonly string[]): Promise<BnerdRun>;
  /** In the process of the test: what the operator does between the runs. */
  here(...args: readonly string[]): Promise<BnerdRun>;
}

/** A repository in which a random word has to get from one file into another. */
async function scene(): Promise<Scene> {
  const place = await bnerdPlace();
  const word = `w${randomBytes(6).toString('hex')}`;
  const repository = await makeRepository(join(place.root, 'repository'));
  await putFiles(repository, {
    'wanted.txt': `wanted: ${word}\n`,
    'greet.mjs': "export const greet = () => 'nothing';\n",
  });
  commitAll(repository, 'Begin');
  const far = await startFarSide('anthropic', featureTeam, releases);
  const env = { ANTHROPIC_API_KEY: 'test-key-anthropic-000000', ANTHROPIC_BASE_URL: far.url };
  const options = { place, cwd: repository, env };
  const run: Scene['run'] = (...args) => bnerd(args, options);
  return { place, repository, word, far, run, here: (...args) => bnerdHere(args, options) };
}

/** What the order asked for is in the workspace, and nothing else; the record tells of each step and verifies. */
async function expectBuilt({ place, repository, word }: Scene, ended: BnerdRun): Promise<void> {
  expect(ended.stderr).toMatch(/^done \(exit 0\)$/m);
  expect(ended.exit).toBe(0);
  expect(ended.stdout).toBe(
    ['It greets.', '', `- greet.mjs says ${word}; run: the word is said`]
      .concat('- may be handed over, run: the word is said', '')
      .join('\n'),
  );
  expect(await readFile(join(repository, 'greet.mjs'), 'utf8')).toBe(
    `export const greet = () => '${word}';\n`,
  );
  expect(git(repository, 'status', '--porcelain')).toBe(' M greet.mjs\n?? greet.test.mjs');
  expect(git(repository, 'log', '--format=%s')).toBe('Begin');
  const { id, facts } = await factsOf(place);
  const verdicts = facts('task.reviewed').map(({ verdict }) => verdict);
  expect(verdicts).toEqual(['request_changes', 'approve']);
  expect(facts('plan.decided').map(({ decision }) => decision)).toEqual(['revise', 'approve']);
  expect(facts('task.completed').map(({ member }) => member)).toEqual(['software-engineer', 'verifier']);
  expect((await bnerdHere(['team', 'verify', id], { place })).exit).toBe(0);
}

describe('feature', () => {
  test('plans, builds, is reviewed and verified, and leaves the change in the working directory', async () => {
    const at = await scene();
    const ended = await at.run('team', 'run', 'feature', ORDER, '--auto-approve', 'all');
    await expectBuilt(at, ended);
    expect(ended.stderr).toMatch(/^\[code-reviewer\] task #1: changes requested: no test among/m);
    expect(ended.stderr).toMatch(/^\[code-reviewer\] task #1: approved$/m);
    const prompts = (part: string) =>
      at.far.seen.filter(({ system }) => system.join('\n').includes(`You are the ${part} of this team`));
    // Whoever does, reviews or verifies the work has read the order itself.
    for (const part of ['software engineer', 'code reviewer', 'verifier'])
      expect(prompts(part)[0]?.messages[0]?.text).toContain(ORDER);
    // Nothing that writes is there before the plan is approved.
    const writers = prompts('software engineer').map(({ tools, messages }) => ({
      approved: messages.some(({ text }) => text.includes('is approved by the lead')),
      writes: tools.some(({ name }) => ['fs_write_file', 'fs_edit_file'].includes(name)),
    }));
    expect(writers.some(({ approved }) => !approved)).toBe(true);
    for (const { approved, writes } of writers) expect(writes).toBe(approved);
  });

  test('without a flag each write and command waits for its answer, over stops and resumes, and ends the same', async () => {
    const at = await scene();
    let ended = await at.run('team', 'run', 'feature', ORDER);
    const asked: unknown[] = [];
    for (let rounds = 0; ended.exit === 4 && rounds < 8; rounds++) {
      const { id } = await factsOf(at.place);
      expect(ended.stderr).toContain(`resume: bnerd team resume ${id}`);
      const listed = await at.here('team', 'requests', id, '--json');
      for (const request of JSON.parse(listed.stdout).requests) {
        asked.push(request.tool);
        expect((await at.here('team', 'answer', id, request.id, 'yes')).exit).toBe(0);
      }
      ended = await at.run('team', 'resume', id);
    }
    expect(asked).toEqual(['fs_edit_file', 'fs_write_file', 'shell_exec', 'shell_exec']);
    await expectBuilt(at, ended);
  });
});
