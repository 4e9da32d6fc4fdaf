// Views of teams from their records: find, ps, status, result, transcript, describe, verify (spec/team.md §7).
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeRecipe } from '../../src/runtime/describe.js';
import { findTeam, teamIds } from '../../src/runtime/find-team.js';
import { listTeams, teamResult, teamStatus, teamTranscript } from '../../src/runtime/teams.js';
import { verifyTeam } from '../../src/runtime/verify-team.js';
import { startJob, writeMission } from '../helpers/team.js';
import { JOB } from './job.js';
import { ASKS, code, finished, resume } from './left-behind.js';

describe('finding a team', () => {
  test('by its id or an unambiguous beginning; a whole id wins over being a beginning of others', async () => {
    const { house } = await writeMission(JOB);
    expect(await teamIds(house)).toEqual([]);
    expect(await findTeam(house, 'run-a')).toMatchObject({
      findings: [{ code: 'unknown-team', remedy: 'start one with bnerd team run' }],
    });
    const runs = join(house.home, 'runs');
    for (const id of ['run-a-1', 'run-a-12', 'run-b-2', '.hidden', 'not ok'])
      await mkdir(join(runs, id), { recursive: true });
    await writeFile(join(runs, 'run-file'), '');
    expect(await teamIds(house)).toEqual(['run-a-1', 'run-a-12', 'run-b-2']);
    expect(await findTeam(house, 'run-b')).toMatchObject({ kind: 'found', value: { id: 'run-b-2' } });
    expect(await findTeam(house, 'run-a-1')).toMatchObject({ kind: 'found', value: { id: 'run-a-1' } });
    expect(await findTeam(house, 'run-a')).toMatchObject({
      findings: [{ code: 'ambiguous-team', message: expect.stringContaining('run-a-1, run-a-12') }],
    });
    for (const typed of ['', '..', '../runs/run-b-2', 'run-file'])
      expect(await findTeam(house, typed), typed).toMatchObject({ findings: [{ code: 'unknown-team' }] });
  });
});

describe('views', () => {
  test('of a finished team: ps, status, result, transcript agree', async () => {
    const { at, id } = await finished();
    expect(await listTeams(at.house)).toMatchObject([
      {
        id,
        recipe: 'job',
        phase: 'ended',
        reason: 'done',
        live: false,
        members: 2,
        open_tasks: 0,
        open_requests: 0,
      },
    ]);
    expect(await teamStatus(at.house, id)).toMatchObject({
      value: { live: false, holder: null, reason: 'done' },
    });
    expect(await teamResult(at.house, id.slice(0, -4))).toEqual({
      kind: 'found',
      value: { reason: 'done', result: 'All done.' },
    });
    const memory = await teamTranscript(at.house, id, 'worker');
    expect(memory.kind === 'found' && memory.value.entries[0]).toMatchObject({
      kind: 'opened',
      member: 'worker',
    });
    expect(await teamTranscript(at.house, id, 'wroker')).toMatchObject({
      findings: [{ code: 'unknown-member', message: expect.stringContaining('boss, worker') }],
    });
  });

  test('of a live team name who runs it', async () => {
    const at = await writeMission(ASKS);
    const team = await startJob(at, {}, true);
    await team.fact('request.opened');
    expect(await teamStatus(at.house, team.live.id)).toMatchObject({
      value: { live: true, holder: expect.stringContaining(`pid ${process.pid}`), phase: 'running' },
    });
    expect(await teamResult(at.house, team.live.id)).toEqual({
      kind: 'found',
      value: { reason: null, result: null },
    });
    expect(await verifyTeam(at.house, team.live.id)).toMatchObject({ value: { ok: true } });
  });

  test('of a record that cannot be read are a refusal of that team alone', async () => {
    const { at, id, folder } = await finished();
    const log = join(folder, 'log.jsonl');
    const lines = (await readFile(log, 'utf8')).split('\n');
    await writeFile(log, [lines[0], '{"broken', ...lines.slice(1)].join('\n'));
    expect(await teamStatus(at.house, id)).toMatchObject({ findings: [{ code: 'log-broken', path: id }] });
    expect(await listTeams(at.house)).toMatchObject([{ id, phase: 'unreadable', reason: 'log-broken' }]);
    expect(await verifyTeam(at.house, id)).toMatchObject({
      value: { ok: false, lines: [expect.stringMatching(/log\.jsonl:2: .*line 2/), expect.any(String)] },
    });
    expect(code(await resume(at, id))).toBe('log-broken');
  });

  test('of a recipe: what it is, who is in it, what it may', async () => {
    const at = await writeMission({
      ...JOB,
      recipe: {
        ...JOB.recipe,
        on_demand: ['worker'],
        when_to_use: 'Often.',
        reads: ['work'],
        permissions: [{ tool: 'fs_write_file', match: 'report.md', decision: 'allow' }],
      },
    });
    expect(await describeRecipe(at.house, 'job')).toMatchObject({
      value: {
        slug: 'job',
        lead: 'boss',
        safety: 'non-destructive',
        members: [{ name: 'worker', onDemand: true }],
        workspace: 'work',
        reads: ['work'],
        whenToUse: 'Often.',
        permissions: [{ tool: 'fs_write_file', match: 'report.md', decision: 'allow' }],
      },
    });
    expect(code(await describeRecipe(at.house, 'jib'))).toBe('unknown-recipe');
  });
});

describe('verify', () => {
  test('says what differs: a missing text, a cut memory, a fact that does not fit', async () => {
    const { at, id, folder } = await finished();
    expect(await verifyTeam(at.house, id)).toMatchObject({
      value: { ok: true, lines: [expect.stringContaining('they agree')] },
    });
    const memory = join(folder, 'transcripts', 'worker.jsonl');
    const text = await readFile(memory, 'utf8');
    await writeFile(memory, `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n`);
    expect(await verifyTeam(at.house, id)).toMatchObject({
      value: {
        ok: false,
        lines: [expect.stringContaining('transcript of worker ends before'), expect.any(String)],
      },
    });
    await writeFile(memory, text);
    const blobs = (await readdir(join(folder, 'blobs'), { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile(),
    );
    const [blob] = blobs;
    await rm(join(blob?.parentPath ?? '', blob?.name ?? ''));
    expect(await verifyTeam(at.house, id)).toMatchObject({
      value: { ok: false, lines: [expect.stringContaining('is missing'), expect.any(String)] },
    });
    expect(code(await resume(at, id))).toBe(undefined); // It is finished: nothing of it is needed.
  });

  test('of a log with a fact that lacks something is a difference, not a crash', async () => {
    const { at, id, folder } = await finished();
    const log = join(folder, 'log.jsonl');
    const text = await readFile(log, 'utf8');
    await writeFile(log, text.replaceAll('"seat":', '"seet":'));
    const verified = await verifyTeam(at.house, id);
    expect(verified).toMatchObject({ kind: 'found', value: { ok: false } });
    expect(JSON.stringify(verified)).toContain('log entry 1: ');
  });
});
