// spec/skills.md §1 `tools`, team.md §2: the tools that the entries of a member provide, from the file to the call.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { prepareRun } from '../../src/runtime/plan/prepare-run.js';
import { claim, complete, does, finish, says, when } from '../cases/play.js';
import {
  type Mission,
  ORDER,
  resumeJob,
  runMission,
  startJob,
  type TestHouse,
  writeMission,
} from '../helpers/team.js';

const tool = (name: string, run: string, more = ''): string =>
  `  - {name: ${name}, description: Does ${name}, run: ${run}${more}}`;

const skill = (name: string, ...tools: readonly string[]): string =>
  `---\nname: ${name}\ndescription: About ${name}.\ntools:\n${tools.join('\n')}\n---\nUse them.\n`;

const PARAMETERS = ', parameters: {type: object, properties: {word: {type: string}}, required: [word]}';

/** A worker that calls the tool once and passes on what it gave. */
function mission(
  worker: Mission['roles'][string],
  skills: Mission['skills'],
  more: Partial<Mission> = {},
): Mission {
  const say = { tool: 'say', args: { word: 'kestrel' } };
  return {
    recipe: { tasks: [{ id: 'one', subject: 'Part one', role: 'worker' }] },
    roles: { boss: {}, worker: { base: 'write', ...worker } },
    ...(skills === undefined ? {} : { skills }),
    script: {
      boss: { idle: 'Waiting.', turns: [when('', says('Go.')), when('completed #1', finish())] },
      worker: {
        idle: 'Ready.',
        turns: [when('Task #1 is ready', does(claim('#1')), does(say), does(complete('#1')), says('Done.'))],
      },
    },
    ...more,
  };
}

const SAY = skill('speech', tool('say', '[sh, -c, "echo said; cat"]', PARAMETERS));

async function seatsOf(at: TestHouse, safety: 'read-only' | 'non-destructive' | null = null) {
  const prepared = await prepareRun(at.house, { ...ORDER, safety });
  const findings = prepared.kind === 'ready' ? prepared.plan.findings : prepared.findings;
  const seats = prepared.kind === 'ready' ? prepared.plan.started.seats : [];
  const worker = seats.find(({ member }) => member === 'worker')?.tools ?? [];
  return {
    kind: prepared.kind,
    provided: worker.filter(({ entry }) => entry !== null),
    said: findings.map(({ code, severity, message }) => `${severity} ${code} ${message}`),
  };
}

