// Mail between members that run: lost, late, and to a second session (cases A1, A3, A6, A8, A11).
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { teamStatus } from '../../src/runtime/teams.js';
import { gate, waitAt } from '../helpers/gate.js';
import { resumeJob, runMission, startJob, writeMission } from '../helpers/team.js';
import { deliveriesOf, finish, mailFrom, numberOf, taskOf, timeOf, transcriptOf, turnsOf } from './look.js';
import { claim, complete, does, hearing, mailTo, says, type Turn, when, works } from './play.js';

const BODY = 'The tide turns at four.\n\nBring "ropes": 3 of them.';

describe('A1', () => {
  test('A1: mail of a worker to the lead stands word for word in the next input of the lead', async () => {
    const team = await runMission({
      recipe: { tasks: taskOf('worker') },
      roles: { boss: {}, worker: {} },
      script: {
        boss: { idle: 'Waiting.', turns: [when('', says('Begin.')), when('turns at four', says('Heard.'))] },
        worker: { idle: 'Ready.', turns: [works('#1', does(mailTo('lead', BODY)))] },
      },
    });
    expect(await team.ended()).toMatchObject({ reason: 'done', exit: 0 });
    const sent = mailFrom(team, 'worker');
    const rows = team.journal;
    const after = rows.slice(rows.findIndex((row) => row.kind === 'fact' && row.fact === sent));
    const next = after.find(
      (row) => row.kind === 'transcript' && row.member === 'boss' && row.entry.kind === 'input',
    );
    expect(next).toMatchObject({ entry: { messages: expect.arrayContaining([sent.id]) } });
    expect(next).toMatchObject({ entry: { text: expect.stringContaining(BODY) } });
    expect(team.inputs('boss').filter((text) => text.includes(BODY))).toHaveLength(1);
    expect(deliveriesOf(team, sent.id)).toHaveLength(1);
    expect(numberOf(team, sent)).toBeLessThan(numberOf(team, deliveriesOf(team, sent.id)[0]));
    expect(team.results('worker')).toContain(`Sent as ${sent.id}: queued for boss.`);
  });

  test('A1: mail to nobody is undelivered in the answer of the call that sent it, and a dead letter', async () => {
    const team = await runMission({
      recipe: { tasks: taskOf('worker') },
      roles: { boss: {}, worker: {} },
      script: {
        boss: { idle: 'Waiting.', turns: [when('', says('Begin.'))] },
        worker: { idle: 'Ready.', turns: [works('#1', does(mailTo('bos', BODY)))] },
      },
    });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(team.results('worker')).toContainEqual(
      expect.stringContaining('undelivered: no member is named bos'),
    );
    expect(team.of('mail.dead')).toMatchObject([
      { from: 'worker', to: 'bos', reason: 'unknown', body: BODY },
    ]);
    expect(team.live.state().counts.dead).toBe(1);
  });

  test('A1: mail that the end of the run leaves unread is said to be expired, by id', async () => {
    // The worker cannot begin while the lead has the workspace, which it has to the end.
    const team = await runMission({
      roles: { boss: { workspace: 'exclusive' }, worker: { workspace: 'exclusive' } },
      script: {
        boss: { turns: [when('', does(mailTo('worker', BODY), finish('failed', 'No time.')))] },
        worker: { idle: 'Ready.', turns: [when('', says('Never.'))] },
      },
    });
    expect(await team.ended()).toMatchObject({ reason: 'failed', cause: 'lead', exit: 1 });
    const sent = mailFrom(team, 'boss');
    expect(team.of('mail.expired')).toEqual([{ type: 'mail.expired', member: 'worker', ids: [sent.id] }]);
    expect(deliveriesOf(team, sent.id)).toEqual([]);
  });
});

/** `slow` waits in a tool call; `talker` writes to it once it does, and then has `more` turns. */
async function slowAndTalker(more: readonly Turn[] = []) {
  const at = await writeMission({
    recipe: { tasks: taskOf('slow', 'talker') },
    roles: { boss: {}, slow: { base: 'write' }, talker: { base: 'write' } },
    script: {
      boss: { idle: 'Waiting.', turns: [when('', says('Begin.'))] },
      slow: { idle: 'Ready.', turns: [works('#1', does(waitAt('slow')))] },
      talker: {
        idle: 'Ready.',
        turns: [works('#2', does(waitAt('talker')), does(mailTo('slow', BODY))), ...more],
      },
    },
  });
  const gates = { slow: await gate(at.workspace, 'slow'), talker: await gate(at.workspace, 'talker') };
  const team = await startJob(at);
  await team.fact('tool.started', (fact) => fact.member === 'slow');
  await gates.talker.open();
  const sent = await team.fact('mail.sent', (fact) => fact.from === 'talker' && fact.kind === 'mail');
  return { at, gates, team, sent };
}

