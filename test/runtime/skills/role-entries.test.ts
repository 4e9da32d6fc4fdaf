// spec/skills.md §10 `skills list --role`: what a member of a role would be given, decided as a run decides.
import { expect, test } from 'vitest';
import { prepareRun } from '../../../src/runtime/plan/prepare-run.js';
import { roleEntries } from '../../../src/runtime/skills/role-entries.js';
import { entryFile } from '../../helpers/skill-tiers.js';
import { type Mission, ORDER, writeMission } from '../../helpers/team.js';
import { JOB } from '../job.js';

const MISSION: Mission = {
  ...JOB,
  roles: { boss: {}, worker: { base: 'read', skills: ['lore', 'plan', 'hand'] } },
  skills: {
    lore: entryFile('lore'),
    plan: entryFile('plan', ['process: true']),
    hand: entryFile('hand'),
    extra: entryFile('extra'),
    // A marker that is told from a text that merely speaks of one.
    leaky: entryFile('leaky', [], 'See «artifact:report».'),
  },
};

async function look(mission: Mission, agentSkills = '') {
  const at = await writeMission(mission);
  const house = { ...at.house, agentSkills };
  const found = await roleEntries(house, 'Worker');
  if (found.kind === 'refused') throw new Error(JSON.stringify(found.findings));
  return { house, ...found.value };
}

test('what comes, why, and in the order a run composes it; what is withheld, with the reason', async () => {
  const { house, role, entries, findings } = await look(MISSION, 'worker=extra,leaky');
  expect(role).toBe('worker');
  expect(entries.map(({ name, outcome, came }) => [name, outcome, came])).toEqual([
    ['evidence-first', 'instruction', 'always on'],
    ['extra', 'instruction', 'added'],
    ['hand', 'instruction', 'listed'],
    ['lore', 'instruction', 'listed'],
    ['plan', 'omitted', 'listed'],
    ['leaky', 'rejected', 'added'],
  ]);
  expect(entries.find(({ name }) => name === 'plan')?.detail).toMatch(/^process: plan is a process entry/);
  expect(entries.find(({ name }) => name === 'leaky')?.detail).toMatch(/^guard: exfiltration/);
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  // The far side: a run of the same role records the same entries in the same order.
  const prepared = await prepareRun(house, ORDER);
  if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings));
  const seat = prepared.plan.started.seats.find(({ member }) => member === 'worker');
  expect(seat?.entries.map(({ name }) => name)).toEqual(
    entries.filter(({ outcome }) => outcome === 'instruction').map(({ name }) => name),
  );
});

test('a name that nothing has is an error, as it would refuse a run', async () => {
  const { entries, findings } = await look({
    ...MISSION,
    roles: { boss: {}, worker: { skills: ['lor'] } },
  });
  expect(entries.map(({ name }) => name)).toEqual(['evidence-first']);
  expect(findings).toContainEqual(
    expect.objectContaining({ severity: 'error', code: 'unknown-skill', remedy: 'did you mean "lore"?' }),
  );
});

test('a role that there is not is refused with those there are', async () => {
  const at = await writeMission(MISSION);
  expect(await roleEntries(at.house, 'wroker')).toMatchObject({
    kind: 'refused',
    findings: [{ code: 'unknown-role', remedy: expect.stringContaining('worker') }],
  });
});
