// spec/team.md §3, §7 through the program at a terminal: who is asked what, and what a typed line means.
import { describe, expect, test } from 'vitest';
import { ask, does, finish, shell, when } from '../cases/play.js';
import { gate, waitAt } from '../helpers/gate.js';
import { noneRunning, running } from '../helpers/running.js';
import { hasTerminal, Terminal } from '../helpers/terminal.js';
import { type Job, job } from './job.js';
import { FAMILY_FILES, familyCall, oneTask } from './missions.js';

/** As the specification prints them. */
const CONFIRM = `

  ─── CONFIRM ────────────────────────────────────────────────
  worker wants to run:  echo written > made
  context: r1 · I need a file.
  Approve? [y/N/explain]: `;
const ASK = `

  ─── ASK ────────────────────────────────────────────────────
  worker: Should I check the migration for reversibility?
  Answer (or "skip"): `;

const WRITES = oneTask([{ text: 'I need a file.', calls: [shell('echo written > made')] }]);

const atTerminal = (team: Job, ...words: readonly string[]): Terminal =>
  new Terminal(words.length > 0 ? words : ['team', 'run', 'job'], {
    place: team.place,
    cwd: team.workspace,
    env: { BNERD_MISSION_REPO: team.mission },
  });

// Registered only where there is a terminal to be had: nothing is ever skipped.
if (hasTerminal()) {
  describe('a confirmation at the terminal', () => {
    test('CONFIRM as the specification prints it; y approves exactly that, and it runs once', async () => {
      const team = await job(WRITES);
      const terminal = atTerminal(team);
      await terminal.shows(CONFIRM);
      expect(await team.file('made')).toBeUndefined();
      terminal.type('y\n');
      expect(await terminal.ended).toBe(0);
      expect(await team.file('made')).toBe('written\n');
      expect(await team.of('request.decided')).toMatchObject([
        { request: 'r1', decision: 'approve', by: { kind: 'operator' } },
      ]);
      expect(await team.of('tool.started')).toMatchObject([{ request: 'r1' }]);
      expect(terminal.screen()).toMatch(/\nAll is said\.\ndone \(exit 0\)\n/);
    });

    test.each([
      ['n', 'n\n'],
      ['nothing but Enter', '\n'],
    ])('%s denies it: nothing runs and the member is told', async (_, typed) => {
      const team = await job(WRITES);
      const terminal = atTerminal(team);
      await terminal.shows(CONFIRM);
      terminal.type(typed);
      expect(await terminal.ended).toBe(0);
      expect(await team.file('made')).toBeUndefined();
      expect(await team.of('request.decided')).toMatchObject([
        { decision: 'deny', by: { kind: 'operator' } },
      ]);
    });

    test('explain shows class, policy, whole arguments and the last text, and asks again; what is no answer asks again too', async () => {
      const team = await job(WRITES);
      const terminal = atTerminal(team);
      await terminal.shows(CONFIRM);
      terminal.type('explain\n');
      await terminal.shows('  request: r1\n  tool: shell_exec\n  class: write\n  policy: ');
      await terminal.shows(
        / {2}arguments \(\d+ characters\):\n {2}│ \{\n {2}│ {3}"command": "echo written > made",\n/,
      );
      await terminal.shows('  last text of worker (14 characters):\n  │ I need a file.\n');
      await terminal.shows('  Approve? [y/N/explain]: ');
      terminal.type('perhaps\n');
      await terminal.shows('  write y, n or explain\n  Approve? [y/N/explain]: ');
      expect(await team.of('request.decided')).toEqual([]);
      terminal.type('yes\n');
      expect(await terminal.ended).toBe(0);
      expect(await team.file('made')).toBe('written\n');
    });

    test('always is named by explain, approves it, and the same call is not asked about again', async () => {
      const again = shell('echo written >> made');
      const team = await job(oneTask([does(again), does(again)]));
      const terminal = atTerminal(team);
      await terminal.shows('  Approve? [y/N/explain]: ');
      terminal.type('explain\n');
      await terminal.shows('  always: approves it, and would allow shell_exec ');
      await terminal.shows('for worker, until the run ends\n  Approve? [y/N/explain]: ');
      terminal.type('always\n');
      expect(await terminal.ended).toBe(0);
      expect(await team.file('made')).toBe('written\nwritten\n');
      expect((await team.of('request.decided')).map(({ by }) => by.kind)).toEqual(['operator', 'policy']);
    });

    test('when not all of it is shown, y is not taken before explain', async () => {
      const team = await job(
        oneTask([
          { calls: [{ tool: 'fs_write_file', args: { path: 'made', content: 'line\n'.repeat(50) } }] },
        ]),
      );
      const terminal = atTerminal(team);
      await terminal.shows('  not all of it is shown: type explain before y\n');
      await terminal.shows('  Approve? [y/N/explain]: ');
      terminal.type('y\n');
      await terminal.shows(
        '  not approved yet: not all of it was shown; type explain, then y\n  Approve? [y/N/explain]: ',
      );
      expect(await team.of('request.decided')).toEqual([]);
      terminal.type('explain\n');
      await terminal.shows('  Approve? [y/N/explain]: ');
      terminal.type('y\n');
      expect(await terminal.ended).toBe(0);
      expect(await team.file('made')).toBe('line\n'.repeat(50));
    });

    test('decided from another terminal meanwhile: the question is taken back', async () => {
      const team = await job(WRITES);
      const terminal = atTerminal(team);
      await terminal.shows(CONFIRM);
      expect(await team.bnerd(['team', 'answer', await team.id(), 'r1', 'yes'])).toMatchObject({ exit: 0 });
      await terminal.shows('\n  r1 was decided by operator\n');
      expect(await terminal.ended).toBe(0);
      expect(await team.file('made')).toBe('written\n');
    });
  });

  describe('a question at the terminal', () => {
    const mission = oneTask([
      does(ask('Should I check the migration for reversibility?')),
      {
        capture: { word: { match: '(y|n)es, please', default: 'no' } },
        calls: [{ tool: 'team_task_list', args: {} }],
      },
    ]);

    test.each([
      ['an answer', 'yes, please\n', { decision: 'answer', text: 'yes, please' }],
      ['skip', 'skip\n', { decision: 'skip' }],
    ])('ASK as the specification prints it; %s', async (_, typed, decided) => {
      const team = await job(mission);
      const terminal = atTerminal(team);
      await terminal.shows(ASK);
      terminal.type(typed);
      expect(await terminal.ended).toBe(0);
      expect(await team.of('request.decided')).toMatchObject([{ ...decided, by: { kind: 'operator' } }]);
    });
  });

  describe('lines at the terminal', () => {
    test('a line typed while no request is shown is a message to the lead', async () => {
      const team = await job(
        oneTask([does(waitAt('hold'))], {
          script: {
            boss: {
              idle: 'Waiting.',
              turns: [when(['stop after the first', 'has completed #1'], finish())],
            },
          },
        }),
      );
      const hold = await gate(team.workspace, 'hold');
      const terminal = atTerminal(team, 'team', 'run', 'job', '--auto-approve', 'all');
      await team.fact('tool.started');
      terminal.type('stop after the first\n');
      const sent = await team.fact('mail.sent', (fact) => fact.body === 'stop after the first');
      expect(sent).toMatchObject({ kind: 'operator', to: ['boss'] });
      await hold.open();
      expect(await terminal.ended).toBe(0);
      const inputs = (await team.transcript('boss')).flatMap((entry) =>
        entry.kind === 'input' ? [entry.text] : [],
      );
      expect(inputs.join('\n')).toMatch(/a message from the operator\]\nstop after the first/);
    });

    test('the end of the input ends no team: the request waits for an answer from elsewhere', async () => {
      const team = await job(WRITES);
      const terminal = atTerminal(team);
      await terminal.shows(CONFIRM);
      terminal.type('\u0004');
      const id = await team.id();
      await terminal.shows(
        `  the input has ended; from another terminal: bnerd team answer ${id} <request> yes|no|<text>\n`,
      );
      expect(await team.bnerd(['team', 'answer', id, 'r1', 'yes'])).toMatchObject({ exit: 0 });
      expect(await terminal.ended).toBe(0);
      expect(await team.file('made')).toBe('written\n');
    });

    test('the result goes where stdout goes, what is asked to the terminal', async () => {
      const team = await job(WRITES);
      const { place, workspace: cwd, mission } = team;
      const env = { BNERD_MISSION_REPO: mission };
      const terminal = new Terminal(['team', 'run', 'job'], { place, cwd, env, stdout: 'out' });
      await terminal.shows(CONFIRM);
      terminal.type('y\n');
      expect(await terminal.ended).toBe(0);
      expect(await team.file('out')).toBe('All is said.\n');
      expect(terminal.screen()).not.toContain('All is said.');
    });

    test('pending requests of a resumed team are asked again, with the same id', async () => {
      const team = await job(WRITES);
      expect((await team.run()).exit).toBe(4);
      const terminal = atTerminal(team, 'team', 'resume', await team.id());
      await terminal.shows(CONFIRM);
      terminal.type('y\n');
      expect(await terminal.ended).toBe(0);
      expect(await team.of('request.opened')).toHaveLength(1);
      expect(await team.file('made')).toBe('written\n');
    });
  });

  describe('the keys and the window of the terminal', () => {
    const FAMILY = oneTask([does(familyCall())], {
      recipe: { safety: 'full' },
    });

    test('G155 Ctrl-C is for the team: it is cancelled and resumable, and nothing is left', async () => {
      const team = await job(FAMILY);
      const terminal = atTerminal(team, 'team', 'run', 'job', '--auto-approve', 'all');
      const pids = (await team.files(...FAMILY_FILES)).map(Number);
      terminal.type('\u0003');
      expect(await terminal.ended).toBe(130);
      expect(
        await running({ pids, groups: pids.slice(-1), marker: `BNERD_TEAM=${await team.id()}` }),
      ).toEqual([]);
      expect(await team.of('run.ended')).toMatchObject([{ reason: 'cancelled', exit: 130 }]);
      expect(terminal.screen()).toContain(`\nresume: bnerd team resume ${await team.id()}\n`);
    });

    test('G155 Ctrl-C three times against a command that does not listen: gone at the second, and nothing is left', async () => {
      const team = await job(
        oneTask([does(familyCall("trap 'echo heard >> graceful' TERM INT HUP", 'while :; do wait; done'))], {
          recipe: { safety: 'full' },
        }),
      );
      const terminal = atTerminal(team, 'team', 'run', 'job', '--auto-approve', 'all', '--grace', '10m');
      const pids = (await team.files(...FAMILY_FILES)).map(Number);
      terminal.type('\u0003');
      await terminal.shows('stopping: no new turns');
      await team.files('graceful');
      expect(await running({ pids: pids.slice(-1) })).toHaveLength(1);
      terminal.type('\u0003');
      terminal.type('\u0003');
      expect(await terminal.ended).toBe(130);
      await noneRunning({ pids, groups: pids.slice(-1), marker: `BNERD_TEAM=${await team.id()}` });
      // The third word may find it gone already, or end it before its end is written.
      await team.letGo();
    });

    test('G155 Ctrl-C while somebody is asked ends it as well, the request stays open', async () => {
      const team = await job(WRITES);
      const terminal = atTerminal(team);
      await terminal.shows(CONFIRM);
      terminal.type('\u0003');
      expect(await terminal.ended).toBe(130);
      expect(await team.of('run.ended')).toMatchObject([{ reason: 'cancelled', open_requests: ['r1'] }]);
      expect(await team.of('request.decided')).toEqual([]);
    });

    test('G155 the window is closed: the run is cancelled by hang-up, recorded, and nothing is left', async () => {
      const team = await job(FAMILY);
      const terminal = atTerminal(team, 'team', 'run', 'job', '--auto-approve', 'all');
      const pids = (await team.files(...FAMILY_FILES)).map(Number);
      terminal.close();
      expect(await team.fact('run.ended')).toMatchObject({ reason: 'cancelled', exit: 129 });
      await noneRunning({ pids, groups: pids.slice(-1), marker: `BNERD_TEAM=${await team.id()}` });
      expect(await team.of('run.stopping')).toMatchObject([{ cause: 'hangup' }]);
    });
  });

  describe('cleanup at the terminal', () => {
    test('asks first: anything but yes leaves the team where it is, yes archives it', async () => {
      const team = await job(oneTask([]));
      expect((await team.run(['--auto-approve', 'all'])).exit).toBe(0);
      const id = await team.id();
      const no = atTerminal(team, 'team', 'cleanup', id);
      await no.shows(`stop ${id} if it is live and archive its record? [y/N]: `);
      no.type('\n');
      expect(await no.ended).toBe(1);
      expect(await team.ids()).toEqual([id]);
      const yes = atTerminal(team, 'team', 'cleanup', id, '--purge');
      await yes.shows(`stop ${id} if it is live and DELETE its record? [y/N]: `);
      yes.type('y\n');
      expect(await yes.ended).toBe(0);
      expect(await team.ids()).toEqual([]);
    });
  });
} else {
  test('there is no util-linux `script` here: the terminal is tested where there is one', () => {
    expect(hasTerminal()).toBe(false);
  });
}
