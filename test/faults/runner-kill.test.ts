// A runner that is killed at each of its steps, alone and with its watchdog, and what its parent finds afterwards.

import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Outbox } from '../../src/delegate/runner/outbox.js';
import { takePlaces } from '../../src/delegate/workspace/places.js';
import { sha256 } from '../../src/shared/digest.js';
import { systemProcessTable } from '../../src/shared/process-table.js';
import { newKeyPair, signed } from '../../src/shared/signature.js';
import { CLI } from '../helpers/bnerd.js';
import { aBrief, resultOrder } from '../helpers/briefs.js';
import { runnerPlace } from '../helpers/runner-child.js';
import { noneRunning } from '../helpers/running.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';

const AT_LINE = join(import.meta.dirname, '../fixtures/kill/at-line.js');
const AT_WRITE = join(import.meta.dirname, '../fixtures/kill/at-write.js');

const pidsIn = async (file: string): Promise<number[]> =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number);

/** A family that ignores TERM, one of it in a session of its own; its numbers are written to a file. */
const family = (file: string): string =>
  `trap '' TERM; setsid sh -c 'trap "" TERM; echo $$ >> ${file}; while :; do sleep 1; done' & echo $$ >> ${file}`;

const WORK = 'cat > /dev/null; echo work > work.txt; git add -A; git commit -qm work';

describe.each([
  ['is taken', 'accepted'],
  ['gets a workspace', 'workspace'],
  ['is worked on', 'engineer'],
  ['is verified', 'verifying'],
  ['is reported', 'reported'],
  ['has its result', 'result'],
])('a runner that is killed when its brief %s', (_, step) => {
  test(`(${step}) leaves nothing running, and its result is there once or not at all`, async () => {
    const { start, brief, outbox, place } = await runnerPlace();
    const pids = join(place.root, 'pids');
    const order = brief({ verify: [{ key: 'test', argv: ['/bin/sh', '-c', `echo $$ >> ${pids}`] }] });
    const text = step === 'accepted' || step === 'result' ? `"type":"${step}"` : `"step":"${step}"`;
    const killed = start(WORK, { preload: AT_LINE, env: { KILL_AT_LINE: text } });
    killed.tell(order);
    expect(await killed.exit).toBe(137);
    await noneRunning({ pids: await pidsIn(pids) });
    const left = await outbox.read(order.id);
    expect(left.kind).toBe(step === 'result' ? 'result' : 'none');
    const again = start(WORK);
    again.tell(order);
    await again.says('result');
    const read = await outbox.read(order.id);
    expect(read).toMatchObject({
      waiting: {
        result: step === 'result' ? { status: 'completed' } : { status: 'failed', cause: 'crashed' },
      },
    });
    if (left.kind === 'result') expect(read).toEqual(left);
    again.tell({ v: 1, brief: order.id, type: 'acknowledged' });
    expect(await again.exit).toBe(0);
    expect(await outbox.read(order.id)).toEqual({ kind: 'none' });
  });
});

test.each(['engineer', 'verification'])(
  'killed by the %s that it runs, it leaves nothing of it running, whoever is its parent by then (G156, G160, G163)',
  async (who) => {
    const { start, brief, outbox, place } = await runnerPlace();
    const pids = join(place.root, 'pids');
    const kill = `${family(pids)}; kill -9 $PPID; while :; do sleep 1; done`;
    const order = brief({ verify: [{ key: 'test', argv: ['/bin/sh', '-c', kill] }] });
    const killed = start(who === 'engineer' ? kill : WORK);
    killed.tell(order);
    expect(await killed.exit).toBe(137);
    expect((await pidsIn(pids)).length).toBeGreaterThan(0);
    await noneRunning({ pids: await pidsIn(pids) });
    expect(await outbox.read(order.id)).toEqual({ kind: 'none' });
  },
);

