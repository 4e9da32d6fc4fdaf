// Issue 2 "Bad input": each an error with place, finding, allowed values and remedy, and nothing created on disk.
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { House } from '../../src/runtime/house.js';
import { prepareRun, type RunOrder } from '../../src/runtime/prepare-run.js';
import type { Finding } from '../../src/shared/findings.js';
import { type Mission, ORDER, type TestHouse, writeMission } from '../helpers/team.js';
import { JOB } from './job.js';

interface Row {
  readonly what: string;
  readonly mission?: Partial<Mission>;
  readonly order?: Partial<RunOrder>;
  readonly house?: Partial<House>;
  /** Done to the files before the run is ordered. */
  readonly spoil?: (at: TestHouse) => Promise<void>;
  readonly code: string;
  /** End of the path of the finding. */
  readonly place: string | RegExp;
  readonly line?: true;
  /** Found and allowed, as message and remedy say them together. */
  readonly says: readonly (string | RegExp)[];
}

const RECIPE = 'orchestrator/teams/job/team.md';
const SCRIPT = 'orchestrator/teams/job/script.yaml';
const recipe = (more: object): Partial<Mission> => ({ recipe: { ...JOB.recipe, ...more } });
const roles = (more: Mission['roles']): Partial<Mission> => ({ roles: { ...JOB.roles, ...more } });
const put =
  (path: string, text: string): NonNullable<Row['spoil']> =>
  (at) =>
    writeFile(join(at.mission, path), text);

