// What a run freezes of delegated work: engineer, who delegates, what rides, and what is refused by name.
import { expect, test } from 'vitest';
import { prepareRun } from '../../../src/runtime/plan/prepare-run.js';
import type { PreparedRun, RunPlan } from '../../../src/runtime/plan/run-order.js';
import { type Mission, ORDER, writeMission } from '../../helpers/team.js';
import { JOB } from '../job.js';

const ENGINEER = { kind: 'command', verify: { test: ['node', '--test'] }, pool: 'vm' };

async function prepared(mission: Partial<Mission>, kinds: readonly string[]): Promise<PreparedRun> {
  const at = await writeMission({ ...JOB, ...mission });
  return prepareRun({ ...at.house, delegation: { ...at.house.delegation, kinds } }, ORDER);
}

async function plan(mission: Partial<Mission>, kinds: readonly string[] = ['command']): Promise<RunPlan> {
  const run = await prepared(mission, kinds);
  if (run.kind === 'refused') throw new Error(JSON.stringify(run.findings, null, 2));
  return run.plan;
}

const delegating = (engineer: object, worker: object = {}): Partial<Mission> => ({
  recipe: { ...JOB.recipe, engineer },
  roles: { boss: {}, worker: { base: 'write', delegate: true, ...worker } },
});

const toolsOf = ({ started }: RunPlan, member: string): string[] =>
  (started.seats.find((seat) => seat.member === member)?.tools ?? [])
    .map(({ name }) => name)
    .filter((name) => name.startsWith('delegate_'));

test('the recipe’s engineer is frozen with every default, and what rides the briefs of each member, with its texts', async () => {
  const run = await plan(delegating(ENGINEER));
  const { engineer } = run.started;
  expect(engineer).toMatchObject({
    pool: 'vm',
    kind: 'command',
    model: null,
    verify: [{ key: 'test', argv: ['node', '--test'] }],
    policy: 'review',
    offers: 2,
  });
  expect(engineer?.protect).toContain('**/*.test.*');
  expect(engineer?.delegates.map(({ member, entries }) => [member, entries.map(({ name }) => name)])).toEqual(
    [['worker', ['implementation-craft', 'verification-before-handoff']]],
  );
  for (const { digest } of engineer?.delegates[0]?.entries ?? [])
    expect(run.entryTexts.some((text) => text.includes('implementation-craft'))).toBe(
      digest.startsWith('1:'),
    );
  expect(toolsOf(run, 'worker')).toEqual(['delegate_engineer', 'delegate_status', 'delegate_cancel']);
  expect(toolsOf(run, 'boss')).toEqual(['delegate_adopt']);
  expect(run.findings).toEqual([]);
});

test('an engineer skill in a role’s own list is rejected for the member, and rides its briefs', async () => {
  const run = await plan(delegating(ENGINEER, { skills: ['implementation-craft'] }));
  expect(run.findings).toMatchObject([{ code: 'entry-rejected', severity: 'warning' }]);
  expect(run.started.seats[1]?.entries.map(({ name }) => name)).not.toContain('implementation-craft');
  expect(run.started.engineer?.delegates[0]?.entries[0]?.name).toBe('implementation-craft');
});

test.each([
  ['a recipe that names no kind, and no engineer here', {}, [], 'info'],
  ['no role that delegates', ENGINEER, ['command'], 'warning'],
] as const)('%s: nobody has the tools, and that is said', async (_what, engineer, kinds, severity) => {
  const run = await plan(
    severity === 'warning' ? { recipe: { ...JOB.recipe, engineer } } : delegating(engineer),
    kinds,
  );
  expect(run.started.engineer).toBeNull();
  expect(toolsOf(run, 'worker')).toEqual([]);
  expect(run.findings).toMatchObject([{ code: 'not-in-effect', severity, line: expect.any(Number) }]);
});

test('a recipe that names no kind gets the first that is set up', async () => {
  const run = await plan(delegating({}), ['codex', 'command']);
  expect(run.started.engineer?.kind).toBe('codex');
});

const OPEN = '---\nname: loose\ndescription: Says things\n---\nSay things.\n';

test.each([
  ['a kind that there is not', { kind: 'claud-code' }, {}, 'unknown-engineer', 'claude-code'],
  [
    'a kind without an adapter',
    { kind: 'opencode' },
    {},
    'unknown-engineer',
    'known: acp, claude-code, codex, command, gemini',
  ],
  ['a kind that is not set up', { kind: 'codex' }, {}, 'no-engineer', 'runner.engineers'],
  [
    'an entry of the recipe that is not governed',
    { ...ENGINEER, skills: ['loose'] },
    {},
    'not-riding',
    'loose',
  ],
  ['one of the role', ENGINEER, { engineer_skills: ['loose'] }, 'not-riding', 'loose'],
  [
    'one that nobody has',
    { ...ENGINEER, skills: ['implementation-kraft'] },
    {},
    'unknown-skill',
    'implementation-craft',
  ],
] as const)('%s refuses the run by name, with the line', async (_what, engineer, worker, code, says) => {
  const run = await prepared({ ...delegating(engineer, worker), skills: { loose: OPEN } }, ['command']);
  expect(run.kind).toBe('refused');
  const found = run.kind === 'refused' ? run.findings.filter((finding) => finding.severity === 'error') : [];
  expect(found).toMatchObject([{ code, line: expect.any(Number) }]);
  expect(`${found[0]?.message} ${found[0]?.remedy}`).toContain(says);
});
