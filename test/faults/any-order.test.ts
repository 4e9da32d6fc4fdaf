/**
 * The rules of working together under every order of commands (spec/engine.md §4 "Property tests"): up to twelve members,
 * an operator and a clock, crashes between any two entries, at least 100,000 steps. After each step invariants 1-5, 7, 9,
 * 11 and 14 of spec/invariants.md are looked at (`test/team/walks/invariants.ts`, `test/team/walks/walk.ts`).
 */

import { expect, test } from 'vitest';
import { anyWalks } from '../team/walks/any-walks.js';
import { Tally } from '../team/walks/tally.js';

const STEPS = 100_000;
const LONGEST = 400;

/** Walks at a time; there are as many times as the steps ask for. */
const ROUND = 50;

test('any order of commands with crashes between keeps the invariants; every command and fact occurs', {
  timeout: 600_000,
}, () => {
  const tally = new Tally();
  while (tally.steps < STEPS) anyWalks(ROUND, LONGEST, tally);
  process.stdout.write(`${tally.table()}\n`);
  expect(tally.never()).toEqual([]);
});
