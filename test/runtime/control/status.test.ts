// `status` over the control socket: the same bytes as the record gives, nothing that is not durable, and the record where
// nobody of this version answers in time (spec/engine.md §1, invariant 7).
import { rename } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { statusText } from '../../../src/cli/texts/status-text.js';
import { acquireLock } from '../../../src/events/lock.js';
import { MemoryDisk } from '../../../src/events/memory-record.js';
import { CONTROL_REPLY_BYTES, controlReply } from '../../../src/runtime/control/control-protocol.js';
import { statusReply } from '../../../src/runtime/control/status-reply.js';
import type { House } from '../../../src/runtime/house.js';
import { listTeams, teamStatus } from '../../../src/runtime/teams.js';
import { type Clock, systemClock } from '../../../src/shared/clock.js';
import { processIdentity } from '../../../src/shared/process-identity.js';
import { redactorOf } from '../../../src/shared/secrets/redactor.js';
import { jsonDocument } from '../../../src/shared/terminal-text.js';
import { fold, TeamStore } from '../../../src/state/team-store.js';
import { wallsOf } from '../../../src/state/walls.js';
import type { Command } from '../../../src/team/command.js';
import { evolveEntry } from '../../../src/team/evolve.js';
import { statusView } from '../../../src/team/show/status.js';
import { emptyState } from '../../../src/team/state.js';
import { ask, block, claim, does, finish, mailTo, reviews, says, when, works } from '../../cases/play.js';
import { started } from '../../helpers/build-state.js';
import { type Mission, startJob, type TestHouse, writeMission } from '../../helpers/team.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { until } from '../../helpers/until.js';
import { HeldLog, settle } from '../../state/held-log.js';
import { walkThrough } from '../../team/walks/whole-walk.js';
import { waiting } from '../left-behind.js';

/** A wall clock that a test sets; monotonic time is the machine's. */
class HandClock implements Clock {
  wall = 1_800_000_000_000;
  wallMs(): number {
    return this.wall;
  }
  monotonicMs(): number {
    return systemClock.monotonicMs();
  }
}

const SECRET = 'correct-horse-battery';

/** Something of everything: a task in review by its gate, one blocked, one that waits on it, a question, dead letters. */
const BUSY: Mission = {
  recipe: {
    tasks: [
      { id: 'done', subject: `Do it with ${SECRET}`, role: 'worker', gates: ['judge'] },
      { id: 'stuck', subject: 'Cannot be done', role: 'stuck' },
      { id: 'later', subject: 'Wait', blocked_by: ['stuck'] },
      { id: 'asked', subject: 'Ask', role: 'asker' },
    ],
  },
  roles: { boss: {}, worker: {}, judge: {}, stuck: {}, asker: {} },
  script: {
    boss: { idle: 'Waiting.', turns: [when('has completed #9', finish())] },
    worker: { idle: 'Ready.', turns: [works('#1')] },
    judge: { idle: 'Ready.', turns: [reviews('#1', 'request_changes', { findings: 'Not yet.' })] },
    stuck: {
      idle: 'Ready.',
      turns: [when('Task #2 is ready', does(claim('#2')), does(block('#2', 'no way')), says('Stuck.'))],
    },
    asker: {
      idle: 'Ready.',
      turns: [works('#4', does(mailTo('nobody', 'Hello?'), ask('Which?')))],
    },
  },
};

/** What the two ways give, for people and for programs. */
async function bothWays(house: House, id: string) {
  // The process refuses to speak to a program of another version, which then reads the record.
  const [told, read] = await Promise.all([
    teamStatus(house, id),
    teamStatus({ ...house, version: 'another' }, id),
  ]);
  if (told.kind === 'refused' || read.kind === 'refused') throw new Error('there is no status');
  // The lock's last sign of life is not a matter of the two.
  const shown = ({ value }: typeof told) => {
    const same = { ...value, holder: value.holder?.replace(/heartbeat .*/, '') ?? null };
    return { text: statusText(same), json: jsonDocument(same) };
  };
  return { told: shown(told), read: shown(read), value: told.value };
}

describe('a team that runs', () => {
  test('tells byte for byte what its record gives, for people and as JSON, secrets out of both', async () => {
    const clock = new HandClock();
    const written = await writeMission(BUSY);
    const secrets = redactorOf([{ name: 'KEY', value: SECRET }]);
    const at: TestHouse = { ...written, house: { ...written.house, clock, secrets } };
    const order = { requestTimeoutMs: 3_600_000 };
    const team = await startJob(at, order, true);
    const { id } = team.live;
    await until(() => (statusView(team.live.state(), id).waiting.length > 0 ? true : undefined), {
      what: 'the team to wait for a word',
    });
    await team.live.settled();
    clock.wall += 5_000; // Somebody looks a while later.
    const { told, read, value } = await bothWays(at.house, id);
    expect(told).toEqual(read);
    expect(value).toMatchObject({ live: true, phase: 'running', started: expect.stringMatching(/Z$/) });
    expect(value.tasks.map(({ review, blocked }) => [review !== null, blocked !== null])).toEqual([
      [true, false],
      [false, true],
      [false, false],
      [false, false],
    ]);
    expect(value.requests[0]?.left_ms).toBeLessThanOrEqual(3_600_000 - 5_000);
    expect(told.json).not.toContain(SECRET);
    expect(value.tasks[0]?.subject).toBe('Do it with [secret:KEY]');
  });

  test('is not read off the record: the process that runs it answers', async () => {
    const at = await writeMission(BUSY);
    const team = await startJob(at, {}, true);
    await team.fact('request.opened');
    const log = join(team.live.folder, 'log.jsonl');
    await rename(log, `${log}.aside`);
    const found = await teamStatus(at.house, team.live.id);
    const listed = await listTeams(at.house);
    await rename(`${log}.aside`, log);
    expect(found).toMatchObject({ value: { phase: 'running', live: true } });
    expect(listed).toMatchObject([{ id: team.live.id, phase: 'running', live: true }]);
  });
});

