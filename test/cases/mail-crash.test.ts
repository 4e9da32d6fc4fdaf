// Mail and the death of the process that carries it: seen once, counted once, owed to everybody (cases A5, A20).
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Fact } from '../../src/events/event.js';
import { readFileRecord } from '../../src/events/record-view.js';
import { resumeTeam } from '../../src/runtime/resume-team.js';
import { type LiveStatus, teamStatus } from '../../src/runtime/teams.js';
import { type Cut, WrittenRecord } from '../helpers/cut-record.js';
import { gate, waitAt } from '../helpers/gate.js';
import { resumeJob, runMission, startJob, type TestHouse, writeMission } from '../helpers/team.js';
import { deliveriesOf, finish, mailFrom, spawn, taskOf } from './look.js';
import { does, expectInvariants, mailTo, says, when, works } from './play.js';

const BODY = 'The tide turns at four.';

/**
 * A worker writes to the lead, which has nothing else to do by then, and waits until that is read; the record of
 * that, undisturbed. In the resumed teams the gate is gone: the worker's wait fails at once, or was interrupted.
 */
async function mailToTheLead() {
  const at = await writeMission({
    recipe: { tasks: taskOf('worker') },
    roles: { boss: {}, worker: { base: 'write' } },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when('', says('Begin.')),
          when(['turns at four', 'worker is idle'], does(finish('done', 'Heard.'))),
        ],
      },
      worker: { idle: 'Ready.', turns: [works('#1', does(mailTo('lead', BODY)), does(waitAt('worker')))] },
    },
  });
  const read = await gate(at.workspace, 'worker');
  const team = await startJob(at);
  await team.fact('mail.delivered', (fact) => fact.member === 'boss' && fact.messages[0]?.id !== 'm1');
  await team.fact('turn.ended', (fact) => fact.text === 'Waiting.');
  await read.open();
  expect(await team.ended()).toMatchObject({ reason: 'done', result: 'Heard.' });
  const record = await WrittenRecord.of(at, team.live.id);
  const { id } = mailFrom(team, 'worker');
  /** The log entry in which the lead's answer is settled, and with it the mail. */
  const settled = record.upTo(
    (fact) => fact.type === 'mail.delivered' && fact.messages.some((message) => message.id === id),
  );
  const [delivered] = deliveriesOf(team, id);
  return { record, id, settled, turn: delivered?.turn ?? 0 };
}

/** Resumes a cut record to its end, and reads what is on disk then. */
async function resumeCut(record: WrittenRecord, cut: Cut, id: string) {
  const at = await record.cut(cut);
  const team = await resumeJob(at, at.id);
  const ended = await team.ended();
  const view = readFileRecord(at.folder, 'strict');
  const { entries } = await view.log();
  const inputs = (await view.transcript('boss')).entries.filter(
    (entry) => entry.kind === 'input' && entry.messages.includes(id),
  );
  const facts = entries.flatMap((entry) => entry.facts);
  const status = await statusOf(at, at.id);
  expectInvariants({ entries });
  return { ended, inputs, facts, suppressed: status.mail.redeliveries_suppressed };
}

describe('A5', () => {
  test.each([
    ['had not answered', 0],
    ['had answered, which was not settled', 1],
  ])(
    'A5: a message that the model held and %s at the crash is not put in again: 1 redelivery suppressed',
    async (_, ahead) => {
      const { record, id, settled } = await mailToTheLead();
      expect(record.ahead(settled - 1)).toEqual({ member: 'boss', most: 1 });
      const resumed = await resumeCut(record, { entries: settled - 1, ahead }, id);
      expect(resumed.ended).toMatchObject({ reason: 'done', result: 'Heard.' });
      expect(resumed.inputs).toHaveLength(1);
      expect(deliveries(resumed.facts, id)).toHaveLength(1);
      expect(deliveries(resumed.facts, id)).toMatchObject([{ suppressed: expect.arrayContaining([id]) }]);
      expect(resumed.suppressed).toBe(deliveries(resumed.facts, id)[0]?.suppressed.length);
      expect(deliveries(resumed.facts, id)[0]?.suppressed.filter((found) => found === id)).toEqual([id]);
    },
  );

  test('A5: a message that no model had seen at the crash is put in once, and nothing is suppressed', async () => {
    const { record, id, turn } = await mailToTheLead();
    const started = record.entries.findIndex((entry) => entry.first === turn) + 1;
    const resumed = await resumeCut(record, { entries: started }, id);
    expect(resumed.ended).toMatchObject({ reason: 'done', result: 'Heard.' });
    expect(resumed.inputs).toHaveLength(1);
    expect(deliveries(resumed.facts, id)).toMatchObject([{ suppressed: [] }]);
    expect(resumed.suppressed).toBe(0);
  });
});

