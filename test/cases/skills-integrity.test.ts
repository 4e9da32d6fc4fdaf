// Cases N18, N40 and N45, spec/skills.md §4 "Integrity" and "Approval": what a member was given is asked about again
// while a run lives, and when it is taken up again.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownTrustFile } from '../../src/catalog/tiers.js';
import { openTrust } from '../../src/catalog/trust/open-trust.js';
import type { TrustQuestion } from '../../src/catalog/trust.js';
import { readFileRecord } from '../../src/events/record-view.js';
import { loadEntries } from '../../src/runtime/load-entries.js';
import { resumeTeam } from '../../src/runtime/resume-team.js';
import { verifyTeam } from '../../src/runtime/verify-team.js';
import { sha256 } from '../../src/shared/digest.js';
import { entryDigest } from '../../src/skills/digest.js';
import { renderForSystem } from '../../src/skills/render.js';
import { readStoredText, storedName } from '../../src/skills/stored-text.js';
import { putFiles } from '../helpers/repository.js';
import {
  type Mission,
  resumeJob,
  startJob,
  type TestHouse,
  type WatchedTeam,
  writeMission,
} from '../helpers/team.js';
import { writeTrust } from '../helpers/trust-file.js';
import { anEntry } from '../skills/entries.js';
import { ask, claim, complete, does, finish, says, update, when } from './play.js';

const SKILL =
  '---\nname: harbour\ndescription: About the harbour.\nversion: 1.2.0\n---\nThe word is anchor.\n';

/** Where a project has its skill. */
const PLACE = '.bnerd/skills/harbour/SKILL.md';

/** A worker that waits for an answer in the middle of its task; the lead hears what becomes of it. */
function mission(
  owner: 'worker' | 'boss',
  hears: 'completed' | 'stopped',
  skills?: Mission['skills'],
): Mission {
  const roles = { boss: {}, worker: {} };
  return {
    recipe: { tasks: [{ id: 'one', subject: 'Part one', role: 'worker' }] },
    roles: { ...roles, [owner]: { skills: ['harbour'] } },
    ...(skills === undefined ? {} : { skills }),
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when('', says('Go.')),
          hears === 'completed'
            ? when('completed #1', finish())
            : when(
                'worker was stopped: (?<why>.+)',
                does(update('#1', { status: 'cancelled' })),
                finish('partial'),
              ),
        ],
      },
      worker: {
        idle: 'Ready.',
        turns: [
          when(
            'Task #1 is ready',
            does(claim('#1')),
            does(ask('May I go on?')),
            does(complete('#1')),
            says('Done.'),
          ),
        ],
      },
    },
  };
}

interface InProject extends TestHouse {
  readonly approved: TrustQuestion;
}

/** The skill lies in a project and is approved there. */
async function inProject(
  hears: 'completed' | 'stopped',
  owner: 'worker' | 'boss' = 'worker',
): Promise<InProject> {
  const at = await writeMission(mission(owner, hears));
  const root = join(dirname(at.mission), 'project');
  await putFiles(root, { [PLACE]: SKILL });
  const project = { root, folders: [root] };
  const trust = () =>
    openTrust({
      own: ownTrustFile(at.house.home),
      extra: [],
      mission: null,
      askedTrees: [root],
      gitPath: '',
    });
  const seen = await loadEntries({ ...at.house, project, trust: trust() });
  const file = seen.files.find((each) => each.kind === 'loaded' && each.entry.name === 'harbour');
  if (file?.kind !== 'loaded' || file.approval === null) throw new Error('the skill was not found');
  const approved = file.approval.question;
  await writeTrust(at.house.home, { approved: [approved] });
  return { ...at, house: { ...at.house, project, trust: trust() }, approved };
}

/** Runs until the worker waits for an answer. */
async function waiting(at: TestHouse): Promise<WatchedTeam> {
  const team = await startJob(at, {}, true);
  await team.fact('request.opened');
  await team.fact('turn.ended', ({ member, outcome }) => member === 'worker' && outcome === 'parked');
  return team;
}

async function revoke(at: InProject): Promise<void> {
  await writeTrust(at.house.home, { approved: [at.approved], revoked: [{ ...at.approved, revoker: 'bob' }] });
}

const REVOKED = `the approval of skill harbour (${PLACE}) was revoked by bob in `;

