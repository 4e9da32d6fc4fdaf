// Cases A15, B45, D81, D86: what was said and done reaches whom it concerns, and what is missing is said.
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sendToTeam } from '../../src/runtime/operator.js';
import { statusView } from '../../src/team/show/status.js';
import { gate, waitAt } from '../helpers/gate.js';
import { type Mission, runMission, startJob, writeMission } from '../helpers/team.js';
import {
  claim,
  complete,
  does,
  expectInvariants,
  finish,
  hearing,
  mailTo,
  says,
  stateBehind,
  type Turn,
  update,
  when,
  works,
  write,
} from './play.js';

const BEGIN = when('', says('Begin.'));

test('A15: a word of the operator from another process is mail like any other, and read in the next turn', async () => {
  const at = await writeMission({
    recipe: { tasks: [{ id: 'job', subject: 'Do it', role: 'worker' }] },
    roles: { boss: {}, worker: { base: 'write' } },
    script: {
      boss: { idle: 'Waiting.', turns: [BEGIN, when('has completed #1', finish())] },
      worker: {
        idle: 'Ready.',
        turns: [
          when(
            'Task #1 is ready',
            does(claim('#1')),
            does(waitAt('word')),
            hearing('mind the gap', does(complete('#1'))),
            says('Done.'),
          ),
        ],
      },
    },
  });
  const word = await gate(at.workspace, 'word');
  const team = await startJob(at);
  await team.fact('tool.started');
  expect(await sendToTeam(at.house, team.live.id, 'worker', 'mind the gap')).toMatchObject({
    kind: 'done',
    live: true,
  });
  await word.open();
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  const sent = team.of('mail.sent').find((fact) => fact.body === 'mind the gap');
  expect(sent).toMatchObject({ kind: 'operator', to: ['worker'] });
  expect(
    team.of('mail.delivered').filter(({ messages }) => messages.some(({ id }) => id === sent?.id)),
  ).toHaveLength(1);
  expectInvariants(team);
});

