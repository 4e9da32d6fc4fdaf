// Invariant 11: the same inputs give the same bytes on any machine.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { House } from '../../../src/runtime/house.js';
import { joinPrompt } from '../../../src/runtime/plan/compose-prompt.js';
import { prepareRun } from '../../../src/runtime/plan/prepare-run.js';
import type { RunPlan } from '../../../src/runtime/plan/run-order.js';
import { sha256 } from '../../../src/shared/digest.js';
import { type Mission, ORDER, runMission, type TestHouse, writeMission } from '../../helpers/team.js';
import { JOB } from '../job.js';

const skill = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: about ${name}\nversion: 1.0.0\norigin: proprietary\n${more}---\nThe text of ${name}.\n`;

const TEAM: Mission = {
  ...JOB,
  recipe: { ...JOB.recipe, variables: { ticket: { default: 'T-1' } } },
  contract: 'Work on {{ticket}}.',
  roles: {
    boss: { skills: ['zeta', 'alpha'], prompt: 'You lead.' },
    worker: { base: 'write', skills: ['alpha'], prompt: 'You work.' },
  },
  skills: { zeta: skill('zeta'), alpha: skill('alpha') },
};

async function plan(at: TestHouse, house: Partial<House> = {}): Promise<RunPlan> {
  const prepared = await prepareRun({ ...at.house, ...house }, ORDER);
  if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings, null, 2));
  return prepared.plan;
}

afterEach(() => {
  vi.unstubAllEnvs();
});

test('the parts stand in the order of the spec: preamble, role, rules and skills by name, contract, roster, rules of work', async () => {
  const made = await plan(await writeMission(TEAM));
  const names = (member: string): string[] =>
    (made.prompts.get(member) ?? []).map((part) => part.name).filter((name) => !name.startsWith('rule:'));
  expect(names('boss')).toEqual([
    'preamble',
    'role',
    'skill:alpha',
    'skill:zeta',
    'contract',
    'roster',
    'working-rules',
  ]);
  expect(names('worker')).toEqual(['preamble', 'role', 'skill:alpha', 'roster', 'working-rules']);
  const kinds = (made.prompts.get('boss') ?? []).map((part) => part.name.split(':')[0]);
  expect(kinds.lastIndexOf('rule')).toBeLessThan(kinds.indexOf('skill'));
  const text = (member: string): string => joinPrompt(made.prompts.get(member) ?? []);
  expect(text('boss')).toContain('Work on T-1.');
  expect(text('worker')).not.toContain('Work on');
  expect(text('worker')).toContain('- worker (you): The worker');
  expect(text('boss')).toContain('CLAUDE.md');
});

test('the digest, size and parts of each prompt stand in the seat and are right', async () => {
  const made = await plan(await writeMission(TEAM));
  for (const seat of made.started.seats) {
    const parts = made.prompts.get(seat.member) ?? [];
    expect(seat.prompt_sha256).toBe(sha256(joinPrompt(parts)));
    expect(seat.prompt_bytes).toBe(Buffer.byteLength(joinPrompt(parts)));
    expect(seat.parts).toEqual(
      parts.map((part) => ({
        name: part.name,
        sha256: sha256(part.text),
        bytes: Buffer.byteLength(part.text),
      })),
    );
  }
});

test('the bytes are the same in another directory, HOME, TZ, LANG, user and order of files, with CRLF or a BOM', async () => {
  const one = await writeMission(TEAM);
  const here = await plan(one);

  vi.stubEnv('TZ', 'Pacific/Kiritimati');
  vi.stubEnv('LANG', 'tr_TR.UTF-8');
  vi.stubEnv('LC_ALL', 'tr_TR.UTF-8');
  vi.stubEnv('HOME', '/nowhere');
  vi.stubEnv('USER', 'somebody-else');
  const other = await writeMission({
    ...TEAM,
    roles: Object.fromEntries(Object.entries(TEAM.roles).reverse()),
    recipe: { ...TEAM.recipe, lead: 'boss', roles: ['boss', 'worker'] },
    skills: Object.fromEntries(Object.entries(TEAM.skills ?? {}).reverse()),
  });
  const role = join(other.mission, 'orchestrator/roles/boss.md');
  const text = await readFile(role, 'utf8');
  await mkdir(join(other.mission, 'orchestrator/roles/deep'));
  await rename(role, join(other.mission, 'orchestrator/roles/deep/boss.md'));
  await writeFile(
    join(other.mission, 'orchestrator/roles/deep/boss.md'),
    `\ufeff${text.replaceAll('\n', '\r\n')}`,
  );
  const there = await plan(other, {
    user: 'somebody-else',
    hostname: 'elsewhere',
    workingDirectory: other.mission,
    home: join(other.mission, 'home'),
    toolEnvironment: {},
  });
  const prompts = (made: RunPlan): unknown =>
    made.started.seats.map((seat) => [seat.member, seat.prompt_sha256, seat.parts]);
  expect(prompts(there)).toEqual(prompts(here));
  expect(JSON.stringify([...there.prompts])).not.toContain(other.mission);
});

test('every turn of a member is asked under the bytes that member.spawned proves', async () => {
  const team = await runMission(TEAM);
  const made = team.of('member.spawned').map(({ seat }) => [seat.member, seat.prompt_sha256]);
  expect(made).toEqual(team.of('run.started')[0]?.seats.map((seat) => [seat.member, seat.prompt_sha256]));
  expect(team.of('turn.started').length).toBeGreaterThan(2);
});
