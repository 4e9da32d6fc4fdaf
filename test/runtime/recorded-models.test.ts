// The models of a record are opened with the keys and settings of today, or not at all (spec/team.md §7 "resume").
import { expect, test } from 'vitest';
import { prepareRun } from '../../src/runtime/plan/prepare-run.js';
import { recordedModels } from '../../src/runtime/recorded-models.js';
import { type Said, settingsOf } from '../helpers/model-settings.js';
import { providerTeam } from '../helpers/provider-team.js';
import { ORDER, writeMission } from '../helpers/team.js';

const KEY = { ANTHROPIC_API_KEY: 'k', OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:9/v1' };
const PRICED: Said = {
  variables: KEY,
  declared: {
    'openai-compatible/llama': { price: { input: 1, cachedInput: 1, cacheWrite: 1, output: 1 } },
  },
};

/** What was recorded when a team with a bound on costs was started under these settings. */
async function recorded(said: Said) {
  const roles = { boss: { model: 'sonnet' }, worker: { base: 'write', model: 'openai-compatible/llama' } };
  const at = await writeMission(providerTeam({ roles, recipe: { limits: { cost_usd: 2 } } }));
  const house = { ...at.house, models: settingsOf(said) };
  const prepared = await prepareRun(house, ORDER);
  if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings));
  return { house, run: { ...prepared.plan.started, team: 'run-job-1' } };
}

test('each seat has the model of the record, whatever an alias means now', async () => {
  const { house, run } = await recorded(PRICED);
  const models = settingsOf({ ...PRICED, aliases: { sonnet: 'openai-compatible/llama' } });
  const opened = await recordedModels({ ...house, models, configModel: 'haiku' }, 'run-job-1', run);
  if (opened.kind === 'refused') throw new Error(JSON.stringify(opened.findings));
  expect([...opened.byRole].map(([role, { id }]) => `${role} ${id}`)).toEqual([
    'boss anthropic/claude-sonnet-5-5',
    'worker openai-compatible/llama',
  ]);
});

test('a price that is not known any more refuses a team with a bound on costs', async () => {
  const { house, run } = await recorded(PRICED);
  const opened = await recordedModels({ ...house, models: settingsOf({ variables: KEY }) }, 'run-job-1', run);
  expect(opened).toMatchObject({
    kind: 'refused',
    findings: [
      { code: 'unpriced-model', path: 'run-job-1', message: expect.stringContaining('cost_usd is 2') },
    ],
  });
});

test('every key that is gone is named, with the team as the place', async () => {
  const { house, run } = await recorded(PRICED);
  const models = settingsOf({ ...PRICED, variables: {} });
  const opened = await recordedModels({ ...house, models }, 'run-job-1', run);
  expect(opened.kind).toBe('refused');
  expect(opened.findings.map(({ code, path }) => `${path} ${code}`)).toEqual([
    'run-job-1 no-key',
    'run-job-1 no-base-url',
  ]);
  // `team resume` has no flag for another model, so none is offered.
  expect(opened.findings[0]?.remedy).toBe(
    'set ANTHROPIC_AUTH_TOKEN or ANTHROPIC_API_KEY; a team stays with the models it was started with',
  );
});

test('a recorded model that this version cannot open is refused by name', async () => {
  const { house, run } = await recorded(PRICED);
  const seats = run.seats.map((seat) => ({ ...seat, model: `future/${seat.member}` }));
  const opened = await recordedModels(house, 'run-job-1', { ...run, seats });
  expect(opened.kind).toBe('refused');
  expect(opened.findings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    'unknown-provider: the recorded model "future/boss" of boss is none that this version can open',
    'unknown-provider: the recorded model "future/worker" of worker is none that this version can open',
  ]);
});
