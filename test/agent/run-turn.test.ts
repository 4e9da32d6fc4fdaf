import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Conversation } from '../../src/agent/conversation.js';
import type { MemoryEntry } from '../../src/agent/memory.js';
import { runTurn } from '../../src/agent/run-turn.js';
import { type Answer, type FarSide, farSide } from './far-side.js';

const never = new AbortController().signal;

describe('the order of writes', () => {
  test('T1 an input and its reservation are durable before the model is asked, T2 a reply before its calls run', async () => {
    const far = farSide({ answers: [{ text: 'I look', tools: ['read', 'write'] }, { text: 'done' }] });
    expect(await runTurn(far.ports, never)).toEqual({ kind: 'finished' });
    expect(far.log).toEqual([
      'input m1 …',
      'input m1 kept',
      'tools',
      'ask',
      'reply …',
      'reply kept',
      'run read',
      'result 1.0 …',
      'result 1.0 kept',
      'run write',
      'result 1.1 …',
      'result 1.1 kept',
      'no input',
      'tools',
      'ask',
      'reply …',
      'reply kept',
    ]);
  });

  test('T3 results stand in the order asked, and each was recorded before the next call began', async () => {
    const far = farSide({ answers: [{ tools: ['a', 'b', 'c'] }, { text: 'done' }] });
    await runTurn(far.ports, never);
    expect(far.sent[1]?.slice(2).map((message) => message.text)).toEqual([
      'a at 1.0',
      'b at 1.1',
      'c at 1.2',
    ]);
  });

  test('T4 mail that comes while calls are open is put in after their results, with the next question', async () => {
    const far = farSide({
      answers: [{ tools: ['a', 'b'] }, { text: 'done' }],
      mail: [{ id: 'm1' }, { id: 'm2', after: 1 }],
    });
    await runTurn(far.ports, never);
    expect(far.memory.map((entry) => entry.kind)).toEqual([
      'input',
      'reply',
      'result',
      'result',
      'input',
      'reply',
    ]);
    expect(far.sent[1]?.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
    ]);
  });

  test('a mailbox that is empty and a conversation that wants no answer ask no model', async () => {
    const far = farSide({ mail: [] });
    expect(await runTurn(far.ports, never)).toEqual({ kind: 'finished' });
    expect(far.log).toEqual([]);
  });
});

describe('how a turn ends', () => {
  test('a call that waits for a word parks the turn; nothing after it runs and it gets no result', async () => {
    const far = farSide({
      answers: [{ tools: ['a', 'ask_question', 'c'] }],
      act: (call) =>
        call.tool === 'ask_question'
          ? { kind: 'parked', request: 'r1' }
          : { kind: 'result', text: 'ok', outcome: 'ok', endsTurn: false },
    });
    expect(await runTurn(far.ports, never)).toEqual({ kind: 'parked', request: 'r1' });
    expect(far.log.filter((event) => event.startsWith('run'))).toEqual(['run a', 'run ask_question']);
    expect(far.ports.conversation.pending.map((call) => call.tool)).toEqual(['ask_question', 'c']);
  });

  test('a call that closes the team ends the turn; the calls after it are cancelled and no model is asked', async () => {
    const far = farSide({
      answers: [{ tools: ['team_finish', 'late'] }],
      act: () => ({ kind: 'result', text: 'closed', outcome: 'ok', endsTurn: true }),
    });
    expect(await runTurn(far.ports, never)).toEqual({ kind: 'finished' });
    expect(far.log.filter((event) => event === 'ask')).toHaveLength(1);
    expect(far.log).not.toContain('run late');
    expect(far.memory.slice(-1)).toMatchObject([{ kind: 'result', outcome: 'cancelled' }]);
  });

  test('a turn that has used up its calls ends as limit, its other calls unrun and open', async () => {
    const far = farSide({ answers: [{ tools: ['a', 'b', 'c'] }], callsLeft: (used) => used < 2 });
    expect(await runTurn(far.ports, never)).toEqual({ kind: 'limit', detail: 'calls_per_turn' });
    expect(far.ports.conversation.pending.map((call) => call.tool)).toEqual(['c']);
  });

  test.each([
    [
      { kind: 'stop', limit: true, why: 'turns' },
      { kind: 'limit', detail: 'turns' },
    ],
    [{ kind: 'stop', limit: false, why: 'stopping' }, { kind: 'cancelled' }],
  ] as const)(
    'a call that may not be made (%j) ends the turn, its input kept for a later one',
    async (before, end) => {
      const far = farSide({ beforeAsking: () => before });
      expect(await runTurn(far.ports, never)).toEqual(end);
      expect(far.log).not.toContain('ask');
      expect(far.ports.conversation.unanswered).toEqual(['m1']);
    },
  );

  test('a model that fails for good ends the turn as failed, with its code', async () => {
    const far = farSide({ generate: async () => ({ kind: 'fatal', code: 'bad-key', message: 'no' }) });
    expect(await runTurn(far.ports, never)).toEqual({ kind: 'failed', code: 'bad-key', error: 'no' });
  });

  test('open calls of an earlier turn are finished before the model is asked', async () => {
    const memory: MemoryEntry[] = [
      { kind: 'opened' },
      { kind: 'input', messages: ['m0'], text: 'go' },
      {
        kind: 'reply',
        text: '',
        calls: [
          { place: 'p0', tool: 'a', arguments: {} },
          { place: 'p1', tool: 'b', arguments: {} },
        ],
      },
      { kind: 'result', place: 'p0', text: 'a was run', outcome: 'ok' },
    ];
    const far = farSide({ memory });
    await runTurn(far.ports, never);
    expect(far.log.slice(0, 5)).toEqual([
      'run b',
      'result p1 …',
      'result p1 kept',
      'input m1 …',
      'input m1 kept',
    ]);
    expect(far.sent[0]?.map((message) => message.text)).toEqual([
      'go',
      '',
      'a was run',
      'b at p1',
      'mail m1',
    ]);
  });
});

