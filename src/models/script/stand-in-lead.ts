/** What a lead does that thinks nothing: it fills the board, brings in who is missing, decides what waits, closes. Pure. */

import type { ModelCall } from '../model.js';
import { allOf, type Happened, MOST_TRIES, went } from './stand-in-memory.js';

/** A reply without what is counted. */
export interface Deed {
  readonly text: string;
  readonly calls: readonly Omit<ModelCall, 'id'>[];
}

/** The next deed; undefined when there is nothing to do. */
export function leadDeed(memory: Happened): Deed | undefined {
  return decisionDeed(memory) ?? spawnDeed(memory) ?? boardDeed(memory);
}

const PLAN = /"member":"([^"]+)","plan_digest":"([0-9a-f]+)"/g;
const REQUEST = /"request":"(r\d+)","digest":"([0-9a-f]+)"/g;

/** Plans and calls that wait for the lead, as they were told to it. */
function decisionDeed(memory: Happened): Deed | undefined {
  for (const [, member = '', digest = ''] of memory.heard.matchAll(PLAN)) {
    if (memory.calls.some(({ args }) => args['plan_digest'] === digest)) continue;
    const decision = { member, plan_digest: digest, decision: 'approve', feedback: 'Simulated approval.' };
    return { text: '', calls: [{ tool: 'team_plan_decide', arguments: decision }] };
  }
  for (const [, request = '', digest = ''] of memory.heard.matchAll(REQUEST)) {
    if (memory.calls.some(({ args }) => args['request'] === request)) continue;
    const decision = { request, digest, decision: 'approve', reason: 'Simulated approval.' };
    return { text: '', calls: [{ tool: 'team_request_decide', arguments: decision }] };
  }
  return undefined;
}

/** Roles that somebody waits for and nobody has. */
function spawnDeed(memory: Happened): Deed | undefined {
  const gates = allOf(/waits for a review by ([^\n]+?), and nobody of that role/g, memory.heard);
  const roles = [
    ...gates.flatMap((names) => names.split(', ')),
    ...allOf(/nobody of role (\S+) can take it/g, memory.heard),
  ];
  const wanted = roles.find(
    (role) =>
      !went(memory, 'team_spawn', 'role', role) && memory.fails('team_spawn', 'role', role) < MOST_TRIES,
  );
  return wanted === undefined
    ? undefined
    : { text: '', calls: [{ tool: 'team_spawn', arguments: { role: wanted } }] };
}

/** The board: filled where it is empty, looked at when something was heard, closed when all of it has ended. */
function boardDeed(memory: Happened): Deed | undefined {
  const { calls, heardAt } = memory;
  const list = calls.findLast(({ tool }) => tool === 'team_task_list');
  const made = calls.some(({ tool, failed }) => tool === 'team_task_create' && !failed);
  if (list === undefined || list.at < heardAt)
    return { text: '', calls: [{ tool: 'team_task_list', arguments: { state: 'all' } }] };
  if (list.text === 'The board is empty.' && !made) return firstTasks(memory);
  const states = [...list.text.matchAll(/^#\d+ \[(\w+)/gm)].map(([, state]) => state ?? '');
  const ended = ['completed', 'failed', 'cancelled'];
  if (states.some((state) => !ended.includes(state)) || (states.length === 0 && made)) return undefined;
  if (calls.filter(({ tool, at }) => tool === 'team_finish' && at > list.at).length >= MOST_TRIES)
    return undefined;
  const outcome = states.every((state) => state === 'completed') ? 'done' : 'partial';
  const result = `SIMULATED: no model was asked. The board at the end:\n${list.text}`;
  return { text: '', calls: [{ tool: 'team_finish', arguments: { outcome, result } }] };
}

/** One task for each other member, so that a recipe without tasks shows how its members work. */
function firstTasks({ prompt, member }: Happened): Deed | undefined {
  const roster = /\nThe team:\n((?:- [^\n]*\n?)+)/.exec(`\n${prompt}`)?.[1] ?? '';
  const others = allOf(/^- ([^\s:]+)(?: \([^)]*\))?/gm, roster).filter((name) => name !== member);
  if (others.length === 0) {
    const result = 'SIMULATED: no model was asked. There is nobody to work with.';
    return { text: '', calls: [{ tool: 'team_finish', arguments: { outcome: 'done', result } }] };
  }
  const tasks = others.map((role) => ({
    subject: `Simulated task of ${role}`,
    description: 'This recipe puts no tasks on the board; a model would have.',
    role,
  }));
  return { text: '', calls: [{ tool: 'team_task_create', arguments: { tasks } }] };
}
