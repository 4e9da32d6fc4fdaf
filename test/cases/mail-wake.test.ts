// Who is woken by what: at the start, in each state of a member, by failures (cases A13, A16, A21).
import { expect, test } from 'vitest';
import { openTeam } from '../../src/runtime/open-team.js';
import type { TeamStore } from '../../src/state/team-store.js';
import type { Command } from '../../src/team/command.js';
import { WrittenRecord } from '../helpers/cut-record.js';
import { gate, waitAt } from '../helpers/gate.js';
import { resumeJob, runMission, startJob, writeMission } from '../helpers/team.js';
import { deliveriesOf, finish, mailFrom, numberOf, spawn, taskOf, transcriptOf, turnsOf } from './look.js';
import { ask, claim, complete, does, expectInvariants, hearing, mailTo, says, when } from './play.js';

const WORKERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];

test('A13: the first turn of the lead is its kickoff, and what eight workers wrote before comes batched in the second', async () => {
  const at = await writeMission({
    recipe: { limits: { members: 9 } },
    roles: { boss: {}, ...Object.fromEntries(WORKERS.map((name) => [name, {}])) },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when('Do the job', says('Begin.')),
          when(
            WORKERS.map((name) => `hello from ${name}`),
            does(mailTo('all', 'Thank you.')),
            says('Thanked.'),
          ),
          when(
            WORKERS.map((name) => `^${name} is glad`),
            does(finish('done', 'All are here.')),
          ),
        ],
      },
      ...Object.fromEntries(
        WORKERS.map((name) => [
          name,
          { idle: 'Ready.', turns: [when('Thank you', says('{{member}} is glad.'))] },
        ]),
      ),
    },
  });
  // The workers of a process that died before the lead had its turn; their mail is all that came of it.
  const first = await startJob(at);
  await first.live.stop('interrupt');
  await first.ended();
  const cut = await (await WrittenRecord.of(at, first.live.id)).cut({ entries: 1 });
  const opened = await openTeam(cut.house, cut.id, cut.folder, 'open');
  if (opened.kind !== 'open') throw new Error('the copy is held');
  for (const name of WORKERS) await sayHello(opened.team.store, name);
  await opened.team.releases.run();

  const team = await resumeJob(cut, cut.id);
  expect(await team.ended()).toMatchObject({ reason: 'done', result: 'All are here.' });
  const inputs = transcriptOf(team, 'boss').flatMap((entry) => (entry.kind === 'input' ? [entry] : []));
  expect(inputs[0]?.messages).toEqual(['m1']);
  expect(inputs[0]?.text).toBe("[m1: the operator's order to this team]\nDo the job.");
  const second = numberOf(team, turnsOf(team, 'boss')[1]);
  expect(inputs[1]?.id).toBe(`${second}-1`);
  for (const name of WORKERS) expect(inputs[1]?.text).toContain(`hello from ${name}`);
});

/** A worker's turn as its process would record it: woken by the operator, a message to the lead, the end. */
async function sayHello(store: TeamStore, member: string): Promise<void> {
  const send = async (key: string, command: Command) => {
    const outcome = await store.send(`turn/${member}/${key}`, command);
    if (outcome.kind === 'refused') throw new Error(`${outcome.code}: ${outcome.message}`);
    return outcome;
  };
  const by = { kind: 'operator', name: 'tester' } as const;
  await store.send(`operator/${member}`, { kind: 'mail.send', by, to: member, body: 'Report.', task: null });
  const [order = ''] = store.state.members.get(member)?.unread ?? [];
  const turn = (await send('start', { kind: 'turn.start', member, cause: 0 })).first ?? 0;
  const usage = { model: 'script/script.yaml', inputTokens: 1, cachedTokens: 0, outputTokens: 1, costUsd: 0 };
  await send('settle', { kind: 'reply.settle', member, turn, ...usage, delivered: [order], suppressed: [] });
  const asker = { kind: 'member', member, turn } as const;
  await send('mail', { kind: 'mail.send', by: asker, to: 'lead', body: `hello from ${member}`, task: null });
  const end = {
    outcome: 'finished',
    request: null,
    upto: '',
    text: 'Said.',
    calls: 1,
    cut: false,
    detail: null,
  } as const;
  await send('end', { kind: 'turn.end', member, turn, ...end });
}

