import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MemoryDisk } from '../../src/events/memory-record.js';
import { teamLog } from '../../src/runtime/teams.js';
import { verifyTeam } from '../../src/runtime/verify-team.js';
import { fold } from '../../src/state/team-store.js';
import { picture } from '../helpers/build-state.js';
import { startMemoryJob } from '../helpers/memory-team.js';
import { stateShape } from '../helpers/state-shape.js';
import { startJob, writeMission } from '../helpers/team.js';
import { JOB } from '../runtime/job.js';

test('the same scripted run on the memory and the file log folds to equal states, and verify agrees', async () => {
  const onFiles = await writeMission(JOB);
  const inMemory = await writeMission(JOB);
  const disk = new MemoryDisk();
  const [filed, kept] = [await startJob(onFiles), await startMemoryJob(inMemory, disk)];
  expect(await filed.ended()).toMatchObject({ reason: 'done', recorded: true });
  expect(await kept.ended()).toMatchObject({ reason: 'done', recorded: true });

  const log = await teamLog(onFiles.house, filed.live.id);
  if (log.kind === 'refused') throw new Error(JSON.stringify(log.findings));
  expect(picture(fold(log.value))).toBe(picture(filed.live.state()));
  expect(picture(fold(disk.entries))).toBe(picture(kept.live.state()));
  expect(stateShape(fold(log.value))).toEqual(stateShape(fold(disk.entries)));
  const reports = [onFiles, inMemory].map(({ workspace }) => readFile(join(workspace, 'report.md'), 'utf8'));
  expect(await Promise.all(reports)).toEqual(['It says kestrel.\n', 'It says kestrel.\n']);
  expect(await verifyTeam(onFiles.house, filed.live.id)).toMatchObject({
    kind: 'found',
    value: { ok: true },
  });
});
