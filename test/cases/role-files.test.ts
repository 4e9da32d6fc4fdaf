// Cases I190, I193, I195, I196, I198 and I200: role files, their frontmatter, tools and patterns.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadRole } from '../../src/catalog/catalogue.js';
import { describeRecipe } from '../../src/runtime/describe.js';
import { placesOf } from '../../src/runtime/house.js';
import { lintCatalogue } from '../../src/runtime/lint.js';
import { answerRequest } from '../../src/runtime/operator.js';
import { prepareRun } from '../../src/runtime/plan/prepare-run.js';
import type { Finding } from '../../src/shared/findings.js';
import {
  type Mission,
  ORDER,
  resumeJob,
  runMission,
  startJob,
  type TestHouse,
  writeMission,
} from '../helpers/team.js';
import { oneWorker, parkedOn } from './asking.js';
import { ask, type Call, claim, complete, does, says, shell, when, works, write } from './play.js';

const FILES = { 'notes.txt': 'the word is kestrel\n', 'src/a.txt': 'A\n', 'secret/b.txt': 'B\n' };

const read = (path: string): Call => ({ tool: 'fs_read_file', args: { path } });

/** A worker with these lines in its file that takes its task, makes the calls and reports. */
function calling(role: object, calls: readonly Call[], recipe: object = {}): Mission {
  return { ...oneWorker([works('#1', does(...calls))], role, recipe), files: FILES };
}

/** What became of the calls, those about the task left out. */
async function outcomes(
  role: object,
  calls: readonly Call[],
  recipe: object = {},
): Promise<[string, string][]> {
  const team = await runMission(calling(role, calls, recipe));
  expect((await team.ended()).reason).toBe('done');
  return team.transcripts
    .flatMap(({ member, entry }): [string, string][] =>
      member === 'worker' && entry.kind === 'result' ? [[entry.outcome, entry.text]] : [],
    )
    .slice(1, -1);
}

/** A mission whose worker has exactly this file. */
async function withWorkerFile(text: string): Promise<TestHouse> {
  const at = await writeMission(oneWorker([works('#1')]));
  await writeFile(join(at.mission, 'orchestrator/roles/worker.md'), text);
  return at;
}

const errorsOf = (findings: readonly Finding[]): string[] =>
  findings.filter(({ severity }) => severity === 'error').map(({ code }) => code);

describe('I190: a key that is not in effect is never dropped in silence', () => {
  const KEYS = {
    effort: 'high',
    hooks: { Stop: [] },
    mcpServers: ['github'],
    memory: 'user',
    background: true,
    isolation: 'worktree',
    initialPrompt: 'Go',
    permissionMode: 'acceptEdits',
  };

  test.each(['boss', 'worker'])(
    'as %s: each is a warning with its line in the record of the run',
    async (member) => {
      const mission = oneWorker([works('#1')]);
      const roles = { ...mission.roles, [member]: { ...mission.roles[member], ...KEYS } };
      const team = await runMission({ ...mission, roles });
      const said = (team.of('run.started')[0]?.findings ?? []).filter(({ path }) =>
        path.endsWith(`${member}.md`),
      );
      for (const key of Object.keys(KEYS)) {
        const [finding, ...others] = said.filter(({ message }) => new RegExp(`^\`${key}[:\`]`).test(message));
        expect([key, others]).toEqual([key, []]);
        expect(finding).toMatchObject({
          code: 'not-in-effect',
          severity: 'warning',
          line: expect.any(Number),
        });
      }
    },
  );

  test('a key that is in effect is in effect: maxTurns ends the member, the team is told', async () => {
    const turns = [when('Task #1 is ready', does(claim('#1')), says('Half.')), when('', says('More.'))];
    const mission = oneWorker(turns, { maxTurns: 1 });
    const team = await startJob(await writeMission(mission));
    const ended = await team.fact('turn.ended', (fact) => fact.member === 'worker');
    expect(ended.turn).toBeGreaterThan(0);
    const failed = await team.fact('member.failed', (fact) => fact.member === 'worker');
    expect(JSON.stringify(failed)).toContain('max-turns');
    expect(team.of('turn.started').filter((fact) => fact.member === 'worker')).toHaveLength(1);
  });
});