describe('A3', () => {
  test('A3: mail during a long call is delivered at the next tool boundary, and the record says how long it waited', async () => {
    const { team, gates, sent } = await slowAndTalker();
    expect(deliveriesOf(team, sent.id)).toEqual([]);
    await gates.slow.open();
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    const kinds = transcriptOf(team, 'slow').map((entry) => entry.kind);
    const input = transcriptOf(team, 'slow').findIndex(
      (entry) => entry.kind === 'input' && entry.messages.includes(sent.id),
    );
    expect(transcriptOf(team, 'slow')[input]).toMatchObject({ text: expect.stringContaining(BODY) });
    expect(kinds.slice(input - 2, input + 2)).toEqual(['reply', 'result', 'input', 'reply']);
    expect(transcriptOf(team, 'slow')[input - 1]).toMatchObject({ text: expect.stringContaining('open') });
    expect(turnsOf(team, 'slow')).toHaveLength(1);
    const [delivered] = deliveriesOf(team, sent.id);
    const waited = delivered?.messages.find((message) => message.id === sent.id)?.waited_ms;
    expect(waited).toBe(timeOf(team, delivered) - timeOf(team, sent));
  });

  test('A3: mail that comes while the last answer of a turn is made is delivered by a turn of its own', async () => {
    const at = await writeMission({
      recipe: { tasks: taskOf('worker') },
      roles: { boss: {}, worker: {} },
      script: {
        boss: { idle: 'Waiting.', turns: [when('', says('Begin.'))] },
        worker: { idle: 'Ready.', turns: [works('#1'), when('turns at four', says('Noted.'))] },
      },
    });
    const team = await startJob(at);
    team.onRow = (row) => {
      if (row.kind !== 'transcript' || row.member !== 'worker') return;
      if (row.entry.kind !== 'reply' || row.entry.text !== '#1 done.') return;
      void team.live.send('worker', BODY);
    };
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    const sent = team.of('mail.sent').find((fact) => fact.kind === 'operator');
    const turns = turnsOf(team, 'worker');
    expect(turns.map((fact) => fact.cause)).toContain(numberOf(team, sent));
    expect(deliveriesOf(team, sent?.id)).toHaveLength(1);
    expect(team.inputs('worker').filter((text) => text.includes(BODY))).toHaveLength(1);
  });

  test('A3: mail that a stopped receiver has not read is bounced to its sender', async () => {
    const { team, sent } = await slowAndTalker([when('is undelivered: slow', says('Noted.'))]);
    expect(await team.live.stopMember('slow')).toMatchObject({ kind: 'accepted' });
    await team.fact('mail.dead', (fact) => fact.id === sent.id && fact.reason === 'stopped');
    const bounce = await team.fact(
      'mail.sent',
      (fact) => fact.to.includes('talker') && fact.kind === 'report',
    );
    expect(bounce.body).toBe(`Your message ${sent.id} is undelivered: slow was stopped before it read it.`);
    await team.fact('mail.delivered', (fact) => fact.messages.some((message) => message.id === bounce.id));
    expect(deliveriesOf(team, sent.id)).toEqual([]);
  });

  test('A3: a stop ends a call that would never end, and the mail is delivered after the resume', async () => {
    const { at, gates, team, sent } = await slowAndTalker();
    await team.fact('task.completed', (fact) => fact.member === 'talker');
    await team.live.stop('interrupt');
    expect(await team.ended()).toMatchObject({ reason: 'cancelled', exit: 130, resumable: true });
    expect(team.of('turn.ended').filter((fact) => fact.member === 'slow')).toMatchObject([
      { outcome: 'cancelled' },
    ]);
    expect(transcriptOf(team, 'slow').at(-1)).toMatchObject({ kind: 'result', outcome: 'cancelled' });
    expect(deliveriesOf(team, sent.id)).toEqual([]);
    await gates.slow.open();
    const resumed = await resumeJob(at, team.live.id);
    expect(await resumed.ended()).toMatchObject({ reason: 'done' });
    expect(deliveriesOf(resumed, sent.id)).toHaveLength(1);
    expect(resumed.inputs('slow').filter((text) => text.includes(BODY))).toHaveLength(1);
  });
});

test('A6: mail that arrives in the 25th of 50 calls of one turn is seen before the 51st, with nobody at the keys', async () => {
  const list = { tool: 'fs_list', args: { path: '.' } };
  const before = Array.from({ length: 23 }, () => list);
  const at = await writeMission({
    recipe: { tasks: taskOf('worker') },
    roles: { boss: {}, worker: { base: 'write' } },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [when('', says('Begin.')), when('half way', does(mailTo('worker', BODY)), says('Told.'))],
      },
      worker: {
        idle: 'Ready.',
        turns: [
          when(
            'Task #1 is ready',
            ...[claim('#1'), ...before, waitAt('worker')].map((call) => does(call)),
            { capture: { tide: 'turns at (\\w+)' }, calls: [list] },
            ...Array.from({ length: 23 }, () => does(list)),
            does(complete('#1', { summary: 'At {{tide}}.' })),
            says('Reported.'),
          ),
        ],
      },
    },
  });
  const workers = await gate(at.workspace, 'worker');
  const team = await startJob(at);
  await team.fact('tool.started', (fact) => fact.member === 'worker');
  expect(team.results('worker')).toHaveLength(24);
  await team.live.send('lead', 'The worker is half way.');
  const sent = await team.fact('mail.sent', (fact) => fact.from === 'boss');
  await workers.open();
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expect(team.results('worker')).toHaveLength(50);
  const entries = transcriptOf(team, 'worker');
  const seen = entries.findIndex((entry) => entry.kind === 'input' && entry.messages.includes(sent.id));
  expect(entries.slice(0, seen).filter((entry) => entry.kind === 'result')).toHaveLength(25);
  expect(team.of('task.completed')).toMatchObject([{ summary: 'At four.' }]);
  expect(turnsOf(team, 'worker')).toHaveLength(1);
});

