// Cases about the model of each role and about what fits into its window (issue 3: I191, I201).
import { expect, onTestFinished, test } from 'vitest';
import { lintCatalogue } from '../../src/runtime/lint.js';
import { prepareRun } from '../../src/runtime/plan/prepare-run.js';
import { Releases } from '../../src/shared/releases.js';
import { type Said, settingsOf } from '../helpers/model-settings.js';
import { providerTeam, twoAtWork } from '../helpers/provider-team.js';
import { startFarSide } from '../helpers/providers/start-far-side.js';
import { type Mission, ORDER, startJob, type TestHouse, writeMission } from '../helpers/team.js';

async function withModels(mission: Mission, said: Said): Promise<TestHouse> {
  const at = await writeMission(mission);
  return { ...at, house: { ...at.house, models: settingsOf(said) } };
}

test('I191 two roles, two models: the provider sees both, each asked by its own role; the record names them', async () => {
  const releases = new Releases();
  onTestFinished(() => releases.run());
  const far = await startFarSide('anthropic', twoAtWork, releases);
  const at = await withModels(
    providerTeam({
      recipe: { model: 'sonnet' },
      roles: { boss: {}, worker: { base: 'write', model: 'haiku' } },
    }),
    { variables: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: far.url } },
  );
  const team = await startJob(at);
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  const pairs = far.seen.map(({ system, model }) => {
    const who = system.join('\n').includes('You are boss.') ? 'boss' : 'worker';
    return `${who} ${model}`;
  });
  expect([...new Set(pairs)].sort()).toEqual(['boss claude-sonnet-5-5', 'worker claude-haiku-5-5']);
  expect(team.of('member.spawned').map(({ seat }) => `${seat.member} ${seat.model}`)).toEqual([
    'boss anthropic/claude-sonnet-5-5',
    'worker anthropic/claude-haiku-5-5',
  ]);
  const replies = team.transcripts.flatMap(({ member, entry }) =>
    entry.kind === 'reply' ? [`${member} ${entry.model}`] : [],
  );
  expect([...new Set(replies)].sort()).toEqual([
    'boss anthropic/claude-sonnet-5-5',
    'worker anthropic/claude-haiku-5-5',
  ]);
});

test('I191 an unknown model of one role fails at load, in run and in lint, and nobody is asked', async () => {
  const releases = new Releases();
  onTestFinished(() => releases.run());
  const far = await startFarSide('anthropic', twoAtWork, releases);
  const at = await withModels(
    providerTeam({
      roles: { boss: { model: 'sonnet' }, worker: { base: 'write', model: 'claude-haiku-9' } },
    }),
    { variables: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: far.url } },
  );
  const prepared = await prepareRun(at.house, ORDER);
  const finding = {
    code: 'unknown-alias',
    severity: 'error',
    path: expect.stringContaining('roles/worker.md'),
  };
  expect(prepared).toMatchObject({
    kind: 'refused',
    findings: expect.arrayContaining([expect.objectContaining(finding)]),
  });
  const { findings } = await lintCatalogue({ ...at.house, models: settingsOf({}) }, ['job']);
  expect(findings).toEqual(expect.arrayContaining([expect.objectContaining(finding)]));
  expect(far.seen).toEqual([]);
});

/** Twelve skills of 8 KiB each, in the order given. */
function flooding(order: readonly number[], model: string): Mission {
  const names = order.map((number) => `skill-${String(number).padStart(2, '0')}`);
  return providerTeam({
    recipe: { model },
    roles: { boss: {}, worker: { base: 'write', skills: names } },
    skills: Object.fromEntries(
      names.map((name) => [
        name,
        `---\nname: ${name}\ndescription: ${name}\nversion: 1.0.0\norigin: proprietary\n---\n${`${name} `.repeat(1_000).slice(0, 8_192)}\n`,
      ]),
    ),
  });
}

const UP = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

test('I201 twelve skills of 8 KB: the sizes of all parts are told at load, in run and in lint', async () => {
  const at = await withModels(flooding(UP, 'haiku'), { variables: { ANTHROPIC_API_KEY: 'k' } });
  const prepared = await prepareRun(at.house, ORDER);
  if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings));
  const told = prepared.plan.findings.filter(({ code }) => code.startsWith('prompt-'));
  expect(told).toMatchObject([{ code: 'prompt-size', severity: 'info' }]);
  const seat = prepared.plan.started.seats.find(({ member }) => member === 'worker');
  expect(told[0]?.message).toContain(`the system prompt of worker has ${seat?.prompt_bytes} bytes, about `);
  expect(told[0]?.message).toContain('% of the 1000000 tokens of anthropic/claude-haiku-5-5');
  for (const { name, bytes } of seat?.parts ?? []) expect(told[0]?.message).toContain(`${name} ${bytes}`);
  const { findings } = await lintCatalogue(at.house, ['job']);
  expect(findings.filter(({ code }) => code.startsWith('prompt-'))).toEqual(told);
});

test('I201 against a window it half fills it is a warning, against one it floods it refuses the start', async () => {
  const declared = (contextTokens: number): Said => ({
    variables: { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:9/v1' },
    declared: { 'openai-compatible/x': { contextTokens } },
  });
  const codes = async (said: Said) => {
    const at = await withModels(flooding(UP, 'openai-compatible/x'), said);
    const prepared = await prepareRun(at.house, ORDER);
    const findings = prepared.kind === 'ready' ? prepared.plan.findings : prepared.findings;
    const linted = (await lintCatalogue(at.house, ['job'])).findings;
    const sizes = (all: typeof findings) =>
      all.filter(({ code }) => code.startsWith('prompt-')).map(({ code, severity }) => `${code} ${severity}`);
    expect(sizes(linted)).toEqual(sizes(findings));
    return { kind: prepared.kind, sizes: sizes(findings), findings };
  };
  expect(await codes(declared(100_000))).toMatchObject({ kind: 'ready', sizes: ['prompt-size info'] });
  expect(await codes(declared(40_000))).toMatchObject({ kind: 'ready', sizes: ['prompt-large warning'] });
  const flooded = await codes(declared(26_000));
  expect(flooded).toMatchObject({ kind: 'refused', sizes: ['prompt-too-large error'] });
  const refusal = flooded.findings.find(({ code }) => code === 'prompt-too-large');
  expect(refusal?.path).toContain('roles/worker.md');
  expect(refusal?.message).toMatch(
    /tokens, 9\d % of the 26000 tokens of openai-compatible\/x; bytes by part: preamble/,
  );
  expect(refusal?.message).toContain('skill:skill-01 8');
  expect(refusal?.remedy).toContain('at most 90 % are allowed');
});

test('I201 the prompt has the same bytes whatever the order of the list', async () => {
  const digests = async (order: readonly number[]) => {
    const at = await withModels(flooding(order, 'haiku'), { variables: { ANTHROPIC_API_KEY: 'k' } });
    const prepared = await prepareRun(at.house, ORDER);
    if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings));
    return prepared.plan.started.seats.map(({ prompt_sha256 }) => prompt_sha256);
  };
  const first = await digests(UP);
  for (const order of [UP.toReversed(), [7, 3, 11, 1, 9, 5, 12, 2, 8, 4, 10, 6]])
    expect(await digests(order)).toEqual(first);
});
