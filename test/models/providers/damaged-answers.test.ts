/**
 * Answers damaged at any place, whole and streamed: whatever comes is a reply with everything that a reply has, or a
 * failure; never an exception, never a number that is none (M2).
 */

import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { ModelOutcome } from '../../../src/models/model.js';
import { Releases } from '../../../src/shared/releases.js';
import type { Deed } from '../../helpers/providers/far-side.js';
import { openFar, WIRES } from '../../helpers/providers/open-far.js';
import { SPEECH, startFarSide } from '../../helpers/providers/start-far-side.js';
import type { Outgoing } from '../../helpers/providers/wire.js';
import { QUESTION, WIRES_AND_FORMS } from './ask-far.js';

const releases = new Releases();
afterEach(() => releases.run());

const ANSWER: Outgoing = {
  model: 'm',
  text: 'some text of an answer',
  calls: [
    { id: 'a', tool: 'fs_list', arguments: { path: 'a', deep: [1, { on: true }] } },
    { id: 'b', tool: 'fs_list', arguments: {} },
  ],
  usage: { input: 100, cached: 50, cacheWrite: 10, output: 20 },
  stop: 'stop',
};

const OTHER: readonly unknown[] = [
  null,
  0,
  -1,
  1.5,
  '',
  'x',
  true,
  [],
  {},
  [null],
  { type: 'text' },
  undefined,
];

test.each(WIRES_AND_FORMS)('%s, %s', async (wire, form) => {
  let deed: Deed = { kind: 'reply', text: '' };
  const { url } = await startFarSide(wire, () => deed, releases);
  const model = await openFar(wire, url);
  const speech = SPEECH[wire];
  const damage = fc.record({ at: fc.nat(), by: fc.constantFrom(...OTHER), also: fc.nat() });
  await fc.assert(
    fc.asyncProperty(damage, async ({ at, by, also }) => {
      const body =
        form === 'whole'
          ? JSON.stringify(replaced(speech.whole(ANSWER), at, by)) // undefined: left out
          : damagedStream(speech.events(ANSWER), at, by, also);
      deed = { kind: 'raw', status: 200, body: body ?? '' };
      const watch = form === 'whole' ? undefined : () => {};
      expectSound(await model.generate(QUESTION, new AbortController().signal, watch));
    }),
    { numRuns: 60 },
  );
});

test('the answer that is damaged is a sound one', async () => {
  for (const wire of WIRES) {
    const body = JSON.stringify(SPEECH[wire].whole({ ...ANSWER, stop: SPEECH[wire].stops.calls }));
    const { url } = await startFarSide(wire, () => ({ kind: 'raw', status: 200, body }), releases);
    const outcome = await (await openFar(wire, url)).generate(QUESTION, new AbortController().signal);
    expect(outcome).toMatchObject({ kind: 'reply', text: ANSWER.text, stop: 'tool_calls' });
  }
});

function expectSound(outcome: ModelOutcome): void {
  expect(['reply', 'unavailable', 'rate_limited', 'fatal']).toContain(outcome.kind);
  if (outcome.kind !== 'reply') {
    if (outcome.kind !== 'cancelled') expect(outcome.message).toMatch(/\S/);
    return;
  }
  const { text, calls, usage, stop } = outcome;
  expect(typeof text).toBe('string');
  expect(stop).toMatch(/\S/);
  for (const call of calls) {
    expect(typeof call.tool).toBe('string');
    expect(['object', 'string']).toContain(typeof call.arguments);
    expect(call.arguments).not.toBeNull();
  }
  for (const count of Object.values(usage)) expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
  expect(usage.inputTokens).toBeGreaterThan(0);
  expect(usage.cachedTokens).toBeLessThanOrEqual(usage.inputTokens);
}

/** The same value with the n-th of its nodes replaced. */
function replaced(value: unknown, at: number, by: unknown): unknown {
  let count = 0;
  const nodes = (node: unknown): number =>
    1 +
    (typeof node === 'object' && node !== null
      ? Object.values(node).reduce((sum: number, inner) => sum + nodes(inner), 0)
      : 0);
  const target = at % nodes(value);
  const copy = (node: unknown): unknown => {
    if (count++ === target) {
      return by;
    }
    if (Array.isArray(node)) return node.map(copy);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, copy(inner)]));
  };
  return copy(value);
}

/** One event left out, doubled, cut short or changed inside. */
function damagedStream(events: readonly Uint8Array[], at: number, by: unknown, also: number): string {
  const texts = events.map((event) => Buffer.from(event).toString('latin1'));
  const index = at % texts.length;
  const event = texts[index] ?? '';
  const data = /^data: (\{.*\})$/m.exec(event)?.[1];
  const changed = [
    [],
    [event, event],
    [event.slice(0, also % (event.length + 1))],
    data === undefined
      ? [event.replace(/[\d]/, '7')]
      : [event.replace(data, () => JSON.stringify(replaced(JSON.parse(data), also, by)) ?? '')],
  ][also % 4];
  return [...texts.slice(0, index), ...(changed ?? []), ...texts.slice(index + 1)].join('');
}
