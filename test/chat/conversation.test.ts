// One message to its answer: calls, confirmations, waits, stops, and what is still sent when the window is full.
import { describe, expect, test } from 'vitest';
import type { PreparedCall, Tool } from '../../src/agent/tool.js';
import { ok } from '../../src/agent/tool.js';
import type { ChatParts } from '../../src/chat/parts.js';
import { requestFault } from '../../src/models/check-request.js';
import { sleep } from '../../src/shared/abort.js';
import type { RequestView } from '../../src/team/show/status.js';
import { toolArguments } from '../../src/tools/arguments.js';
import { defineTool } from '../../src/tools/define-tool.js';
import { shellMatter } from '../helpers/shell-lines.js';
import { anEntry } from '../skills/entries.js';
import { loads, provides, results, systemOf, talk, told, toolNames } from './talk.js';
import { tokensSent } from './tokens-sent.js';

const call = (tool: string, args: unknown = {}): { tool: string; arguments: unknown } => ({
  tool,
  arguments: args,
});

/** Calls once and then ends. */
const callsOnce =
  (...calls: readonly ReturnType<typeof call>[]) =>
  (_: unknown, count: number): { text: string; calls?: readonly ReturnType<typeof call>[] } =>
    count === 1 ? { text: 'Let me look.', calls } : { text: 'done' };

function writer(ran: string[]): Tool {
  return defineTool({
    name: 'write_it',
    description: 'Writes',
    class: 'write',
    arguments: toolArguments({}),
    prepare: () => ({ kind: 'ready', summary: 'write it down', subject: 'it' }),
    run: async () => {
      ran.push('write_it');
      return ok('written');
    },
  });
}

const policy = (more: Partial<ChatParts['policy']> = {}): ChatParts['policy'] => ({
  safety: 'full',
  autoApprove: 'never',
  rules: [],
  patterns: [],
  ...more,
});

describe('a call', () => {
  test('that needs a confirmation is put to the person with all that a run puts, and runs when approved', async () => {
    const ran: string[] = [];
    const asked: RequestView[] = [];
    const { say, requests, notes } = await talk([], callsOnce(call('write_it')), {
      tools: new Map([['write_it', writer(ran)]]),
      policy: policy(),
      confirm: async (request) => {
        asked.push(request);
        return 'approve';
      },
    });
    expect(await say('go')).toEqual({ kind: 'answered' });
    expect(asked).toEqual([
      {
        id: 'r1',
        kind: 'confirmation',
        member: 'chat',
        state: 'open',
        principals: ['operator'],
        tool: 'write_it',
        class: 'write',
        summary: 'write it down',
        arguments: '{}',
        context: 'Let me look.',
        policy: 'write write_it: confirmation needed',
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        always: null,
        task: null,
        opened_ms: 0,
        expires_ms: null,
        left_ms: null,
        decision: null,
        by: null,
      },
    ]);
    expect(ran).toEqual(['write_it']);
    expect(results(requests[1])).toEqual(['written']);
    expect(notes.map(({ kind }) => kind)).toEqual(['answer', 'calling', 'answer']);
  });

  test.each([
    ['the person denies', async (): Promise<'deny'> => 'deny', 'denied, not run: the operator has denied it'],
    [
      'nobody is there',
      null,
      'denied, not run: it needs a confirmation (write write_it: confirmation needed), and nobody is at a terminal to give it',
    ],
  ])('is a result and does not run where %s', async (_, confirm, text) => {
    const ran: string[] = [];
    const { say, requests } = await talk([], callsOnce(call('write_it')), {
      tools: new Map([['write_it', writer(ran)]]),
      policy: policy(),
      confirm,
    });
    await say('go');
    expect(ran).toEqual([]);
    expect(results(requests[1])).toEqual([text]);
    expect(requests[1]?.messages.at(-1)).toMatchObject({ failed: true });
  });

  test.each([
    [
      'the safety mode',
      policy({ safety: 'read-only', autoApprove: 'all' }),
      'safety read-only does not admit write tools',
    ],
    [
      'a rule of the settings',
      policy({
        autoApprove: 'all',
        rules: [{ tool: 'write_it', match: null, decision: 'deny', origin: 'settings' }],
      }),
      'rule of settings: deny write_it',
    ],
  ])('is denied by %s, by the policy of every run', async (_, of, row) => {
    const { say, requests } = await talk([], callsOnce(call('write_it')), {
      tools: new Map([['write_it', writer([])]]),
      policy: of,
    });
    await say('go');
    expect(results(requests[1])).toEqual([`denied, not run: ${row}`]);
  });

  test('of a pattern that allowed-tools does not hold is denied, and one that it holds is still confirmed', async () => {
    const shell = { ...told(provides('shell_exec')), prepare: async (args: unknown) => shellCall(args) };
    const rule = anEntry({ kind: 'rule', name: 'r', allowedTools: ['Bash(npm test:*)'] });
    const { say, requests } = await talk(
      [rule],
      callsOnce(call('shell_exec', { command: 'npm publish' }), call('shell_exec', { command: 'npm test' })),
      { tools: new Map([['shell_exec', shell]]), policy: policy() },
    );
    await say('go');
    const [outside, inside] = results(requests[1]);
    expect(outside).toBe(
      'denied, not run: allowed-tools of the entries of this session: of shell_exec only npm test:*',
    );
    expect(inside).toContain('it needs a confirmation');
  });

  test('of a tool that there is not is answered with those that there are', async () => {
    const { say, requests } = await talk([anEntry()], callsOnce(call('fs_read_fil')), {
      tools: new Map([['fs_read_file', told(provides('fs_read_file'))]]),
    });
    await say('go');
    expect(results(requests[1])).toEqual(['unknown tool "fs_read_fil"; did you mean "fs_read_file"?']);
  });

  test('one message may make a hundred, then it ends as failed, and the chat goes on', async () => {
    const { say, requests } = await talk(
      [],
      (request) =>
        request.messages.at(-1)?.role === 'user' && request.messages.length > 1
          ? { text: 'fine' }
          : { calls: [call('t')] },
      { tools: new Map([['t', told(provides('t'))]]) },
    );
    expect(await say('go')).toEqual({
      kind: 'failed',
      code: 'too-many-calls',
      error: 'one message may make 100 calls; say how to go on',
    });
    expect(requests).toHaveLength(101);
    expect(await say('stop that')).toEqual({ kind: 'answered' });
    expect(requests.every((request) => requestFault(request) === null)).toBe(true);
  });
});

