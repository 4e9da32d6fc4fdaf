import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../../../src/delegate/engineers/command.js';
import { BriefWork, type WorkOrder } from '../../../src/delegate/runner/brief-work.js';
import type { RunnerHouse } from '../../../src/delegate/runner/runner-house.js';
import { takePlaces } from '../../../src/delegate/workspace/places.js';
import { CancelledError } from '../../../src/shared/errors.js';
import { COMMIT, runnerScene, type Scene } from '../../helpers/runner.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { until } from '../../helpers/until.js';

/** The work on a brief whose time and whose cancellation the test decides. */
async function workOf(
  { brief, house, workdir }: Scene,
  { cancel = new AbortController(), wall = new AbortController(), house: change = {} }: Options = {},
): Promise<BriefWork> {
  const settings = house.limits.engineers.get('command');
  if (settings === undefined) throw new Error('no settings');
  const order = brief();
  const places = await takePlaces(workdir, order.id);
  if ('kind' in places) throw new Error(places.detail);
  const work: WorkOrder = {
    brief: order,
    engineer: command,
    settings,
    prompt: 'Go.\n',
    places,
    cancel: cancel.signal,
    wall: wall.signal,
    leftMs: () => 60_000,
  };
  return new BriefWork(work, { ...house, ...change }, { step: () => {}, engineer: () => {} });
}

interface Options {
  readonly cancel?: AbortController;
  readonly wall?: AbortController;
  readonly house?: Partial<RunnerHouse>;
}

test.each(['fetch', 'for-each-ref'])(
  'its time is over while git is at "%s", before the engineer began: timed out, whatever was being done',
  async (word) => {
    const scene = await runnerScene(COMMIT);
    const bin = await tempDir('bin');
    const { path } = scene.house.git;
    const hung = join(bin, 'hung');
    const script = `case " $* " in *" ${word} "*) touch ${hung}; exec sleep 60;; esac; PATH=${path}; exec git "$@"`;
    await writeFile(join(bin, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const wall = new AbortController();
    const git = { ...scene.house.git, path: `${bin}:${path}` };
    const work = await workOf(scene, { wall, house: { git } });
    const done = work.run();
    await until(
      () =>
        access(hung).then(
          () => true,
          () => false,
        ),
      { what: 'a git that hangs' },
    );
    wall.abort();
    await done;
    expect(work.seen).toBeNull();
    expect(work.classified).toMatchObject({
      status: 'timed_out',
      detail: 'its 10 minutes were over before the engineer began (limits.wall_minutes)',
    });
  },
);

test('cancelled while something of the engineer could not be ended: it is not called cancelled', async () => {
  const scene = await runnerScene(COMMIT);
  const cancel = new AbortController();
  const { engineer } = scene.house;
  const groups: typeof engineer.groups = {
    start: async (spec) => {
      const start = await engineer.groups.start(spec);
      if (start.kind === 'failed') return start;
      const { id, output, errors, input, exited } = start.group;
      const end: typeof start.group.end = async (ladder) => {
        const ending = await start.group.end(ladder);
        cancel.abort(new CancelledError('cancelled', 'enough'));
        return { ...ending, left: [4_242] };
      };
      return { kind: 'started', group: { id, output, errors, input, exited, end } };
    },
  };
  const work = await workOf(scene, { cancel, house: { engineer: { ...engineer, groups } } });
  await work.run();
  expect(work.classified).toMatchObject({
    status: 'failed',
    cause: 'crashed',
    detail: 'processes of the engineer could not be ended: 4242; end them by hand',
  });
});

const FULL = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

test.each([
  ['the engineer', 1],
  ['a command of its verification', 2],
])('a disk without room for the record of %s is the cause that is named', async (_, which) => {
  const scene = await runnerScene(COMMIT);
  const { engineer } = scene.house;
  let starts = 0;
  const groups: typeof engineer.groups = {
    start: async (spec) =>
      ++starts === which
        ? { kind: 'failed', reason: FULL.message, error: FULL }
        : engineer.groups.start(spec),
  };
  const verified = { ...scene, brief: () => scene.brief({ verify: [{ key: 'test', argv: ['/bin/true'] }] }) };
  const work = await workOf(verified, { house: { engineer: { ...engineer, groups } } });
  await work.run();
  expect(starts).toBe(which);
  expect(work.classified).toMatchObject({
    status: 'failed',
    cause: 'disk_full',
    detail: expect.stringContaining('no space left'),
  });
});

test('a disk that is full where nobody looks for it is named as the cause', async () => {
  const scene = await runnerScene(COMMIT);
  const groups = { start: () => Promise.reject(FULL) };
  const work = await workOf(scene, { house: { engineer: { ...scene.house.engineer, groups } } });
  await work.run();
  expect(work.classified).toMatchObject({
    status: 'failed',
    cause: 'disk_full',
    detail: expect.stringContaining('make room'),
  });
});
