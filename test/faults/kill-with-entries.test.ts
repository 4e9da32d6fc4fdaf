// A team whose worker has a reference block and is told rules and skills with its tasks, killed -9 wherever something of
// it has become durable, and taken up again when every file of these entries says something else: what the worker is
// told is what was recorded, each text of it once (spec/skills.md §4 "Integrity", §6; invariants 11 to 13).
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFileRecord } from '../../src/events/record-view.js';
import type { TranscriptEntry } from '../../src/events/transcript-entry.js';
import { runsFolder } from '../../src/runtime/house.js';
import { verifyTeam } from '../../src/runtime/verify-team.js';
import { finish, says, when, works } from '../cases/play.js';
import { skillText, writeBesideProject } from '../helpers/heard.js';
import { doubles, factsOf, outcomeOf } from '../helpers/outcome.js';
import { type Mission, ORDER, resumeJob, type TestHouse } from '../helpers/team.js';
import { driveTeam, inGroups } from './drive-team.js';

/** What stands in the first input and nowhere else. */
const PAGE = 'docs/start.md';

/** By the name of the skill: the file, and the word that it says when the run starts. */
const FILES = {
  shown: { path: '.bnerd/skills/shown.md', word: 'osprey' },
  beside: { path: '.bnerd/skills/beside.md', word: 'merlin' },
  ours: { path: 'orchestrator/skills/ours/SKILL.md', word: 'kestrel' },
  later: { path: 'orchestrator/skills/later/SKILL.md', word: 'heron' },
} as const;

/** What all of them say once the process is dead. */
const CHANGED = 'goshawk';

const MISSION: Mission = {
  recipe: {
    page: PAGE,
    tasks: [
      { id: 'one', subject: 'Do one', role: 'worker', skills: ['beside', 'ours'] },
      { id: 'two', subject: 'Do two', role: 'worker', blocked_by: ['one'], skills: ['later'] },
    ],
  },
  roles: { boss: {}, worker: { skills: ['shown'] } },
  script: {
    boss: { idle: 'Waiting.', turns: [when('', says('Go.')), when('completed #2', finish())] },
    worker: { idle: 'Ready.', turns: [works('#1'), works('#2')] },
  },
  skills: { ours: textOf('ours', FILES.ours.word), later: textOf('later', FILES.later.word) },
};

test('a reference block and what rides with tasks survive a kill -9 at any point: as recorded, each once', {
  timeout: 900_000,
}, async () => {
  const undisturbed = await place();
  expect(await driveTeam(undisturbed.house, ORDER, {})).toMatchObject({ exit: 0 });
  const whole = await recorded(undisturbed);
  const wanted = outcomeOf(whole.log);
  expect(wanted.end).toMatchObject({ reason: 'done', exit: 0 });
  await expectToldOnce(whole, 'undisturbed');
  const rows = whole.log.length + [...whole.transcripts.values()].flat().length;
  let kills = 0;
  await inGroups(
    Array.from({ length: rows }, (_, at) => at + 1),
    async (killAfter) => {
      const what = `killed after ${killAfter} of ${rows}`;
      const at = await place();
      const killed = await driveTeam(at.house, ORDER, { rows: killAfter });
      if (killed.signal !== 'SIGKILL') {
        // On a busy machine the same facts come in fewer entries, and the run was over.
        expect(killed.exit, `${what}: ${killed.stderr}`).toBe(0);
        return;
      }
      kills++;
      await changeFiles(at);
      const { id, log } = await recorded(at);
      if (log.some(({ facts }) => facts.some(({ type }) => type === 'run.ended'))) return;
      const team = await resumeJob(at, id);
      expect(await team.ended(), what).toMatchObject({ exit: 0 });
      const changed = team.of('run.resumed').flatMap(({ findings }) => findings);
      for (const name of Object.keys(FILES)) {
        const said = changed.filter(({ message }) => message.startsWith(`skill ${name} has changed since`));
        expect(said, what).toMatchObject([{ code: 'changed-since-start', severity: 'warning' }]);
      }
      const after = await recorded(at);
      expect(outcomeOf(after.log), what).toEqual(wanted);
      expect(doubles(after.log), what).toEqual([]);
      await expectToldOnce(after, what);
      expect(await verifyTeam(at.house, id), what).toMatchObject({ kind: 'found', value: { ok: true } });
    },
  );
  expect(kills).toBeGreaterThan(rows * 0.9);
});

