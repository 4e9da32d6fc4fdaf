// The guards of a composition (spec/skills.md §4): what takes long of one entry takes nothing from the next.
import { expect, test } from 'vitest';
import type { RosterMember } from '../../../src/catalog/roster.js';
import { EntryOutcomes } from '../../../src/runtime/plan/entry-outcomes.js';
import { type AskGuards, guarded } from '../../../src/runtime/plan/guarded.js';
import type { GuardHit } from '../../../src/skills/guards/guard-entry.js';
import { anEntry } from '../../skills/entries.js';

const worker = { name: 'worker', role: { path: 'roles/worker.md' } } as RosterMember;

test('entries are looked at one after the other, in their order, and those that are hit are told', async () => {
  const log: string[] = [];
  const hit: GuardHit = { guard: 'exfiltration', rule: null, reason: 'not all of it was looked at' };
  const ask: AskGuards = async ({ name }) => {
    log.push(`begin ${name}`);
    await new Promise(setImmediate);
    log.push(`end ${name}`);
    return name === 'a' ? [hit] : [];
  };
  const outcomes = new EntryOutcomes();
  const admitted = await guarded([anEntry({ name: 'a' }), anEntry({ name: 'b' })], worker, ask, outcomes);
  expect(admitted.map(({ name }) => name)).toEqual(['b']);
  expect(log).toEqual(['begin a', 'end a', 'begin b', 'end b']);
  expect(outcomes.facts).toMatchObject([{ type: 'entry.rejected', entry: 'a', reason: 'guard' }]);
});
