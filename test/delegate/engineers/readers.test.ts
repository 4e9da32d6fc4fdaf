/** How the lines of the real programs are read, from records of them; and that any line at all can be. */

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { claudeCode } from '../../../src/delegate/engineers/claude-code.js';
import { codex } from '../../../src/delegate/engineers/codex.js';
import type {
  Engineer,
  EngineerEnd,
  EngineerEvent,
  EngineerExit,
  EngineerUsage,
} from '../../../src/delegate/engineers/engineer.js';
import { engineerOrder, MUTE } from '../../helpers/engineers/run-plan.js';

interface Read {
  readonly events: readonly EngineerEvent[];
  readonly end: EngineerEnd;
  readonly usage: EngineerUsage;
}

const DONE: EngineerExit = { kind: 'exited', code: 0 };

function read(engineer: Engineer, lines: readonly string[], exit = DONE): Read {
  const reader = engineer.reader(engineerOrder('/briefs/1/tree', {}), MUTE);
  const events = lines.flatMap((line) => reader.line(line));
  return { events, end: reader.end(exit), usage: reader.usage() };
}

/** What was recorded, without the line break at its end. */
function recorded(name: string): readonly string[] {
  const path = new URL(`../../fixtures/engineers/${name}.jsonl`, import.meta.url);
  return readFileSync(path, 'utf8').trimEnd().split('\n');
}

const texts = (events: readonly EngineerEvent[]): readonly string[] =>
  events.flatMap((event) => (event.kind === 'activity' ? [event.text] : []));

const SESSION = '00000000-0000-4000-8000-000000000002';

describe('a run of claude', () => {
  test('that worked', () => {
    const { events, end, usage } = read(claudeCode, recorded('claude-code-success'));
    expect(events[0]).toEqual({
      kind: 'began',
      session: SESSION,
      model: 'claude-opus-5-5',
      version: '2.1.332',
    });
    expect(texts(events)).toEqual([
      'asks the API again, 1 of 2: overloaded',
      'I look at the file.',
      'Read: /home/ada/tree/a.txt',
      'Edit: /home/ada/tree/a.txt',
      'Bash: node -e 1',
      'denied: Bash: This command requires approval',
      'The file says two.',
    ]);
    expect(end).toEqual({ kind: 'success', message: 'The file says two.' });
    expect(usage).toEqual({
      inputTokens: 336,
      cachedTokens: 15,
      outputTokens: 30,
      turns: 4,
      costUsd: expect.closeTo(0.0019),
    });
  });

  test.each([
    ['auth', 'auth', 'Invalid API key · Fix external API key'],
    ['no-key', 'auth', 'Not logged in · Please run /login'],
    ['quota', 'quota', 'Credit balance is too low'],
    ['api-error', 'api_error', /^API Error: 500 Internal server error/],
    ['too-long', 'engineer_error', /^Prompt is too long/],
    ['unfinished', 'unfinished', /^The model's tool call could not be parsed/],
    [
      'max-turns',
      'max_turns',
      `Reached maximum number of turns (2); session ${SESSION}, which claude --resume takes up in its home`,
    ],
    ['max-budget', 'max_budget', /^Reached maximum budget \(\$0\.05\); session /],
  ] as const)('that ended by %s', (name, cause, detail) => {
    const { end } = read(claudeCode, recorded(`claude-code-${name}`), { kind: 'exited', code: 1 });
    expect(end).toMatchObject({ kind: 'failure', cause });
    expect(end).toHaveProperty('detail', typeof detail === 'string' ? detail : expect.stringMatching(detail));
  });

  test('that ended by its cost says what it used, though its own sum is nothing', () => {
    const { usage } = read(claudeCode, recorded('claude-code-max-budget'));
    expect(usage).toMatchObject({ inputTokens: 1_000, outputTokens: 10_000, costUsd: expect.closeTo(0.204) });
  });

  test('that was cut off has no end; what it used until then is known', () => {
    const { end, usage } = read(claudeCode, recorded('claude-code-max-turns').slice(0, -1));
    expect(end).toEqual({ kind: 'none' });
    expect(usage).toMatchObject({ inputTokens: 2_000, turns: 2, costUsd: null });
  });

  const result = (more: object): string =>
    JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'ok', ...more });

  test.each([
    [
      'J203: success, and it wanted a tool',
      { stop_reason: 'tool_use', result: '' },
      'unfinished',
      /stopped for tool_use/,
    ],
    [
      'success, and it was cut',
      { stop_reason: 'max_tokens', result: 'part' },
      'unfinished',
      /stopped for max_tokens/,
    ],
    [
      'J208: no text for too many turns',
      { subtype: 'error_max_turns', is_error: true, errors: [], result: undefined },
      'max_turns',
      /^it stopped: max turns$/,
    ],
    [
      'no text for a failure',
      { subtype: 'error_during_execution', is_error: true, result: null },
      'engineer_error',
      /^it stopped: during execution$/,
    ],
    [
      'no text for a call that was none',
      { subtype: 'error_during_execution', stop_reason: 'tool_use', result: null },
      'unfinished',
      /^it stopped: during execution$/,
    ],
    ['a word of a later version', { subtype: 'error_of_tomorrow' }, 'engineer_error', /^ok$/],
    ['no word at all', { subtype: 7, result: '' }, 'engineer_error', /^it stopped: error$/],
    [
      'an error that is none of the types',
      { is_error: 'yes', result: '' },
      'engineer_error',
      /^it stopped: success$/,
    ],
    [
      'an error in words only',
      { is_error: true, result: 'Claude AI usage limit reached|1790000000' },
      'quota',
      /limit/,
    ],
    [
      'a login in words only',
      { is_error: true, result: 'OAuth token has expired · Please run /login' },
      'auth',
      /login/,
    ],
  ] as const)('whose envelope has %s', (_, more, cause, detail) => {
    const { end } = read(claudeCode, [result(more)]);
    expect(end).toMatchObject({ kind: 'failure', cause, detail: expect.stringMatching(detail) });
  });

  test.each([{}, { stop_reason: 'end_turn' }, { stop_reason: null }, { stop_reason: 'stop_sequence' }])(
    'whose envelope is that of a success: %j',
    (more) => {
      expect(read(claudeCode, [result(more)]).end).toEqual({ kind: 'success', message: 'ok' });
    },
  );

  test('that goes on behind its envelope was not at its end', () => {
    const more = JSON.stringify({ type: 'assistant', message: { id: 'm', content: [] } });
    expect(read(claudeCode, [result({}), more]).end).toEqual({ kind: 'none' });
    expect(read(claudeCode, [result({}), more, result({ result: 'last' })]).end).toHaveProperty(
      'message',
      'last',
    );
  });

  test('counts a message once, however many lines it has', () => {
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 5,
      cache_creation_input_tokens: 3,
      output_tokens: 2,
    };
    const line = (id: string) => JSON.stringify({ type: 'assistant', message: { id, content: [], usage } });
    expect(read(claudeCode, [line('a'), line('a'), line('b')]).usage).toEqual({
      inputTokens: 36,
      cachedTokens: 10,
      outputTokens: 4,
      turns: 2,
      costUsd: null,
    });
  });
});