test('A13: mail wakes an idle member, reaches a working one, waits for a parked and a failed one, and is refused for a stopped one', async () => {
  const at = await writeMission({
    recipe: { tasks: taskOf('worker', 'asker', 'breaker') },
    roles: { boss: {}, idler: {}, worker: { base: 'write' }, asker: {}, breaker: {}, leaver: {} },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [when('', says('Begin.')), when('Restart it', does(spawn('breaker')), says('Restarted.'))],
      },
      idler: { idle: 'Ready.', turns: [when('word for idler', says('Heard.'))] },
      worker: {
        idle: 'Ready.',
        turns: [
          when(
            'Task #1 is ready',
            does(claim('#1')),
            does(waitAt('worker')),
            hearing('word for worker', does(complete('#1'))),
            says('Reported.'),
          ),
        ],
      },
      asker: {
        idle: 'Ready.',
        turns: [
          when(
            'Task #2 is ready',
            does(claim('#2')),
            does(ask('Which?')),
            hearing(['operator answers', 'word for asker'], does(complete('#2'))),
            says('Reported.'),
          ),
        ],
      },
      // It fails at once, since it is not told what its script expects; with the mail it works.
      breaker: {
        idle: 'Ready.',
        turns: [
          when(
            'Task #3 is ready',
            hearing('word for breaker', does(claim('#3'))),
            does(complete('#3')),
            says('Reported.'),
          ),
        ],
      },
      leaver: { idle: 'Ready.', turns: [when('word for idler', says('Never.'))] },
    },
  });
  const workers = await gate(at.workspace, 'worker');
  const team = await startJob(at, {}, true);
  await team.fact('tool.started', (fact) => fact.member === 'worker');
  await team.fact('turn.ended', (fact) => fact.outcome === 'parked');
  await team.fact('member.failed', (fact) => fact.member === 'breaker');
  await team.live.stopMember('leaver');
  const word = async (to: string) => {
    const answered = await team.live.send(to, `A word for ${to}.`);
    const sent = team.of('mail.sent').find((fact) => fact.kind === 'operator' && fact.to[0] === to);
    return { answered, sent, number: sent === undefined ? 0 : numberOf(team, sent) };
  };

  const idle = await word('idler');
  await team.fact('mail.delivered', (fact) => fact.member === 'idler');
  expect(turnsOf(team, 'idler').map((fact) => fact.cause)).toEqual([idle.number]);

  const working = await word('worker');
  expect(deliveriesOf(team, working.sent?.id)).toEqual([]);
  await workers.open();
  await team.fact('task.completed', (fact) => fact.task === '#1');
  expect(deliveriesOf(team, working.sent?.id)).toMatchObject([
    { turn: numberOf(team, turnsOf(team, 'worker')[0]) },
  ]);
  expect(turnsOf(team, 'worker')).toHaveLength(1);

  const parked = await word('asker');
  expect(parked.answered).toMatchObject({ text: expect.stringContaining('asker waits for r') });
  const failed = await word('breaker');
  expect(failed.answered).toMatchObject({ text: expect.stringContaining('the message is queued') });
  const stopped = await word('leaver');
  expect(stopped.answered).toMatchObject({ kind: 'refused', code: 'member_stopped' });
  expect(team.of('mail.dead')).toMatchObject([{ to: 'leaver', reason: 'stopped' }]);
  expect(turnsOf(team, 'asker')).toHaveLength(1);
  expect(turnsOf(team, 'breaker')).toHaveLength(1);

  const [request] = team.of('request.opened').filter((fact) => fact.kind === 'question');
  await team.live.answer(request?.request ?? '', { kind: 'text', text: 'blue' });
  await team.fact('mail.delivered', (fact) => fact.messages.some(({ id }) => id === parked.sent?.id));
  const decided = team.of('request.decided').find((fact) => fact.request === request?.request);
  expect(turnsOf(team, 'asker')[1]).toMatchObject({ cause: numberOf(team, decided) });

  await team.live.send('lead', 'Restart it.');
  const restarted = await team.fact('member.restarted');
  await team.fact('mail.delivered', (fact) => fact.messages.some(({ id }) => id === failed.sent?.id));
  expect(turnsOf(team, 'breaker')[1]).toMatchObject({ cause: numberOf(team, restarted) });
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expectInvariants(team);
});

