// spec/team.md §1, §8 through the program: what there is to run, and the help.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bnerd } from '../helpers/bnerd.js';
import { bnerdHere } from '../helpers/bnerd-here.js';
import { type Job, job } from './job.js';
import { oneTask } from './missions.js';

/** A mission with a recipe as in the specification. */
async function review(): Promise<Job> {
  return job(
    oneTask([], {
      recipe: {
        description: 'Run a multi-role review of a pull request',
        roles: ['boss', 'worker', 'security-reviewer'],
        on_demand: ['security-reviewer'],
        safety: 'read-only',
        when_to_use: 'Before a merge.',
      },
      roles: { boss: {}, worker: {}, 'security-reviewer': {} },
      script: { 'security-reviewer': { turns: [{ steps: [{ text: 'Ready.' }] }] } },
    }),
  );
}

describe('team list and describe', () => {
  test('list: the slug padded to 21 columns, then the description; as JSON with the tier', async () => {
    const at = await review();
    const list = await at.bnerd(['team', 'list']);
    expect(list).toMatchObject({ exit: 0, stderr: '' });
    const lines = list.stdout.trimEnd().split('\n');
    expect(lines).toEqual([...lines].sort());
    expect(lines).toContain(`${'job'.padEnd(21)}Run a multi-role review of a pull request`);
    expect(lines.find((line) => line.startsWith('quickstart '))?.slice(0, 21)).toBe('quickstart'.padEnd(21));
    const json = await at.bnerd(['team', 'list', '--json']);
    const { v, recipes } = JSON.parse(json.stdout);
    expect(v).toBe(1);
    expect(recipes).toHaveLength(lines.length);
    expect(recipes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ slug: 'job', tier: 'mission' }),
        expect.objectContaining({ slug: 'quickstart', tier: 'builtin' }),
      ]),
    );
  });

  test('describe: exactly as the specification has it, then what is set', async () => {
    const at = await review();
    const described = await at.bnerd(['team', 'describe', 'job']);
    expect(described).toMatchObject({ exit: 0, stderr: '' });
    const expected = [
      'job — Run a multi-role review of a pull request',
      'lead:   boss',
      'safety: read-only',
      'members:',
      '  - worker                     (always-on)',
      '  - security-reviewer          (on-demand)',
      'workspace: work',
      'when to use: Before a merge.',
      '',
    ].join('\n');
    expect(described.stdout.slice(0, expected.length)).toBe(expected);
    const json = JSON.parse((await at.here(['team', 'describe', 'job', '--json'])).stdout);
    expect(json).toMatchObject({ slug: 'job', lead: 'boss', safety: 'read-only' });
  });

  test('describe of pr-review begins with the published text, line for line', async () => {
    const described = await bnerd(['team', 'describe', 'pr-review']);
    expect(described).toMatchObject({ exit: 0, stderr: '' });
    expect(described.stdout.split('\n').slice(0, 6)).toEqual([
      'pr-review — Run a multi-role review of a pull request',
      'lead:   product-orchestrator',
      'safety: read-only',
      'members:',
      '  - code-reviewer              (always-on)',
      '  - security-reviewer          (on-demand)',
    ]);
  });

  test('describe of a slug that there is not: exit 2 with the nearest', async () => {
    const at = await review();
    const described = await at.bnerd(['team', 'describe', 'quikstart']);
    expect(described).toMatchObject({ exit: 2, stdout: '' });
    expect(described.stderr).toContain('did you mean "quickstart"');
  });

  test('one bad file hides no other, and is listed without a description', async () => {
    const at = await review();
    await writeFile(join(at.mission, 'orchestrator/teams/job/team.md'), '---\nname: [\n---\n');
    const list = await at.bnerd(['team', 'list']);
    expect(list.exit).toBe(0);
    expect(list.stdout).toMatch(/^job {18}\(no description\)$[\s\S]*^quickstart {11}/m);
    const lint = await at.bnerd(['team', 'lint']);
    expect(lint.exit).toBe(1);
    expect(lint.stdout).toMatch(/job\/team\.md:\d+: error yaml-error/);
  });
});

