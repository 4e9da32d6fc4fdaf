// Case E108: whoever watches a team is shown each kind of request as people read it, with the way to answer it.
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { watchTeam } from '../../src/cli/live/watch-team.js';
import { FileEngine } from '../../src/runtime/engine/files.js';
import { answerRequest } from '../../src/runtime/operator.js';
import { type TestProgram, testProgram } from '../cli/streams.js';
import { startJob, type TestHouse, type WatchedTeam, writeMission } from '../helpers/team.js';
import { until } from '../helpers/until.js';
import { effect, oneWorker, parkedOn } from './asking.js';
import { ask, claim, complete, does, says, when } from './play.js';

interface Watch {
  readonly seen: TestProgram;
  readonly ended: Promise<number>;
  shows(text: string): Promise<void>;
}

function watch(at: TestHouse, team: WatchedTeam): Watch {
  const seen = testProgram({ workingDirectory: team.live.workspace });
  const { id } = team.live;
  const { signal } = new AbortController();
  const ended = new FileEngine(at.house).look(id, (look) =>
    watchTeam(seen.program, { id, look, from: 1, json: false }, signal),
  );
  return {
    seen,
    ended,
    shows: async (text) => {
      await until(() => seen.stdout.text.includes(text), { what: `it shows ${text}` });
    },
  };
}

describe('E108 each kind of request has a rendering for people in the watch', () => {
  test('E108 plan, question, confirmation: a block each, the command that answers it, and what came of it', async () => {
    const at = await writeMission(
      oneWorker(
        [
          when(
            'Task #1 is ready',
            does(claim('#1'), { tool: 'team_plan_submit', args: { plan: 'First look,\nthen write.' } }),
            does(ask('Which colour?')),
            { text: 'Ready to tick.', calls: [effect('tick')] },
            does(complete('#1')),
            says('Done.'),
          ),
        ],
        { permissionMode: 'plan', approver: 'operator' },
        { plan_approval: true },
      ),
    );
    const team = await startJob(at, { autoApprove: 'never' }, true);
    const { seen, ended, shows } = watch(at, team);
    const answers = `bnerd team answer ${team.live.id}`;
    await shows(
      '  worker asks for approval of its plan\n  plan (23 characters):\n  │ First look,\n  │ then write.\n  context: r1\n' +
        `  answer: ${answers} r1 yes|revise <text>\n`,
    );
    await parkedOn(team, 'r1');
    await answerRequest(at.house, team.live.id, 'r1', 'yes');
    await shows(`  worker: Which colour?\n  answer: ${answers} r2 <text>\n`);
    await parkedOn(team, 'r2');
    await answerRequest(at.house, team.live.id, 'r2', 'teal');
    await shows(
      '  worker wants to run:  sh effect.sh tick\n  context: r3 · Ready to tick.\n' +
        `  answer: ${answers} r3 yes|no|always\n`,
    );
    await parkedOn(team, 'r3');
    await answerRequest(at.house, team.live.id, 'r3', 'yes');
    expect(await ended).toBe(0);
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(seen.stdout.text).toContain('r3: approve by operator (tester)\n');
    expect(seen.stdout.text).toMatch(/\ndone \(exit 0\)\n/);
    // Nothing of it is raw JSON.
    expect(seen.stdout.text).not.toContain('{"');
  });

  test.each([
    ['of this version of the record', 3],
    ['of a newer version', 99],
  ])('E108 a kind that is not known, in an entry %s: shown, and answered by its id', async (_, v) => {
    const at = await writeMission(
      oneWorker([when('Task #1 is ready', does(claim('#1'), ask('Which?')), says('Done.'))]),
    );
    const team = await startJob(at, {}, true);
    await parkedOn(team, 'r1');
    await team.live.settled();
    const next = team.live.state().next;
    const opened = {
      type: 'request.opened',
      request: 'r9',
      kind: 'shut\u202edown',
      member: 'worker',
      place: '1-1.0',
      principals: ['operator'],
      summary: 'stop the build',
      arguments: '{"why":"it is late"}',
      urgency: 'high',
    };
    const entry = { v, first: next, at: 5, wall: '2026-01-01T00:00:00.000Z' };
    const commands = [{ id: 'x', facts: 1 }];
    await appendFile(
      join(team.live.folder, 'log.jsonl'),
      `${JSON.stringify({ ...entry, commands, facts: [opened] })}\n`,
    );
    const { shows } = watch(at, team);
    await shows(
      '─── REQUEST ────────────────────────────────────────────────\n' +
        '  worker asks (shut\\u{202e}down): stop the build\n' +
        '  why (10 characters):\n  │ it is late\n  context: r9\n' +
        `  answer: bnerd team answer ${team.live.id} r9 yes|no\n`,
    );
  });
});