describe('A20', () => {
  test('A20: a crash after each step from reserve to ack leaves the message in one input, delivered once', async () => {
    const { record, id, settled, turn } = await mailToTheLead();
    const started = record.entries.findIndex((entry) => entry.first === turn) + 1;
    const steps = record.everyCut().filter((cut) => cut.entries >= started - 1 && cut.entries <= settled);
    // turn.started · opened, input (reserve) · budget.reserved · reply (inject) · budget.spent, mail.delivered (ack)
    expect(steps.length).toBeGreaterThanOrEqual(6);
    for (const cut of steps) {
      const resumed = await resumeCut(record, cut, id);
      const where = `cut after ${cut.entries} entries, ${cut.ahead} ahead`;
      expect(resumed.ended, where).toMatchObject({ reason: 'done', result: 'Heard.' });
      expect(resumed.inputs, where).toHaveLength(1);
      expect(deliveries(resumed.facts, id), where).toHaveLength(1);
      expect(new Set(messageIds(resumed.facts)).size, where).toBe(messageIds(resumed.facts).length);
    }
  });

  test('A20: mail to all goes to every member but its sender, on-demand ones that are there by then included', async () => {
    const heard = when('turns at four', says('Heard.'));
    const team = await runMission({
      recipe: { on_demand: ['late', 'later'] },
      roles: { boss: {}, one: {}, two: {}, late: {}, later: {} },
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [
            when('', does(spawn('late')), does(mailTo('one', 'Begin now.')), says('Begun.')),
            when(
              ['turns at four', 'one is idle', 'two is idle', 'late is idle'],
              does(spawn('later'), mailTo('later', 'You are late.')),
              says('Heard by all.'),
            ),
            when('later is idle', does(finish('done', 'Heard by all.'))),
          ],
        },
        one: { idle: 'Ready.', turns: [when('Begin now', does(mailTo('all', BODY)), says('Said.'))] },
        two: { idle: 'Ready.', turns: [heard] },
        late: { idle: 'Ready.', turns: [heard] },
        later: { idle: 'Ready.', turns: [when('You are late', says('Sorry.'))] },
      },
    });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    const sent = mailFrom(team, 'one');
    expect([...sent.to].sort()).toEqual(['boss', 'late', 'two']);
    for (const member of sent.to) {
      expect(team.inputs(member).filter((text) => text.includes(BODY))).toHaveLength(1);
    }
    for (const member of ['one', 'later']) expect(team.inputs(member).join()).not.toContain(BODY);
    expect(
      deliveriesOf(team, sent.id)
        .map((fact) => fact.member)
        .sort(),
    ).toEqual(['boss', 'late', 'two']);
  });

  test('A20: a resume looks at the memory of every member, and names each that is not whole', async () => {
    const at = await writeMission({
      recipe: { tasks: taskOf('one', 'two', 'three') },
      roles: { boss: {}, one: {}, two: { base: 'write' }, three: {} },
      script: {
        boss: { idle: 'Waiting.', turns: [when('', says('Begin.'))] },
        one: { idle: 'Ready.', turns: [works('#1')] },
        two: { idle: 'Ready.', turns: [works('#2', does(waitAt('two')))] },
        three: { idle: 'Ready.', turns: [works('#3')] },
      },
    });
    await gate(at.workspace, 'two');
    const first = await startJob(at);
    await first.fact('tool.started', (fact) => fact.member === 'two');
    for (const member of ['one', 'three']) await first.fact('turn.ended', (fact) => fact.member === member);
    await first.live.stop('interrupt');
    expect(await first.ended()).toMatchObject({ reason: 'cancelled' });
    for (const member of ['one', 'three']) {
      const path = join(first.live.folder, 'transcripts', `${member}.jsonl`);
      const text = await readFile(path, 'utf8');
      await writeFile(path, `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n`);
    }
    const options = { operatorPresent: false, onEntry: () => {}, takeOver: false };
    const resumed = await resumeTeam(at.house, first.live.id, options);
    expect(resumed).toMatchObject({
      kind: 'refused',
      findings: [
        { code: 'transcript-lost', message: expect.stringContaining('one') },
        { code: 'transcript-lost', message: expect.stringContaining('three') },
      ],
    });
    await truncate(join(first.live.folder, 'transcripts', 'two.jsonl'), 0);
    expect(await resumeTeam(at.house, first.live.id, options)).toMatchObject({
      findings: ['one', 'two', 'three'].map((name) => ({
        path: join(first.live.folder, 'transcripts', `${name}.jsonl`),
      })),
    });
    expect((await statusOf(at, first.live.id)).phase).toBe('ended');
  });
});

function deliveries(facts: readonly Fact[], id: string) {
  return facts.flatMap((fact) =>
    fact.type === 'mail.delivered' && fact.messages.some((message) => message.id === id) ? [fact] : [],
  );
}

function messageIds(facts: readonly Fact[]): string[] {
  return facts.flatMap((fact) => (fact.type === 'mail.sent' ? [fact.id] : []));
}

async function statusOf(at: TestHouse, id: string): Promise<LiveStatus> {
  const status = await teamStatus(at.house, id);
  if (status.kind === 'refused') throw new Error(JSON.stringify(status.findings));
  return status.value;
}