const ROWS: readonly Row[] = [
  {
    what: 'an unknown slug',
    order: { slug: 'jib' },
    code: 'unknown-recipe',
    place: 'jib',
    says: ['did you mean "job"', 'quickstart'],
  },
  {
    what: 'a slug that climbs',
    order: { slug: '../job' },
    code: 'unknown-recipe',
    place: '../job',
    says: ['known:'],
  },
  {
    what: 'an unknown role',
    mission: recipe({ roles: ['boss', 'wroker'], tasks: [] }),
    code: 'unknown-role',
    place: RECIPE,
    line: true,
    says: ['wroker', 'did you mean "worker"'],
  },
  {
    what: 'an unknown skill',
    mission: roles({ worker: { base: 'write', skills: ['writing-a-repotr'] } }),
    code: 'unknown-skill',
    place: 'roles/worker.md',
    says: ['writing-a-repotr', 'did you mean "writing-a-report"'],
  },
  {
    what: 'an unknown tool',
    mission: roles({ worker: { base: 'write', tools: ['fs_raed_file'] } }),
    code: 'unknown-tool',
    place: 'roles/worker.md',
    line: true,
    says: ['fs_raed_file', 'did you mean "fs_read_file"'],
  },
  {
    what: 'tools of which none is left',
    mission: roles({ worker: { base: 'read', tools: ['Write'] } }),
    code: 'no-tools-resolve',
    place: 'roles/worker.md',
    line: true,
    says: ['"Write"', 'allowed under safety non-destructive', 'fs_read_file'],
  },
  {
    what: 'a missing field',
    mission: recipe({ description: undefined }),
    code: 'missing-field',
    place: RECIPE,
    says: ['description'],
  },
  {
    what: 'an unknown key',
    mission: recipe({ saftey: 'full' }),
    code: 'unknown-key',
    place: RECIPE,
    line: true,
    says: ['saftey', 'did you mean "safety"'],
  },
  {
    what: 'a YAML error',
    spoil: put(RECIPE, '---\nname: [job\n---\nx\n'),
    code: 'yaml-error',
    place: RECIPE,
    line: true,
    says: [/./],
  },
  {
    what: 'a YAML error of a role',
    spoil: put('orchestrator/roles/worker.md', '---\nname: "worker\n---\nx\n'),
    code: 'yaml-error',
    place: 'roles/worker.md',
    line: true,
    says: [/./],
  },
  {
    what: 'a loosened --safety',
    order: { safety: 'full' },
    code: 'safety-loosened',
    place: '--safety',
    says: ['full', 'non-destructive', 'allowed: read-only, non-destructive', 'leave --safety out'],
  },
  {
    what: 'a missing --var',
    mission: { ...recipe({ variables: { ticket: {} } }), contract: 'Do {{ticket}}.' },
    code: 'missing-variable',
    place: /--var|team\.md$/,
    says: ['ticket'],
  },
  {
    what: 'an unknown --var',
    order: { variables: new Map([['tickt', '1']]) },
    mission: { ...recipe({ variables: { ticket: { default: '0' } } }), contract: 'Do {{ticket}}.' },
    code: 'unknown-variable',
    place: '--var',
    says: ['tickt', 'ticket'],
  },
  {
    what: 'an unknown --limit',
    order: { limits: new Map([['turn', '3']]) },
    code: 'unknown-limit',
    place: '--limit',
    says: ['"turn"', 'did you mean "turns"'],
  },
  {
    what: 'a --limit by the name of something every object has',
    order: { limits: new Map([['constructor', '3']]) },
    code: 'unknown-limit',
    place: '--limit',
    says: ['known: '],
  },
  {
    what: 'a loosened --limit',
    order: { limits: new Map([['turns', '501']]) },
    code: 'limit-loosened',
    place: '--limit',
    says: ['501', '500', 'at most 500'],
  },
  {
    what: 'a --limit that is no number',
    order: { limits: new Map([['turns', 'many']]) },
    code: 'bad-limit',
    place: '--limit',
    says: ['turns=many', 'number'],
  },
  {
    what: 'a --limit without a value',
    order: { limits: new Map([['turns', ' ']]) },
    code: 'bad-limit',
    place: '--limit',
    says: ['a number is missing'],
  },
  {
    what: 'a --limit below the least that can be',
    order: { limits: new Map([['concurrency', '0']]) },
    code: 'bad-limit',
    place: '--limit',
    says: ['concurrency=0', '1'],
  },
  {
    what: 'a --limit that is no whole number',
    order: { limits: new Map([['turns', '1.5']]) },
    code: 'bad-limit',
    place: '--limit',
    says: ['turns=1.5', 'int'],
  },
  {
    what: 'a --limit for fewer members than are always on',
    order: { limits: new Map([['members', '1']]) },
    code: 'limit-too-low',
    place: '--limit',
    says: ['members=1', '2', 'at least 2'],
  },
  {
    what: 'a --limit for fewer tasks than the recipe has',
    order: { limits: new Map([['tasks', '1']]) },
    code: 'limit-too-low',
    place: '--limit',
    says: ['tasks=1', 'at least 2'],
  },
  {
    what: 'a script with a step too many',
    spoil: put(
      SCRIPT,
      stringify({
        script: 1,
        roles: { ...JOB.script, worker: { turns: [{ steps: [{ text: 'done' }, { text: 'more' }] }] } },
      }),
    ),
    code: 'step-left-over',
    place: SCRIPT,
    line: true,
    says: ['roles.worker.turns[0].steps[1]'],
  },
  {
    what: 'a script with a step too few',
    spoil: put(
      SCRIPT,
      stringify({
        script: 1,
        roles: {
          ...JOB.script,
          worker: { turns: [{ steps: [{ calls: [{ tool: 'team_task_list', args: {} }] }] }] },
        },
      }),
    ),
    code: 'step-missing',
    place: SCRIPT,
    line: true,
    says: ['roles.worker.turns[0].steps[0]', 'allowed'],
  },
  {
    what: 'a script that lacks a role',
    spoil: put(SCRIPT, stringify({ script: 1, roles: { boss: JOB.script['boss'] } })),
    code: 'role-without-part',
    place: SCRIPT,
    line: true,
    says: ['worker', 'parts: boss', 'add roles.worker'],
  },
  {
    what: 'a script that is not there',
    mission: recipe({ model: 'script/none.yaml' }),
    code: 'unreadable-file',
    place: 'none.yaml',
    says: ['no such file', 'script/<file>'],
  },
  {
    what: 'an unknown provider',
    mission: recipe({ model: 'antropic/opus' }),
    code: 'unknown-provider',
    place: RECIPE,
    says: ['antropic', 'script'],
  },
  {
    what: 'a provider of a later version',
    mission: recipe({ model: 'anthropic/claude' }),
    code: 'provider-unavailable',
    place: RECIPE,
    says: ['anthropic', 'not available', '--model script/<file>'],
  },
  {
    what: 'no model at all',
    mission: recipe({ model: undefined }),
    code: 'no-model',
    place: RECIPE,
    says: ['boss, worker', '--model', '~/.bnerd.yaml'],
  },
  {
    what: 'a --model for a role that is not there',
    order: { models: ['wroker=script/x.yaml'] },
    code: 'unknown-role',
    place: '--model',
    says: ['wroker', 'worker'],
  },
  {
    what: 'a missing workspace',
    mission: recipe({ workspace: 'nowhere' }),
    code: 'missing-directory',
    place: RECIPE,
    line: true,
    says: ['workspace: "nowhere"', 'ENOENT', 'make the directory'],
  },
  {
    what: 'a missing directory of reads',
    mission: recipe({ reads: ['work', 'nowhere'] }),
    code: 'missing-directory',
    place: RECIPE,
    line: true,
    says: ['reads: "nowhere"', 'ENOENT'],
  },
  {
    what: 'a workspace that is a file',
    mission: { ...recipe({ workspace: 'work/notes.txt' }) },
    code: 'not-a-directory',
    place: RECIPE,
    line: true,
    says: ['work/notes.txt', 'not a directory'],
  },
  {
    what: 'a workspace that a path leads out of',
    mission: recipe({ workspace: '../elsewhere' }),
    code: 'bad-value',
    place: RECIPE,
    line: true,
    says: ['workspace'],
  },
  {
    what: 'a link that leads out',
    mission: recipe({ workspace: 'out' }),
    spoil: (at) => symlink(at.house.home, join(at.mission, 'out')),
    code: 'path-leads-out',
    place: RECIPE,
    line: true,
    says: ['"out"', 'link'],
  },
  {
    what: 'an unknown capability of a skill',
    mission: {
      skills: {
        odd: '---\nname: odd\ndescription: odd\nversion: 1.0.0\norigin: proprietary\nrequires: [magic]\n---\nx\n',
      },
    },
    code: 'unknown-capability',
    place: 'odd/SKILL.md',
    line: true,
    says: ['magic', 'shell'],
  },
  {
    what: 'mode: queue',
    mission: recipe({ mode: 'queue' }),
    code: 'not-available',
    place: RECIPE,
    line: true,
    says: ['mode: queue', 'mode: in-process'],
  },
  {
    what: 'a process',
    mission: recipe({ process: 'triage' }),
    code: 'not-available',
    place: RECIPE,
    line: true,
    says: ['process', 'take process out'],
  },
  {
    what: 'a page',
    mission: recipe({ page: 'required' }),
    code: 'not-available',
    place: RECIPE,
    line: true,
    says: ['page'],
  },
  {
    what: 'skills of a task',
    mission: recipe({ tasks: [{ id: 'read', subject: 'x', skills: ['y'] }] }),
    code: 'not-available',
    place: RECIPE,
    line: true,
    says: ['skills of read', 'in the role'],
  },
  {
    what: 'a permission about a tool that is not there',
    mission: recipe({ permissions: [{ tool: 'Bash', decision: 'deny' }] }),
    code: 'unknown-tool',
    place: RECIPE,
    line: true,
    says: ['permissions[0].tool', '"Bash"', 'shell_exec'],
  },
  {
    what: 'a permission of the settings about one',
    house: { permissions: [{ tool: 'fs_wirte_file', match: null, decision: 'deny' }] },
    code: 'unknown-tool',
    place: '~/.bnerd.yaml',
    says: ['permissions[0].tool', 'did you mean "fs_write_file"'],
  },
];

