// Issue 2 "Bad input" through the program: place, finding, allowed values, remedy; exit 2; nothing created on disk.

import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { finding } from '../../src/events/facts/frozen.js';
import { says, when } from '../cases/play.js';
import { type BnerdOptions, bnerd } from '../helpers/bnerd.js';
import type { Mission } from '../helpers/team.js';
import { type Job, job } from './job.js';
import { oneTask, worksOn } from './missions.js';

interface Row {
  readonly what: string;
  readonly mission?: Mission;
  /** Instead of `team run job`. */
  readonly words?: readonly string[];
  readonly options?: BnerdOptions;
  /** Done to the mission's files before. */
  readonly spoil?: (at: Job) => Promise<void>;
  readonly code: string;
  /** The finding's path, and its line where it has one. */
  readonly place: RegExp;
  /** What is said of what was found, what is allowed and what to do. */
  readonly found: string | RegExp;
  readonly allowed: string | RegExp;
  readonly remedy: string | RegExp;
}

const RECIPE = 'orchestrator/teams/job/team.md';
const SCRIPT = 'orchestrator/teams/job/script.yaml';
const plain = (more: Partial<Mission> = {}): Mission => oneTask([], more);
const scripted = (worker: object): Mission => plain({ script: { worker: { turns: [worker] } } });

/** Something else than a file stands where a file should: nobody can read that, root neither. */
const unreadable =
  (path: string, what: 'a directory' | 'a dangling link') =>
  async (at: Job): Promise<void> => {
    const file = join(at.mission, path);
    await rm(file);
    if (what === 'a directory') await mkdir(file);
    else await symlink('nowhere', file);
  };