test('A8: mail to an idle member wakes the one session there is: same member, same transcript, nothing spawned', async () => {
  const at = await writeMission({
    roles: { boss: {}, worker: {} },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when('', does(mailTo('worker', 'first')), says('One.')),
          when('Heard first', does(mailTo('worker', 'second')), says('Two.')),
          when('Heard second', does(mailTo('worker', 'third')), says('Three.')),
          when('Heard third', does(finish('done', 'Heard.'))),
        ],
      },
      worker: {
        idle: 'Ready.',
        turns: [
          when('first', says('Heard first.')),
          when('second', says('Heard second.')),
          when('third', says('Heard third.')),
        ],
      },
    },
  });
  const team = await startJob(at);
  let live = 0;
  let most = 0;
  team.onRow = (row) => {
    if (row.kind !== 'fact' || !('member' in row.fact) || row.fact.member !== 'worker') return;
    if (row.fact.type === 'turn.started') most = Math.max(most, ++live);
    if (row.fact.type === 'turn.ended') live--;
  };
  expect(await team.ended()).toMatchObject({ reason: 'done', result: 'Heard.' });
  expect(most).toBe(1);
  expect(turnsOf(team, 'worker')).toHaveLength(3);
  expect(team.of('member.spawned').map((fact) => fact.seat.member)).toEqual(['boss', 'worker']);
  expect([...team.live.state().members.keys()]).toEqual(['boss', 'worker']);
  expect((await readdir(join(team.live.folder, 'transcripts'))).sort()).toEqual([
    'boss.jsonl',
    'worker.jsonl',
  ]);
  // One memory: the third turn still knows what the first was told.
  expect(transcriptOf(team, 'worker').filter((entry) => entry.kind === 'opened')).toHaveLength(3);
});

test('A11: five unread messages reach the lead whole and oldest first; only then are they delivered', async () => {
  const bodies = ['one', 'two', 'three', 'four', 'five'].map((word) => `Report ${word}.\nIt is long.`);
  const at = await writeMission({
    recipe: { tasks: taskOf('worker') },
    roles: { boss: { base: 'write' }, worker: {} },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when(
            '',
            does(waitAt('boss'), { tool: 'team_overview', args: {} }),
            hearing(
              bodies.map((body) => body.split('\n')[0] ?? ''),
              says('All read.'),
            ),
          ),
        ],
      },
      worker: {
        idle: 'Ready.',
        turns: [works('#1', ...bodies.map((body) => does(mailTo('lead', body))))],
      },
    },
  });
  const bosses = await gate(at.workspace, 'boss');
  const team = await startJob(at);
  await team.fact('tool.started', (fact) => fact.member === 'boss');
  await team.fact('turn.ended', (fact) => fact.member === 'worker');
  const ids = team.of('mail.sent').flatMap((fact) => (fact.kind === 'mail' ? [fact.id] : []));
  expect(ids).toHaveLength(5);
  const unread = async (): Promise<number | undefined> => {
    const status = await teamStatus(at.house, team.live.id);
    return status.kind === 'found'
      ? status.value.members.find((member) => member.name === 'boss')?.unread
      : undefined;
  };
  // Five messages, the report of the completion and the idle notice.
  expect(await unread()).toBe(7);
  for (const id of ids) expect(deliveriesOf(team, id)).toEqual([]);
  await bosses.open();
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expect(team.results('boss').at(-1)).toContain('boss (boss): working, 7 unread');
  const input = transcriptOf(team, 'boss').filter((entry) => entry.kind === 'input')[1];
  expect(input).toMatchObject({ messages: expect.arrayContaining(ids) });
  const text = input?.kind === 'input' ? input.text : '';
  const places = bodies.map((body) => text.indexOf(body));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((one, other) => one - other));
  expect(await unread()).toBe(0);
  for (const id of ids) {
    const [delivered, ...more] = deliveriesOf(team, id);
    expect(more).toEqual([]);
    const put = team.journal.findIndex((row) => row.kind === 'transcript' && row.entry === input);
    expect(put).toBeLessThan(team.journal.findIndex((row) => row.kind === 'fact' && row.fact === delivered));
  }
});