/** Everything below a directory, links not followed. */
async function everything(directory: string): Promise<string[]> {
  return (await readdir(directory, { recursive: true })).sort();
}

async function refusal(row: Row): Promise<readonly Finding[]> {
  const written = await writeMission({ ...JOB, ...row.mission });
  const at = { ...written, house: { ...written.house, ...row.house } };
  await row.spoil?.(at);
  const before = await everything(at.house.temporaryDirectory);
  const prepared = await prepareRun(at.house, { ...ORDER, ...row.order });
  expect(await everything(at.house.temporaryDirectory), 'nothing was created').toEqual(before);
  if (prepared.kind === 'ready') throw new Error('it was not refused');
  return prepared.findings;
}

describe('a run is refused before anything is created', () => {
  test.each(ROWS.map((row) => ({ ...row, title: row.what })))('$title', async (row) => {
    const findings = await refusal(row);
    const errors = findings.filter((finding) => finding.severity === 'error');
    const found = errors.find((finding) => finding.code === row.code);
    expect(found, JSON.stringify(errors, null, 2)).toBeDefined();
    if (typeof row.place === 'string') expect(found?.path.endsWith(row.place), found?.path).toBe(true);
    else expect(found?.path).toMatch(row.place);
    if (row.line === true) expect(found?.line, `${found?.message}: a line`).toBeGreaterThan(0);
    const text = `${found?.message} ${found?.remedy}`;
    for (const said of row.says) expect(text).toMatch(typeof said === 'string' ? literally(said) : said);
    expect(found?.remedy).not.toBe('');
  });

  test('every fault is said at once, not the first alone', async () => {
    const codes = (
      await refusal({
        ...(ROWS[0] as Row),
        mission: {
          ...recipe({ workspace: 'nowhere', mode: 'queue' }),
          ...roles({ worker: { skills: ['none'] } }),
        },
        order: { safety: 'full', limits: new Map([['turn', '3']]), models: ['x=script/y'] },
      })
    ).map((finding) => finding.code);
    expect(codes).toEqual(
      expect.arrayContaining([
        'missing-directory',
        'not-available',
        'unknown-skill',
        'safety-loosened',
        'unknown-limit',
        'unknown-role',
      ]),
    );
  });

  test.each([
    ['a link to nowhere', (path: string) => symlink('/nowhere/at/all', path)],
    ['a link that leads out', (path: string) => symlink('/etc/hostname', path)],
    ['no text', (path: string) => writeFile(path, new Uint8Array([0x2d, 0xff, 0xfe]))],
  ])('a recipe or role that cannot be read (%s) is said with its place', async (_what, make) => {
    for (const path of [RECIPE, 'orchestrator/roles/worker.md']) {
      const findings = await refusal({
        ...(ROWS[0] as Row),
        order: {},
        spoil: async (at) => {
          await rm(join(at.mission, path));
          await make(join(at.mission, path));
        },
      });
      const [found] = findings.filter(
        ({ severity, path: place }) => severity === 'error' && place.endsWith(path),
      );
      expect(found, JSON.stringify(findings)).toBeDefined();
      expect(found?.remedy).not.toBe('');
    }
  });

  test('a directory in the place of a recipe is unreadable, whoever asks', async () => {
    const findings = await refusal({
      ...(ROWS[0] as Row),
      order: {},
      spoil: async (at) => {
        await rm(join(at.mission, RECIPE));
        await mkdir(join(at.mission, RECIPE));
      },
    });
    expect(findings.map((finding) => finding.severity)).toContain('error');
    expect(findings[0]?.remedy).not.toBe('');
  });
});

test('a plan names what the order left open, and writes nothing', async () => {
  const at = await writeMission(JOB);
  const before = await everything(at.house.temporaryDirectory);
  const prepared = await prepareRun(at.house, { ...ORDER, prompt: '  ', limits: new Map([['turns', '20']]) });
  if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings));
  const { started } = prepared.plan;
  expect(started.prompt).toBe('A job for tests');
  expect(started.safety).toBe('non-destructive');
  expect(started.limits).toMatchObject({ turns: 20, members: 8 });
  expect(started.seats.map((seat) => seat.member)).toEqual(['boss', 'worker']);
  expect(await everything(at.house.temporaryDirectory)).toEqual(before);
});

test('--safety may tighten, and the tools of every seat follow it', async () => {
  const at = await writeMission(JOB);
  const prepared = await prepareRun(at.house, { ...ORDER, safety: 'read-only' });
  if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings));
  const names = prepared.plan.started.seats[1]?.tools.map((tool) => tool.name);
  expect(names).toContain('fs_read_file');
  expect(names).not.toContain('fs_write_file');
});

function literally(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
}
