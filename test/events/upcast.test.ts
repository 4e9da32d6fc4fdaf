import { describe, expect, test } from 'vitest';
import { RECORD_VERSION } from '../../src/events/log-entry.js';
import { type UpcastStep, upcast } from '../../src/events/upcast.js';

const stamped =
  (name: string): UpcastStep =>
  (entry) => ({ ...entry, path: [...(Array.isArray(entry['path']) ? entry['path'] : []), name] });

const steps: ReadonlyMap<number, UpcastStep> = new Map([
  [1, stamped('1 to 2')],
  [2, stamped('2 to 3')],
]);

test('an entry goes through one step a version, oldest first', () => {
  expect(upcast({ v: 1 }, 1, steps, 3)).toEqual({ v: 1, path: ['1 to 2', '2 to 3'] });
  expect(upcast({ v: 2 }, 2, steps, 3)).toEqual({ v: 2, path: ['2 to 3'] });
});

test('an entry of the version that is written today is taken as it is', () => {
  const entry = { v: RECORD_VERSION };
  expect(upcast(entry, RECORD_VERSION)).toBe(entry);
});

test('there is no way from a version that was never released, nor down from a newer one', () => {
  expect(upcast({ v: 0 }, 0, steps, 3)).toBeUndefined();
  expect(upcast({ v: 4 }, 4, steps, 3)).toBeUndefined();
});

test('every version before today has its step', () => {
  for (let version = 1; version < RECORD_VERSION; version++) {
    expect(upcast({ v: version, facts: [] }, version)).toBeDefined();
  }
});

describe('from version 1 to 2', () => {
  test('every entry came with its role and nobody is asked again about it; nothing stood in front of an input', () => {
    const before = { member: 'lead', tools: [{ name: 't' }], entries: [{ name: 'a' }] };
    const old = {
      v: 1,
      first: 1,
      facts: [
        { type: 'run.started', recipe: { slug: 'r' }, seats: [before] },
        { type: 'member.spawned', seat: before },
        { type: 'task.created', task: '#1', spec: { subject: 's' } },
        { type: 'run.resumed', host: 'h' },
        { type: 'run.archived', by: 'operator' },
      ],
    };
    const seat = {
      member: 'lead',
      role_approval: null,
      tools: [{ name: 't', entry: null }],
      entries: [{ name: 'a', level: 'role', approval: null }],
      reference: null,
      page: false,
    };
    const recipe = { slug: 'r', approval: null };
    expect(upcast(old, 1, undefined, 2)).toEqual({
      v: 2,
      first: 1,
      facts: [
        { type: 'run.started', page: null, trust_files: [], recipe, seats: [seat] },
        { type: 'member.spawned', seat },
        { type: 'task.created', task: '#1', spec: { subject: 's', skills: [] } },
        { type: 'run.resumed', disabled: [], host: 'h' },
        { type: 'run.archived', by: 'operator' },
      ],
    });
  });

  test('what is no list or no object is left to the check of the entry', () => {
    expect(upcast({ v: 1, facts: 'none' }, 1, undefined, 2)).toEqual({ v: 2, facts: 'none' });
    const odd = [
      null,
      7,
      { type: 'run.started', seats: 3 },
      { type: 'member.spawned' },
      { type: 'task.created' },
    ];
    expect(upcast({ v: 1, facts: odd }, 1, undefined, 2)).toMatchObject({ v: 2, facts: { length: 5 } });
  });
});

test('from version 2 to 3: the operator confirmed, nothing was allowed for good, a reservation was of the answer', () => {
  const facts = [
    { type: 'run.started', seats: [{ member: 'lead' }] },
    { type: 'member.spawned', seat: { member: 'lead' } },
    { type: 'turn.started', turn: 3 },
    { type: 'turn.ended', outcome: 'limit', wait: null },
    { type: 'turn.ended', outcome: 'parked', wait: { until: 9 } },
    { type: 'run.ended', totals: { turns: 2 } },
    { type: 'run.ended' },
    { type: 'budget.reserved', tokens: 700 },
    { type: 'task.submitted', task: '#1' },
    { type: 'request.opened', request: 'r1' },
    { type: 'run.archived', by: 'operator' },
    { type: 'member.spawned' },
  ];
  const seat = { member: 'lead', confirm_approver: 'operator' };
  expect(upcast({ v: 2, facts }, 2, undefined, 3)).toEqual({
    v: 3,
    facts: [
      { type: 'run.started', shell_wrap: [], simulated: false, seats: [seat] },
      { type: 'member.spawned', seat },
      { type: 'turn.started', turn: 3, coalesced: [] },
      { type: 'turn.ended', truncated: false, outcome: 'limit', wait: null },
      { type: 'turn.ended', truncated: false, outcome: 'parked', wait: { until: 9, need: null } },
      { type: 'run.ended', totals: { turns: 2, estimated_tokens: 0, estimated_cost_usd: 0 } },
      { type: 'run.ended' },
      { type: 'budget.reserved', tokens: 700, model: '', input_tokens: 0, output_tokens: 700 },
      { type: 'task.submitted', task: '#1', artifact_bytes: null },
      { type: 'request.opened', request: 'r1', always: null, task: null },
      { type: 'run.archived', by: 'operator' },
      { type: 'member.spawned' },
    ],
  });
});

test('from version 3 to 4: nobody delegated, no key counted, no brief was sent', () => {
  const facts = [
    { type: 'run.started', seats: [] },
    { type: 'run.ended', totals: { turns: 2 } },
    { type: 'run.ended' },
    { type: 'task.created', task: '#1' },
  ];
  expect(upcast({ v: 3, facts }, 3, undefined, 4)).toEqual({
    v: 4,
    facts: [
      { type: 'run.started', engineer: null, keys: [], seats: [] },
      { type: 'run.ended', totals: { turns: 2, briefs: 0 } },
      { type: 'run.ended' },
      { type: 'task.created', task: '#1' },
    ],
  });
});

test('from version 4 to 5: three lost turns in a row ended an attempt, and nothing else is another', () => {
  const facts = [
    { type: 'run.started', limits: { turns: 9 } },
    { type: 'run.started' },
    { type: 'turn.started', member: 'lead' },
  ];
  expect(upcast({ v: 4, facts }, 4, undefined, 5)).toEqual({
    v: 5,
    facts: [
      { type: 'run.started', limits: { turns: 9, lost_turns: 3 } },
      { type: 'run.started' },
      { type: 'turn.started', member: 'lead' },
    ],
  });
});

test('from version 5 to 6: nothing was signed, and no decision named what it was about', () => {
  const facts = [
    { type: 'run.started', keys: [] },
    { type: 'run.resumed', disabled: [] },
    { type: 'request.decided', request: 'r1' },
    { type: 'run.archived', by: 'operator' },
  ];
  expect(upcast({ v: 5, facts }, 5, undefined, 6)).toEqual({
    v: 6,
    facts: [
      { type: 'run.started', keys: [], key_id: null, signature: null },
      { type: 'run.resumed', disabled: [], keys: [], retired_keys: [] },
      { type: 'request.decided', request: 'r1', digest: null },
      { type: 'run.archived', by: 'operator' },
    ],
  });
});