test('A16: the sender of mail to a failed member is told so at once, and a resume delivers it', async () => {
  const at = await writeMission({
    recipe: { tasks: taskOf('worker') },
    roles: { boss: {}, worker: {} },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when('', says('Begin.')),
          when('worker has failed', does(mailTo('worker', 'the missing word')), says('Sent.')),
        ],
      },
      worker: {
        idle: 'Ready.',
        turns: [
          when(
            'Task #1 is ready',
            hearing('the missing word', does(claim('#1'))),
            does(complete('#1')),
            says('Reported.'),
          ),
        ],
      },
    },
  });
  const first = await startJob(at);
  await first.fact('turn.ended', (fact) => fact.text === 'Sent.');
  await first.live.stop('interrupt');
  expect(await first.ended()).toMatchObject({ resumable: true });
  const sent = mailFrom(first, 'boss');
  const told = first.results('boss').join('\n');
  expect(told).toContain(`Sent as ${sent.id}: worker has failed (`);
  expect(told).toContain('the message is queued for its restart (team_spawn, or bnerd team resume)');
  expect(deliveriesOf(first, sent.id)).toEqual([]);
  const second = await resumeJob(at, first.live.id);
  expect(await second.ended()).toMatchObject({ reason: 'done' });
  expect(deliveriesOf(second, sent.id)).toMatchObject([{ member: 'worker' }]);
  expectInvariants(first, second);
});

test('A21: the lead is told of a worker whose second turn throws, by name, task and error; the task fails with it', async () => {
  const team = await runMission({
    recipe: { tasks: taskOf('worker') },
    roles: { boss: {}, worker: {} },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when('', says('Begin.')),
          when('worker has failed', does(finish('failed', 'The worker is gone.'))),
        ],
      },
      worker: {
        idle: 'Ready.',
        turns: [
          when('Task #1 is ready', does(claim('#1')), says('Later.')),
          when('You ended your turn', {
            fail: { kind: 'fatal', code: 'no-credit', message: 'the account has no credit left' },
          }),
        ],
      },
    },
  });
  expect(await team.ended()).toMatchObject({ reason: 'failed', cause: 'lead', exit: 1 });
  expect(turnsOf(team, 'worker')).toHaveLength(2);
  const entry = team.entries.find(({ facts }) => facts.some((fact) => fact.type === 'member.failed'));
  expect(entry?.facts.map((fact) => fact.type)).toEqual([
    'turn.ended',
    'member.failed',
    'task.failed',
    'mail.sent',
  ]);
  expect(entry?.facts[1]).toMatchObject({ member: 'worker', code: 'no-credit' });
  expect(entry?.facts[2]).toMatchObject({ task: '#1', cause: 'member_failed' });
  const report = entry?.facts[3];
  expect(report).toMatchObject({ kind: 'report', from: 'runtime', to: ['boss'], task: '#1' });
  const [input] = team.inputs('boss').filter((text) => text.includes('worker has failed'));
  for (const part of ['worker', '#1', 'the account has no credit left']) expect(input).toContain(part);
  expect(team.live.state().tasks.get('#1')?.state).toMatchObject({ kind: 'failed' });
});