describe('an approval that is taken back while the team lives', () => {
  test('stops the member before its next model call, by name; the lead is told', async () => {
    const at = await inProject('stopped');
    const team = await waiting(at);
    const asked = team.of('budget.reserved').filter(({ member }) => member === 'worker').length;
    await revoke(at);
    await team.live.answer('r1', { kind: 'text', text: 'Yes.' });
    const stopped = await team.fact('member.stopped');
    expect(stopped).toMatchObject({
      member: 'worker',
      by: 'runtime',
      reason: expect.stringContaining(REVOKED),
    });
    expect(team.of('entry.omitted')).toMatchObject([{ member: 'worker', entry: 'harbour', reason: 'trust' }]);
    expect(team.of('budget.reserved').filter(({ member }) => member === 'worker')).toHaveLength(asked);
    await team.fact('mail.sent', ({ body, to }) => to.includes('boss') && body.includes(REVOKED));
    expect(await team.ended()).toMatchObject({ reason: 'partial' });
  });

  test('ends the run where the member leads: failed, approval_revoked', async () => {
    const at = await inProject('completed', 'boss');
    const team = await waiting(at);
    await revoke(at);
    await team.live.send('boss', 'How is it going?');
    expect(await team.ended()).toMatchObject({
      reason: 'failed',
      exit: 1,
      cause: 'approval_revoked',
      detail: expect.stringContaining(`boss leads the team and cannot go on: ${REVOKED}`),
    });
  });

  test('nobody goes on while a trust file cannot be used: the run ends, and can be taken up when that is mended', async () => {
    const at = await inProject('completed');
    const team = await waiting(at);
    const path = ownTrustFile(at.house.home);
    const kept = await readFile(path, 'utf8');
    await writeFile(path, 'files: [');
    await team.live.answer('r1', { kind: 'text', text: 'Yes.' });
    expect(await team.ended()).toMatchObject({
      reason: 'failed',
      cause: 'error',
      detail: expect.stringContaining('it cannot be known what is still approved'),
    });
    const refused = await resumeTeam(at.house, team.live.id, {
      operatorPresent: false,
      onEntry: () => {},
      takeOver: false,
    });
    expect(refused).toMatchObject({ kind: 'refused', findings: [{ code: 'yaml-error', severity: 'error' }] });
    await writeFile(path, kept);
    expect(await (await resumeJob(at, team.live.id)).ended()).toMatchObject({ reason: 'done' });
  });

  test('an approval that is given to another text, or an edit of the file, changes nothing for a team that lives', async () => {
    const at = await inProject('completed');
    const team = await waiting(at);
    await writeFile(join(at.approved.root, PLACE), SKILL.replace('anchor', 'SENTINEL'));
    await writeTrust(at.house.home, {
      approved: [at.approved, { ...at.approved, digest: `1:${'0'.repeat(64)}` }],
    });
    await team.live.answer('r1', { kind: 'text', text: 'Yes.' });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(JSON.stringify(team.entries)).not.toContain('SENTINEL');
  });
});

describe('N45 an approval that is taken back while the run waits', () => {
  test('stops the member before the pending call when the run is taken up again; the lead is told', async () => {
    const at = await inProject('stopped');
    const team = await waiting(at);
    await team.live.stop('stop');
    await team.ended();
    await revoke(at);
    const resumed = await resumeJob(at, team.live.id, true);
    const stopped = await resumed.fact('member.stopped');
    expect(stopped).toMatchObject({ member: 'worker', reason: expect.stringContaining(REVOKED) });
    expect(resumed.of('turn.started').filter(({ member }) => member === 'worker')).toEqual([]);
    expect(resumed.of('request.withdrawn')).toHaveLength(1);
    expect(await resumed.ended()).toMatchObject({ reason: 'partial' });
  });
});

test('N40 approved, revoked, the same bytes put there again: a member that has it stops, and a new run is not given it', async () => {
  const at = await inProject('stopped');
  const team = await waiting(at);
  await revoke(at);
  await writeFile(join(at.approved.root, PLACE), SKILL);
  await team.live.answer('r1', { kind: 'text', text: 'Yes.' });
  expect(await team.ended()).toMatchObject({ reason: 'partial' });
  expect(team.of('member.stopped')).toMatchObject([{ member: 'worker', by: 'runtime' }]);
  const { own, root } = { own: ownTrustFile(at.house.home), root: at.approved.root };
  const trust = openTrust({ own, extra: [], mission: null, askedTrees: [root], gitPath: '' });
  const next = await startJob({ ...at, house: { ...at.house, trust } }, {}, true);
  const [started] = next.of('run.started');
  const entries = started?.seats.flatMap((seat) => seat.entries) ?? [];
  expect(entries.filter(({ name }) => name === 'harbour')).toMatchObject([
    { name: 'harbour', trust: 'reference', approval: null },
  ]);
});

test('invariants 11 and 12: from the record alone every system prompt is made again, byte for byte', async () => {
  const rule =
    '---\nname: tone\ndescription: How to speak.\nkind: rule\nalways_on: true\n---\nSpeak plainly.\n';
  const at = await writeMission(mission('worker', 'completed', { harbour: SKILL, tone: rule }));
  const team = await waiting(at);
  await team.live.answer('r1', { kind: 'text', text: 'Yes.' });
  await team.ended();
  const view = readFileRecord(team.live.folder, 'strict');
  const spawned = (await view.log()).entries
    .flatMap(({ facts }) => facts)
    .flatMap((fact) => (fact.type === 'member.spawned' ? [fact.seat] : []));
  expect(spawned.flatMap(({ entries }) => entries).length).toBeGreaterThanOrEqual(3);
  for (const seat of spawned) {
    const parts: string[] = [];
    for (const { name, sha256: part } of seat.parts) {
      const loaded = seat.entries.find((entry) => `${entry.kind}:${entry.name}` === name);
      if (loaded === undefined) {
        parts.push((await view.blob(part)) ?? '');
        continue;
      }
      // An entry is rendered anew from its own stored text, which its digest proves.
      const fields = readStoredText((await view.blob(storedName(loaded.digest))) ?? '');
      if (fields === undefined) throw new Error(`no stored text of ${loaded.name}`);
      expect(entryDigest(fields)).toBe(loaded.digest);
      const rendered = renderForSystem({ ...anEntry(), ...fields });
      expect(sha256(rendered)).toBe(loaded.rendered_sha256);
      expect(part).toBe(loaded.rendered_sha256);
      parts.push(rendered);
    }
    const whole = parts.join('\n\n');
    expect([sha256(whole), Buffer.byteLength(whole)]).toEqual([seat.prompt_sha256, seat.prompt_bytes]);
  }
});

