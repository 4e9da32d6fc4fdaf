/**
 * A team of many members whose work leaves traces outside of the record: each member has a chain of tasks, and each task
 * has one effect, a line of its own in the file `effects`.
 */

import { expect } from 'vitest';
import type { LogEntry } from '../../src/events/log-entry.js';
import {
  claim,
  complete,
  does,
  expectInvariants,
  finish,
  type Step,
  says,
  shell,
  when,
} from '../cases/play.js';
import { doubles, factsOf, outcomeOf } from '../helpers/outcome.js';
import type { Mission } from '../helpers/team.js';

export interface Chains {
  /** Beside the lead. */
  readonly members: number;
  /** Tasks of each, one after the other. */
  readonly rounds: number;
  /** How long each answer of a model takes. */
  readonly delayMs: number;
}

/** How often an effect of which nobody knows whether it is there is made sure of. */
const MADE_SURE = 4;

/** The team; its last task waits for all others, and the lead closes it then. */
export function chainsOf({ members, rounds, delayMs }: Chains): Mission {
  const names = Array.from({ length: members }, (_, place) => `m${place + 1}`);
  const rows = names.flatMap((role) => Array.from({ length: rounds }, (_, round) => ({ role, round })));
  const id = ({ role, round }: { role: string; round: number }): string => `${role}-r${round}`;
  const tasks = rows.map((row) => ({
    id: id(row),
    subject: `Round ${row.round}`,
    role: row.role,
    ...(row.round === 0 ? {} : { blocked_by: [id({ ...row, round: row.round - 1 })] }),
  }));
  const last = { id: 'last', subject: 'Be the last', role: 'm1' };
  const ends = names.map((role) => id({ role, round: rounds - 1 }));
  const late = (step: Step): Step => ({ ...step, delay_ms: delayMs });
  const work = (number: number, key: string) =>
    when(
      `Task #${number} is ready`,
      late(does(claim(`#${number}`))),
      late(does(shell(`echo ${key} >> effects`))),
      ...Array.from({ length: MADE_SURE }, () => ({
        when: ['interrupted:'],
        ...does(shell(`grep -qx ${key} effects || echo ${key} >> effects`)),
      })),
      late(does(complete(`#${number}`))),
      says('Done.'),
    );
  const parts = names.map((role) => {
    const turns = rows.flatMap((row, place) => (row.role === role ? [work(place + 1, id(row))] : []));
    if (role === 'm1') turns.push(work(rows.length + 1, 'last'));
    return [role, { idle: 'Ready.', turns }] as const;
  });
  return {
    recipe: {
      safety: 'full',
      tasks: [...tasks, { ...last, blocked_by: ends }],
      limits: {
        members: members + 1,
        concurrency: 16,
        lost_turns: 1_000,
        turns: 100_000,
        model_calls: 100_000,
        tokens: 1_000_000_000,
        messages: 100_000,
        tasks: rows.length + 1,
      },
    },
    roles: { boss: {}, ...Object.fromEntries(names.map((role) => [role, { base: 'write' }])) },
    script: {
      boss: { idle: 'Waiting.', turns: [when(`has completed #${rows.length + 1}\\b`, finish())] },
      ...Object.fromEntries(parts),
    },
  };
}

/** What holds of such a run, whatever was killed: it is done, each effect is there once, nothing was done twice. */
export function expectWhole(
  log: readonly LogEntry[],
  effects: string | undefined,
  { members, rounds }: Chains,
): void {
  const keys = (effects ?? '').split('\n').filter((line) => line !== '');
  const wanted = Array.from({ length: members }, (_, member) =>
    Array.from({ length: rounds }, (_, round) => `m${member + 1}-r${round}`),
  ).flat();
  expect(keys.toSorted()).toEqual([...wanted, 'last'].toSorted());
  const { end, tasks } = outcomeOf(log);
  expect(end).toMatchObject({ reason: 'done', exit: 0 });
  const states = Object.values(tasks).map((task) => (task as { state: string }).state);
  expect(states).toEqual(states.map(() => 'completed'));
  expect(states).toHaveLength(members * rounds + 1);
  expectInvariants({ entries: log });
  expect(doubles(log)).toEqual([]);
  expect(liveTwice(log)).toEqual([]);
}

/** Members of which a turn began while another was live, as the record tells it. */
export function liveTwice(log: readonly LogEntry[]): readonly string[] {
  const live = new Map<string, number>();
  const twice: string[] = [];
  let number = log[0]?.first ?? 1;
  for (const fact of factsOf(log)) {
    if (fact.type === 'turn.started') {
      if (live.has(fact.member)) twice.push(`${fact.member} at fact ${number}`);
      live.set(fact.member, number);
    } else if (fact.type.startsWith('turn.') && 'turn' in fact && 'member' in fact) {
      if (fact.type !== 'turn.reclaim_deferred' && live.get(fact.member) === fact.turn)
        live.delete(fact.member);
    }
    number++;
  }
  return twice;
}