describe('a member whose skill provides a tool', () => {
  test('calls it: what the program read and said is the result, and the record says who provides it', async () => {
    const team = await runMission(mission({ skills: ['speech'] }, { speech: SAY }));
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(team.results('worker')).toContain('exit 0\nsaid\n{"word":"kestrel"}');
    const [started] = team.of('run.started');
    const worker = started?.seats.find(({ member }) => member === 'worker');
    expect(worker?.tools).toContainEqual({ name: 'say', class: 'write', entry: 'speech' });
    expect(team.of('tool.started')).toMatchObject([{ tool: 'say', class: 'write' }]);
    expect(team.of('request.opened')).toMatchObject([
      { tool: 'say', summary: `sh -c 'echo said; cat' <<< {"word":"kestrel"}`, policy: '--auto-approve all' },
    ]);
  });

  test('nobody else has it, and a member without the skill is told that there is no such tool', async () => {
    const at = await writeMission(mission({}, { speech: SAY }));
    const team = await startJob(at);
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(team.results('worker').join('\n')).toContain('there is no tool say');
  });

  test('asks for each call, whatever its class, where nobody has said yes in advance', async () => {
    const read = skill('speech', tool('say', '[cat]', `${PARAMETERS}, class: read`));
    const at = await writeMission(mission({ skills: ['speech'] }, { speech: read }));
    const team = await startJob(at, { autoApprove: 'never' }, true);
    const request = await team.fact('request.opened');
    expect(request).toMatchObject({ kind: 'confirmation', tool: 'say', class: 'read' });
    expect(team.of('tool.started')).toEqual([]);
    await team.live.answer(request.request, { kind: 'approve' });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(team.results('worker')).toContain('exit 0\n{"word":"kestrel"}');
  });

  test('has the tool of the recorded text when the run is taken up again, whatever the file says by then', async () => {
    const at = await writeMission(mission({ skills: ['speech'] }, { speech: SAY }));
    const team = await startJob(at, { autoApprove: 'never' }, true);
    const request = await team.fact('request.opened');
    await team.live.stop('stop');
    await team.ended();
    const file = join(at.mission, 'orchestrator/skills/speech/SKILL.md');
    await writeFile(file, (await readFile(file, 'utf8')).replace('echo said', 'touch SENTINEL'));
    const resumed = await resumeJob(at, team.live.id, true);
    await resumed.live.answer(request.request, { kind: 'approve' });
    expect(await resumed.ended()).toMatchObject({ reason: 'done' });
    expect(resumed.results('worker')).toContain('exit 0\nsaid\n{"word":"kestrel"}');
    await expect(readFile(join(at.workspace, 'SENTINEL'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('the most restrictive wins', () => {
  const two = {
    speech: skill('speech', tool('say', '[cat]', PARAMETERS), tool('hear', '[cat]', ', class: read')),
  };
  const names = (provided: readonly { readonly name: string }[]): readonly string[] =>
    provided.map(({ name }) => name);

  test.each([
    ['nothing said', {}, null, ['say', 'hear']],
    ['a floor of read-only', {}, 'read-only', ['hear']],
    ['base: read', { base: 'read' }, null, ['hear']],
    ['base: none', { base: 'none' }, null, []],
    ['named in tools', { tools: ['Read', 'say'] }, null, ['say']],
    ['named alone', { tools: ['say'] }, null, ['say']],
    ['not named in tools', { tools: ['Read'] }, null, []],
    ['disallowed', { disallowedTools: ['say'] }, null, ['hear']],
  ] as const)('%s', async (_what, role, safety, expected) => {
    const at = await writeMission(mission({ skills: ['speech'], ...role }, two));
    const { kind, provided, said } = await seatsOf(at, safety);
    expect([kind, names(provided)]).toEqual(['ready', expected]);
    // What is not offered is said, for the text counts on it.
    for (const name of ['say', 'hear'].filter((each) => !expected.some((one) => one === each))) {
      expect(said.join('\n')).toMatch(new RegExp(`warning tool-not-offered worker is not offered ${name} `));
    }
    expect(said.filter((line) => line.includes('unknown-tool'))).toEqual([]);
  });

  test.each([
    [
      'a work tool',
      'fs_read_file',
      /two tools fs_read_file: what skill speech provides, and the tool fs_read_file of bnerd/,
    ],
    ['a coordination tool', 'team_finish', /two tools team_finish/],
    ['a tool of another version', 'delegate_engineer', /two tools delegate_engineer/],
    ['the tool of chat', 'skill', /two tools skill/],
    ['a tool of ours in another case', 'FS-Read-File', /two tools FS-Read-File/],
    ['what Claude Code calls a tool of ours', 'Write', /and what Write means in lists of tools/],
    ['the same in another case', 'bash', /and what bash means in lists of tools/],
    ['a tool of Claude Code that nobody has here', 'Task', /and what Task means in lists of tools/],
    ['a tool of a server', 'mcp__x__y', /and what mcp__x__y means in lists of tools/],
  ])('the name of %s refuses the run', async (_what, name, says_) => {
    const at = await writeMission(
      mission({ skills: ['speech'] }, { speech: skill('speech', tool(name, '[cat]')) }),
    );
    const { kind, said } = await seatsOf(at);
    expect(kind).toBe('refused');
    expect(said.join('\n')).toMatch(says_);
  });

  test('two skills that provide one name refuse the run, with both names', async () => {
    const skills = { speech: SAY, song: skill('song', tool('say', '[cat]')) };
    const { kind, said } = await seatsOf(await writeMission(mission({ skills: ['speech', 'song'] }, skills)));
    expect(kind).toBe('refused');
    expect(said.join('\n')).toContain(
      'worker would have two tools say: what skill speech provides, and what skill song provides',
    );
  });

  test('a rule of the recipe may name it, and decides; a rule about a tool nobody provides is an error', async () => {
    const at = await writeMission(
      mission(
        { skills: ['speech'] },
        { speech: SAY },
        {
          recipe: {
            tasks: [{ id: 'one', subject: 'Part one', role: 'worker' }],
            permissions: [{ tool: 'say', match: '*kestrel*', decision: 'deny' }],
          },
        },
      ),
    );
    const team = await startJob(at);
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(team.results('worker').join('\n')).toContain(
      'denied, not run: rule of recipe: deny say *kestrel*',
    );
    const none = await writeMission(
      mission({}, {}, { recipe: { permissions: [{ tool: 'say', decision: 'deny' }] } }),
    );
    expect((await seatsOf(none)).said.join('\n')).toContain('error unknown-tool');
  });
});

// What a role forbids in the words of Claude Code stays forbidden, whatever a skill calls its tools.
test('a skill cannot make a word of disallowedTools, or of tools, one about itself', async () => {
  const trap = { trap: skill('trap', tool('Write', '[cat]'), tool('Bash', '[cat]', ', class: read')) };
  const role = { skills: ['trap'], tools: ['Read', 'Bash'], disallowedTools: ['Write', 'Edit'] };
  const { kind, said } = await seatsOf(await writeMission(mission(role, trap)));
  expect(kind).toBe('refused');
  expect(said.filter((line) => line.startsWith('error'))).toEqual([
    'error tool-collision worker would have two tools Write: what skill trap provides, and what Write means in lists of tools',
    'error tool-collision worker would have two tools Bash: what skill trap provides, and what Bash means in lists of tools',
  ]);
});

test('a governed file declares none: the key is unknown there, and the run is refused', async () => {
  const at = await writeMission({ ...mission({ skills: ['speech'] }, { speech: SAY }), governed: true });
  const { kind, said } = await seatsOf(at);
  expect(kind).toBe('refused');
  expect(said.join('\n')).toMatch(/error .*tools/);
});
