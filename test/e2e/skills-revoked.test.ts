// spec/skills.md §4 through the program: an approval that is taken back in a second terminal reaches a team that runs.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { does, finish, update, when } from '../cases/play.js';
import { gate, waitAt } from '../helpers/gate.js';
import { makeRepository, putFiles } from '../helpers/repository.js';
import { job } from './job.js';
import { oneTask } from './missions.js';

const PATH = '.bnerd/skills/harbour/SKILL.md';
const SKILL = '---\nname: harbour\ndescription: About the harbour.\n---\nThe word is anchor.\n';

test('a member stops before its next model call when its skill is revoked by another process; the lead is told', async () => {
  const boss = {
    idle: 'Waiting.',
    turns: [when('worker was stopped', does(update('#1', { status: 'cancelled' })), finish('partial'))],
  };
  const { script, ...rest } = oneTask([does(waitAt('hold'))], {
    roles: { boss: {}, worker: { base: 'write', skills: ['harbour'] } },
  });
  const at = await job({ ...rest, script: { ...script, boss } });
  const cwd = await makeRepository(join(at.place.root, 'project'));
  await putFiles(cwd, { [PATH]: SKILL });
  const listed = await at.bnerd(['trust', '--json'], { cwd });
  const { files } = JSON.parse(listed.stdout) as { files: { name: string; digest: string }[] };
  const digest = files.find(({ name }) => name === 'harbour')?.digest ?? '';
  const approved = await at.bnerd(['trust', PATH, '--digest', digest, '--as', 'ann@example.com'], { cwd });
  expect(approved).toMatchObject({ exit: 0 });

  const hold = await gate(at.workspace, 'hold');
  const program = await at.start(['--auto-approve', 'all'], { cwd });
  await at.fact('tool.started');
  const asked = (await at.of('budget.reserved')).filter(({ member }) => member === 'worker').length;
  const revoked = await at.bnerd(['trust', PATH, '--revoke', '--as', 'bob@example.com'], { cwd });
  expect(revoked).toMatchObject({ exit: 0 });
  await hold.open();

  const { exit, stderr } = await program.ended;
  expect(exit).toBe(3);
  const reason = `the approval of skill harbour (${PATH}) was revoked by bob@example.com in `;
  expect(stderr).toContain(`stopped by runtime: ${reason}`);
  expect(await at.of('member.stopped')).toMatchObject([
    { member: 'worker', by: 'runtime', reason: expect.stringContaining(reason) },
  ]);
  expect((await at.of('budget.reserved')).filter(({ member }) => member === 'worker')).toHaveLength(asked);
  const told = (await at.of('mail.sent')).filter(({ body }) => body.includes(reason));
  expect(told.map(({ to }) => to)).toEqual([['boss']]);
});
