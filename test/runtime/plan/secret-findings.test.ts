import { expect, test } from 'vitest';
import { prepareRun } from '../../../src/runtime/plan/prepare-run.js';
import { redactorOf } from '../../../src/shared/secrets/redactor.js';
import { type Mission, ORDER, type TestHouse, writeMission } from '../../helpers/team.js';

const VALUE = 'hunter2-hunter2';

async function knowing(mission: Mission): Promise<TestHouse> {
  const at = await writeMission(mission);
  return { ...at, house: { ...at.house, secrets: redactorOf([{ name: 'OLD_PASSWORD', value: VALUE }]) } };
}

const script = {
  lead: {
    turns: [
      { name: 'end', steps: [{ calls: [{ tool: 'team_finish', args: { outcome: 'done', result: 'ok' } }] }] },
    ],
  },
};

test('an entry that holds a secret refuses the run, and the finding does not hold it', async () => {
  const at = await knowing({
    roles: { lead: { skills: ['notes'] } },
    script,
    skills: { notes: `---\nname: notes\nversion: 1.0.0\ndescription: Notes.\n---\nLog in with ${VALUE}.\n` },
  });
  const prepared = await prepareRun(at.house, ORDER);
  expect(prepared).toMatchObject({
    kind: 'refused',
    findings: expect.arrayContaining([
      expect.objectContaining({
        code: 'secret-in-entry',
        message: expect.stringContaining('the skill notes holds a secret ([secret:OLD_PASSWORD])'),
      }),
    ]),
  });
  expect(JSON.stringify(prepared)).not.toContain(VALUE);
});

test('a role named like a secret refuses the run', async () => {
  const at = await knowing({ roles: { [VALUE]: {} }, script: { [VALUE]: script.lead } });
  expect(await prepareRun(at.house, ORDER)).toMatchObject({
    kind: 'refused',
    findings: expect.arrayContaining([expect.objectContaining({ code: 'secret-in-name' })]),
  });
});

test('a role file that holds one is warned of; its prompt and the digest of it are without', async () => {
  const at = await knowing({ roles: { lead: { prompt: `You are lead, ${VALUE}.` } }, script });
  const bare = await writeMission({
    roles: { lead: { prompt: 'You are lead, [secret:OLD_PASSWORD].' } },
    script,
  });
  const [prepared, same] = await Promise.all([prepareRun(at.house, ORDER), prepareRun(bare.house, ORDER)]);
  if (prepared.kind === 'refused' || same.kind === 'refused')
    throw new Error(JSON.stringify([prepared, same]));
  expect(prepared.plan.findings).toMatchObject([{ code: 'secret-in-file', severity: 'warning' }]);
  expect(JSON.stringify([...prepared.plan.prompts])).not.toContain(VALUE);
  expect(prepared.plan.started.seats[0]?.prompt_sha256).toBe(same.plan.started.seats[0]?.prompt_sha256);
});
