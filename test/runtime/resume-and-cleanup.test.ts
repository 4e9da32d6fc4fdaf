// Taking a team up again, and putting it away (spec/team.md §7).
import { appendFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cleanupTeam } from '../../src/runtime/cleanup-team.js';
import { listTeams, teamStatus } from '../../src/runtime/teams.js';
import { resumeJob, startJob, writeMission } from '../helpers/team.js';
import { JOB } from './job.js';
import { ASKS, code, crashed, finished, resume, waiting } from './left-behind.js';

describe('resume', () => {
  test('of a finished team gives its end again and does no work', async () => {
    const { at, id, folder } = await finished();
    const before = await readFile(join(folder, 'log.jsonl'), 'utf8');
    expect(await resume(at, id)).toEqual({
      kind: 'finished',
      id,
      reason: 'done',
      exit: 0,
      result: 'All done.',
    });
    expect(await readFile(join(folder, 'log.jsonl'), 'utf8')).toBe(before);
  });

  test('of an unknown, a held and an archived team is refused, and nothing is held afterwards', async () => {
    const { at, id, folder } = await waiting().then((left) => ({ ...left, folder: left.team.live.folder }));
    expect(code(await resume(at, 'run-none'))).toBe('unknown-team');
    const team = await resumeJob(at, id, true);
    const held = await resume(at, id);
    expect(held).toMatchObject({
      findings: [{ code: 'team-held', message: expect.stringContaining(`pid ${process.pid}`) }],
    });
    expect(code(await resume(at, id, true)), 'a live holder is not taken over').toBe('team-held');
    await team.live.stop('stop');
    await team.ended();
    await cleanupTeam(at.house, id, { purge: false });
    await rename(join(at.house.home, 'archive', id), folder);
    expect(code(await resume(at, id))).toBe('archived');
    expect(await cleanupTeam(at.house, id, { purge: true })).toMatchObject({ kind: 'found' });
  });

  test('reports each file that has changed since the start, uses the recorded text, and goes on', async () => {
    const { at, id } = await crashed({
      ...JOB,
      roles: { boss: {}, worker: { base: 'write', skills: ['writing-a-report', 'house-style'] } },
      skills: {
        'house-style':
          '---\nname: house-style\ndescription: style\nversion: 1.0.0\norigin: proprietary\n---\nBe brief.\n',
      },
    });
    const orchestrator = join(at.mission, 'orchestrator');
    await appendFile(join(orchestrator, 'teams/job/team.md'), 'And something new.\n');
    await appendFile(join(orchestrator, 'roles/worker.md'), 'And be quick.\n');
    await rm(join(orchestrator, 'roles/boss.md'));
    await appendFile(join(orchestrator, 'skills/house-style/SKILL.md'), 'And clear.\n');
    const second = await resumeJob(at, id);
    expect(await second.ended()).toMatchObject({ reason: 'done' });
    const [resumed] = second.of('run.resumed');
    expect(resumed?.findings.map((finding) => [finding.code, finding.severity, finding.message])).toEqual([
      ['changed-since-start', 'warning', expect.stringContaining('recipe job')],
      ['changed-since-start', 'warning', expect.stringContaining('role boss')],
      ['changed-since-start', 'warning', expect.stringContaining('role worker')],
      ['changed-since-start', 'warning', expect.stringContaining('skill house-style')],
    ]);
  });

  test('without the directory it works in is refused by name, and goes on once it is back', async () => {
    const { at, id } = await crashed();
    await rename(at.workspace, `${at.workspace}-away`);
    expect(await resume(at, id)).toMatchObject({
      findings: [
        { code: 'missing-directory', path: at.workspace, message: expect.stringContaining('ENOENT') },
      ],
    });
    await rename(`${at.workspace}-away`, at.workspace);
    expect(await (await resumeJob(at, id)).ended()).toMatchObject({ reason: 'done' });
  });

  test('with a script that is gone is refused with its place, and changes nothing', async () => {
    const { at, id, folder } = await crashed();
    const before = await readFile(join(folder, 'log.jsonl'), 'utf8');
    await rm(join(at.mission, 'orchestrator/teams/job/script.yaml'));
    expect(code(await resume(at, id))).toBe('unreadable-file');
    expect(await readFile(join(folder, 'log.jsonl'), 'utf8')).toBe(before);
    expect(await teamStatus(at.house, id)).toMatchObject({ value: { live: false } });
  });
});

describe('cleanup', () => {
  test('archives: recorded, moved, gone from the list; a second one finds nothing', async () => {
    const { at, id, folder } = await finished();
    const target = join(at.house.home, 'archive', id);
    expect(await cleanupTeam(at.house, id, { purge: false })).toEqual({
      kind: 'found',
      value: { text: `${id} is archived in ${target}` },
    });
    expect(await readFile(join(target, 'log.jsonl'), 'utf8')).toContain('"run.archived"');
    expect(await listTeams(at.house)).toEqual([]);
    await expect(readdir(folder)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(code(await cleanupTeam(at.house, id, { purge: false }))).toBe('unknown-team');
  });

  test('--purge deletes', async () => {
    const { at, id } = await finished();
    expect(await cleanupTeam(at.house, id, { purge: true })).toEqual({
      kind: 'found',
      value: { text: `${id} is deleted` },
    });
    expect(await readdir(join(at.house.home, 'runs'))).toEqual([]);
    await expect(readdir(join(at.house.home, 'archive'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('a live team is stopped first, to its recorded end', async () => {
    const at = await writeMission(ASKS);
    const team = await startJob(at, {}, true);
    await team.fact('request.opened');
    expect(await cleanupTeam(at.house, team.live.id, { purge: false })).toMatchObject({ kind: 'found' });
    expect(await team.ended()).toMatchObject({ reason: 'cancelled', recorded: true });
    const log = await readFile(join(at.house.home, 'archive', team.live.id, 'log.jsonl'), 'utf8');
    expect(log.indexOf('"run.ended"')).toBeLessThan(log.indexOf('"run.archived"'));
  });

  test('what a crash left is ended and archived, mail and all', async () => {
    const { at, id } = await crashed();
    expect(await cleanupTeam(at.house, id, { purge: false })).toMatchObject({ kind: 'found' });
    const log = await readFile(join(at.house.home, 'archive', id, 'log.jsonl'), 'utf8');
    expect(log).toContain('"run.ended"');
    expect(log).toContain('"run.archived"');
  });

  test('a folder whose team was never started, or whose log is broken, can be put away', async () => {
    const { at, id, folder } = await finished();
    await writeFile(join(folder, 'log.jsonl'), 'x\ny\n');
    await mkdir(join(at.house.home, 'runs', 'run-empty'));
    expect(await cleanupTeam(at.house, id, { purge: false })).toMatchObject({ kind: 'found' });
    expect(await cleanupTeam(at.house, 'run-empty', { purge: false })).toMatchObject({ kind: 'found' });
    expect(await readdir(join(at.house.home, 'archive'))).toEqual([id, 'run-empty'].sort());
  });
});
