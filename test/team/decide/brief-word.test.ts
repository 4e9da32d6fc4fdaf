import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/team/command.js';
import {
  acceptance,
  briefOffer,
  delegated,
  delegating,
  ending,
  frozenEngineer,
  send,
} from '../../helpers/build-brief.js';
import type { Team } from '../../helpers/build-state.js';

const step = (brief: string, which: Extract<Command, { kind: 'brief.progress' }>['step']): Command => ({
  kind: 'brief.progress',
  brief,
  step: which,
  detail: null,
});
const lose = (brief: string, again: Extract<Command, { kind: 'brief.lose' }>['again'] = null): Command => ({
  kind: 'brief.lose',
  brief,
  detail: 'its runner is gone',
  again,
});
const codes = (team: Team): string[] => team.facts('brief.evidence').map(({ code }) => code);

describe('a runner takes a brief', () => {
  test('and its word is recorded; said again by the same it is said once', () => {
    const { team, brief } = delegated();
    expect(team.facts('brief.accepted')).toMatchObject([{ brief, runner: 'runner-1' }]);
    expect(team.ok(acceptance(brief))).toEqual([]);
  });

  test('that another has: it must not begin', () => {
    const { team, brief } = delegated();
    expect(team.refusal(acceptance(brief, { runner: 'runner-2' }))).toBe(
      `taken: brief ${brief} is taken by runner-1`,
    );
    expect(codes(team)).toEqual(['taken']);
  });

  test('that is to end, has ended or was never sent: it must not begin', () => {
    const team = delegating();
    const brief = send(team);
    team.ok({ kind: 'brief.cancel', by: team.by('worker'), brief, reason: '' });
    expect(team.refusal(acceptance(brief))).toMatch(/^cancelling: /);
    team.ok(lose(brief));
    expect(team.refusal(acceptance(brief))).toMatch(/^brief_over: .*ended: cancelled/);
    expect(team.refusal(acceptance('none'))).toMatch(
      /^unknown_brief: no brief none was sent; no brief is out/,
    );
    expect(codes(team)).toEqual(['cancelling', 'brief_over', 'unknown_brief']);
  });

  test('and makes another block of its skills: the brief has failed, its whole cost is booked', () => {
    const team = delegating();
    const brief = send(team);
    expect(team.refusal(acceptance(brief, { sent_block: 'f'.repeat(64) }))).toMatch(/^block_mismatch: /);
    expect(team.facts('brief.ended')).toMatchObject([
      { status: 'failed', cause: 'block_mismatch', cost_usd: 1, estimated: true },
    ]);
    expect(team.task('#1')).toMatchObject({ brief: null, state: { kind: 'claimed' } });
    expect(team.inbox('worker').at(-1)).toMatch(/failed \(block_mismatch\). #1 is still with you/);
  });
});

describe('a step', () => {
  test('is recorded once, and nobody is woken by it', () => {
    const { team, brief } = delegated();
    expect(team.ok(step(brief, 'accepted'))).toEqual([]);
    expect(team.ok(step(brief, 'workspace'))).toHaveLength(1);
    expect(team.ok(step(brief, 'workspace'))).toEqual([]);
    expect(team.ok(step(brief, 'reported')).map(({ type }) => type)).toEqual(['brief.progress']);
  });

  test('of the engineer’s work is mail that wakes nobody; of each brief the newest alone is unread', () => {
    const { team, brief } = delegated();
    team.end('worker');
    const due = team.due();
    expect(team.ok(step(brief, 'engineer')).map(({ type }) => type)).toEqual(['brief.progress', 'mail.sent']);
    expect(team.ok(step(brief, 'verifying')).map(({ type }) => type)).toEqual([
      'brief.progress',
      'mail.expired',
      'mail.sent',
    ]);
    const unread = team.member('worker').unread.flatMap((id) => team.state.messages.get(id) ?? []);
    expect(unread.filter(({ kind }) => kind === 'progress').map(({ body }) => body)).toEqual([
      `Brief ${brief} of #1: the engineer has ended, and its commit is being verified. Nothing is to be done; a message tells you of its end.`,
    ]);
    expect(team.due()).toEqual(due);
  });

  test('in a turn that may have the word before in front of it is not told again until that is read', () => {
    const { team, brief } = delegated();
    team.ok(step(brief, 'engineer'));
    expect(team.ok(step(brief, 'verifying')).map(({ type }) => type)).toEqual(['brief.progress']);
    team.read('worker');
    team.ok(step(brief, 'engineer'));
    expect(team.inbox('worker').at(-1)).toContain('the engineer is at work');
  });

  test('that was told and not read is nothing to read once the brief has ended', () => {
    const { team, brief } = delegated();
    team.ok(step(brief, 'engineer'));
    team.ok(ending(team.state, brief));
    const [first] = team.facts('mail.sent').filter(({ kind }) => kind === 'progress');
    team.end('worker');
    expect(team.facts('mail.expired').flatMap(({ ids }) => ids)).toEqual([first?.id]);
  });

  test('that is none, since the engineer is silent, is told to its member once', () => {
    const { team, brief } = delegated();
    expect(team.ok(step(brief, 'stalled')).map(({ type }) => type)).toEqual(['brief.progress', 'mail.sent']);
    expect(team.inbox('worker').at(-1)).toMatch(
      /has said nothing for minutes.*after 30 minutes.*delegate_cancel/,
    );
    team.ok(step(brief, 'engineer'));
    expect(team.inbox('worker').at(-1)).toContain('the engineer is at work again');
    expect(team.ok(step(brief, 'stalled')).map(({ type }) => type)).toEqual(['brief.progress']);
  });

  test('of a brief that nobody has taken, or that has ended, is evidence; of one that is to end nothing', () => {
    const team = delegating();
    const brief = send(team);
    expect(team.refusal(step(brief, 'engineer'))).toMatch(/^not_accepted: /);
    team.ok(acceptance(brief));
    team.ok({ kind: 'brief.cancel', by: team.by('worker'), brief, reason: '' });
    expect(team.ok(step(brief, 'verifying'))).toEqual([]);
    team.ok(lose(brief));
    expect(team.refusal(step(brief, 'reported'))).toMatch(/^brief_over: /);
    expect(codes(team)).toEqual(['not_accepted', 'brief_over']);
  });
});

describe('a brief whose runner is gone', () => {
  test('is offered again as often as the recipe says, then its attempt fails and the lead is told', () => {
    const { team, brief } = delegated();
    team.ok(lose(brief, briefOffer({ offer: 2 })));
    expect(team.task('#1')).toMatchObject({ brief: 'team.t1.a1.o2', state: { kind: 'claimed', attempt: 1 } });
    team.ok(acceptance('team.t1.a1.o2', { runner: 'runner-2' }));
    team.ok(lose('team.t1.a1.o2', briefOffer({ offer: 3 })));
    team.ok(lose('team.t1.a1.o3', briefOffer({ offer: 4 })));
    expect(team.facts('brief.sent').map(({ offer }) => offer)).toEqual([1, 2, 3]);
    expect(team.task('#1')).toMatchObject({ brief: null, state: { kind: 'failed', cause: 'lost' } });
    expect(team.inbox('lead').at(-1)).toMatch(
      /#1 has failed: brief .*o3 was lost, and it was offered again 2 times/,
    );
    expect(team.inbox('worker').at(-1)).toMatch(/has ended: lost \(lost\). #1 has failed/);
    expect(team.state.budget).toMatchObject({ reservedUsd: 0, costUsd: 3, estimatedUsd: 3 });
  });

  test('is not offered again with money that is not there', () => {
    const { team, brief } = delegated({ limits: { cost_usd: 1.5 } });
    team.ok(lose(brief, briefOffer({ offer: 2 })));
    expect(team.task('#1').state).toMatchObject({ kind: 'failed', cause: 'lost' });
    expect(team.inbox('lead').at(-1)).toContain('is not left: 0.5 of limits.cost_usd');
  });

  test('is offered as the next offer of the same attempt and as it was, not as another', () => {
    const { team, brief } = delegated();
    expect(team.refusal(lose(brief, briefOffer({ offer: 3 })))).toMatch(/^prepare_again: /);
    expect(team.refusal(lose(brief, briefOffer({ attempt: 2 })))).toMatch(/^prepare_again: /);
    expect(team.refusal(lose(brief, briefOffer({ task: '#2', offer: 2 })))).toMatch(/^prepare_again: /);
    for (const more of [
      { safety: 'read-only' },
      { cost_usd: null },
      { cost_usd: 2 },
      { base: 'other' },
    ] as const)
      expect(team.refusal(lose(brief, briefOffer({ offer: 2, ...more })))).toMatch(
        /^prepare_again: .*as it was/,
      );
  });

  test('that was to end has ended; one that has ended is not lost', () => {
    const { team, brief } = delegated({ engineer: frozenEngineer(['worker'], { offers: 0 }) });
    team.ok({ kind: 'brief.cancel', by: team.by('lead'), brief, reason: 'enough' });
    team.ok(lose(brief, briefOffer({ offer: 2 })));
    expect(team.facts('brief.ended')).toMatchObject([{ status: 'cancelled', cause: 'lost' }]);
    expect(team.inbox('worker').at(-1)).toMatch(
      /it was called off by lead\.\n[^\n]*why lead has called off [\s\S]*enough/,
    );
    expect(team.ok(lose(brief))).toEqual([]);
    expect(team.refusal(lose('none'))).toMatch(/^unknown_brief/);
  });
});

test('a word of nobody known is kept, and nobody is told of it', () => {
  const { team, brief } = delegated();
  const facts = team.ok({
    kind: 'brief.witness',
    brief,
    code: 'bad_signature',
    detail: 'forged',
    result: null,
  });
  expect(facts).toEqual([
    { type: 'brief.evidence', brief, code: 'bad_signature', detail: 'forged', result: null },
  ]);
  const before = team.state.messages.size;
  team.refusal(ending(team.state, 'none'));
  expect(team.state.messages.size).toBe(before);
});
