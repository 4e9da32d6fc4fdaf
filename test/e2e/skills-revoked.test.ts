// spec/skills.md §4 and team.md §7 through the program: an approval that is taken back in a second terminal reaches a team
// that runs: a member stops, a lead takes the run with it as failed, approval_revoked.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { does, finish, update, when } from '../cases/play.js';
import { gate, waitAt } from '../helpers/gate.js';
import { makeRepository, putFiles } from '../helpers/repository.js';
import type { Mission } from '../helpers/team.js';
import { type Job, job } from './job.js';
import { oneTask } from './missions.js';

const PATH = '.bnerd/skills/harbour/SKILL.md';
const SKILL = '---\nname: harbour\ndescription: About the harbour.\n---\nThe word is anchor.\n';

interface Project {
  readonly at: Job;
  readonly cwd: string;
  approve(): Promise<void>;
  revoke(): Promise<void>;
}

/** A mission beside a project whose one skill is approved. */
async function withSkill(mission: Mission): Promise<Project> {
  const at = await job(mission);
  const cwd = await makeRepository(join(at.place.root, 'project'));
  await putFiles(cwd, { [PATH]: SKILL });
  const listed = await at.bnerd(['trust', '--json'], { cwd });
  const { files } = JSON.parse(listed.stdout) as { files: { name: string; digest: string }[] };
  const digest = files.find(({ name }) => name === 'harbour')?.digest ?? '';
  const trust = async (...words: readonly string[]): Promise<void> => {
    expect(await at.bnerd(['trust', PATH, ...words], { cwd })).toMatchObject({ exit: 0 });
  };
  const approve = () => trust('--digest', digest, '--as', 'ann@example.com');
  await approve();
  return { at, cwd, approve, revoke: () => trust('--revoke', '--as', 'bob@example.com') };
}

test('a member stops before its next model call when its skill is revoked by another process; the lead is told', async () => {
  const boss = {
    idle: 'Waiting.',
    turns: [when('worker was stopped', does(update('#1', { status: 'cancelled' })), finish('partial'))],
  };
  const { script, ...rest } = oneTask([does(waitAt('hold'))], {
    roles: { boss: {}, worker: { base: 'write', skills: ['harbour'] } },
  });
  const { at, cwd, revoke } = await withSkill({ ...rest, script: { ...script, boss } });
  const hold = await gate(at.workspace, 'hold');
  const program = await at.start(['--auto-approve', 'all'], { cwd });
  await at.fact('tool.started');
  const asked = (await at.of('budget.reserved')).filter(({ member }) => member === 'worker').length;
  await revoke();
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

test('with a lead the run fails: approval_revoked, exit 1; approved again, it is taken up and done', async () => {
  const { at, cwd, approve, revoke } = await withSkill({
    roles: { boss: { base: 'write', skills: ['harbour'] } },
    script: { boss: { idle: 'Waiting.', turns: [when('', does(waitAt('hold')), finish())] } },
  });
  const hold = await gate(at.workspace, 'hold');
  const program = await at.start(['--auto-approve', 'all'], { cwd });
  await at.fact('tool.started');
  await revoke();
  await hold.open();
  const run = await program.ended;
  expect(run).toMatchObject({ exit: 1, stdout: '' });
  expect(run.stderr).toMatch(/^failed \(exit 1\): approval_revoked: .*was revoked by bob@example\.com/m);
  expect(run.stderr).not.toContain('\nresume: ');
  expect(await at.of('run.ended')).toMatchObject([{ reason: 'failed', cause: 'approval_revoked', exit: 1 }]);

  await approve();
  const resumed = await at.bnerd(['team', 'resume', await at.id()], { cwd });
  expect(resumed).toMatchObject({ exit: 0, stdout: 'All is said.\n' });
});