describe('I193: tools that a role does not list are not there', () => {
  test.each([
    [{ tools: ['Read'] }],
    [{ tools: 'Read' }],
    [{ base: 'write', disallowedTools: 'Write, Bash' }],
  ])('%j: not offered, and a call of one is refused', async (role) => {
    const team = await runMission(
      calling(role, [write('new.txt', 'x'), shell('touch new.txt'), read('notes.txt')]),
    );
    const seat = team.of('run.started')[0]?.seats.find(({ member }) => member === 'worker');
    const names = seat?.tools.map(({ name }) => name) ?? [];
    expect(names).toContain('fs_read_file');
    expect(names).not.toContain('fs_write_file');
    expect(names).not.toContain('shell_exec');
    const results = team.results('worker').slice(1, -1);
    expect(results[0]).toContain('there is no tool fs_write_file');
    expect(results[1]).toContain('there is no tool shell_exec');
    expect(results[2]).toContain('kestrel');
    expect(team.of('tool.started')).toEqual([]);
    expect(team.of('request.opened')).toEqual([]);
  });

  test('a pattern lets matching calls through without a question, and no other, whatever a flag says', async () => {
    const role = { tools: ['Bash(sh effect.sh:*)', 'Read(src/**)', 'Bash(cat notes.txt)'] };
    for (const autoApprove of ['never', 'all'] as const) {
      const at = await writeMission({
        ...calling(role, [
          shell('cat notes.txt'),
          shell('sh effect.sh one'),
          shell('sh effect.sh two; touch stolen'),
          shell('sh effect.sh three && touch stolen'),
          shell('sh effect.sh $(touch stolen)'),
          shell('sh effect.sh four\ntouch stolen'),
          shell('touch stolen'),
          read('src/a.txt'),
          read('./src/../src/a.txt'),
          read('secret/b.txt'),
          read('src/../secret/b.txt'),
        ]),
        files: { ...FILES, 'effect.sh': 'echo "$1" >> effects\n' },
      });
      const team = await startJob(at, { autoApprove });
      expect((await team.ended()).reason).toBe('done');
      const results = team.transcripts.flatMap(({ member, entry }) =>
        member === 'worker' && entry.kind === 'result' ? [entry.outcome] : [],
      );
      const denied = Array<string>(5).fill('denied');
      expect(results.slice(1, -1)).toEqual(['ok', 'ok', ...denied, 'ok', 'ok', 'denied', 'denied']);
      expect(existsSync(join(at.workspace, 'stolen'))).toBe(false);
      for (const { policy } of team.of('request.opened'))
        expect(policy).toMatch(/^pattern of role:worker: allow shell_exec /);
    }
  });

  test('patterns are those of the start: an edit of the role changes nothing for a team that is resumed', async () => {
    const turn = when(
      'Task #1 is ready',
      does(claim('#1')),
      does(ask('May I go on?')),
      does(shell('touch stolen')),
      does(complete('#1')),
      says('Done.'),
    );
    const at = await writeMission({ ...oneWorker([turn], { tools: ['Bash(cat:*)'] }), files: FILES });
    const first = await startJob(at, { autoApprove: 'all' }, true);
    await parkedOn(first, 'r1');
    await first.live.stop('stop');
    await first.ended();
    await writeFile(
      join(at.mission, 'orchestrator/roles/worker.md'),
      '---\nname: worker\ndescription: d\ntools: Bash\n---\nx\n',
    );
    const again = await resumeJob(at, first.live.id, true);
    await answerRequest(at.house, first.live.id, 'r1', 'yes');
    expect((await again.ended()).reason).toBe('done');
    expect(again.results('worker')).toContain(
      'denied, not run: pattern of role:worker: of shell_exec only cat:*',
    );
    expect(existsSync(join(at.workspace, 'stolen'))).toBe(false);
  });

  test('a forbidden pattern is denied in each tool that does the same; the rest of the tool stays', async () => {
    const role = { base: 'write', disallowedTools: ['Read(secret/**)', 'Bash(touch:*)', 'Write(src/**)'] };
    const search = (path: string): Call => ({ tool: 'fs_grep', args: { pattern: 'B', path } });
    const results = await outcomes(
      role,
      [
        read('secret/b.txt'),
        read('./SECRET/../secret/b.txt'),
        search('.'),
        search('src'),
        shell('cat notes.txt; touch x'),
        shell('sh -c "touch x"'),
        shell('cat notes.txt'),
        write('src/new.txt', 'x'),
        { tool: 'fs_delete', args: { path: 'src/a.txt', digest: '0'.repeat(64) } },
        write('new.txt', 'x'),
      ],
      { safety: 'full' },
    );
    expect(results.map(([outcome]) => outcome)).toEqual([
      'denied',
      'denied',
      'denied',
      'ok',
      'denied',
      'denied',
      'ok',
      'denied',
      'denied',
      'ok',
    ]);
    expect(results[0]?.[1]).toBe('denied, not run: pattern of role:worker: deny fs_read_file secret/**');
  });
});

test.each([
  ['on the next line', 'description:\n  What the worker\n  does'],
  ['folded', 'description: >-\n  What the worker\n  does'],
  ['name and description', 'name:\n  worker\ndescription:\n  What the worker does'],
])('I195: a value %s is read, and the role is found', async (_, head) => {
  const named = head.startsWith('name') ? head : `name: worker\n${head}`;
  const at = await withWorkerFile(`---\n${named}\ntools:\n  - Read\n---\nYou are the worker.\n`);
  const team = await startJob(at);
  expect((await team.ended()).reason).toBe('done');
  expect(await loadRole(placesOf(at.house), 'worker')).toMatchObject({
    kind: 'loaded',
    role: { description: 'What the worker does', tools: ['Read'] },
  });
});