describe('T5 a provider that has to be left alone', () => {
  const refusal = { kind: 'rate_limited', retryAfterMs: 9, message: 'slow down' } as const;

  test('ends the turn at once; what was put in stays, and is asked for again without being put in again', async () => {
    const far = farSide({ generate: async () => refusal });
    const wait = { kind: 'waiting', why: 'rate_limited', waitMs: 9, detail: 'slow down', asked: true };
    expect(await runTurn(far.ports, never)).toEqual(wait);
    expect(far.log).toEqual(['input m1 …', 'input m1 kept', 'tools', 'ask']);
    expect(far.ports.conversation.unanswered).toEqual(['m1']);
    const later = farSide({ memory: far.memory });
    expect(await runTurn(later.ports, never)).toEqual({ kind: 'finished' });
    expect(later.log).toEqual(['no input', 'tools', 'ask', 'reply …', 'reply kept']);
    expect(later.sent).toEqual(far.sent);
  });

  test('is not asked before a closed gate: nothing is put in and nothing reserved', async () => {
    const far = farSide({ gate: { enter: () => ({ kind: 'closed', waitMs: 5, said: 'slow down' }) } });
    const wait = { kind: 'waiting', why: 'rate_limited', waitMs: 5, detail: 'slow down', asked: false };
    expect(await runTurn(far.ports, never)).toEqual(wait);
    expect(far.log).toEqual([]);
  });

  test('does not keep calls from being run: only the model is not asked', async () => {
    let entered = 0;
    const far = farSide({
      answers: [{ tools: ['a', 'b'] }],
      gate: { enter: () => (entered++ === 0 ? { kind: 'open' } : { kind: 'closed', waitMs: 5, said: '' }) },
    });
    expect(await runTurn(far.ports, never)).toMatchObject({ kind: 'waiting', asked: false });
    expect(far.log.filter((event) => event.startsWith('run'))).toEqual(['run a', 'run b']);
    const later = farSide({ answers: [{ tools: ['a', 'b'] }, { text: 'done' }], memory: far.memory });
    expect(await runTurn(later.ports, never)).toEqual({ kind: 'finished' });
    expect(later.log.filter((event) => event.startsWith('run'))).toEqual([]);
  });

  test('has nothing to wait for where no model would be asked', async () => {
    const far = farSide({ mail: [], gate: { enter: () => ({ kind: 'closed', waitMs: 5, said: '' }) } });
    expect(await runTurn(far.ports, never)).toEqual({ kind: 'finished' });
  });

  test('is left by a turn that may not ask after all', async () => {
    let left = 0;
    const far = farSide({
      beforeAsking: () => ({ kind: 'stop', limit: true, why: 'turns' }),
      gate: { left: () => left++ },
    });
    await runTurn(far.ports, never);
    expect(left).toBe(1);
  });
});

test('who looks on is shown each answer as it comes', async () => {
  const shown: string[] = [];
  const far = farSide({
    watch: (fragment) => shown.push(fragment),
    generate: async (_messages, _signal, watch) => {
      watch?.('he');
      watch?.('llo');
      const usage = { inputTokens: 1, cachedTokens: 0, outputTokens: 1 };
      return { kind: 'reply', text: 'hello', calls: [], usage, stop: 'end' };
    },
  });
  await runTurn(far.ports, never);
  expect(shown).toEqual(['he', 'llo']);
});

