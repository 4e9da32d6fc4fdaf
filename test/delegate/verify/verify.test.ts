import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { VerifyOutcome } from '../../../src/delegate/brief/result.js';
import { type VerifyOrder, verify } from '../../../src/delegate/verify/verify.js';
import { fingerprintDifferences, takeFingerprint } from '../../../src/delegate/workspace/fingerprint.js';
import { KILL_LADDER } from '../../../src/shared/process-ending.js';
import { ProcessGroups } from '../../../src/shared/processes.js';
import { putFiles } from '../../helpers/repository.js';
import { noneRunning } from '../../helpers/running.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { until } from '../../helpers/until.js';
import { BRANCH, BRIEF, TOOLS, type Workspace, workspace } from '../../helpers/workspace.js';

const sh = (key: string, script: string) => ({ key, argv: ['/bin/sh', '-c', script] });

interface Scene extends Workspace {
  readonly head: string;
  readonly records: string;
  readonly groups: ProcessGroups;
  verify(change: Partial<VerifyOrder>, signal?: AbortSignal): Promise<readonly VerifyOutcome[]>;
}

/** A workspace with one commit of an engineer, collected. */
async function scene(files: Readonly<Record<string, string>> = { 'work.txt': 'work\n' }): Promise<Scene> {
  const made = await workspace();
  await putFiles(made.places.tree, files);
  made.git('add', '--all');
  made.git('commit', '--quiet', '-m', 'work');
  const head = made.git('rev-parse', 'HEAD');
  expect(await made.collect()).toMatchObject({ kind: 'collected' });
  const records = join(await tempDir('groups'), 'groups');
  const groups = new ProcessGroups({ folder: records });
  onTestFinished(async () => {
    await groups.endAll(KILL_LADDER);
  });
  const order = { places: made.places, head, branch: BRANCH, subdir: '', commands: [], wrap: [] };
  const env = { PATH: TOOLS.path, TASK: 'verify' };
  return {
    ...made,
    head,
    records,
    groups,
    verify: async (change, signal = TOOLS.signal) => {
      const verified = await verify({ ...order, env, ...change }, groups, { ...TOOLS, signal });
      if (verified.kind !== 'verified') throw new Error(verified.detail);
      expect(verified.passed).toBe(verified.outcomes.every(({ outcome }) => outcome === 'passed'));
      return verified.outcomes;
    },
  };
}

test('commands run in a fresh checkout of the reported commit, each with its exit and the end of its output', async () => {
  const { verify: run, places, records } = await scene();
  // What was not committed is not there.
  await putFiles(places.tree, { 'work.txt': 'better\n', 'uncommitted.txt': 'x' });
  const outcomes = await run({
    commands: [
      sh('content', 'cat work.txt; ls; git branch --show-current; git status --porcelain'),
      sh('fails', 'echo why >&2; exit 3'),
      { key: 'missing', argv: ['/no/such/program'] },
      { key: 'words', argv: ['printf', '%s|', 'a b', '$(touch ran)', '*'] },
      sh('signal', 'kill -KILL $$'),
    ],
  });
  expect(outcomes.map(({ key, exit, outcome }) => [key, exit, outcome])).toEqual([
    ['content', 0, 'passed'],
    ['fails', 3, 'failed'],
    ['missing', 127, 'failed'],
    ['words', 0, 'passed'],
    ['signal', null, 'failed'],
  ]);
  const tails = outcomes.map(({ tail }) => tail);
  expect(tails[0]).toBe(`work\nREADME.md\nsrc\nwork.txt\n${BRANCH}\n`);
  expect(tails[1]).toBe('why\n');
  expect(tails[2]).toContain('/no/such/program');
  expect(tails[3]).toBe('a b|$(touch ran)|*|');
  expect(tails[4]).toContain('ended by SIGKILL');
  // Neither the checkout nor a record of a process is left.
  expect(await readdir(places.root)).not.toContain('verify');
  expect(await readdir(records)).toEqual([]);
});

test('they have the environment and the wrapper that the engineer had, a fresh home, and the folder of the brief', async () => {
  const { verify: run, places } = await scene({ 'deep/er/file': 'x' });
  await writeFile(join(places.home, 'left-by-the-engineer'), 'x');
  const [outcome] = await run({
    subdir: 'deep',
    wrap: ['/usr/bin/env', 'WRAPPED=yes'],
    commands: [sh('env', 'env | cut -d= -f1 | sort | tr "\\n" " "; echo $TASK $WRAPPED; ls; ls -A "$HOME"')],
  });
  expect(outcome?.tail).toMatch(
    /^BNERD_GROUP HOME( OLDPWD)? PATH PWD( SHLVL)? TASK WRAPPED( _)? verify yes\ner\n$/,
  );
});

