// A call that sends a brief, run again at its place after a crash: one brief has left, and that is the one it tells of.
import { expect, test } from 'vitest';
import { MemoryDisk, memoryRecord } from '../../../src/events/memory-record.js';
import { BriefMaker } from '../../../src/runtime/briefs/make-brief.js';
import { sendBrief } from '../../../src/runtime/briefs/send-brief.js';
import { WorkspaceGit } from '../../../src/runtime/briefs/workspace-git.js';
import { systemClock } from '../../../src/shared/clock.js';
import { NO_SECRETS } from '../../../src/shared/secrets/redactor.js';
import { newKeyPair } from '../../../src/shared/signature.js';
import { TeamStore } from '../../../src/state/team-store.js';
import { delegating, frozenEngineer } from '../../helpers/build-brief.js';
import { sourceRepository, TOOLS } from '../../helpers/workspace.js';

const WISH = {
  task: '#1',
  goal: 'It greets.',
  acceptance: ['it does'],
  context: '',
  constraints: [],
  base: null,
  verifyKeys: [],
  safety: 'read-only',
  costUsd: 1,
  wallMinutes: 30,
  turns: null,
} as const;

const WORKER = newKeyPair();

test('run again at its place it sends nothing more and names the brief that was sent', async () => {
  const workspace = await sourceRepository();
  const team = delegating();
  const disk = new MemoryDisk();
  disk.entries.push(...team.entries);
  const record = memoryRecord(disk);
  const store = await TeamStore.open(record.log, systemClock);
  const maker = new BriefMaker({
    team: 'run-feature-01',
    engineer: frozenEngineer(),
    worker: () => WORKER,
    denied: () => [],
    blobs: record.blobs,
    clock: systemClock,
    secrets: NO_SECRETS,
    beginMs: 60_000,
  });
  const git = new WorkspaceGit(workspace, TOOLS);
  const call = () =>
    sendBrief(
      { engineers: 'real', store, maker, git, repository: async () => workspace },
      'worker',
      WISH,
      '5-1.0',
      new AbortController().signal,
    );
  const [first, again] = [await call(), await call()];
  expect(first.text).toContain('Brief run-feature-01.t1.a1.o1 is sent');
  expect(again).toEqual(first);
  expect([...store.state.briefs.keys()]).toEqual(['run-feature-01.t1.a1.o1']);
  expect(store.state.budget.reservedUsd).toBe(1);
});