async function shellCall(args: unknown): Promise<Extract<PreparedCall, { kind: 'ready' }>> {
  const { subject, subjects } = await shellMatter(String((args as { command: string }).command));
  return {
    kind: 'ready',
    class: 'write',
    summary: subject,
    subject,
    ...(subjects === undefined ? {} : { subjects }),
    arguments: {},
  };
}

describe('the provider', () => {
  test('that asks to wait is waited for, and asked again with the same conversation', async () => {
    const waits: number[] = [];
    const { say, requests, notes } = await talk(
      [],
      (_, count) =>
        count < 3
          ? {
              fails: {
                kind: count === 1 ? 'rate_limited' : 'unavailable',
                retryAfterMs: null,
                message: 'busy',
              },
            }
          : { text: 'ok' },
      { sleep: async (ms) => void waits.push(ms) },
    );
    expect(await say('go')).toEqual({ kind: 'answered' });
    expect(waits).toEqual([5, 7]);
    expect(notes.slice(0, 2)).toEqual([
      { kind: 'waiting', why: 'rate_limited', waitMs: 5, detail: 'busy' },
      { kind: 'waiting', why: 'unavailable', waitMs: 7, detail: 'busy' },
    ]);
    expect(requests.map(({ messages }) => messages)).toEqual(
      requests.map(() => [{ role: 'user', text: 'go' }]),
    );
  });

  test('is not waited for longer than ten minutes in all', async () => {
    const { say } = await talk(
      [],
      () => ({ fails: { kind: 'rate_limited', retryAfterMs: null, message: 'busy' } }),
      {
        gate: {
          enter: () => ({ kind: 'open' }),
          refused: () => 240_000,
          unanswered: () => 0,
          answered: () => {},
          left: () => {},
        },
      },
    );
    expect(await say('go')).toEqual({
      kind: 'failed',
      code: 'rate-limited',
      error: 'the provider was waited for as long as one message may wait, 10 minutes: busy',
    });
  });

  test('that fails ends the message, and the next one is asked with both', async () => {
    const { say, requests } = await talk([], (_, count) =>
      count === 1 ? { fails: { kind: 'fatal', code: 'bad-key', message: 'no' } } : { text: 'ok' },
    );
    expect(await say('one')).toEqual({ kind: 'failed', code: 'bad-key', error: 'no' });
    expect(await say('two')).toEqual({ kind: 'answered' });
    expect(requests[1]?.messages.map(({ text }) => text)).toEqual(['one', 'two']);
  });
});

