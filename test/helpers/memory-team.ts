/** Runs the recipe `job` over a record in memory: no log on disk, everything else as in a run on files. */

import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { LogEntry } from '../../src/events/log-entry.js';
import { MemoryDisk, memoryRecord } from '../../src/events/memory-record.js';
import type { TranscriptEntry } from '../../src/events/transcript-entry.js';
import type { OpenTeam } from '../../src/runtime/open-team.js';
import { prepareRun, type RunOrder } from '../../src/runtime/plan/prepare-run.js';
import { beginTeam } from '../../src/runtime/start-team.js';
import { formatFinding } from '../../src/shared/findings.js';
import { ProcessGroups } from '../../src/shared/processes.js';
import { Releases } from '../../src/shared/releases.js';
import { TeamStore } from '../../src/state/team-store.js';
import { ORDER, type TestHouse, WatchedTeam } from './team.js';

/**
 * Starts it over a disk in memory; the team is stopped when the test ends.
 * @param lost fires when another process has taken the team over
 */
export async function startMemoryJob(
  at: TestHouse,
  disk: MemoryDisk = new MemoryDisk(),
  order: Partial<RunOrder> = {},
  lost: AbortSignal = new AbortController().signal,
): Promise<WatchedTeam> {
  const prepared = await prepareRun(at.house, { ...ORDER, ...order });
  if (prepared.kind === 'refused') throw new Error(prepared.findings.map(formatFinding).join('\n'));
  const folder = await mkdtemp(join(at.house.home, 'memory-'));
  await mkdir(join(folder, 'processes'));
  const record = memoryRecord(disk);
  const releases = new Releases();
  releases.add('record', () => record.close());
  const team: OpenTeam = {
    id: 'run-job-memory',
    folder,
    lock: { lost, announce: async () => {}, release: async () => {} },
    record,
    store: await TeamStore.open(record.log, at.house.clock),
    groups: new ProcessGroups({ folder: join(folder, 'processes') }),
    releases,
    findings: [],
  };
  const watched = new WatchedTeam();
  const options = {
    operatorPresent: false,
    onEntry: (entry: LogEntry) => watched.addEntry(entry),
    onTranscript: (member: string, entry: TranscriptEntry) => watched.addTranscript(member, entry),
  };
  watched.live = await beginTeam(at.house, prepared.plan, options, team);
  onTestFinished(async () => {
    await watched.live.stop('stop');
    watched.live.kill();
    await watched.live.ended;
  });
  return watched;
}
