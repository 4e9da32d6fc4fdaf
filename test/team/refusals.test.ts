import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BOARD_REFUSALS } from './refusals/board.js';
import { BRIEF_REFUSALS } from './refusals/briefs.js';
import { PROCESS_REFUSALS } from './refusals/processes.js';
import { RUN_REFUSALS } from './refusals/run.js';
import { SIGNED_REFUSALS } from './refusals/signed.js';
import { WORD_REFUSALS } from './refusals/words.js';

const ROWS = [
  ...RUN_REFUSALS,
  ...BOARD_REFUSALS,
  ...WORD_REFUSALS,
  ...BRIEF_REFUSALS,
  ...PROCESS_REFUSALS,
  ...SIGNED_REFUSALS,
];

test.each(ROWS)('%s: %s', (code, says, given, when) => {
  const team = given();
  const before = team.facts('task.claimed').length;
  const refusal = team.refusal(when(team));
  expect(refusal.slice(0, refusal.indexOf(':'))).toBe(code);
  expect(refusal).toMatch(says);
  expect(team.facts('task.claimed')).toHaveLength(before);
});

/** Codes that the source gives as a choice of two rather than as one literal. */
const CHOSEN = ['not_claimed', 'stale_attempt', 'expired', 'withdrawn', 'mail_too_large', 'mailbox_full'];

test('every code that the source can refuse with has a row', () => {
  const folder = join(import.meta.dirname, '../../src/team');
  const source = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
  const literal = [...source.matchAll(/refused\(\s*'([a-z_]+)'/g)].map((found) => found[1]);
  const codes = new Set([...literal, ...CHOSEN]);
  expect([...new Set(ROWS.map(([code]) => code))].sort()).toEqual([...codes].sort());
});