const ROWS: readonly Row[] = [
  {
    what: 'an unknown slug',
    words: ['team', 'run', 'jib'],
    code: 'unknown-recipe',
    place: /jib/,
    found: '"jib"',
    allowed: /known: .*\bjob\b.*\bquickstart\b/,
    remedy: 'did you mean "job"',
  },
  {
    what: 'an unknown role',
    mission: plain({ recipe: { roles: ['boss', 'wroker'], tasks: [] } }),
    code: 'unknown-role',
    place: /job\/team\.md:\d+$/,
    found: 'wroker',
    allowed: 'worker',
    remedy: 'did you mean "worker"',
  },
  {
    what: 'an unknown skill',
    mission: plain({ roles: { boss: {}, worker: { base: 'write', skills: ['writing-a-repotr'] } } }),
    code: 'unknown-skill',
    place: /roles\/worker\.md/,
    found: 'writing-a-repotr',
    allowed: 'writing-a-report',
    remedy: 'did you mean "writing-a-report"',
  },
  {
    what: 'a missing field',
    mission: plain({ recipe: { description: undefined } }),
    code: 'missing-field',
    place: /job\/team\.md/,
    found: /description.* is missing/,
    allowed: 'description',
    remedy: /add|write/,
  },
  {
    what: 'a YAML error',
    spoil: (at) => writeFile(join(at.mission, RECIPE), '---\nname: [job\nlead: boss\n---\nx\n'),
    code: 'yaml-error',
    place: /job\/team\.md:\d+$/,
    found: /\S/,
    allowed: /\S/,
    remedy: /\S/,
  },
  {
    what: 'an unreadable recipe, a directory',
    spoil: unreadable(RECIPE, 'a directory'),
    code: 'not-a-file',
    place: /job\/team\.md$/,
    found: 'is not a regular file',
    allowed: 'Markdown file',
    remedy: 'put a Markdown file in its place',
  },
  {
    what: 'an unreadable role, a dangling link',
    spoil: unreadable('orchestrator/roles/worker.md', 'a dangling link'),
    code: 'file-missing',
    place: /roles\/worker\.md$/,
    found: 'the file does not exist',
    allowed: 'check the path',
    remedy: 'remove the dangling link',
  },
  {
    what: 'an unreadable script, a directory',
    spoil: unreadable(SCRIPT, 'a directory'),
    code: 'unreadable-file',
    place: /script\.yaml$/,
    found: 'cannot be read: it is not a regular file',
    allowed: 'a readable YAML file',
    remedy: 'script/<file>',
  },
  {
    what: 'a loosened --safety',
    words: ['team', 'run', 'job', '--safety', 'full'],
    code: 'safety-loosened',
    place: /^--safety$/,
    found: /full.*non-destructive/,
    allowed: 'allowed: read-only, non-destructive',
    remedy: 'leave --safety out',
  },
  {
    what: 'a --safety that there is not',
    words: ['team', 'run', 'job', '--safety', 'reed-only'],
    code: 'bad-value',
    place: /^--safety$/,
    found: '"reed-only"',
    allowed: /read-only, non-destructive.* full/,
    remedy: 'write one of read-only, non-destructive, full',
  },
  {
    what: 'an unknown flag',
    words: ['team', 'run', 'job', '--saftey', 'full'],
    code: 'unknown-flag',
    place: /^--saftey$/,
    found: 'has no flag --saftey',
    allowed: /--safety/,
    remedy: 'did you mean "--safety"',
  },
  {
    what: 'a missing --var',
    mission: plain({
      recipe: { variables: { ticket: { description: 'the ticket' } } },
      contract: 'Do {{ticket}}.',
    }),
    code: 'missing-variable',
    place: /--var|team\.md/,
    found: 'ticket',
    allowed: 'ticket',
    remedy: '--var ticket=',
  },
  {
    what: 'an unknown --var',
    mission: plain({ recipe: { variables: { ticket: { default: '1' } } }, contract: 'Do {{ticket}}.' }),
    words: ['team', 'run', 'job', '--var', 'tikcet=2'],
    code: 'unknown-variable',
    place: /^--var$/,
    found: 'tikcet',
    allowed: 'ticket',
    remedy: 'did you mean "ticket"',
  },
  {
    what: 'a script with a step too many',
    mission: scripted({ steps: [{ text: 'Done.' }, { text: 'More.' }] }),
    code: 'step-left-over',
    place: /script\.yaml:\d+$/,
    found: 'roles.worker.turns[0].steps[1]',
    allowed: /\S/,
    remedy: /\S/,
  },
  {
    what: 'a script with a step too few',
    mission: scripted({ steps: [{ calls: [{ tool: 'team_task_list', args: {} }] }] }),
    code: 'step-missing',
    place: /script\.yaml:\d+$/,
    found: 'roles.worker.turns[0]',
    allowed: /\S/,
    remedy: /\S/,
  },
  {
    what: 'a script that has no part for a role',
    spoil: (at) =>
      writeFile(
        join(at.mission, SCRIPT),
        stringify({ script: 1, roles: { boss: { turns: [when('x', says('y'))] } } }),
      ),
    code: 'role-without-part',
    place: /script\.yaml/,
    found: 'worker',
    allowed: /\S/,
    remedy: /\S/,
  },
  {
    what: 'a variable of the environment that says nothing allowed',
    options: { env: { BNERD_AUTO_APPROVE: 'everything' } },
    code: 'bad-value',
    place: /^BNERD_AUTO_APPROVE$/,
    found: '"everything"',
    allowed: /never, safe.* all/,
    remedy: /\S/,
  },
  {
    what: 'a mission repository that is not there',
    words: ['team', 'run', 'job', '--mission-repo', './nowhere'],
    code: 'bad-value',
    place: /^--mission-repo$/,
    found: 'nowhere',
    allowed: /director/,
    remedy: /\S/,
  },
  {
    what: 'an empty prompt on stdin',
    words: ['team', 'run', 'job', '--prompt', '-'],
    code: 'bad-prompt',
    place: /^--prompt -$/,
    found: 'stdin is empty',
    allowed: 'allowed: a text of at most 1 MiB',
    remedy: 'leave the flag out',
  },
];

/** What lies in the directories of the run. */
async function onDisk(at: Job): Promise<string[]> {
  const below = async (path: string): Promise<string[]> => readdir(path, { recursive: true });
  return [...(await below(at.place.root)), ...(await below(at.mission))].sort();
}