const watchdogOf = (runner: number): Promise<number> =>
  until(
    async () => {
      for (const { pid, parent } of await systemProcessTable().rows()) {
        if (parent !== runner) continue;
        if ((await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes('watchdog')) return pid;
      }
      return null;
    },
    { what: `a watchdog of ${runner}` },
  );

const whole = async (file: string): Promise<number[]> =>
  until(async () => ((await pidsIn(file)).length >= 2 ? pidsIn(file) : null), {
    what: `a family in ${file}`,
  });

test('a watchdog that is killed is replaced, and the new one does its work', async () => {
  const { start, brief, place } = await runnerPlace();
  const pids = join(place.root, 'pids');
  const runner = start(`${family(pids)}; while :; do sleep 1; done`);
  runner.tell(brief());
  const seen = await whole(pids);
  const first = await watchdogOf(runner.pid);
  process.kill(first, 'SIGKILL');
  await until(async () => (await watchdogOf(runner.pid)) !== first, { what: 'another watchdog' });
  runner.signal('SIGKILL');
  await noneRunning({ pids: seen });
});

test('what runner and watchdog leave that are killed together, the next start ends before anything else', async () => {
  const { start, brief, place } = await runnerPlace();
  const pids = join(place.root, 'pids');
  const runner = start(`${family(pids)}; while :; do sleep 1; done`);
  runner.tell(brief());
  const seen = await whole(pids);
  const watchdog = await watchdogOf(runner.pid);
  // Stopped first, so that it replaces nothing.
  runner.signal('SIGSTOP');
  process.kill(watchdog, 'SIGKILL');
  runner.signal('SIGKILL');
  await runner.exit;
  const next = start('true');
  next.endInput();
  expect(await next.exit).toBe(2);
  await noneRunning({ pids: seen });
  expect(next.stderr()).toContain('had left running');
});

test.each(['killed', 'cancelled'])('a git of ours that hangs is gone when its runner is %s', async (how) => {
  const { start, brief, outbox, place, cancelWord } = await runnerPlace();
  const pids = join(place.root, 'pids');
  const repo = 'ssh://git@example.invalid/repository';
  const ssh = join(place.root, 'ssh');
  await writeFile(ssh, `#!/bin/sh\n${family(pids)}; while :; do sleep 1; done\n`, { mode: 0o755 });
  const env = { GIT_SSH_COMMAND: ssh };
  const order = brief({ workspace: { repo } });
  const runner = start('true', { env, flags: ['--repos', repo, '--git-env', 'GIT_SSH_COMMAND'] });
  runner.tell(order);
  const seen = await whole(pids);
  if (how === 'killed') runner.signal('SIGKILL');
  else {
    runner.tell(cancelWord(order.id, 'not needed'));
    await runner.says('result');
    expect(await outbox.read(order.id)).toMatchObject({
      waiting: { result: { status: 'cancelled', detail: 'not needed' } },
    });
    runner.endInput();
  }
  await runner.exit;
  await noneRunning({ pids: seen });
});

/** A module that is run anew with one more of its changes below a folder met by a kill or a full disk, until none is. */
async function atEachChange(
  how: 'kill' | 'full',
  script: string,
  words: (workdir: string) => Promise<readonly string[]>,
  below: string,
  look: (workdir: string, said: string) => Promise<void>,
): Promise<void> {
  for (let at = 1, ended = false; !ended; at++) {
    const workdir = await tempDir('workdir');
    const given = await words(workdir);
    const log = join(await tempDir('log'), 'changes');
    const env = { KILL_BELOW: join(workdir, below), KILL_LOG: log, KILL_AT: String(at), KILL_HOW: how };
    let said = '';
    try {
      const argv = ['--import', AT_WRITE, '--input-type=module', '-e', script, workdir, ...given];
      said = execFileSync(process.execPath, argv, { env, stdio: 'pipe', encoding: 'utf8' });
    } catch {
      // killed, or failed, as it should be
    }
    ended = (await readFile(log, 'utf8')).split('\n').filter(Boolean).length < at;
    await look(workdir, said);
  }
}

test.each(['kill', 'full'] as const)(
  'a folder of a brief whose making meets its end (%s) at any change has its mark or is not there',
  async (how) => {
    const id = 'run-feature-01.t1.a1.o1';
    const script = `
import { takePlaces } from ${JSON.stringify(join(CLI, '../delegate/workspace/places.js'))};
const taken = await takePlaces(process.argv[1], ${JSON.stringify(id)});
console.log(taken.kind === undefined ? 'made' : taken.cause);`;
    const seen = new Set<string>();
    const words = async (): Promise<readonly string[]> => [];
    await atEachChange(how, script, words, 'briefs', async (workdir, said) => {
      const names = await readdir(join(workdir, 'briefs')).catch((): string[] => []);
      const made = names.includes(id);
      seen.add(`${made ? 'made' : 'none'}, ${said.trim() || 'killed'}`);
      if (made) expect(await readdir(join(workdir, 'briefs', id))).toEqual(['brief.json', 'home']);
      if (how === 'full' && said.trim() === 'disk_full') expect(names).toEqual([]);
      expect('kind' in (await takePlaces(workdir, id))).toBe(made);
    });
    expect([...seen].sort()).toEqual(
      how === 'kill' ? ['made, made', 'none, killed'] : ['made, made', 'none, disk_full'],
    );
  },
);

test.each(['kill', 'full'] as const)(
  'a write of the outbox that meets its end (%s) at any change leaves a whole result or none',
  async (how) => {
    const pair = newKeyPair();
    const bytes = '# v2 git bundle\n';
    const order = resultOrder(aBrief(pair), { bundle: { sha256: sha256(bytes), bytes: bytes.length } });
    const result = signed('result', order, pair);
    const script = `
import { Outbox } from ${JSON.stringify(join(CLI, '../delegate/runner/outbox.js'))};
const [workdir, result] = process.argv.slice(1);
await new Outbox(workdir).put(JSON.parse(result), workdir + '/made');`;
    const seen = new Set<string>();
    const words = async (workdir: string): Promise<readonly string[]> => {
      await writeFile(join(workdir, 'made'), bytes);
      return [JSON.stringify(result)];
    };
    await atEachChange(how, script, words, 'outbox', async (workdir) => {
      const outbox = new Outbox(workdir);
      const { waiting, findings } = await outbox.list();
      expect(findings).toEqual([]);
      seen.add(waiting.length === 0 ? 'none' : 'whole');
      if (waiting.length > 0) expect(waiting[0]?.result).toEqual(result);
      // A result that could not be written leaves no room taken that another may need.
      const folder = join(workdir, 'outbox', result.brief);
      if (how === 'full' && waiting.length === 0)
        expect(await readdir(folder).catch((): string[] => [])).toEqual([]);
      // Whoever comes next can put it, or finds it.
      await writeFile(join(workdir, 'made'), bytes);
      expect(await outbox.put(result, join(workdir, 'made'))).toBe(waiting.length === 0 ? 'put' : 'there');
    });
    expect(seen).toEqual(new Set(['none', 'whole']));
  },
);
