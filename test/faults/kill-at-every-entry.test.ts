import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NO_APPROVALS } from '../../src/catalog/trust.js';
import type { LogEntry } from '../../src/events/log-entry.js';
import { readFileRecord } from '../../src/events/record-view.js';
import type { TranscriptEntry } from '../../src/events/transcript-entry.js';
import { Gates } from '../../src/models/pacing-gates.js';
import { NO_MODEL_SETTINGS } from '../../src/models/settings.js';
import type { House } from '../../src/runtime/house.js';
import { resumeTeam } from '../../src/runtime/resume-team.js';
import { systemClock } from '../../src/shared/clock.js';
import { NO_SECRETS } from '../../src/shared/secrets/redactor.js';
import { DEFAULT_SKILL_SETTINGS } from '../../src/skills/settings.js';
import { NO_WEB_SETTINGS } from '../../src/tools/web/settings.js';
import { doubles, factsOf, outcomeOf } from '../helpers/outcome.js';
import { ORDER } from '../helpers/team.js';
import { tempDir } from '../helpers/temp-dir.js';
import { type Driven, driveTeam, inGroups, type KillPoint } from './drive-team.js';

const ROOT = new URL('../..', import.meta.url).pathname;

interface Place {
  readonly home: string;
  readonly house: House;
}

interface Report {
  readonly log: readonly LogEntry[];
  readonly transcripts: ReadonlyMap<string, readonly TranscriptEntry[]>;
  readonly report: string;
}

test('a run killed after any of its log entries and resumed once comes to the same end', {
  timeout: 900_000,
}, async () => {
  const undisturbed = await place();
  const done = await drive(undisturbed, {});
  expect(done.exit).toBe(0);
  const whole = await recorded(undisturbed);
  const wanted = outcomeOf(whole.log);
  expect(wanted.end).toMatchObject({ reason: 'done', exit: 0 });
  const n = whole.log.length;
  process.stdout.write(`kill at every entry: N = ${n}\n`);
  let kills = 0;
  const points = Array.from({ length: n }, (_, index) => index + 1);
  await inGroups(points, async (killAfter) => {
    const at = await place();
    const killed = await drive(at, { entries: killAfter });
    if (killed.signal !== 'SIGKILL') {
      // What happens at once is one entry: a busy machine makes fewer of the same facts, and the run was over.
      const ended = await recorded(at);
      expect(killed.exit, `kill after ${killAfter}: ${killed.stderr}`).toBe(0);
      expect(ended.log.length, `kill after ${killAfter}`).toBeLessThan(killAfter);
      expect(outcomeOf(ended.log)).toEqual(wanted);
      return;
    }
    kills++;
    const [id = ''] = await readdir(join(at.home, 'runs'));
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

async function place(): Promise<Place> {
  const root = await realpath(await tempDir());
  const home = join(root, 'home');
  const work = join(root, 'work');
  await mkdir(home);
  await mkdir(work);
  for (const name of ['one', 'two', 'three'])
    await writeFile(join(work, `${name}.md`), `# ${name}\nThe word is ${name}.\n`);
  const house: House = {
    clock: systemClock,
    version: '0.0.0-test',
    packageRoot: await realpath(ROOT),
    home,
    workingDirectory: work,
    temporaryDirectory: root,
    global: null,
    project: null,
    mission: null,
    trust: NO_APPROVALS,
    trustFiles: [],
    agentSkills: '',
    skills: DEFAULT_SKILL_SETTINGS,
    configModel: null,
    models: NO_MODEL_SETTINGS,
    gates: new Gates(),
    permissions: [],
    web: NO_WEB_SETTINGS,
    shellWrap: [],
    toolEnvironment: { PATH: '/usr/bin:/bin', HOME: home },
    secrets: NO_SECRETS,
    hostname: 'test-host',
    user: 'tester',
  };
  return { home, house };
}

function drive({ house }: Place, killAfter: KillPoint): Promise<Driven> {
  return driveTeam(house, { ...ORDER, slug: 'quickstart', prompt: '', autoApprove: 'never' }, killAfter);
}

async function recorded({ home }: Place): Promise<Report> {
  const runs = join(home, 'runs');
  const [id = ''] = await readdir(runs);
  const view = readFileRecord(join(runs, id), 'strict');
  const transcripts = new Map<string, readonly TranscriptEntry[]>();
  for (const member of await view.members()) transcripts.set(member, (await view.transcript(member)).entries);
  return {
    log: (await view.log()).entries,
    transcripts,
    report: await readFile(join(runs, id, 'workspace/report.md'), 'utf8'),
  };
}