describe('a run of codex', () => {
  test('that worked', () => {
    const { events, end, usage } = read(codex, recorded('codex-success'));
    const session = '00000000-0000-4000-8000-000000000001';
    expect(events[0]).toEqual({ kind: 'began', session, model: null, version: null });
    expect(texts(events).slice(1)).toEqual([
      'I look at the file.',
      "runs /bin/bash -lc 'cat a.txt'",
      'changes update /home/ada/tree/a.txt',
      "runs /bin/bash -lc 'cat nothing.txt'",
      "exit 1: /bin/bash -lc 'cat nothing.txt'",
      'The file says two.',
    ]);
    expect(end).toEqual({ kind: 'success', message: 'The file says two.' });
    expect(usage).toEqual({ inputTokens: 400, cachedTokens: 20, outputTokens: 40, turns: 1, costUsd: null });
  });

  test.each([
    ['auth', 'auth', /401/],
    ['quota', 'quota', /^Quota exceeded/],
    ['api-error', 'api_error', /high demand/],
    ['too-long', 'engineer_error', /context window/],
    ['unfinished', 'unfinished', /max_output_tokens/],
  ] as const)('that ended by %s', (name, cause, detail) => {
    const { end } = read(codex, recorded(`codex-${name}`), { kind: 'exited', code: 1 });
    expect(end).toMatchObject({ kind: 'failure', cause, detail: expect.stringMatching(detail) });
  });

  const fault = JSON.stringify({ type: 'error', message: 'Reconnecting... 1/5 (stream disconnected)' });

  test('that ended by itself behind a fault ended by it; one that was ended has no end of its own', () => {
    expect(read(codex, [fault], { kind: 'exited', code: 1 }).end).toMatchObject({ cause: 'api_error' });
    expect(read(codex, [fault], { kind: 'signalled', signal: 'SIGTERM' }).end).toEqual({ kind: 'none' });
    expect(read(codex, [fault]).end).toEqual({ kind: 'none' });
  });

  test('that goes on behind its turn was not at its end', () => {
    const lines = [...recorded('codex-success'), JSON.stringify({ type: 'turn.started' })];
    expect(read(codex, lines).end).toEqual({ kind: 'none' });
  });

  test('that fails and does not say why', () => {
    const { end } = read(codex, [JSON.stringify({ type: 'turn.failed', error: 7 })]);
    expect(end).toEqual({
      kind: 'failure',
      cause: 'engineer_error',
      detail: 'it says that its turn failed, and not why',
      message: '',
    });
  });
});

