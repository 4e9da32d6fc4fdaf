/**
 * Brings entries of older versions up to `RECORD_VERSION`, one step a version (spec/engine.md §1 "Versions").
 *
 * A step changes the shape of facts, never their count: a fact's number is its place, and turns, causes and
 * fences are such numbers. Golden records of every released version (`test/fixtures/runs/v<n>.jsonl`) keep
 * the steps honest. From version 6 on facts may be signed as they were recorded: the first step that changes a signed fact
 * has to hand on the text that was signed.
 */

import { isObject } from '../shared/is-object.js';
import { RECORD_VERSION } from './log-entry.js';

/** An entry as it was parsed, before anything is known of it but that it is an object with a version. */
export type StoredEntry = Readonly<Record<string, unknown>>;

/** Turns an entry of version n into one of n + 1. */
export type UpcastStep = (entry: StoredEntry) => StoredEntry;

/** By the version a step starts from. */
const STEPS: ReadonlyMap<number, UpcastStep> = new Map([
  [1, withWaysOfEntries],
  [2, withTrustedTeamwork],
  [3, withBriefs],
  [4, withProcesses],
  [5, withSignatures],
]);

/**
 * The entry at the version this program reads; itself when it has it already. Undefined when no step starts
 * from the entry's version: it is older than every released one, or newer than this program.
 */
export function upcast(
  entry: StoredEntry,
  version: number,
  steps: ReadonlyMap<number, UpcastStep> = STEPS,
  target: number = RECORD_VERSION,
): StoredEntry | undefined {
  let current = entry;
  for (let at = version; at !== target; at++) {
    const step = at < target ? steps.get(at) : undefined;
    if (step === undefined) return undefined;
    current = step(current);
  }
  return current;
}

/**
 * From 1 to 2: by what an entry came to a member, what stands in front of its first input, what rides with a task, which
 * approvals are asked for again. In version 1 every entry came with the role, and the rest there was not.
 */
function withWaysOfEntries(entry: StoredEntry): StoredEntry {
  return { ...entry, v: 2, facts: eachObject(entry['facts'], factWithWays) };
}

function factWithWays(fact: StoredEntry): StoredEntry {
  switch (fact['type']) {
    case 'run.started':
      return {
        page: null,
        trust_files: [],
        ...fact,
        recipe: isObject(fact['recipe']) ? { approval: null, ...fact['recipe'] } : fact['recipe'],
        seats: eachObject(fact['seats'], seatWithWays),
      };
    case 'run.resumed':
      return { disabled: [], ...fact };
    case 'member.spawned':
      return { ...fact, seat: isObject(fact['seat']) ? seatWithWays(fact['seat']) : fact['seat'] };
    case 'task.created':
      return { ...fact, spec: isObject(fact['spec']) ? { skills: [], ...fact['spec'] } : fact['spec'] };
    default:
      return fact;
  }
}

function seatWithWays(seat: StoredEntry): StoredEntry {
  const entries = eachObject(seat['entries'], (entry) => ({ level: 'role', approval: null, ...entry }));
  const tools = eachObject(seat['tools'], (tool) => ({ entry: null, ...tool }));
  return { role_approval: null, reference: null, page: false, ...seat, tools, entries };
}

/**
 * From 2 to 3: who may confirm writes, what a request would allow for good and which task it is about, what wakes a turn
 * answers, what a reservation is made of. In version 2 none of that was known: nobody but the operator confirmed.
 */
function withTrustedTeamwork(entry: StoredEntry): StoredEntry {
  return { ...entry, v: 3, facts: eachObject(entry['facts'], factOfTrustedTeamwork) };
}

function factOfTrustedTeamwork(fact: StoredEntry): StoredEntry {
  switch (fact['type']) {
    case 'run.started':
      return {
        shell_wrap: [],
        simulated: false,
        ...fact,
        seats: eachObject(fact['seats'], seatWithApprover),
      };
    case 'member.spawned':
      return { ...fact, seat: isObject(fact['seat']) ? seatWithApprover(fact['seat']) : fact['seat'] };
    case 'turn.started':
      return { coalesced: [], ...fact };
    case 'turn.ended':
      return {
        truncated: false,
        ...fact,
        wait: isObject(fact['wait']) ? { need: null, ...fact['wait'] } : fact['wait'],
      };
    case 'run.ended': {
      const { totals } = fact;
      const nothing = { estimated_tokens: 0, estimated_cost_usd: 0 };
      return { ...fact, totals: isObject(totals) ? { ...nothing, ...totals } : totals };
    }
    case 'budget.reserved':
      return { model: '', input_tokens: 0, output_tokens: fact['tokens'], ...fact };
    case 'task.submitted':
      return { artifact_bytes: null, ...fact };
    case 'request.opened':
      return { always: null, task: null, ...fact };
    default:
      return fact;
  }
}

function seatWithApprover(seat: StoredEntry): StoredEntry {
  return { confirm_approver: 'operator', ...seat };
}

/** From 3 to 4: how work is delegated to engineers, and whose signatures count. In version 3 there were no briefs. */
function withBriefs(entry: StoredEntry): StoredEntry {
  return { ...entry, v: 4, facts: eachObject(entry['facts'], factWithBriefs) };
}

function factWithBriefs(fact: StoredEntry): StoredEntry {
  switch (fact['type']) {
    case 'run.started':
      return { engineer: null, keys: [], ...fact };
    case 'run.ended': {
      const { totals } = fact;
      return { ...fact, totals: isObject(totals) ? { briefs: 0, ...totals } : totals };
    }
    default:
      return fact;
  }
}

/**
 * From 4 to 5: several processes may serve a team. In version 4 one did, and three lost turns in a row ended an attempt,
 * whatever a recipe said.
 */
function withProcesses(entry: StoredEntry): StoredEntry {
  return { ...entry, v: 5, facts: eachObject(entry['facts'], factWithProcesses) };
}

function factWithProcesses(fact: StoredEntry): StoredEntry {
  const { limits } = fact;
  if (fact['type'] !== 'run.started' || !isObject(limits)) return fact;
  return { ...fact, limits: { lost_turns: 3, ...limits } };
}

/**
 * From 5 to 6: who started a team signs it, and what operators say to it; briefs may ask for labels. In version 5 nobody
 * signed anything, and no label was asked for.
 */
function withSignatures(entry: StoredEntry): StoredEntry {
  return { ...entry, v: 6, facts: eachObject(entry['facts'], factWithSignatures) };
}

function factWithSignatures(fact: StoredEntry): StoredEntry {
  switch (fact['type']) {
    case 'run.started':
      return {
        key_id: null,
        signature: null,
        ...fact,
        engineer: isObject(fact['engineer']) ? { labels: [], ...fact['engineer'] } : fact['engineer'],
      };
    case 'run.resumed':
      return { keys: [], retired_keys: [], ...fact };
    case 'request.decided':
      return { digest: null, ...fact };
    default:
      return fact;
  }
}

/** The items of a list, changed; what is no list, or no object in it, is left to the check of the entry. */
function eachObject(list: unknown, change: (item: StoredEntry) => StoredEntry): unknown {
  return Array.isArray(list) ? list.map((item: unknown) => (isObject(item) ? change(item) : item)) : list;
}