describe('being called off', () => {
  const script: readonly Answer[] = [{ tools: ['a', 'b'] }, { text: 'on', tools: ['c'] }, { text: 'done' }];

  test('at every point the turn ends as cancelled or finished, starts nothing more, and leaves a whole memory', async () => {
    const undisturbed = farSide({ answers: script });
    await runTurn(undisturbed.ports, never);
    for (let point = 0; point < undisturbed.log.length; point++) {
      const control = new AbortController();
      let seen = 0;
      let after: string[] = [];
      const far = farSide({
        answers: script,
        at: (event) => {
          if (control.signal.aborted) after.push(event);
          if (seen++ === point) control.abort();
        },
      });
      const end = await runTurn(far.ports, control.signal);
      const last = undisturbed.log[point];
      expect(['cancelled', 'finished'], `called off at "${last}"`).toContain(end.kind);
      after = after.filter((event) => event.startsWith('run ') || event === 'ask');
      // Between reserving a call and making it lies no point of ours: the model itself obeys the signal.
      expect(after, `begun after "${last}"`).toEqual(
        last?.startsWith('input') || last === 'no input' || last === 'tools' ? ['ask'] : [],
      );
      expect(new Conversation(far.memory).pending).toEqual(far.ports.conversation.pending);
      const resumed = farSide({ answers: script, memory: far.memory });
      expect(await runTurn(resumed.ports, never)).toEqual({ kind: 'finished' });
      expect(resumed.ports.conversation.messages).toEqual(undisturbed.ports.conversation.messages);
    }
  });

  test('a tool that is called off keeps the result it gives; the next call does not begin', async () => {
    const control = new AbortController();
    const far = farSide({
      answers: [{ tools: ['slow', 'next'] }],
      act: (_call, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () =>
            resolve({ kind: 'result', text: 'called off', outcome: 'cancelled', endsTurn: false }),
          );
          control.abort();
        }),
    });
    expect(await runTurn(far.ports, control.signal)).toEqual({ kind: 'cancelled' });
    expect(far.memory.slice(-1)).toMatchObject([
      { kind: 'result', text: 'called off', outcome: 'cancelled' },
    ]);
    expect(far.ports.conversation.pending.map((call) => call.tool)).toEqual(['next']);
  });
});

const answer: fc.Arbitrary<Answer> = fc.record({
  text: fc.constantFrom('', 'so'),
  tools: fc.array(fc.constantFrom('read', 'write', 'grep'), { minLength: 1, maxLength: 4 }),
});
const story = fc.record({
  answers: fc.array(answer, { maxLength: 5 }).map((calls) => [...calls, { text: 'done' }]),
  mail: fc
    .array(fc.nat(5), { maxLength: 4 })
    .map((afters) => [{ id: 'm0' }, ...afters.map((after, index) => ({ id: `m${index + 1}`, after }))]),
});

/** Turns until nothing is left to do: mail that came after a last answer is the next turn's. */
async function toRest(far: FarSide): Promise<void> {
  for (let before = -1; before !== far.memory.length; ) {
    before = far.memory.length;
    expect(await runTurn(far.ports, never)).toEqual({ kind: 'finished' });
  }
}

test('a provider that refuses at any of its calls, and gates that are closed, change nothing of what is said (T5)', async () => {
  await fc.assert(
    fc.asyncProperty(story, fc.array(fc.boolean()), fc.array(fc.boolean()), async (told, refused, closed) => {
      const whole = farSide(told);
      await toRest(whole);
      const hindrances = [...refused];
      const gates = [...closed];
      const far = farSide({
        ...told,
        generate: async () =>
          hindrances.shift() ? { kind: 'unavailable', retryAfterMs: null, message: 'away' } : undefined,
        gate: { enter: () => (gates.shift() ? { kind: 'closed', waitMs: 1, said: '' } : { kind: 'open' }) },
      });
      for (let before = -1, waits = 0; before !== far.memory.length; ) {
        before = far.memory.length;
        const end = await runTurn(far.ports, never);
        if (end.kind === 'waiting') before = -1;
        else expect(end).toEqual({ kind: 'finished' });
        expect(waits++).toBeLessThan(refused.length + closed.length + 20);
      }
      expect(far.memory).toEqual(whole.memory);
    }),
  );
});

test('a memory that is cut anywhere is continued to the same messages (C1, C2, M1)', async () => {
  await fc.assert(
    fc.asyncProperty(story, fc.nat(), async (told, where) => {
      const whole = farSide(told);
      await toRest(whole);
      const kept = where % (whole.memory.length + 1);
      const resumed = farSide({ ...told, memory: whole.memory.slice(0, kept) });
      await toRest(resumed);
      expect(resumed.ports.conversation.messages).toEqual(whole.ports.conversation.messages);
      expect(resumed.memory).toEqual(whole.memory);
      expect([...resumed.ports.conversation.answered]).toEqual([...whole.ports.conversation.answered]);
    }),
  );
});