describe.each([
  [claudeCode, 'claude-code-success', ['system', 'assistant', 'result', 'user']],
  [
    codex,
    'codex-success',
    ['thread.started', 'turn.started', 'item.completed', 'turn.completed', 'turn.failed', 'error'],
  ],
] as const)('$kind reads anything', (engineer, name, types) => {
  const lines = recorded(name);

  test('a line that is none of its protocol is noise', () => {
    const noise = [
      '',
      'DEBUG starting',
      '{',
      '[]',
      'null',
      '7',
      '"x"',
      '{"kind":"x"}',
      '{"type":7}',
      '\u0000',
    ];
    expect(read(engineer, noise).events).toEqual(noise.map(() => ({ kind: 'noise' })));
  });

  test('J205: noise between its lines changes nothing', () => {
    const quiet = read(engineer, lines);
    const { events, end, usage } = read(
      engineer,
      lines.flatMap((line) => ['DEBUG: {"type":', line]),
    );
    expect(events.filter(({ kind }) => kind !== 'noise')).toEqual(quiet.events);
    expect({ end, usage }).toEqual({ end: quiet.end, usage: quiet.usage });
  });

  const exit = fc.oneof(
    fc.integer({ min: -1, max: 255 }).map((code): EngineerExit => ({ kind: 'exited', code })),
    fc.constant<EngineerExit>({ kind: 'signalled', signal: 'SIGKILL' }),
  );

  /** Fields of its protocol, with values of any type. */
  const keys = [
    'type',
    'subtype',
    'message',
    'item',
    'usage',
    'result',
    'is_error',
    'errors',
    'content',
    'modelUsage',
  ];
  const more = [
    'session_id',
    'id',
    'text',
    'num_turns',
    'total_cost_usd',
    'stop_reason',
    'error',
    'changes',
    'input_tokens',
  ];
  const value = fc.jsonValue({ maxDepth: 4 });
  const object = fc.dictionary(fc.constantFrom(...keys, ...more, '__proto__', 'constructor'), value);
  const nested = fc
    .tuple(fc.constantFrom(...types), object, object, object)
    .map(([type, outer, message, item]) => JSON.stringify({ ...outer, type, message, item }));
  const cut = fc
    .tuple(fc.constantFrom(...lines), fc.nat())
    .map(([line, at]) => line.slice(0, at % line.length));
  const broken = fc
    .tuple(fc.constantFrom(...lines), fc.constantFrom(...keys, ...more), value)
    .map(([line, key, other]) => JSON.stringify({ ...JSON.parse(line), [key]: other }));
  const anyLine = fc.oneof(
    fc.constantFrom(...lines),
    fc.string({ unit: 'binary' }),
    value.map(JSON.stringify),
    nested,
    cut,
    broken,
  );

  test('and gives events, one end and counts, and never throws', () => {
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 12 }), exit, (some, last) => {
        const { events, end, usage } = read(engineer, some, last);
        expect(events.filter(({ kind }) => kind === 'began').length).toBeLessThanOrEqual(1);
        for (const event of events) {
          if (event.kind !== 'activity') continue;
          expect(event.text.length).toBeLessThanOrEqual(200);
          expect(event.text).not.toMatch(/[\n\u001b]/);
        }
        if (end.kind === 'failure') expect(end.detail).toMatch(/^\S.{0,2300}$/u);
        if (end.kind !== 'none') expect(Buffer.from(end.message).toString()).toBe(end.message);
        const { costUsd, ...counts } = usage;
        for (const count of Object.values(counts))
          expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
        expect(costUsd === null || (Number.isFinite(costUsd) && costUsd >= 0)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('lines of megabytes and of any depth', () => {
    const deep = `${'{"type":"result","message":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const long = JSON.stringify({
      type: types.at(-1),
      message: 'x'.repeat(8 << 20),
      result: 'y'.repeat(8 << 20),
    });
    const { end } = read(engineer, [deep, long, 'x'.repeat(8 << 20)], { kind: 'exited', code: 1 });
    if (end.kind !== 'none') expect(end.message.length).toBeLessThanOrEqual(256 << 10);
  });
});
