import { expect, test } from 'vitest';
import type { LogEntry } from '../../../src/events/log-entry.js';
import { type RecordedCommand, ReplayPace, seenKey } from '../../../src/runtime/replay/pace.js';

const COMMANDS: readonly RecordedCommand[] = [
  { id: 'start', first: 1, facts: ['run.started'] },
  { id: 'start/ann/1/2', first: 2, facts: ['turn.started'] },
  { id: 'start/ben/1/3', first: 3, facts: ['turn.started'] },
  { id: 'turn/ben/reserve/3/1', first: 4, facts: ['budget.reserved'] },
  { id: 'turn/ann/reserve/2/1', first: 5, facts: ['budget.reserved'] },
];

/** An entry of facts of these types; what else is in it the pace does not look at. */
function entry(first: number, id: string, ...types: string[]): LogEntry {
  const facts = types.map((type) => ({ type })) as unknown as LogEntry['facts'];
  return { v: 3, first, at: 0, wall: '', commands: [{ id, facts: types.length }], facts };
}

/** What has come so far, in order. */
function following(pace: ReplayPace): { readonly order: string[]; send(id: string): Promise<void> } {
  const order: string[] = [];
  return {
    order,
    send: async (id) => {
      await pace.before(id);
      order.push(id);
    },
  };
}

test('commands come in the recorded order, whoever is first here; ids that differ from run to run do not matter', async () => {
  const broken: string[] = [];
  const pace = new ReplayPace(COMMANDS, new Map(), (why) => broken.push(why));
  const { order, send } = following(pace);
  await send('start');
  pace.decided(entry(1, 'start', 'run.started'));
  const ben = send('start/ben/1/2');
  await send('start/ann/1/9');
  expect(order).toEqual(['start', 'start/ann/1/9']);
  pace.decided(entry(2, 'start/ann/1/9', 'turn.started'));
  await ben;
  expect(order).toEqual(['start', 'start/ann/1/9', 'start/ben/1/2']);
  // What had no facts then is not waited with.
  expect(pace.before('sweep/3')).toBeUndefined();
  expect(broken).toEqual([]);
});

test('who looks for mail or runs a call is held until the number of facts at which it was then', async () => {
  const pace = new ReplayPace(COMMANDS, new Map([[seenKey('ann', '2-2.0'), 5]]), () => {});
  const come: string[] = [];
  const comes = pace.comes('ann').then(() => come.push('look'));
  const calls = pace.calls('ann', '2-2.0').then(() => come.push('call'));
  await pace.calls('ann', '2-2.1'); // Nothing was recorded of it.
  pace.decided(entry(1, 'start', 'run.started'));
  pace.decided(entry(2, 'start/ann/1/2', 'turn.started'));
  pace.decided(entry(3, 'start/ben/1/3', 'turn.started'));
  await Promise.resolve();
  expect(come).toEqual([]);
  pace.decided(entry(4, 'turn/ben/reserve/3/1', 'budget.reserved'));
  await Promise.all([comes, calls]);
  expect(come.sort()).toEqual(['call', 'look']);
});

test('a call looks at what there was when it was run: nothing is decided at its number before it has come', async () => {
  const pace = new ReplayPace(COMMANDS, new Map([[seenKey('ann', '2-2.0'), 2]]), () => {});
  const { order, send } = following(pace);
  await send('start');
  pace.decided(entry(1, 'start', 'run.started'));
  const ann = send('start/ann/1/2');
  const looks = pace.calls('ann', '2-2.0').then(async () => {
    // As many steps as a tool may take to what it reads.
    for (let step = 0; step < 20; step++) await Promise.resolve();
    order.push('looked');
  });
  await Promise.all([ann, looks]);
  expect(order).toEqual(['start', 'looked', 'start/ann/1/2']);
});

test('a call that never comes is named where nothing moves', async () => {
  const why = await new Promise<string>((resolve) => {
    const pace = new ReplayPace(COMMANDS, new Map([[seenKey('ann', '2-2.0'), 2]]), resolve, 10);
    pace.decided(entry(1, 'start', 'run.started'));
    void pace.before('start/ann/1/2');
  });
  expect(why).toContain('should be turn.started (start/ann/1/2), after call ann 2-2.0; held: start/ann/1/2');
});

test('facts that were not recorded break the replay once, and nobody is held any more', async () => {
  const broken: string[] = [];
  const pace = new ReplayPace(COMMANDS, new Map(), (why) => broken.push(why));
  const held = pace.before('turn/ann/reserve/2/1');
  pace.decided(entry(1, 'start', 'run.started'));
  pace.decided(entry(2, 'operator/01J', 'mail.sent'));
  await held;
  expect(broken).toEqual(['fact 2 is mail.sent (operator/01J), and was turn.started (start/ann/1/2)']);
  pace.decided(entry(3, 'operator/01K', 'mail.sent'));
  expect(broken).toHaveLength(1);
  expect(pace.before('start/ben/1/3')).toBeUndefined();
});

test('where nothing moves the replay breaks, and says what should have come', async () => {
  const why = await new Promise<string>((resolve) => {
    const pace = new ReplayPace(COMMANDS, new Map(), resolve, 10);
    pace.decided(entry(1, 'start', 'run.started'));
    void pace.before('start/ben/1/2');
  });
  expect(why).toBe(
    'nothing has moved for 10 ms: fact 2 should be turn.started (start/ann/1/2); held: start/ben/1/2',
  );
});