interface Recorded {
  readonly id: string;
  readonly log: Awaited<ReturnType<ReturnType<typeof readFileRecord>['log']>>['entries'];
  readonly transcripts: ReadonlyMap<string, readonly TranscriptEntry[]>;
  /** The text that a digest names. */
  text(sha256: string): Promise<string>;
}

/** The worker was told each text once, at its place and as recorded; nobody else was, and nobody the changed files. */
async function expectToldOnce({ log, transcripts, text }: Recorded, what: string): Promise<void> {
  const facts = factsOf(log);
  const seat = facts.flatMap((fact) =>
    fact.type === 'member.spawned' && fact.seat.member === 'worker' ? [fact.seat] : [],
  )[0];
  const block = await text(seat?.reference?.sha256 ?? '');
  expect(block, what).toContain(`The word is ${FILES.shown.word}.`);
  const riding = facts.flatMap((fact) =>
    fact.type === 'task.created' ? fact.spec.skills.filter(({ members }) => members.includes('worker')) : [],
  );
  const riders = await Promise.all(riding.map(({ sha256 }) => text(sha256)));
  expect(riders, what).toHaveLength(2);
  const [one = '', two = ''] = riders;
  expect(one, what).toContain(`The word is ${FILES.beside.word}.`);
  expect(one, what).toContain(`The word is ${FILES.ours.word}.`);
  expect(two, what).toContain(`The word is ${FILES.later.word}.`);
  const inputs = inputsOf(transcripts.get('worker'));
  const all = inputs.join('\n\n');
  expect(inputs[0]?.startsWith(`${block}\n\nPage of this run: ${PAGE}\n\n`), what).toBe(true);
  expect(all.split(block), what).toHaveLength(2);
  expect(all.split(`Page of this run: ${PAGE}`), what).toHaveLength(2);
  for (const rider of [one, two]) expect(all.split(rider), what).toHaveLength(2);
  expect(all.indexOf(one), what).toBeGreaterThan(all.indexOf('Task #1 is ready'));
  expect(all.indexOf(two), what).toBeGreaterThan(all.indexOf('Task #2 is ready'));
  const others = JSON.stringify([...transcripts].filter(([member]) => member !== 'worker'));
  for (const { word } of Object.values(FILES)) expect(others, what).not.toContain(word);
  expect(JSON.stringify([log, [...transcripts]]), what).not.toContain(CHANGED);
}

function inputsOf(transcript: readonly TranscriptEntry[] = []): string[] {
  return transcript.flatMap((entry) => (entry.kind === 'input' ? [entry.text] : []));
}

function textOf(name: string, word: string): string {
  return skillText(name, `The word is ${word}.`);
}

async function place(): Promise<TestHouse> {
  const { shown, beside } = FILES;
  return writeBesideProject(MISSION, {
    [shown.path]: textOf('shown', shown.word),
    [beside.path]: textOf('beside', beside.word),
  });
}

async function changeFiles({ house, mission }: TestHouse): Promise<void> {
  const project = house.project?.root ?? '';
  for (const [name, { path }] of Object.entries(FILES)) {
    const tree = path.startsWith('orchestrator/') ? mission : project;
    await writeFile(join(tree, path), textOf(name, CHANGED));
  }
}

async function recorded({ house }: TestHouse): Promise<Recorded> {
  const [id = ''] = await readdir(runsFolder(house));
  const view = readFileRecord(join(runsFolder(house), id), 'strict');
  const text = async (sha256: string): Promise<string> => (await view.blob(sha256)) ?? '';
  const transcripts = new Map<string, readonly TranscriptEntry[]>();
  for (const member of await view.members()) transcripts.set(member, (await view.transcript(member)).entries);
  return { id, log: (await view.log()).entries, transcripts, text };
}