describe('stored texts', () => {
  const skills = { harbour: SKILL };

  async function blobOf(team: WatchedTeam): Promise<string> {
    const [started] = team.of('run.started');
    const entry = started?.seats.flatMap(({ entries }) => entries).find(({ name }) => name === 'harbour');
    return join(team.live.folder, 'blobs', entry?.digest.slice(2) ?? '');
  }

  async function stopped(hears: 'completed' | 'stopped', owner: 'worker' | 'boss' = 'worker') {
    const at = await writeMission(mission(owner, hears, skills));
    const team = await waiting(at);
    await team.live.stop('stop');
    await team.ended();
    return { at, team, blob: await blobOf(team) };
  }

  test('are under their digests from the start, and verify says that they agree', async () => {
    const { at, team, blob } = await stopped('completed');
    expect(await readFile(blob, 'utf8')).toContain('The word is anchor.');
    expect(await verifyTeam(at.house, team.live.id)).toMatchObject({ value: { ok: true } });
  });

  test.each([
    [
      'edited behind the record',
      async (blob: string) => writeFile(blob, (await readFile(blob, 'utf8')).replace('anchor', 'SENTINEL')),
      'does not give its digest',
    ],
    ['deleted', async (blob: string) => rm(blob), 'is not in the record any more'],
  ])(
    'N18 one that was %s is not used: its member stops, naming the entry, and the rest goes on',
    async (_what, spoil, says_) => {
      const { at, team, blob } = await stopped('stopped');
      await spoil(blob);
      expect(await verifyTeam(at.house, team.live.id)).toMatchObject({
        value: { ok: false, lines: [expect.stringMatching(/skill harbour of worker/), expect.anything()] },
      });
      const resumed = await resumeJob(at, team.live.id, true);
      expect(await resumed.fact('member.stopped')).toMatchObject({
        member: 'worker',
        by: 'runtime',
        reason: expect.stringMatching(new RegExp(`^the stored text of skill harbour ${says_}`)),
      });
      expect(resumed.of('entry.omitted')).toMatchObject([
        { member: 'worker', entry: 'harbour', reason: 'integrity' },
      ]);
      expect(await resumed.ended()).toMatchObject({ reason: 'partial' });
      expect(JSON.stringify([resumed.entries, resumed.transcripts])).not.toContain('SENTINEL');
    },
  );

  test('one of the lead ends the run, which can be taken up when the text is back', async () => {
    const { at, team, blob } = await stopped('completed', 'boss');
    const kept = await readFile(blob);
    await rm(blob);
    expect(await (await resumeJob(at, team.live.id)).ended()).toMatchObject({
      reason: 'failed',
      cause: 'error',
      detail: expect.stringContaining('the stored text of skill harbour is not in the record any more'),
    });
    await writeFile(blob, kept);
    const again = await resumeJob(at, team.live.id, true);
    await again.live.answer('r1', { kind: 'text', text: 'Yes.' });
    expect(await again.ended()).toMatchObject({ reason: 'done' });
  });

  test('the text of the record is used where the file has changed since, and that is said', async () => {
    const { at, team } = await stopped('completed');
    await writeFile(
      join(at.mission, 'orchestrator/skills/harbour/SKILL.md'),
      SKILL.replace('anchor', 'SENTINEL'),
    );
    const resumed = await resumeJob(at, team.live.id, true);
    expect(resumed.of('run.resumed')[0]?.findings.map(({ code }) => code)).toEqual(['changed-since-start']);
    await resumed.live.answer('r1', { kind: 'text', text: 'Yes.' });
    expect(await resumed.ended()).toMatchObject({ reason: 'done' });
    expect(JSON.stringify(resumed.entries)).not.toContain('SENTINEL');
  });

  test('a start that died before its first entry has left texts and nothing that could be taken for a team', async () => {
    const { at, team } = await stopped('completed');
    await rm(join(team.live.folder, 'log.jsonl'));
    expect((await readdir(join(team.live.folder, 'blobs'))).length).toBeGreaterThan(0);
    await expect(readFileRecord(team.live.folder, 'strict').log()).rejects.toMatchObject({ code: 'no-team' });
    expect(
      await resumeTeam(at.house, team.live.id, {
        operatorPresent: false,
        onEntry: () => {},
        takeOver: false,
      }),
    ).toMatchObject({ kind: 'refused', findings: [{ code: 'never-started' }] });
  });
});
