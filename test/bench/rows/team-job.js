/** How near a whole team job comes to the least time that its model calls take. */

import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Mission } from '../embedded.js';

const built = new URL('../../../dist/runtime/start-team.js', import.meta.url);

const MEMBERS = Array.from({ length: 8 }, (_, place) => `worker-${place}`);
const TASKS = 200;
const CALLS_A_TASK = 2;
const CALL_MS = 20;

const USAGE = { inputTokens: 1_000, cachedTokens: 0, outputTokens: 10 };

let mission;

export const row = {
  name: 'team-job',
  measures: `an embedded team from its start to its end: a lead, ${MEMBERS.length} members, ${TASKS} tasks of ${CALLS_A_TASK} calls, ${CALL_MS} ms a call`,
  reference: 'the ideal schedule: as many waits, in as many lanes, and the closing call of the lead',
  goal: 1.07,
  floor: 1.15,
  rounds: 7,
  warmup: 2,
  cpu: 'self',
  missing: () =>
    existsSync(built) ? undefined : `${fileURLToPath(built)} is not there: build it with "npm run build"`,
  async release() {
    await mission?.remove();
    mission = undefined;
  },
  ours: own('file'),
  theirs: {
    async run() {
      const calls = (TASKS * CALLS_A_TASK) / MEMBERS.length;
      const lane = async () => {
        for (let call = 0; call < calls; call++) await delay(CALL_MS);
      };
      await Promise.all(MEMBERS.map(lane));
      await delay(CALL_MS);
    },
  },
  beside: { 'ours, its record in memory': own('memory') },
};

/** The team; where its record lies makes no difference to what it does. */
function own(keeps) {
  return {
    async prepare() {
      mission ??= await Mission.write(MEMBERS, MEMBERS.length + 1, tasks());
      return mission;
    },
    async run() {
      const { live } = await mission.start(model(), keeps);
      const { reason } = await live.ended;
      const done = [...live.state().tasks.values()].filter(({ state }) => state.kind === 'completed').length;
      if (reason !== 'done' || done !== TASKS) throw new Error(`${reason}, ${done} tasks completed`);
    },
  };
}

function tasks() {
  return Array.from({ length: TASKS }, (_, place) => ({
    id: `task-${place + 1}`,
    subject: `Part ${place + 1}`,
    role: MEMBERS[place % MEMBERS.length],
    description: 'Look what there is to do, and say so.',
  }));
}

/**
 * Members take what they are offered and report it in their first answer, and say so in their second. The lead hears of each
 * report, and closes the team when it has heard of all.
 */
function model() {
  return {
    id: 'bench/instant',
    facts: { contextTokens: null, maxOutputTokens: null, price: null },
    async generate({ role, messages }, signal) {
      await delay(CALL_MS, undefined, { signal });
      const last = messages.at(-1);
      if (role === 'lead') return leadSays(messages);
      if (last.role === 'tool') return reply('It is done.');
      const [task] = /#\d+/.exec(last.text);
      return reply(
        '',
        { tool: 'team_task_claim', arguments: { task } },
        { tool: 'team_task_complete', arguments: { task, summary: 'There was nothing to do.' } },
      );
    },
    leftover: () => [],
  };
}

function leadSays(messages) {
  const told = messages.flatMap(({ text }) =>
    [...text.matchAll(/has completed (#\d+)/g)].map(([, task]) => task),
  );
  if (new Set(told).size < TASKS) return reply('I wait.');
  return reply('', { tool: 'team_finish', arguments: { outcome: 'done', result: 'All parts are done.' } });
}

function reply(text, ...calls) {
  return { kind: 'reply', text, calls, usage: USAGE, stop: calls.length > 0 ? 'tool_calls' : 'end' };
}
