// The control socket: who may open it, what it understands, and that it goes with its team (spec/engine.md §1).
import { existsSync } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { inspectLock } from '../../../src/events/lock.js';
import { askLiveTeam } from '../../../src/runtime/control/control-client.js';
import { CONTROL_LINE_BYTES } from '../../../src/runtime/control/control-protocol.js';
import { verifyTeam } from '../../../src/runtime/verify-team.js';
import { processIdentity } from '../../../src/shared/process-identity.js';
import { ask, does, finish, when, works } from '../../cases/play.js';
import {
  type Mission,
  startJob,
  type TestHouse,
  type WatchedTeam,
  writeMission,
} from '../../helpers/team.js';
import { tempDir } from '../../helpers/temp-dir.js';

const WAITING: Mission = {
  recipe: { tasks: [{ id: 'job', subject: 'Do it', role: 'worker' }] },
  roles: { boss: {}, worker: {} },
  script: {
    boss: { idle: 'Waiting.', turns: [when('has completed #1', finish())] },
    worker: { idle: 'Ready.', turns: [works('#1', does(ask('Which?')))] },
  },
};

async function waitingTeam(
  house: Partial<TestHouse['house']> = {},
): Promise<{ at: TestHouse; team: WatchedTeam; socket: string }> {
  const written = await writeMission(WAITING);
  const at = { ...written, house: { ...written.house, ...house } };
  const team = await startJob(at, {}, true);
  await team.fact('request.opened');
  const lock = await inspectLock(team.live.folder, { identity: await processIdentity() });
  const socket = lock.kind === 'held' ? lock.holder.socket : undefined;
  if (socket === undefined) throw new Error('the lock names no socket');
  return { at, team, socket };
}

/** Writes raw bytes to the socket and gives what comes back until it is closed. */
function raw(path: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket: Socket = connect(path, () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      answer += text;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', (error) => (answer === '' ? reject(error) : resolve(answer)));
  });
}

test('lies in a folder of the operator alone, in a file of the operator alone', async () => {
  const { at, socket } = await waitingTeam();
  expect((await stat(dirname(socket))).mode & 0o777).toBe(0o700);
  expect((await stat(socket)).mode & 0o777).toBe(0o600);
  expect(dirname(dirname(socket))).toBe(at.house.temporaryDirectory);
});

test('lies elsewhere when the temporary folder is too deep for a socket', async () => {
  const deep = join(await tempDir('deep'), 'd'.repeat(120));
  await mkdir(deep);
  const { socket } = await waitingTeam({ temporaryDirectory: deep });
  expect(Buffer.byteLength(socket)).toBeLessThan(104);
  expect((await stat(dirname(socket))).mode & 0o777).toBe(0o700);
});

test('is gone with its folder when the team has ended, and the lock is free', async () => {
  const { at, team, socket } = await waitingTeam();
  await team.live.stop('stop');
  await team.ended();
  expect(existsSync(dirname(socket))).toBe(false);
  expect((await readdir(at.house.temporaryDirectory)).filter((name) => name.startsWith('bnerd-'))).toEqual(
    [],
  );
  expect(await inspectLock(team.live.folder, { identity: await processIdentity() })).toEqual({
    kind: 'free',
  });
});