describe('team lint', () => {
  test('exit 0 when nothing is wrong, 1 on an error, and with --strict on a warning', async () => {
    const good = await review();
    expect(await good.here(['team', 'lint', 'job'])).toMatchObject({
      exit: 0,
      stdout: '',
      stderr: '1 file: 1 loaded, 0 repaired, 0 refused; 0 errors, 0 warnings, 0 remarks\n',
    });
    const warned = await job(oneTask([], { recipe: { size: 7 } }));
    const loose = await warned.here(['team', 'lint', 'job']);
    expect(loose.exit).toBe(0);
    expect(loose.stdout).toMatch(/team\.md:\d+: warning \S+ .*size.*7/);
    expect((await warned.here(['team', 'lint', 'job', '--strict'])).exit).toBe(1);
    const bad = await job(oneTask([], { recipe: { saftey: 'full' } }));
    const found = await bad.bnerd(['team', 'lint']);
    expect(found.exit).toBe(1);
    expect(found.stdout).toMatch(/team\.md:\d+: error unknown-key .*did you mean "safety"/);
    const json = await bad.here(['team', 'lint', '--json']);
    expect(json.exit).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      v: 1,
      findings: [{ severity: 'error', code: 'unknown-key', line: expect.any(Number) }],
    });
    // A warning does not stop a run.
    expect(await warned.run(['--auto-approve', 'all'])).toMatchObject({ exit: 0 });
    for (const at of [good, bad]) expect(await readdir(at.place.root)).not.toContain('state');
  });

  test('a target that there is not is an error', async () => {
    const at = await review();
    const lint = await at.bnerd(['team', 'lint', 'jib']);
    expect(lint.exit).not.toBe(0);
    expect(lint.stdout + lint.stderr).toMatch(/jib/);
  });
});

describe('help', () => {
  test.each([
    [['--help'], /^ {2}team run {9}start a team/m],
    [['help', 'exit-codes'], /^ {4}4 {2}needs_human {2}/m],
    [['help', 'environment'], /^ {2}BNERD_HOME {2,}/m],
    [['team', 'run', '--help'], /^ {2}bnerd team run quickstart$/m],
    [['help', 'team', 'answer'], /^ {2}bnerd team answer run-quickstart-01J r3 yes$/m],
    [['--version'], /^\d+\.\d+\.\d+\S*\n$/],
  ])('%j is on stdout, exit 0, and creates nothing', async (words, said) => {
    const run = await bnerd(words);
    expect(run).toMatchObject({ exit: 0, stderr: '' });
    expect(run.stdout).toMatch(said);
    expect(await readdir(run.place.root)).not.toContain('state');
  });

  test('every command of the overview has help with an example, and every exit code of a run is named', async () => {
    const overview = (await bnerd(['--help'])).stdout;
    const commands = [...overview.matchAll(/^ {2}((?:team|schema) [a-z]+)/gm)].map(([, name = '']) => name);
    expect(commands.length).toBeGreaterThan(14);
    const place = (await bnerd(['--version'])).place;
    const helps = await Promise.all(
      commands.map((name) => bnerdHere([...name.split(' '), '--help'], { place })),
    );
    for (const [index, help] of helps.entries()) {
      expect(help.exit, commands[index]).toBe(0);
      expect(help.stdout, commands[index]).toMatch(
        new RegExp(`^examples:\\n {2}# .+\\n {2}.*bnerd ${commands[index]}`, 'm'),
      );
    }
    const codes = (await bnerd(['help', 'exit-codes'], { place })).stdout;
    for (const code of [0, 1, 2, 3, 4, 5, 6, 7, 8, 129, 130, 143])
      expect(codes).toMatch(new RegExp(`^ *${code} {2}`, 'm'));
  });
});