describe('bad input is refused with exit 2 before anything exists', () => {
  test.each(ROWS)(
    '$what: place, finding, allowed values and remedy, once as text and once as one run.refused line',
    async (row) => {
      const at = await job(row.mission ?? plain());
      await row.spoil?.(at);
      const before = await onDisk(at);
      const words = row.words ?? ['team', 'run', 'job'];
      // The program for programs, in a process of its own; the same words for people in this one.
      const events = await at.bnerd([...words, '--json-events'], row.options);
      const text = await at.here(words, row.options);
      expect(await onDisk(at)).toEqual(before);
      expect(text).toMatchObject({ exit: 2, stdout: '' });
      expect(events).toMatchObject({ exit: 2, stderr: '' });
      expect(events.lines).toHaveLength(1);
      const [line] = events.lines;
      expect(line).toMatchObject({ v: 1, seq: 1, type: 'run.refused', exit: 2, findings: expect.any(Array) });
      const findings = finding.array().parse(line?.['findings']);
      const errors = findings.filter(({ severity }) => severity === 'error');
      expect(errors.map(({ code }) => code)).toContain(row.code);
      const about = errors.find(({ code }) => code === row.code);
      const place = about?.line === undefined ? about?.path : `${about.path}:${about.line}`;
      expect(place).toMatch(row.place);
      const said = `${about?.message} (${about?.remedy})`;
      expect(said).toMatch(row.found);
      expect(said).toMatch(row.allowed);
      expect(about?.remedy).toMatch(row.remedy);
      // People are told the same, a line for each finding.
      expect(text.stderr).toContain(`${place}: error ${row.code} ${said}\n`);
      expect(text.stderr.trimEnd().split('\n')).toHaveLength(findings.length);
    },
  );
});

test('what the system does not allow when the team is made is told the same ways, exit 1, and nothing is left', async () => {
  const at = await job(plain());
  await mkdir(at.place.state);
  await writeFile(join(at.place.state, 'runs'), 'in the way');
  const [text, events] = await Promise.all([at.run(), at.run(['--json-events'])]);
  expect(text).toMatchObject({ exit: 1, stdout: '' });
  expect(text.stderr).toMatch(/^bnerd team: error system-error .*runs.* \(mend it and try again\)\n$/);
  expect(events).toMatchObject({ exit: 1, stderr: '' });
  expect(events.lines).toMatchObject([
    { type: 'run.refused', exit: 1, findings: [{ code: 'system-error' }] },
  ]);
  expect(await readdir(at.place.state)).toEqual(['runs']);
});

test('what can be known only when it is played, a turn that was never reached, fails the run and is named', async () => {
  const mission = plain({
    script: {
      worker: { idle: 'Ready.', turns: [worksOn('#1'), when('nobody says this', says('Never.'))] },
    },
  });
  const at = await job(mission);
  const run = await at.run(['--auto-approve', 'all']);
  expect(run.exit).toBe(1);
  expect(run.stderr).toMatch(/^failed \(exit 1\): error: .*roles\.worker\.turns\[1\]/m);
});

test('lint says the same before a run, exit 1, and nothing is created', async () => {
  const at = await job(plain({ recipe: { roles: ['boss', 'wroker'], tasks: [] } }));
  const run = await at.bnerd(['team', 'lint', 'job']);
  expect(run.exit).toBe(1);
  expect(run.stdout + run.stderr).toMatch(/team\.md:\d+: error unknown-role .*did you mean "worker"/);
  expect(await at.ids()).toEqual([]);
  expect(await readdir(at.place.root)).not.toContain('state');
});

test('a working directory that is gone is told in our words, exit 2', async () => {
  const run = await bnerd(['team', 'list'], { sh: 'mkdir gone && cd gone && rmdir ../gone && exec "$@"' });
  expect(run).toMatchObject({ exit: 2, stdout: '' });
  expect(run.stderr).toBe(
    'bnerd: error no-directory the working directory is gone, or may not be looked at (change to another one)\n',
  );
});
