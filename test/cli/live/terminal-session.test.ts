import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Screen } from '../../../src/cli/live/screen.js';
import { type AskedTeam, TerminalSession } from '../../../src/cli/live/terminal-session.js';
import { Sink } from '../../../src/cli/output.js';
import type { Answer, Answered } from '../../../src/runtime/operator-words.js';
import { Team } from '../../helpers/build-state.js';
import { until } from '../../helpers/until.js';
import { Reader } from '../streams.js';

/** The far side: a team of the pure core that takes what the session sends. */
class Far implements AskedTeam {
  readonly id = 'run-x-01';
  readonly team: Team;
  readonly said: (readonly [string, Answer | string])[] = [];
  reply: Answered = { kind: 'accepted', text: 'sent to lead' };

  constructor(team: Team) {
    this.team = team;
  }

  state(): Team['state'] {
    return this.team.state;
  }

  answer(request: string, answer: Answer): Promise<Answered> {
    this.said.push([request, answer]);
    return Promise.resolve(this.reply);
  }

  send(to: string, text: string): Promise<Answered> {
    this.said.push([to, text]);
    return Promise.resolve(this.reply);
  }
}

interface Setting {
  readonly far: Far;
  readonly stdin: PassThrough;
  readonly stderr: Reader;
  readonly session: TerminalSession;
  /** Does something to the team and hands the session the entries it gave. */
  readonly happens: (act: (team: Team) => void) => void;
}

function setting(team = started()): Setting {
  const far = new Far(team);
  const stdin = new PassThrough();
  const stderr = new Reader();
  const input = { isTerminal: true, open: () => stdin };
  const session = new TerminalSession(far, new Screen(new Sink(stderr)), input);
  onTestFinished(() => session.end());
  return {
    far,
    stdin,
    stderr,
    session,
    happens: (act) => {
      const before = team.entries.length;
      act(team);
      for (const entry of team.entries.slice(before)) session.entry(entry);
    },
  };
}

/** A team whose worker is offered a task, and so has a turn. */
function started(): Team {
  return Team.start({ tasks: [{ role: 'worker' }] });
}

function asked(team: Team): string {
  team.awake('worker');
  return team.park('worker', { kind: 'confirmation' });
}

async function says(stderr: Reader, pattern: RegExp): Promise<void> {
  await until(() => pattern.test(stderr.text), { what: `stderr says ${pattern}; it said ${stderr.text}` });
}

describe('the person at the terminal', () => {
  test('is shown a request when it is recorded, and the next line answers it', async () => {
    const { far, stdin, stderr, happens } = setting();
    happens(asked);
    await says(stderr, /CONFIRM[\s\S]*context: r1[\s\S]*Approve\? \[y\/N\/explain\]: $/);
    stdin.write('n\n');
    await until(() => far.said.length > 0, { what: 'the answer is sent' });
    expect(far.said).toEqual([['r1', { kind: 'deny' }]]);
  });

  test('is shown at once what the team has been waiting for since before', async () => {
    const team = started();
    asked(team);
    const { stderr } = setting(team);
    await says(stderr, /context: r1/);
  });

  test('writes to the lead while nothing is asked, and is told that it was sent', async () => {
    const { far, stdin, stderr } = setting();
    stdin.write('hurry');
    stdin.write(' up\n');
    await says(stderr, / {2}sent to lead\n/);
    expect(far.said).toEqual([['lead', 'hurry up']]);
  });

  test('is told when an answer is not taken, and asked again while the request is open', async () => {
    const { far, stdin, stderr, happens } = setting();
    happens(asked);
    far.reply = { kind: 'refused', code: 'busy', message: 'not\u001b[2J now' };
    stdin.write('n\n');
    await says(stderr, /CONFIRM[\s\S]*not taken \(busy\): not\[2J now\n[\s\S]*CONFIRM/);
  });

  test('is told when a request was decided elsewhere', async () => {
    const { stdin, far, stderr, happens } = setting();
    happens(asked);
    happens((team) => {
      team.ok({
        kind: 'request.decide',
        by: { kind: 'operator', name: 'me' },
        request: 'r1',
        decision: 'approve',
        text: null,
        digest: null,
      });
    });
    await says(stderr, /r1 was decided by operator\n$/);
    stdin.write('y\n');
    await until(() => far.said.length > 0, { what: 'the line is sent' });
    expect(far.said).toEqual([['lead', 'y']]);
  });

  test('who leaves is told how to answer from elsewhere', async () => {
    const { stdin, stderr, happens } = setting();
    happens(asked);
    stdin.end();
    await says(stderr, /the input has ended; from another terminal: bnerd team answer run-x-01 /);
  });

  test('is asked nothing more once the session has ended', () => {
    const { session, stderr, happens } = setting();
    session.end();
    happens(asked);
    session.end();
    expect(stderr.text).toBe('');
  });

  test('what the lead may decide is asked here once the lead was told of it in vain, and not before', async () => {
    const team = Team.start({ seats: ['lead', { member: 'worker', confirm_approver: 'lead' }] });
    team.idles('lead');
    const { happens, stderr, stdin, far } = setting(team);
    happens((now) => {
      now.mail('operator', 'worker');
      now.awake('worker');
      now.park('worker', { digest: 'one' });
    });
    expect(stderr.text).toBe('');
    for (const told of [1, 2]) {
      happens((now) => now.idles('lead')); // It reads that it is asked, and says nothing to it.
      expect(stderr.text).toBe('');
      happens((now) => now.sweep(true));
      expect(team.state.told).toBe(told);
    }
    expect(stderr.text).toContain('─── CONFIRM ───');
    stdin.write('y\n');
    await until(() => far.said.length > 0, { what: 'the answer' });
    expect(far.said).toEqual([['r1', { kind: 'approve' }]]);
  });
});