describe('a round that is stopped', () => {
  test('closes the calls that did not run, so that the conversation goes on soundly', async () => {
    const stop = new AbortController();
    const stopping: Tool = {
      ...told(provides('first')),
      run: async () => {
        stop.abort();
        return ok('ran');
      },
    };
    const { chat, say, requests } = await talk(
      [],
      (request, count) =>
        count === 1
          ? { calls: [call('first'), call('second')] }
          : { text: `heard ${request.messages.length}` },
      {
        tools: new Map([
          ['first', stopping],
          ['second', told(provides('second'))],
        ]),
      },
    );
    expect(await chat.say('go', stop.signal)).toEqual({ kind: 'stopped' });
    expect(await say('go on')).toEqual({ kind: 'answered' });
    expect(requestFault(requests[1] ?? fail())).toBeNull();
    expect(requests[1]?.messages.slice(-3).map(({ text }) => text)).toEqual([
      'ran',
      'not run: the round was stopped',
      'go on',
    ]);
  });

  test('ends a wait for the provider', async () => {
    const stop = new AbortController();
    const { chat } = await talk(
      [],
      () => ({ fails: { kind: 'rate_limited', retryAfterMs: null, message: 'busy' } }),
      {
        sleep: (ms, signal) => {
          stop.abort();
          return sleep(ms, signal);
        },
      },
    );
    expect(await chat.say('go', stop.signal)).toEqual({ kind: 'stopped' });
  });
});

function fail(): never {
  throw new Error('there was no such request');
}

describe('a window that is full', () => {
  const window = { tokens: 1_200, known: true, model: 'test/m' };

  test('older turns are dropped whole, the system prompt and the newest stay, and it is told', async () => {
    const { say, requests, notes } = await talk(
      [anEntry({ kind: 'rule', name: 'r' })],
      (request) =>
        request.messages.at(-1)?.role === 'user'
          ? { text: 'x'.repeat(400), calls: [call('t')] }
          : { text: 'ok' },
      { window, maxOutputTokens: 200, tools: new Map([['t', told(provides('t'))]]) },
    );
    for (let turn = 1; turn <= 8; turn++) await say(`message ${turn} ${'y'.repeat(300)}`);
    for (const request of requests) {
      expect(tokensSent(request)).toBeLessThanOrEqual(1_000);
      expect(requestFault(request)).toBeNull();
      expect(systemOf(request)).toBe(systemOf(requests[0]));
    }
    const last = requests.at(-1)?.messages ?? [];
    expect(last.some(({ text }) => text.startsWith('message 8'))).toBe(true);
    expect(last.some(({ text }) => text.startsWith('message 1 '))).toBe(false);
    const dropped = notes.flatMap((note) => (note.kind === 'dropped' ? [note.turns] : []));
    const kept = last.filter(({ role }) => role === 'user').length;
    expect(dropped.reduce((sum, turns) => sum + turns, 0)).toBe(8 - kept);
  });

  test('a newest turn that does not fit by itself is sent all the same, and that is told', async () => {
    const { say, requests, notes } = await talk([], () => ({ text: 'ok' }), { window, maxOutputTokens: 200 });
    await say('z'.repeat(8_000));
    expect(requests).toHaveLength(1);
    expect(notes[0]).toEqual({ kind: 'too-large', tokens: tokensSent(requests[0]), window: 1_200 });
  });

  test('the reference block stands in front of the first message that is sent, whatever was dropped', async () => {
    const { say, requests } = await talk([], () => ({ text: 'x'.repeat(800) }), {
      window,
      maxOutputTokens: 200,
      reference: 'REFERENCE',
    });
    for (let turn = 1; turn <= 6; turn++) await say(`message ${turn} ${'y'.repeat(400)}`);
    for (const request of requests) {
      expect(tokensSent(request)).toBeLessThanOrEqual(1_000);
      expect(request.messages[0]?.text).toMatch(/^REFERENCE\n\nmessage \d/);
      expect(JSON.stringify(request.messages).split('REFERENCE').length - 1).toBe(1);
      expect(systemOf(request)).not.toContain('REFERENCE');
    }
    expect(requests.at(-1)?.messages[0]?.text).not.toContain('message 1 ');
  });
});

test('what was used is counted, whatever the answers held', async () => {
  const { say, chat } = await talk([anEntry({ name: 'a' })], callsOnce(loads('a')));
  await say('go');
  expect(chat.spent).toEqual({
    modelCalls: 2,
    inputTokens: 200,
    cachedTokens: 80,
    outputTokens: 20,
    costUsd: 0,
  });
});

test('tools of entries come behind those of the chat, the tool skill comes last', async () => {
  const entries = [
    anEntry({ name: 'b', alwaysOn: true, tools: [provides('b2'), provides('b1')] }),
    anEntry({ name: 'a', alwaysOn: true, tools: [provides('zz')] }),
    anEntry({ name: 'c' }),
  ];
  const { say, requests } = await talk(entries, () => ({ text: 'ok' }), {
    tools: new Map([['own', told(provides('own'))]]),
  });
  await say('go');
  expect(toolNames(requests[0])).toEqual(['own', 'zz', 'b2', 'b1', 'skill']);
});
