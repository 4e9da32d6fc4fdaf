// A system prompt against the window of its model (spec/skills.md §6): the border of 90 % is exact on both sides.
import { expect, test } from 'vitest';
import type { RosterMember } from '../../../src/catalog/roster.js';
import { promptSizeFindings } from '../../../src/runtime/plan/prompt-size.js';

const worker = { name: 'worker', role: { path: 'roles/worker.md' } } as RosterMember;

/** Four bytes count as a token. */
const codesFor = (bytes: number, contextTokens: number): string[] =>
  promptSizeFindings(worker, [{ name: 'role', text: 'x'.repeat(bytes) }], {
    id: 'm',
    facts: { contextTokens, maxOutputTokens: null, price: null },
  }).map(({ code, severity }) => `${code} ${severity}`);

test.each([100, 1_000, 32_770, 200_000])(
  'of %d tokens exactly 90 %% may be the prompt, and not a byte more',
  (window) => {
    const most = window * 0.9 * 4;
    expect(codesFor(most, window)).toEqual(['prompt-large warning']);
    expect(codesFor(most + 1, window)).toEqual(['prompt-too-large error']);
  },
);

test('the refusal names the bytes of each part', () => {
  const parts = [
    { name: 'role', text: 'r'.repeat(300) },
    { name: 'skill:a', text: 's'.repeat(100) },
  ];
  const facts = { contextTokens: 100, maxOutputTokens: null, price: null };
  const [refusal] = promptSizeFindings(worker, parts, { id: 'm', facts });
  expect(refusal).toMatchObject({ code: 'prompt-too-large', path: 'roles/worker.md' });
  expect(refusal?.message).toContain('bytes by part: role 300, skill:a 100');
});
