// Invariant 11: the system prompt of a member has the same bytes from its first turn to its last, also after a
// resume, and they are the bytes whose digest stands in `member.spawned`.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Model, ModelRequest } from '../../src/models/model.js';
import { FREE } from '../../src/models/settings.js';
import { joinPrompt } from '../../src/runtime/plan/compose-prompt.js';
import { prepareRun } from '../../src/runtime/plan/prepare-run.js';
import { startTeam } from '../../src/runtime/start-team.js';
import { sha256 } from '../../src/shared/digest.js';
import { ORDER, resumeJob, WatchedTeam, writeMission } from '../helpers/team.js';
import { JOB } from './job.js';

/** The far side: answers as the script does, and keeps what it was sent. */
function keeping(model: Model, requests: ModelRequest[]): Model {
  return {
    id: model.id,
    facts: FREE,
    generate: (request, signal) => {
      requests.push(request);
      return model.generate(request, signal);
    },
    leftover: (member, role, messages) => model.leftover(member, role, messages),
  };
}

test('every request of a member bears the prompt that was recorded at its spawn', async () => {
  const at = await writeMission(JOB);
  const prepared = await prepareRun(at.house, ORDER);
  if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings));
  const requests: ModelRequest[] = [];
  const models = new Map([...prepared.plan.models].map(([role, model]) => [role, keeping(model, requests)]));
  const team = new WatchedTeam();
  team.live = await startTeam(
    at.house,
    { ...prepared.plan, models },
    { operatorPresent: false, onEntry: (entry) => void team.entries.push(entry) },
  );
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  const recorded = new Map(team.of('member.spawned').map(({ seat }) => [seat.member, seat.prompt_sha256]));
  const sent = new Map<string, string[]>();
  for (const { member, system } of requests) {
    sent.set(member, [...(sent.get(member) ?? []), sha256(joinPrompt(system))]);
  }
  for (const [member, digests] of sent) {
    expect(digests.length).toBeGreaterThan(2);
    expect(new Set(digests)).toEqual(new Set([recorded.get(member)]));
  }
  expect(sent.size).toBe(2);
});

test('a resumed member is sent the recorded prompt, whatever its files say now', async () => {
  const at = await writeMission(JOB);
  const prepared = await prepareRun(at.house, ORDER);
  if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings));
  const team = new WatchedTeam();
  team.live = await startTeam(at.house, prepared.plan, {
    operatorPresent: false,
    onEntry: (entry) => void team.entries.push(entry),
  });
  await team.fact('task.completed');
  await team.live.stop('stop');
  await team.ended();
  const role = join(at.mission, 'orchestrator/roles/worker.md');
  await writeFile(
    role,
    '---\nname: worker\ndescription: Another\nbase: write\n---\nYou are somebody else.\n',
  );
  const resumed = await resumeJob(at, team.live.id);
  expect(await resumed.ended()).toMatchObject({ reason: 'done' });
  const [{ findings } = { findings: [] }] = resumed.of('run.resumed');
  expect(findings).toMatchObject([
    { code: 'changed-since-start', message: expect.stringContaining('role worker') },
  ]);
  // The digests of the seat are those of the start, and the texts are read by them.
  const spawned = team.of('member.spawned').find(({ seat }) => seat.member === 'worker');
  expect(resumed.live.state().members.get('worker')?.seat.prompt_sha256).toBe(spawned?.seat.prompt_sha256);
});
