// A turn that was lost and whose process does not know it yet, beside the next turn of its member in the same process.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MemoryDisk, memoryRecord } from '../../../src/events/memory-record.js';
import { systemClock } from '../../../src/shared/clock.js';
import { TeamStore } from '../../../src/state/team-store.js';
import { does, shell } from '../../cases/play.js';
import { oneTask } from '../../e2e/missions.js';
import { startMemoryJob } from '../../helpers/memory-team.js';
import { writeMission } from '../../helpers/team.js';
import { until } from '../../helpers/until.js';

test('what a lost turn still does is not written down: the next one has told its member what became of the call', async () => {
  const at = await writeMission(
    oneTask(
      [
        does(shell('until [ -e go ]; do sleep 0.02; done; touch gone')),
        { when: ['interrupted:'], ...does(shell('until [ -e on ]; do sleep 0.02; done')) },
      ],
      { recipe: { safety: 'full' } },
    ),
  );
  const disk = new MemoryDisk();
  const team = await startMemoryJob(at, disk);
  const { turn } = await team.fact('tool.started');
  const other = await TeamStore.open(memoryRecord(disk).log, systemClock);
  const lost = { member: 'worker', turn, olderThanMs: 0, detail: 'nobody has its lease' };
  expect(await other.send('lose', { kind: 'turn.lose', ...lost })).toMatchObject({ kind: 'accepted' });
  // Whoever writes next finds out that somebody else has written.
  await team.live.send('worker', 'Are you there?');
  await until(() => team.results('worker').some((text) => text.startsWith('interrupted:')), {
    what: 'the next turn has looked at the call',
  });
  await writeFile(join(at.workspace, 'go'), '');
  await until(() => team.of('tool.started').length === 2, { what: 'the next turn goes on' });
  await writeFile(join(at.workspace, 'on'), '');
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  const places = team.transcripts.flatMap(({ entry }) => (entry.kind === 'result' ? [entry.place] : []));
  expect(places).toEqual([...new Set(places)]);
  expect(places).toContain(team.of('tool.started')[0]?.place);
});