describe('what it answers', () => {
  test('an answer, a message and a stop do what they say', async () => {
    const { team, socket } = await waitingTeam();
    expect(await askLiveTeam(socket, { op: 'answer', request: 'r1', text: 'this one' })).toEqual({
      kind: 'accepted',
      text: 'r1: answer',
    });
    expect(await askLiveTeam(socket, { op: 'send', to: 'lead', text: 'well done' })).toMatchObject({
      kind: 'accepted',
    });
    expect(await askLiveTeam(socket, { op: 'stop', member: null, force: false })).toEqual({
      kind: 'accepted',
      text: 'the team is stopping',
    });
    await team.ended();
    expect(team.of('request.decided')).toMatchObject([{ decision: 'answer', text: 'this one' }]);
  });

  test('a refusal is told with its code: a request that is not there, a member that is not, an answer given before', async () => {
    const { socket } = await waitingTeam();
    expect(await askLiveTeam(socket, { op: 'answer', request: 'r9', text: 'yes' })).toMatchObject({
      kind: 'refused',
      code: 'unknown_request',
      message: expect.stringContaining('open: r1'),
    });
    expect(await askLiveTeam(socket, { op: 'send', to: 'nobody', text: 'x' })).toMatchObject({
      code: 'unknown_member',
    });
    expect(await askLiveTeam(socket, { op: 'stop', member: 'nobody', force: false })).toMatchObject({
      code: 'unknown_member',
    });
    await askLiveTeam(socket, { op: 'answer', request: 'r1', text: 'a' });
    expect(await askLiveTeam(socket, { op: 'answer', request: 'r1', text: 'b' })).toMatchObject({
      code: 'already_decided',
    });
  });

  test.each([
    ['no JSON', 'hello\n'],
    ['another shape', '{"op":"dance"}\n'],
    ['a wrong type', '{"op":"answer","request":1,"text":"x"}\n'],
    ['an empty line', '\n'],
    ['a line beyond the bound', `{"op":"send","to":"lead","text":"${'x'.repeat(CONTROL_LINE_BYTES)}"}\n`],
  ])('%s is refused, and the team goes on', async (_what, line) => {
    const { team, socket } = await waitingTeam();
    expect(JSON.parse(await raw(socket, line))).toMatchObject({ kind: 'refused', code: 'bad_request' });
    expect(team.live.state().phase.kind).toBe('running');
    expect(await askLiveTeam(socket, { op: 'send', to: 'lead', text: 'still there?' })).toMatchObject({
      kind: 'accepted',
    });
  });

  test('where the team stands, and by which state it goes, is told to a program of the same version alone', async () => {
    const { at, team, socket } = await waitingTeam();
    for (const op of ['status', 'state'] as const) {
      expect(await askLiveTeam(socket, { op, program: at.house.version })).toMatchObject({ kind: op });
      expect(await askLiveTeam(socket, { op, program: '9.9.9' })).toMatchObject({
        code: 'other_version',
        message: `this process is of version ${at.house.version}, not 9.9.9`,
      });
    }
    expect(await verifyTeam({ ...at.house, version: '9.9.9' }, team.live.id)).toMatchObject({
      value: { ok: true },
    });
  });

  test('the first line of a connection is answered, later ones are not', async () => {
    const { team, socket } = await waitingTeam();
    const line = '{"op":"send","to":"lead","text":"once"}\n';
    expect((await raw(socket, line + line)).trim().split('\n')).toHaveLength(1);
    const sent = team.of('mail.sent').filter((fact) => fact.body === 'once');
    expect(sent).toHaveLength(1);
  });

  test('a caller that hangs up in the middle of a line costs nothing', async () => {
    const { team, socket } = await waitingTeam();
    await new Promise<void>((resolve) => {
      const half = connect(socket, () => half.end('{"op":"send","to":', () => half.destroy()));
      half.on('close', () => resolve());
    });
    expect(team.live.state().phase.kind).toBe('running');
  });
});

describe('the caller', () => {
  test('is told when nobody listens', async () => {
    const path = join(await tempDir('none'), 'control');
    expect(await askLiveTeam(path, { op: 'send', to: 'lead', text: 'x' })).toMatchObject({
      kind: 'refused',
      code: 'unreachable',
      message: expect.stringContaining('ENOENT'),
    });
  });

  test.each([
    ['hangs up', (socket: Socket) => socket.end(), 'it hung up'],
    ['answers nonsense', (socket: Socket) => socket.end('what?\n'), 'its answer could not be read'],
    [
      'answers in another shape',
      (socket: Socket) => socket.end('{"kind":"maybe"}\n'),
      'its answer could not be read',
    ],
  ])('is told when the other end %s', async (_what, answer, why) => {
    const path = join(await tempDir('other'), 'control');
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => answer(socket));
    });
    await new Promise<void>((resolve) => server.listen(path, () => resolve()));
    onTestFinished(() => void server.close());
    expect(await askLiveTeam(path, { op: 'send', to: 'lead', text: 'x' })).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining(why),
    });
  });
});

test('a caller that says nothing is hung up on at the deadline', async () => {
  const { socket } = await waitingTeam();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const closed = new Promise<void>((resolve) => {
    connect(socket).on('close', () => resolve());
  });
  const hours = setInterval(() => vi.advanceTimersByTime(10_000), 5); // The connection may be taken a little later.
  onTestFinished(() => clearInterval(hours));
  await closed;
});