test('what takes too long is ended with all that it started; the rest goes on until the time of all is over', async () => {
  const { verify: run } = await scene();
  const folder = await tempDir('pids');
  const outcomes = await run({
    bounds: { commandMs: 4_000, allMs: 600_000 },
    commands: [
      sh(
        'hangs',
        `trap '' TERM; (setsid sleep 600 & echo $! > ${folder}/pid); echo began; while :; do sleep 1; done`,
      ),
      sh('next', 'true'),
    ],
  });
  expect(outcomes.map(({ outcome, exit }) => [outcome, exit])).toEqual([
    ['timed_out', null],
    ['passed', 0],
  ]);
  expect(outcomes[0]?.tail).toBe('began\n');
  await noneRunning({ pids: [Number(await readFile(join(folder, 'pid'), 'utf8'))] });
  const over = await run({
    bounds: { commandMs: 600_000, allMs: 1_000 },
    commands: [sh('hangs', 'sleep 600'), sh('next', 'true')],
  });
  expect(over.map(({ outcome }) => outcome)).toEqual(['timed_out', 'not_started']);
  expect(over[1]?.tail).toContain('the time for all commands was over');
});

test('a hostile change that forks, goes into the background and holds its output open leaves nothing behind', async () => {
  const { verify: run } = await scene();
  const folder = await tempDir('pids');
  const outcomes = await run({
    commands: [
      sh(
        'forks',
        `touch ${folder}/pids; for i in 1 2 3; do (setsid sh -c 'echo $$ >> ${folder}/pids; exec sleep 600' &); done; while [ "$(wc -l < ${folder}/pids)" != 3 ]; do :; done; echo done`,
      ),
      sh('next', 'true'),
    ],
  });
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['passed', 'passed']);
  expect(outcomes[0]?.tail).toBe('done\n');
  const pids = (await readFile(join(folder, 'pids'), 'utf8')).trim().split('\n').map(Number);
  expect(pids).toHaveLength(3);
  await noneRunning({ pids });
});

test('200 MB of output are read and forgotten but for their end; without end they are ended', async () => {
  const { verify: run } = await scene();
  const outcomes = await run({
    commands: [
      sh('much', 'head -c 200000000 /dev/zero | tr "\\0" x; echo end'),
      sh('endless', 'yes'),
      sh('cut', `printf '${'€'.repeat(10_000)}'`),
    ],
  });
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['passed', 'failed', 'passed']);
  expect(outcomes[0]?.tail).toMatch(/^… \(\d+ bytes left out\)\nx+end\n$/);
  expect(outcomes[1]?.tail).toContain('ended: it wrote more than');
  expect(outcomes[2]?.tail).toMatch(/^… \(\d+ bytes left out\)\n€+$/);
  for (const { tail } of outcomes) expect(Buffer.byteLength(tail)).toBeLessThan(17_000);
});

test('a hostile change that writes to the team’s repository, or to what is ours, is seen by its fingerprint', async () => {
  const { verify: run, source, settings, mirror: gitDir } = await scene();
  const watched = { workdir: settings.workdir, brief: BRIEF, workspace: source };
  const before = await takeFingerprint(watched, TOOLS);
  const hook = `${source}/.git/hooks/post-commit`;
  await run({
    commands: [
      sh('writes', `mkdir -p ${source}/.git/hooks; echo x > ${hook}; echo '[broken' > ${gitDir}/config`),
    ],
  });
  const differences = fingerprintDifferences(before, await takeFingerprint(watched, TOOLS));
  expect(differences).toEqual([
    expect.stringMatching(/^mirror [0-9a-f]{12}, its /),
    expect.stringMatching(/^mirror [0-9a-f]{12}, its /),
    expect.stringMatching(/^the team’s repository, hooks of .*, has changed$/),
  ]);
});

test('called off: what runs is ended and says so, what has not begun does not', async () => {
  const { verify: run } = await scene();
  const folder = await tempDir('began');
  const stop = new AbortController();
  const running = run(
    { commands: [sh('runs', `touch ${folder}/began; sleep 600`), sh('next', 'true')] },
    stop.signal,
  );
  await until(
    () =>
      access(join(folder, 'began')).then(
        () => true,
        () => false,
      ),
    { what: 'the command runs' },
  );
  stop.abort();
  expect((await running).map(({ outcome }) => outcome)).toEqual(['cancelled', 'not_started']);
});

test('a commit that turns the folder to work in into a link out of the tree is not verified', async () => {
  const made = await workspace();
  const out = await tempDir('out');
  made.git('rm', '-r', '--quiet', 'src');
  made.git('-c', `alias.link=!ln -s ${out} src`, 'link');
  made.git('add', '--all');
  made.git('commit', '--quiet', '-m', 'link');
  const head = made.git('rev-parse', 'HEAD');
  await made.collect();
  const order = { places: made.places, head, branch: BRANCH, subdir: 'src', env: {}, wrap: [] };
  const groups = new ProcessGroups({ folder: null });
  const verified = await verify({ ...order, commands: [sh('x', 'touch ran')] }, groups, TOOLS);
  expect(verified).toMatchObject({
    kind: 'failed',
    cause: 'workspace',
    detail: expect.stringContaining('"src" is no folder'),
  });
  expect(await readdir(out)).toEqual([]);
});
