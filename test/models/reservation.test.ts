import { expect, test } from 'vitest';
import { costUsd } from '../../src/models/cost.js';
import { estimateRequestTokens } from '../../src/models/estimate-tokens.js';
import type { ModelRequest } from '../../src/models/model.js';
import { mostOfCall } from '../../src/models/reservation.js';
import type { ModelPrice } from '../../src/models/settings.js';

const REQUEST: ModelRequest = {
  member: 'ada',
  role: 'worker',
  system: [{ name: 'role', text: 'You are ada. '.repeat(40) }],
  messages: [
    { role: 'user', text: 'Look at the files, größer oder kleiner.' },
    { role: 'assistant', text: '', calls: [{ id: '4-1.0', tool: 'fs_list', arguments: { path: 'src' } }] },
    { role: 'tool', call: '4-1.0', tool: 'fs_list', text: '{"a":1,"b":[2,3]}'.repeat(30), failed: false },
  ],
  tools: [{ name: 'fs_list', description: 'Lists a folder.', parameters: { type: 'object' } }],
  maxOutputTokens: 4_096,
};

const PRICE: ModelPrice = { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 };

test('all that is sent counts, and as more tokens than the plain estimate has', () => {
  const { inputTokens } = mostOfCall(REQUEST, { price: null });
  expect(inputTokens).toBeGreaterThan(estimateRequestTokens(REQUEST));
  for (const less of [
    { ...REQUEST, system: [] },
    { ...REQUEST, messages: REQUEST.messages.slice(0, 1) },
    { ...REQUEST, messages: REQUEST.messages.slice(0, 2) },
    { ...REQUEST, tools: [] },
  ])
    expect(mostOfCall(less, { price: null }).inputTokens).toBeLessThan(inputTokens);
});

test('the answer counts at its longest; one of less than 1,024 tokens is not asked for, unless none is longer', () => {
  expect(mostOfCall(REQUEST, { price: null })).toMatchObject({
    outputTokens: 4_096,
    leastOutputTokens: 1_024,
  });
  expect(mostOfCall({ ...REQUEST, maxOutputTokens: 7 }, { price: null })).toMatchObject({
    outputTokens: 7,
    leastOutputTokens: 7,
  });
});

test('the price is the dearest that the call can have: no cache is assumed, and writing one is', () => {
  const { inputTokens, priced } = mostOfCall(REQUEST, { price: PRICE });
  expect(priced).toEqual({ inputUsd: (inputTokens * 3.75) / 1e6, outputUsd: (4_096 * 15) / 1e6 });
  const most = (priced?.inputUsd ?? 0) + (priced?.outputUsd ?? 0);
  for (const cached of [0, inputTokens / 2, inputTokens]) {
    const usage = {
      inputTokens,
      cachedTokens: cached,
      cacheWriteTokens: inputTokens - cached,
      outputTokens: 4_096,
    };
    expect(costUsd(PRICE, usage)).toBeLessThanOrEqual(most + 1e-9);
  }
  expect(mostOfCall(REQUEST, { price: null }).priced).toBeNull();
});

test('a long request is paid at the price of long ones', () => {
  const long = { aboveTokens: 10, input: 6, cachedInput: 0.6, cacheWrite: 7.5, output: 22.5 };
  const { inputTokens, priced } = mostOfCall(REQUEST, { price: { ...PRICE, long } });
  expect(priced).toEqual({ inputUsd: (inputTokens * 7.5) / 1e6, outputUsd: (4_096 * 22.5) / 1e6 });
  const above = { ...long, aboveTokens: 1_000_000 };
  expect(mostOfCall(REQUEST, { price: { ...PRICE, long: above } }).priced).toEqual(
    mostOfCall(REQUEST, { price: PRICE }).priced,
  );
});
