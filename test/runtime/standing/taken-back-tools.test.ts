// spec/skills.md §4: a tool of an entry is the entry's, so that whoever has taken its approval back is asked before each
// call of it as well.
import { renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownTrustFile } from '../../../src/catalog/tiers.js';
import {
  type Call,
  claim,
  does,
  expectInvariants,
  finish,
  says,
  type Turn,
  update,
  when,
} from '../../cases/play.js';
import { skillText } from '../../helpers/heard.js';
import { startJob } from '../../helpers/team.js';
import { trustText } from '../../helpers/trust-file.js';
import { type Around, around, asked, byBob, expectStopped, mission } from './around.js';

describe('a tool of an entry that is taken back between the reply and the call', () => {
  const SPEECH = '.bnerd/skills/speech/SKILL.md';
  const say: Call = { tool: 'say', args: {} };
  const shout: Call = { tool: 'shout', args: {} };

  function speaking(...turn: Turn['steps']): Promise<Around> {
    const provided = (name: string): string =>
      `  - {name: ${name}, description: Says it, run: [sh, -c, "touch ${name}.txt"]}`;
    const text = skillText('speech', 'Use them.', ['tools:', provided('say'), provided('shout')]);
    const plan = mission('stopped', {
      roles: { boss: {}, worker: { base: 'write', skills: ['speech'] } },
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [
            when('', says('Go.')),
            when('was stopped: (?<why>.+)', does(update('#1', { status: 'cancelled' })), finish('partial')),
          ],
        },
        worker: { idle: 'Ready.', turns: [when('Task #1 is ready', does(claim('#1')), ...turn)] },
      },
    });
    return around(plan, { [SPEECH]: text });
  }

  /** In one breath with what has happened: nothing of the team runs in between. */
  function revokeNow({ house, approved }: Around): void {
    const path = ownTrustFile(house.home);
    writeFileSync(`${path}.part`, trustText({ approved, revoked: [{ path: SPEECH }] }), { mode: 0o600 });
    renameSync(`${path}.part`, path);
  }

  const there = (at: Around, name: string) =>
    readFile(join(at.workspace, name)).then(
      () => true,
      () => false,
    );

  test('is not run, and its member stops', async () => {
    const at = await speaking(does(say), says('Done.'));
    const team = await startJob(at, at.order, true);
    let before = 0;
    team.onRow = (row) => {
      if (row.kind !== 'transcript' || row.member !== 'worker' || row.entry.kind !== 'reply') return;
      if (!row.entry.calls.some(({ tool }) => tool === 'say')) return;
      before = asked(team, 'worker');
      revokeNow(at);
    };
    await expectStopped(
      team,
      'worker',
      byBob(`skill speech (${SPEECH})`),
      await team.ended().then(() => before),
    );
    expect(before).toBeGreaterThan(0);
    expect(team.of('tool.started')).toEqual([]);
    expect(await there(at, 'say.txt')).toBe(false);
    // What was called and did not run has a result that says so: the memory of the member is whole.
    expect(team.results('worker').at(-1)).toMatch(/not run/);
    expectInvariants(team);
  });

  test('is not run where an earlier call of the same reply has run', async () => {
    const at = await speaking(does(say, shout), says('Done.'));
    const team = await startJob(at, at.order, true);
    team.onRow = (row) => {
      if (row.kind === 'transcript' && row.entry.kind === 'result' && row.entry.text.startsWith('exit 0'))
        revokeNow(at);
    };
    expect(await team.ended()).toMatchObject({ reason: 'partial' });
    expect(team.of('tool.started').map(({ tool }) => tool)).toEqual(['say']);
    expect([await there(at, 'say.txt'), await there(at, 'shout.txt')]).toEqual([true, false]);
    expectInvariants(team);
  });

  test('is not run when it is confirmed afterwards', async () => {
    const at = await speaking(does(say), says('Done.'));
    const team = await startJob({ ...at }, { ...at.order, autoApprove: 'never' }, true);
    const request = await team.fact('request.opened');
    await team.fact('turn.ended', ({ member, outcome }) => member === 'worker' && outcome === 'parked');
    const before = asked(team, 'worker');
    revokeNow(at);
    await team.live.answer(request.request, { kind: 'approve' });
    await expectStopped(team, 'worker', byBob(`skill speech (${SPEECH})`), before);
    expect(team.of('tool.started')).toEqual([]);
    expect(await there(at, 'say.txt')).toBe(false);
    expectInvariants(team);
  });
});