test('I195: a value that became something else is an error that names the key', async () => {
  const at = await withWorkerFile('---\nname: worker\ndescription:\n  Use: this\n---\nYou are the worker.\n');
  const { findings } = await lintCatalogue(at.house, ['worker']);
  expect(findings).toMatchObject([
    {
      code: 'wrong-type',
      severity: 'error',
      line: 3,
      message: expect.stringContaining('`description` is a mapping'),
    },
  ]);
});

describe('I196: a broken file is unusable, never a role with all tools', () => {
  test.each<[what: string, head: string]>([
    ['an open bracket', 'name: worker\ntools: [Read'],
    ['a colon in the tools', 'name: worker\ntools: Read, Bash(a: b)'],
    ['an open quote', 'name: "worker\ndescription: d'],
    ['a key twice', 'name: worker\ntools: Read\ntools: Bash'],
    ['a number among the tools', 'name: worker\ntools: [Read, 3]'],
    ['nothing but text', 'just words'],
    ['a list', '- name: worker'],
  ])('%s: the run is refused, lint says so, and nothing weaker serves', async (_, head) => {
    const at = await withWorkerFile(`---\n${head}\n---\nYou are SENTINEL.\n`);
    const prepared = await prepareRun(at.house, ORDER);
    if (prepared.kind === 'ready') throw new Error('it was not refused');
    const { findings } = await lintCatalogue(at.house, ['worker']);
    expect(errorsOf(findings)).not.toEqual([]);
    expect(errorsOf(prepared.findings)).toEqual(expect.arrayContaining(errorsOf(findings)));
    expect(JSON.stringify(prepared)).not.toContain('SENTINEL');
    expect((await loadRole(placesOf(at.house), 'worker')).kind).toBe('refused');
  });

  test('a file that can be repaired keeps what it says about tools, and the record says that it was', async () => {
    const at = await withWorkerFile(
      '---\nname: worker\ndescription: Use: me\ntools: Read\n---\nYou are the worker.\n',
    );
    const team = await startJob(at);
    expect((await team.ended()).reason).toBe('done');
    const [started] = team.of('run.started');
    expect(started?.findings).toMatchObject([{ code: 'repaired-frontmatter', severity: 'warning', line: 3 }]);
    const work = started?.seats
      .find(({ member }) => member === 'worker')
      ?.tools.filter(({ name }) => name.startsWith('fs_'));
    expect(work?.map(({ name }) => name)).toEqual(['fs_read_file']);
  });
});

test('I198: a byte order mark is no text: the frontmatter is seen and the prompt is the body', async () => {
  const at = await withWorkerFile(
    '\uFEFF---\nname: worker\ndescription: d\ntools: Read\n---\nYou are the worker.\n',
  );
  const prepared = await prepareRun(at.house, ORDER);
  if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings));
  const parts = prepared.plan.prompts.get('worker') ?? [];
  expect(parts.find(({ name }) => name === 'role')?.text).toBe('You are the worker.');
  for (const { text } of parts) expect(text).not.toMatch(/^---|\uFEFF|description: d/m);
  const seat = prepared.plan.started.seats.find(({ member }) => member === 'worker');
  expect(seat?.tools.filter(({ name }) => name.startsWith('fs_'))).toMatchObject([{ name: 'fs_read_file' }]);
});

test.each<[what: string, text: string]>([
  ['a sound file', '---\nname: worker\ndescription: d\n---\nBody.\n'],
  ['a repaired one', '---\nname: worker\ndescription: Use: me\neffort: high\n---\nBody.\n'],
  ['one without a body', '---\nname: worker\ncolour: red\n---\n'],
  ['one without frontmatter', 'Body.\n'],
  ['one that does not close', '---\nname: worker\nBody.\n'],
  ['one of the wrong shape', '---\nname: worker\nmaxTurns: many\n---\nBody.\n'],
  ['one that is no YAML', '---\nname: worker\nmodel: a: b\n---\nBody.\n'],
])('I200: run, describe and lint read %s with one parser, and say the same of it', async (_, text) => {
  const at = await withWorkerFile(text);
  const path = join(at.mission, 'orchestrator/roles/worker.md');
  const own = (findings: readonly Finding[]): string[] =>
    findings
      .filter((finding) => finding.path === path)
      .map((finding) => JSON.stringify(finding))
      .sort();
  const load = await loadRole(placesOf(at.house), 'worker');
  const prepared = await prepareRun(at.house, ORDER);
  const described = await describeRecipe(at.house, 'job');
  if (described.kind === 'refused') throw new Error(JSON.stringify(described.findings));
  const said = own(load.findings);
  expect(own(prepared.kind === 'ready' ? prepared.plan.findings : prepared.findings)).toEqual(said);
  expect(own(described.value.findings)).toEqual(said);
  expect(own((await lintCatalogue(at.house, [path])).findings)).toEqual(said);
  expect(own((await lintCatalogue(at.house, ['job'])).findings)).toEqual(said);
  expect(prepared.kind === 'ready').toBe(load.kind === 'loaded');
});
