// N38 through the program and by the bodies of requests: disabled while the run waits: the running member keeps its recorded
// text, a new spawn is refused with the reason.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { farSide } from '../helpers/provider-team.js';
import { calls, says } from '../helpers/providers/deeds.js';
import type { Respond, Seen } from '../helpers/providers/far-side.js';
import { MODEL_NAMES } from '../helpers/providers/open-far.js';
import { putFiles } from '../helpers/repository.js';
import { stranger } from './stranger.js';

const MODEL = `anthropic/${MODEL_NAMES.anthropic}`;
const CRAFT = '---\nname: craft\ndescription: How the operator works.\n---\nThe word is heron.\n';
const GIVEN = '[Skill: craft]\nHow the operator works.\n\nThe word is heron.';
const REFUSED = 'helper cannot be brought in: skill craft is disabled by ~/.bnerd.yaml:3';

/** The lead brings the helper in when the worker is done; the worker passes on the word of its prompt. */
const atWork: Respond = (seen) => {
  const all = seen.messages.map(({ text }) => text).join('\n');
  if (isOf('boss', seen)) {
    if (!/has completed #1/.test(all)) return says('I wait.');
    if (!all.includes('cannot be brought in')) return calls('team_spawn', { role: 'helper' });
    return calls('team_finish', { outcome: 'done', result: /The word was \w+/.exec(all)?.[0] ?? 'No word.' });
  }
  if (!all.includes('Task #1 is ready')) return says('Ready.');
  if (!all.includes('is yours, attempt')) return calls('team_task_claim', { task: '#1' });
  if (!all.includes('go on then')) return calls('ask_question', { question: 'Shall I go on?' });
  const reported = seen.messages.some(
    (message) =>
      message.role === 'assistant' && message.calls.some(({ tool }) => tool === 'team_task_complete'),
  );
  const word = /The word is (\w+)\./.exec(seen.system.join('\n'))?.[1] ?? 'missing';
  return reported
    ? says('Done.')
    : calls('team_task_complete', { task: '#1', summary: `The word was ${word}` });
};

function isOf(member: string, { system }: Seen): boolean {
  return system.join('\n').includes(`You are ${member}.`);
}

test('N38: disabled while the run waits: the running member keeps its recorded text, a new spawn is refused with the reason', async () => {
  const far = await farSide('anthropic', atWork);
  const at = await stranger({ 'readme.txt': 'Nothing here.\n' });
  const role = (name: string, more: string): string =>
    `---\nname: ${name}\ndescription: The ${name}\ntools: []\n${more}---\nYou are ${name}.\n`;
  await putFiles(at.place.state, {
    'teams/job/team.md': `---\nname: job\ndescription: A job\nlead: boss\nroles: [boss, worker, helper]\non_demand: [helper]\ntasks: [{id: look, subject: Look around, role: worker}]\n---\nWork together.\n`,
    'roles/boss.md': role('boss', ''),
    'roles/worker.md': role('worker', 'skills: [craft]\n'),
    'roles/helper.md': role('helper', 'skills: [craft]\n'),
    'skills/craft/SKILL.md': CRAFT,
  });
  const settings = `providers: {anthropic: {base-url: "${far.url.replace(/\/v1$/, '')}"}}\nmodels: {${MODEL}: {context: 200000}}\n`;
  await putFiles(at.place.home, { '.bnerd.yaml': settings });
  const env = { ANTHROPIC_API_KEY: 'k' };
  const run = await at.bnerd(['team', 'run', 'job', 'Look.', '--model', MODEL], { env });
  expect(run.exit, run.stderr).toBe(4);
  const before = far.seen.length;
  const id = /run-job-[0-9A-Z]+/.exec(run.stderr)?.[0] ?? '';

  await putFiles(at.place.home, { '.bnerd.yaml': `${settings}skills: {disabled: [craft]}\n` });
  // What the file says by now does not matter to who has the recorded text.
  await putFiles(at.place.state, { 'skills/craft/SKILL.md': CRAFT.replace('heron', 'SENTINEL') });
  expect((await at.bnerd(['team', 'answer', id, 'r1', 'go on then'], { env })).exit).toBe(0);
  const resumed = await at.bnerd(['team', 'resume', id], { env });
  expect(resumed.exit, resumed.stderr).toBe(0);

  // The running member keeps its recorded text: in every request of its, and in what it made of it.
  expect(resumed.stdout.trim()).toBe('The word was heron');
  const ofWorker = far.seen.slice(before).filter((seen) => isOf('worker', seen));
  expect(ofWorker.length).toBeGreaterThan(0);
  for (const seen of ofWorker) expect(seen.system.join('\n')).toContain(GIVEN);
  expect(JSON.stringify(far.seen.map(({ body }) => body))).not.toContain('SENTINEL');
  expect(resumed.stderr).toContain('craft is disabled; members that have it keep the recorded text');

  // A new spawn is refused with the reason: the lead is told it, and no model was asked for the helper.
  const ofBoss = far.seen.slice(before).filter((seen) => isOf('boss', seen));
  expect(
    ofBoss.at(-1)?.messages.some(({ role: from, text }) => from === 'tool' && text.includes(REFUSED)),
  ).toBe(true);
  expect(far.seen.some((seen) => isOf('helper', seen))).toBe(false);

  // So is a new run, before a model is asked.
  const asked = far.seen.length;
  const again = await at.bnerd(['team', 'run', 'job', 'Look.', '--model', MODEL], { env });
  expect(again).toMatchObject({ exit: 2, stdout: '' });
  for (const name of ['worker', 'helper']) {
    const path = join(at.place.state, `roles/${name}.md`);
    const line = again.stderr.split('\n').find((one) => one.includes(`${name}.md`));
    expect(line, path).toMatch(/error entry-disabled skill "craft" is disabled by ~\/\.bnerd\.yaml:3 /);
  }
  expect(far.seen).toHaveLength(asked);
});
