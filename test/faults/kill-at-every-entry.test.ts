import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LogEntry } from '../../src/events/log-entry.js';
import { readFileRecord } from '../../src/events/record-view.js';
import type { TranscriptEntry } from '../../src/events/transcript-entry.js';
import { type House, runsFolder } from '../../src/runtime/house.js';
import { resumeTeam } from '../../src/runtime/resume-team.js';
import { create, does, finish, mailTo, says, when, works, write } from '../cases/play.js';
import { doubles, factsOf, outcomeOf } from '../helpers/outcome.js';
import { type Mission, ORDER, type TestHouse, writeMission } from '../helpers/team.js';
import { driveTeam, inGroups } from './drive-team.js';

/** What may be written is allowed by the recipe, and by nobody else. */
const JOB = { ...ORDER, autoApprove: 'never' } as const;

const WRITE = write('report.md', 'All is well.\n');

/** Small, with every kind of entry that the built-in team makes: its mail, its task of its own, its write by permission. */
const MISSION: Mission = {
  recipe: {
    permissions: [{ tool: 'fs_write_file', match: 'report.md', decision: 'allow' }],
    tasks: [{ id: 'report', subject: 'Write the report', role: 'worker', artifacts: ['report.md'] }],
  },
  roles: { boss: {}, worker: { base: 'write' } },
  script: {
    boss: {
      idle: 'Waiting.',
      turns: [
        when(
          '',
          does(
            mailTo('worker', 'You will check it.'),
            create({ id: 'check', subject: 'Check it', role: 'worker', blocked_by: ['report'] }),
          ),
          says('Go.'),
        ),
        when('completed #2', finish()),
      ],
    },
    worker: {
      idle: 'Ready.',
      turns: [
        // Whoever hears that the write was interrupted writes again.
        works('#1', does(WRITE, mailTo('boss', 'It is written.')), {
          when: ['^interrupted:'],
          ...does(WRITE),
        }),
        works('#2'),
      ],
    },
  },
};

interface Report {
  readonly log: readonly LogEntry[];
  readonly transcripts: ReadonlyMap<string, readonly TranscriptEntry[]>;
  readonly report: string;
}

test('a run killed after any of its log entries and resumed once comes to the same end', {
  timeout: 900_000,
}, async () => {
  const undisturbed = await writeMission(MISSION);
  expect((await driveTeam(undisturbed.house, JOB, {})).exit).toBe(0);
  const whole = await recorded(undisturbed);
  const wanted = outcomeOf(whole.log);
  expect(wanted.end).toMatchObject({ reason: 'done', exit: 0 });
  expect(typesOf(whole.log)).toEqual(typesOf(await builtIn()));
  const n = whole.log.length;
  process.stdout.write(`kill at every entry: N = ${n}\n`);
  let kills = 0;
  const points = Array.from({ length: n }, (_, index) => index + 1);
  await inGroups(points, async (killAfter) => {
    const at = await writeMission(MISSION);
    const killed = await driveTeam(at.house, JOB, { entries: killAfter });
    if (killed.signal !== 'SIGKILL') {
      // What happens at once is one entry: a busy machine makes fewer of the same facts, and the run was over.
      const ended = await recorded(at);
      expect(killed.exit, `kill after ${killAfter}: ${killed.stderr}`).toBe(0);
      expect(ended.log.length, `kill after ${killAfter}`).toBeLessThan(killAfter);
      expect(outcomeOf(ended.log)).toEqual(wanted);
      return;
    }
    kills++;
    const [id = ''] = await readdir(runsFolder(at.house));
    // The killed process is another one, the one that goes on is this: half the programs to start.
    const how = { operatorPresent: false, takeOver: false, onEntry: () => {} };
    const resumed = await resumeTeam(at.house, id, how);
    if (resumed.kind === 'refused') throw new Error(`resume after ${killAfter}: ${JSON.stringify(resumed)}`);
    // After the last entry nothing is left to do, and the exit code is given again.
    const exit = resumed.kind === 'live' ? (await resumed.team.ended).exit : resumed.exit;
    expect(exit, `resume after ${killAfter}`).toBe(0);
    const after = await recorded(at);
    const what = `killed after entry ${killAfter} of ${n}`;
    expect(outcomeOf(after.log), what).toEqual(wanted);
    expect(after.report, what).toBe(whole.report);
    expect(doubles(after.log), what).toEqual([]);
    expect(repeatedWrites(after), what).toEqual([]);
    expect(unconsumed(after.log), what).toEqual([]);
  });
  expect(kills).toBeGreaterThan(n * 0.9);
});

/** Mail between members that no model has answered in the end. */
function unconsumed(log: readonly LogEntry[]): string[] {
  const facts = factsOf(log);
  const delivered = new Set(
    facts.flatMap((fact) =>
      fact.type === 'mail.delivered' ? fact.messages.map((message) => message.id) : [],
    ),
  );
  return facts.flatMap((fact) =>
    fact.type === 'mail.sent' && (fact.kind === 'mail' || fact.kind === 'prompt') && !delivered.has(fact.id)
      ? [fact.id]
      : [],
  );
}

/** Writes of the same arguments that ran again although no result said *interrupted* before. */
function repeatedWrites({ log, transcripts }: Report): string[] {
  const problems: string[] = [];
  for (const [member, entries] of transcripts) {
    const started = factsOf(log).flatMap((fact) =>
      fact.type === 'tool.started' && fact.member === member ? [fact] : [],
    );
    const interrupted = entries.filter((entry) => entry.kind === 'result' && entry.outcome === 'interrupted');
    const distinct = new Set(started.map((fact) => fact.digest));
    if (started.length - distinct.size > interrupted.length) problems.push(`${member} repeated a write`);
  }
  return problems;
}

/** What the built-in team records when nobody disturbs it. */
async function builtIn(): Promise<readonly LogEntry[]> {
  const at = await writeMission({ roles: { lead: {} }, script: {} });
  for (const name of ['one', 'two', 'three'])
    await writeFile(join(at.workspace, `${name}.md`), `# ${name}\nThe word is ${name}.\n`);
  const house = { ...at.house, mission: null };
  const driven = await driveTeam(house, { ...JOB, slug: 'quickstart', prompt: '' }, {});
  expect(driven.exit, driven.stderr).toBe(0);
  return (await viewOf(house)).log;
}

function typesOf(log: readonly LogEntry[]): string[] {
  return [...new Set(factsOf(log).map(({ type }) => type))].sort();
}

async function viewOf(house: House): Promise<Omit<Report, 'report'>> {
  const [id = ''] = await readdir(runsFolder(house));
  const view = readFileRecord(join(runsFolder(house), id), 'strict');
  const transcripts = new Map<string, readonly TranscriptEntry[]>();
  for (const member of await view.members()) transcripts.set(member, (await view.transcript(member)).entries);
  return { log: (await view.log()).entries, transcripts };
}

async function recorded({ house, workspace }: TestHouse): Promise<Report> {
  return { ...(await viewOf(house)), report: await readFile(join(workspace, 'report.md'), 'utf8') };
}
