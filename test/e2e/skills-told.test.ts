// Through the program: what "describe --prompt" says of text that is in no prompt, and the page of a run (spec/skills.md
// §4, §7; spec/team.md §1).
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/shared/digest.js';
import { engine } from '../helpers/engines.js';
import { putFiles } from '../helpers/repository.js';
import { type Stranger, stranger } from './stranger.js';

const skill = (name: string, body: string, more = ''): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n${more}---\n${body}\n`;

/** A team of the operator's own, in a repository of strangers with a skill that the worker's role names. */
async function team(): Promise<Stranger> {
  const at = await stranger({ '.claude/skills/news/SKILL.md': skill('news', 'The word is kestrel.') });
  await putFiles(at.place.state, {
    'teams/job/team.md':
      '---\nname: job\ndescription: A job\nlead: boss\nroles: [boss, worker]\nmodel: script/script.yaml\ntasks: [{id: look, subject: Look around, role: worker, skills: [craft]}]\n---\nWork together.\n',
    'teams/job/script.yaml': [
      'script: 1',
      'roles:',
      '  boss:',
      '    idle: Waiting.',
      '    turns:',
      '      - steps: [{text: Go.}]',
      '      - await: completed #1',
      '        steps: [{calls: [{tool: team_finish, args: {outcome: done, result: All well.}}]}]',
      '  worker:',
      '    idle: Ready.',
      '    turns:',
      '      - await: "Task #1 is ready"',
      '        steps:',
      '          - {calls: [{tool: team_task_claim, args: {task: "#1"}}]}',
      '          - {calls: [{tool: team_task_complete, args: {task: "#1", summary: Looked.}}]}',
      '          - {text: Done.}',
      '',
    ].join('\n'),
    'roles/boss.md': '---\nname: boss\ndescription: Leads\ntools: []\n---\nYou lead.\n',
    'roles/worker.md': '---\nname: worker\ndescription: Works\ntools: []\nskills: [news]\n---\nYou work.\n',
    'skills/craft/SKILL.md': skill('craft', 'The word is heron.', 'page: none\n'),
  });
  // A rule is silent about pages, and so would have everybody told.
  await putFiles(at.place.home, { '.bnerd.yaml': 'skills: {disabled: [evidence-first]}\n' });
  return at;
}

async function recordOf(at: Stranger, stderr: string) {
  const id = /run-job-[0-9A-Z]+/.exec(stderr)?.[0] ?? '';
  const record = engine().record(at.place, id);
  const facts = (await record.log()).entries.flatMap((entry) => [...entry.facts]);
  const inputs = async (member: string): Promise<string[]> =>
    (await record.transcript(member)).entries.flatMap((entry) =>
      entry.kind === 'input' ? [entry.text] : [],
    );
  const started = facts.flatMap((fact) => (fact.type === 'run.started' ? [fact] : []))[0];
  return { started, inputs };
}

test('describe --prompt: stdout is the system prompt and nothing else; the block and the rider are told beside it', async () => {
  const at = await team();
  const shown = await at.bnerd(['team', 'describe', 'job', '--prompt', 'worker']);
  expect(shown.exit, shown.stderr).toBe(0);
  expect(shown.stdout).not.toMatch(/kestrel|heron/);
  expect(shown.stderr).toContain(`SHA-256 ${sha256(shown.stdout)}`);
  const json = await at.bnerd(['team', 'describe', 'job', '--prompt', 'worker', '--json']);
  const described = JSON.parse(json.stdout);
  const { reference, tasks } = described;
  expect(reference.text).toContain('The word is kestrel.');
  expect(reference).toMatchObject({
    sha256: sha256(reference.text),
    bytes: Buffer.byteLength(reference.text),
    entries: [{ name: 'news', tier: 'project', origin: join(at.repository, '.claude/skills/news/SKILL.md') }],
  });
  expect(tasks).toMatchObject([{ task: 'look', entries: [{ name: 'craft', trust: 'instruction' }] }]);
  expect(shown.stderr).toContain(
    `not in the prompt: reference text in front of its first message, ${reference.bytes} bytes, SHA-256 ${reference.sha256}\n  skill:news  project  .claude/skills/news/SKILL.md (digest 1:`,
  );
  expect(shown.stderr).toContain(
    `not in the prompt: with task look: craft, ${tasks[0].bytes} bytes, SHA-256 ${tasks[0].sha256}\n`,
  );
  // And so it comes.
  const run = await at.bnerd(['team', 'run', 'job', 'Look.']);
  expect(run.exit, run.stderr).toBe(0);
  const { started, inputs } = await recordOf(at, run.stderr);
  const seat = started?.seats.find(({ member }) => member === 'worker');
  expect(seat?.reference).toEqual({ sha256: reference.sha256, bytes: reference.bytes });
  const [first = ''] = await inputs('worker');
  expect(first.startsWith(`${reference.text}\n\n[m1: the operator's order`)).toBe(true);
  expect((await inputs('worker')).join('\n').split('The word is heron.')).toHaveLength(2);
  // Nobody who has none of it is shown what the boss is described with: nothing.
  const lead = JSON.parse((await at.bnerd(['team', 'describe', 'job', '--prompt', 'lead', '--json'])).stdout);
  expect([lead.reference, lead.tasks]).toEqual([null, []]);
});

test('--page, then BNERD_PAGE: told once, to whoever carries an entry that may work on one; else refused by name', async () => {
  const at = await team();
  const env = { BNERD_PAGE: 'docs/other.md' };
  const run = await at.bnerd(['team', 'run', 'job', '--page', 'https://docs.example/a?b=c'], { env });
  expect(run.exit, run.stderr).toBe(0);
  const { started, inputs } = await recordOf(at, run.stderr);
  expect(started?.page).toBe('https://docs.example/a?b=c');
  expect(
    (await inputs('worker'))
      .join('\n')
      .split('\n')
      .filter((line) => line.startsWith('Page of this run:')),
  ).toEqual(['Page of this run: https://docs.example/a?b=c']);
  expect((await inputs('boss')).join('\n')).not.toContain('docs.example');
  for (const [words, from, said] of [
    [
      ['--page', 'ftp://docs.example'],
      {},
      /--page: error bad-value "ftp:\/\/docs\.example" is not allowed here; allowed: an address that begins with http/,
    ],
    [['--page', 'https://ann:secret@docs.example'], {}, /--page: error bad-value .*\(it names a user/],
    [
      [],
      { BNERD_PAGE: 'a\u202eb' },
      /BNERD_PAGE: error bad-value .*\(it holds a character that cannot be seen/,
    ],
  ] as const) {
    const refused = await at.bnerd(['team', 'run', 'job', ...words], { env: from });
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toMatch(said);
    expect(refused.stderr).not.toContain('secret');
  }
});
