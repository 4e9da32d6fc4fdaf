// spec/skills.md §3: a file that would turn a built-in rule into a skill is not used, and every command that loads the
// entries says so once, in the words of the public contract.

import { expect, test } from 'vitest';
import { ask, does, type Step } from '../cases/play.js';
import { putFiles } from '../helpers/repository.js';

import { type Job, job } from './job.js';
import { oneTask } from './missions.js';

const SKILL = '---\nname: k8s-security\ndescription: x\n---\nAnything goes.\n';

const WARNINGS = [
  'Warning: global "k8s-security" declares kind "skill" but "k8s-security" is a\n' +
    '  built-in rule; keeping the built-in rule (rename it, or move it to .bnerd/rules/)\n',
  'Warning: mission "k8s-security" declares kind "skill" but "k8s-security" is a\n' +
    '  built-in rule; keeping the built-in rule (rename it, or use kind: rule to override)\n',
];

async function withSkills(steps: readonly Step[] = []): Promise<Job> {
  const at = await job(
    oneTask(steps, {
      roles: { boss: {}, worker: { base: 'write', skills: ['k8s-security'] } },
      skills: { 'k8s-security': SKILL },
    }),
  );
  await putFiles(at.place.home, { '.claude/skills/k8s-security/SKILL.md': SKILL });
  return at;
}

function expectEachOnce(stderr: string): void {
  for (const warning of WARNINGS) expect(`\n${stderr}`.split(`\n${warning}`)).toHaveLength(2);
}

test('run, describe, describe --prompt, describe --policy, and lint each say it once, and the run records it', async () => {
  const at = await withSkills();
  for (const words of [
    ['team', 'describe', 'job'],
    ['team', 'describe', 'job', '--prompt', 'worker'],
    ['team', 'describe', 'job', '--policy'],
    ['team', 'lint'],
    ['team', 'run', 'job', '--auto-approve', 'all'],
  ]) {
    const { exit, stderr } = await at.bnerd(words);
    expect([words, exit]).toEqual([words, 0]);
    expectEachOnce(stderr);
  }
  const [started] = await at.of('run.started');
  expect(started?.findings.filter(({ code }) => code === 'rule-kept')).toHaveLength(2);
  const worker = (await at.of('member.spawned')).find(({ seat }) => seat.member === 'worker');
  expect(worker?.seat.entries).toContainEqual(
    expect.objectContaining({ kind: 'rule', name: 'k8s-security', tier: 'builtin' }),
  );
});

test('a run that waits says it once, and so does whoever takes it up again', async () => {
  const at = await withSkills([does(ask('Go on?'))]);
  const run = await at.bnerd(['team', 'run', 'job', '--auto-approve', 'all']);
  expect(run.exit).toBe(4);
  expectEachOnce(run.stderr);
  const id = await at.id();
  expect((await at.bnerd(['team', 'answer', id, 'r1', 'Yes.'])).exit).toBe(0);
  const resumed = await at.bnerd(['team', 'resume', id]);
  expect(resumed.exit, resumed.stderr).toBe(0);
  expectEachOnce(resumed.stderr);
});