describe('what is told', () => {
  const START: Command = { kind: 'run.start', started: started(), tasks: [], entries: [] };
  const NOW = { clock: new HandClock() };

  test('is durable: a decision in flight is told when it is in the record, and one that comes later holds nothing up', async () => {
    const log = new HeldLog();
    const store = await TeamStore.open(log, systemClock);
    const first = store.send('start', START);
    let told: unknown;
    const telling = statusReply(NOW, 'run-x', store, () => null).then((reply) => {
      told = reply;
    });
    await settle();
    expect(told).toBeUndefined();
    const by = { kind: 'operator', name: 'op' } as const;
    const later = store.send('later', { kind: 'mail.send', by, to: 'boss', body: 'Hello', task: null });
    log.release([0]);
    await telling;
    const [entry] = await log.read();
    if (entry === undefined) throw new Error('nothing is recorded');
    const state = fold([entry]);
    expect(told).toEqual({
      kind: 'status',
      started: entry.wall,
      view: statusView(state, 'run-x', state.at + NOW.clock.wall - Date.parse(entry.wall)),
    });
    log.release();
    await Promise.all([first, later]);
  });

  test('is nothing when what it would show never came into the record', async () => {
    const log = new HeldLog();
    const store = await TeamStore.open(log, systemClock);
    const sent = store.send('start', START);
    const telling = statusReply(NOW, 'run-x', store, () => null);
    await settle();
    log.fail(new Error('the disk is gone'));
    await expect(telling).rejects.toThrow('the disk is gone');
    await expect(sent).rejects.toThrow('the disk is gone');
  });

  test('is nothing when somebody else has written what it would show', async () => {
    const disk = new MemoryDisk();
    const log = new HeldLog(disk);
    const store = await TeamStore.open(log, systemClock);
    const other = await TeamStore.open(new HeldLog(disk), systemClock);
    void other.send('start', START); // Its place is taken.
    const sent = store.send('start', START);
    const telling = statusReply(NOW, 'run-x', store, () => null);
    await settle();
    log.holding = false;
    log.release();
    expect(await telling).toMatchObject({ kind: 'refused', code: 'overtaken' });
    await sent;
  });

  test('has the form that the other side reads, wherever a team stands', () => {
    for (const seed of [1, 2]) {
      const { team } = walkThrough(
        seed,
        Array.from({ length: 100 }, (_, at) => 1_000 * seed + at),
      );
      let state = emptyState();
      for (const entry of team.entries) {
        state = evolveEntry(state, entry);
        const view = statusView(state, 'run-x', state.at + 1);
        const reply = { kind: 'status', started: wallsOf([entry])?.first, view };
        expect(controlReply.safeParse(JSON.parse(JSON.stringify(reply))).error).toBeUndefined();
      }
    }
  });
});

describe('the record is read', () => {
  /** A team whose lock names a socket of ours that answers as the test says. */
  async function heldBy(answer: (socket: Socket) => void): Promise<{ house: House; id: string }> {
    const { at, id, team } = await waiting();
    const { house } = at;
    const attempt = await acquireLock(team.live.folder, {
      identity: await processIdentity(),
      clock: house.clock,
      mode: 'open',
    });
    if (attempt.kind !== 'acquired') throw new Error('the lock is held');
    onTestFinished(() => attempt.lock.release());
    const path = join(await tempDir('far'), 'control');
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => answer(socket));
    });
    await new Promise<void>((resolve) => server.listen(path, () => resolve()));
    onTestFinished(() => void server.close());
    await attempt.lock.announce({ socket: path });
    return { house, id };
  }

  test.each([
    ['hangs up', ''],
    ['is of an earlier version', '{"kind":"refused","code":"bad_request","message":"?"}\n'],
    ['answers in another form', '{"kind":"status","started":"","view":{"v":1,"team":"run-x"}}\n'],
    ['answers another question', '{"kind":"accepted","text":"sent"}\n'],
    ['says more than is taken', `"${'x'.repeat(CONTROL_REPLY_BYTES)}"\n`],
  ])('when the process %s', async (_what, line) => {
    const { house, id } = await heldBy((socket) => socket.end(line));
    expect(await teamStatus(house, id)).toMatchObject({
      kind: 'found',
      value: { live: true, phase: 'ended', reason: 'needs_human' },
    });
  });

  test('when the process does not end its answer in time, however often it says a word', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { house, id } = await heldBy((socket) => {
      const drops = setInterval(() => socket.write(' '), 5);
      socket.on('close', () => clearInterval(drops));
    });
    const hours = setInterval(() => vi.advanceTimersByTime(1_000), 20);
    onTestFinished(() => clearInterval(hours));
    expect(await teamStatus(house, id)).toMatchObject({ value: { phase: 'ended', live: true } });
  });
});