test('A15: there is one way by which mail is written, and one by which the record is', async () => {
  const source = join(import.meta.dirname, '../../src');
  const files = (await readdir(source, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const texts = await Promise.all(
    files.map(async (name) => [name, await readFile(join(source, name), 'utf8')] as const),
  );
  const holding = (pattern: RegExp): string[] =>
    texts.flatMap(([name, text]) => (pattern.test(text) ? [name] : []));
  // Schema apart, a message is made by one function, and facts are appended by the store alone, behind the redactor.
  expect(holding(/\{\s*type: 'mail\.sent'/)).toEqual(['team/mail.ts']);
  // What is copied into an archive or a mirror is in a record already; who only listens or waits hands it on.
  expect(holding(/\blog\.append\(/).sort()).toEqual([
    'events/copy-record.ts',
    'events/observed-record.ts',
    'events/redacted-record.ts',
    'events/redis/replicated-log.ts',
    'state/team-store.ts',
  ]);
  // Who sends gives the one command: the terminal and the control socket, one that looks on, a stopped team's operator, a
  // replay of what the operator said, a member's tool.
  expect(holding(/[({]\s*kind: 'mail\.send'|: Command = \{ kind: 'mail\.send'/).sort()).toEqual([
    'runtime/live-team.ts',
    'runtime/operator.ts',
    'runtime/replay/said-again.ts',
    'runtime/workers/attached-team.ts',
    'team/decide/mail.ts',
    'tools/coordination/coordination-tasks.ts',
  ]);
});

describe('B45', () => {
  const paths = [1, 2, 3, 4, 5].map((place) => `results/${place}.md`);
  /** Five results, one each; the lead puts them together when the gate is open. */
  const synthesis: Mission = {
    recipe: {
      tasks: paths.map((path, place) => ({
        id: `t${place}`,
        subject: `Look ${place + 1}`,
        role: 'worker',
        artifacts: [path],
      })),
    },
    roles: { boss: { base: 'write' }, worker: { base: 'write' } },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          BEGIN,
          when('has completed #5', does(waitAt('synthesis')), {
            calls: [{ tool: 'team_finish', args: { outcome: 'done', result: 'All five agree.' } }],
          }),
        ],
      },
      worker: {
        idle: 'Ready.',
        turns: paths.map((path, place) => works(`#${place + 1}`, does(write(path, `seen ${place + 1}\n`)))),
      },
    },
  };

  test.each<[string, readonly string[]]>([
    ['all five are there: done', []],
    [
      'one of five is deleted before the synthesis: unverified, named, and no success is told',
      ['results/3.md'],
    ],
  ])('B45: %s', async (_, deleted) => {
    const at = await writeMission(synthesis);
    const open = await gate(at.workspace, 'synthesis');
    const team = await startJob(at);
    await team.fact('tool.started', (fact) => fact.member === 'boss');
    for (const path of deleted) await rm(join(at.workspace, path));
    await open.open();
    const ended = await team.ended();
    if (deleted.length === 0) {
      expect(ended).toMatchObject({ reason: 'done', exit: 0, result: 'All five agree.' });
      expect(team.of('run.ended')[0]?.artifacts).toEqual(paths);
      return;
    }
    expect(ended).toMatchObject({
      reason: 'unverified',
      exit: 8,
      detail: 'no result of #3 (results/3.md is missing)',
    });
    expect(ended.result).not.toContain('agree');
    expect(ended.result).toBe(
      'Unverified: results that this run must have are missing.\n- #3 (Look 3): results/3.md is missing in the workspace',
    );
    expect(team.of('run.ended')[0]?.artifacts).toEqual(paths.filter((path) => !deleted.includes(path)));
  });
});

describe('D81: who waits on another task in words alone is told the call that waits', () => {
  const recipe = {
    tasks: [
      { id: 'build', subject: 'Build', role: 'worker' },
      { id: 'to-6', subject: 'Dig', role: 'digger' },
    ],
  };
  const call = 'team_task_block \\{"task":"#1","reason":"needs_input","on":\\["#2"\\]';

  test('D81: it makes the call, and comes back by itself when the other is done', async () => {
    const at = await writeMission({
      recipe,
      roles: { boss: {}, worker: {}, digger: { base: 'write' } },
      script: {
        boss: { idle: 'Waiting.', turns: [BEGIN, when('has completed #1', finish())] },
        worker: {
          idle: 'Ready.',
          turns: [
            when('Task #1 is ready', does(claim('#1')), says('waiting on #2')),
            when(
              call,
              does({
                tool: 'team_task_block',
                args: { task: '#1', reason: 'needs_input', on: ['#2'], detail: 'the hole' },
              }),
              says('Now it waits.'),
            ),
            works('#1'),
          ],
        },
        digger: { idle: 'Ready.', turns: [works('#2', does(waitAt('dig')))] },
      },
    });
    const dig = await gate(at.workspace, 'dig');
    const team = await startJob(at);
    await team.fact('task.updated');
    await dig.open();
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(team.of('task.updated')).toMatchObject([{ task: '#1', add_blocked_by: ['#2'] }]);
    expect(team.of('task.completed').map((fact) => fact.task)).toEqual(['#2', '#1']);
    expectInvariants(team);
  });

  test('D81: it goes on with words: the task is flagged and given back to the lead, with the words', async () => {
    const at = await writeMission({
      recipe,
      roles: { boss: {}, worker: {}, digger: { base: 'write' } },
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [
            BEGIN,
            when(
              ['Attempt 1 of #1 by worker ended as no_progress', 'still waiting on #2'],
              does(update('#1', { add_blocked_by: ['#2'], status: 'pending' })),
              says('I see.'),
            ),
            when('has completed #1', finish()),
          ],
        },
        worker: {
          idle: 'Ready.',
          turns: [
            when('Task #1 is ready', does(claim('#1')), says('waiting on #2')),
            when(call, says('waiting on #2')),
            when('This is the last reminder', says('still waiting on #2')),
            works('#1'),
          ],
        },
        digger: { idle: 'Ready.', turns: [works('#2', does(waitAt('dig')))] },
      },
    });
    const dig = await gate(at.workspace, 'dig');
    const team = await startJob(at);
    await team.fact('task.updated');
    const flagged = stateBehind(team.entries, (fact) => fact.type === 'task.blocked');
    expect(statusView(flagged, team.live.id).tasks[0]).toMatchObject({
      state: 'blocked',
      flag: 'no_progress',
      blocked: { reason: 'needs_input', detail: 'worker said that it waits on #2, and made no edge' },
    });
    await dig.open();
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(team.of('task.completed').map((fact) => fact.task)).toEqual(['#2', '#1']);
  });
});

describe('D86: one of five ends without a word on its task', () => {
  const names = ['r1', 'r2', 'r3', 'r4', 'r5'];
  const silent: Turn[] = [1, 2].flatMap(() => [
    when('Task #3 is ready', does(claim('#3')), says('Bye.')),
    when('while you hold #3', says('Bye.')),
    when('This is the last reminder', says('Bye.')),
  ]);

  function research(upstream: string, editor: readonly Turn[], close: Turn): Mission {
    return {
      recipe: {
        limits: { members: 9 },
        tasks: [
          ...names.map((name) => ({ id: name, subject: `Ask ${name}`, role: name })),
          { id: 'edit', subject: 'Edit', role: 'editor', blocked_by: names, upstream },
        ],
      },
      roles: { boss: {}, editor: {}, ...Object.fromEntries(names.map((name) => [name, {}])) },
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [when('', does(mailTo('editor', 'wait for the five')), says('Begin.')), close],
        },
        editor: { idle: 'Ready.', turns: [when('wait for the five', says('I wait.')), ...editor] },
        ...Object.fromEntries(
          names.map((name, place) => [
            name,
            { idle: 'Ready.', turns: name === 'r3' ? silent : [works(`#${place + 1}`)] },
          ]),
        ),
      },
    };
  }

  test.each<[string, readonly Turn[], Turn, string]>([
    [
      'continue_with_missing',
      [
        when(
          'Task #6 is ready',
          hearing('It goes on without #3 \\(failed\\): that result is missing', does(claim('#6'))),
          does(complete('#6')),
          says('#6 done.'),
        ),
      ],
      when('has completed #6', finish('partial')),
      'completed',
    ],
    ['fail', [], when('Every task has ended, not all of them well', finish('partial')), 'failed'],
  ])(
    'D86: it is tried again itself, the editor waits, and then "%s" holds',
    async (upstream, editor, close, kind) => {
      const team = await runMission(research(upstream, editor, close));
      expect(await team.ended()).toMatchObject({ reason: 'partial', exit: 3 });
      // Its own retry, and nobody else's task is touched.
      expect(
        team
          .of('task.claimed')
          .filter((fact) => fact.task === '#3')
          .map(({ member, attempt }) => [member, attempt]),
      ).toEqual([
        ['r3', 1],
        ['r3', 2],
      ]);
      expect(team.of('task.failed')[0]).toMatchObject({ task: '#3', cause: 'no_progress' });
      for (const task of ['#1', '#2', '#4', '#5']) {
        expect(team.of('task.claimed').filter((fact) => fact.task === task)).toHaveLength(1);
      }
      const failed = team.numberOf((fact) => fact.type === 'task.failed' && fact.task === '#3');
      const edit = team.live.state().tasks.get('#6');
      expect(edit?.state.kind).toBe(kind);
      if (kind === 'completed') {
        const offered = team.numberOf(
          (fact) => fact.type === 'mail.sent' && fact.kind === 'offer' && fact.task === '#6',
        );
        expect(offered).toBeGreaterThan(failed);
      } else {
        expect(edit?.state).toMatchObject({ cause: 'upstream_failed', detail: '#3 has failed' });
        expect(team.of('task.claimed').some((fact) => fact.task === '#6')).toBe(false);
      }
      expectInvariants(team);
    },
  );
});
