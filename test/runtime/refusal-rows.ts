/** Every bad input of a run, with where it is found, as which code, and what the operator is told. */

import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { House } from '../../src/runtime/house.js';
import type { RunOrder } from '../../src/runtime/plan/prepare-run.js';
import type { Mission, TestHouse } from '../helpers/team.js';
import { JOB } from './job.js';

export interface Row {
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

export const RECIPE = 'orchestrator/teams/job/team.md';
const SCRIPT = 'orchestrator/teams/job/script.yaml';
export const recipe = (more: object): Partial<Mission> => ({ recipe: { ...JOB.recipe, ...more } });
export const roles = (more: Mission['roles']): Partial<Mission> => ({ roles: { ...JOB.roles, ...more } });
const put =
  (path: string, text: string): NonNullable<Row['spoil']> =>
  (at) =>
    writeFile(join(at.mission, path), text);

export const ROWS: readonly Row[] = [
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
    what: 'a forbidden tool that is nearly one there is',
    mission: roles({ worker: { base: 'write', disallowedTools: ['fs_raed_file'] } }),
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
    says: ['turns=many cannot be: a number is missing', 'write --limit turns=<number>'],
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
      governed: true,
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
    code: 'other-engine',
    place: RECIPE,
    line: true,
    says: ['mode: queue', 'BNERD_REDIS_URL'],
  },
  {
    what: 'a process that there is not',
    mission: recipe({ process: 'leading-a-teem' }),
    code: 'unknown-skill',
    place: RECIPE,
    line: true,
    says: ['process', 'no skill or rule is named "leading-a-teem"', 'did you mean "leading-a-team"?'],
  },
  {
    what: 'a skill as the process',
    mission: recipe({ process: 'leading-a-team' }),
    code: 'not-a-process',
    place: RECIPE,
    line: true,
    says: ['"leading-a-team" is no process entry', 'process: true'],
  },
  {
    what: 'a word for a page',
    mission: recipe({ page: 'required' }),
    code: 'bad-value',
    place: RECIPE,
    line: true,
    says: ['page', 'the page itself'],
  },
  {
    what: 'a page that is none',
    mission: recipe({ page: 'ftp://docs.example/page' }),
    code: 'bad-value',
    place: RECIPE,
    line: true,
    says: ['page', 'http://'],
  },
  {
    what: 'a skill of a task that there is not',
    mission: recipe({ tasks: [{ id: 'read', subject: 'x', skills: ['leading-a-teem'] }] }),
    code: 'unknown-skill',
    place: RECIPE,
    line: true,
    says: ['no skill or rule is named "leading-a-teem"', 'did you mean "leading-a-team"?'],
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
