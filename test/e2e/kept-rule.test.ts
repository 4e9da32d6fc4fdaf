// spec/skills.md §3: a file that would turn a built-in rule into a skill is not used, and every command that loads the
// entries says so once, in the words of the public contract.

import { expect, test } from 'vitest';
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

async function withSkills(): Promise<Job> {
  const at = await job(
    oneTask([], {
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

test('run, describe, describe --prompt, and lint each say it once, and the run records it', async () => {
  const at = await withSkills();
  for (const words of [
    ['team', 'describe', 'job'],
    ['team', 'describe', 'job', '--prompt', 'worker'],
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
