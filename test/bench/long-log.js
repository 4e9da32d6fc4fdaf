/** The log of a team that has worked for long, made by the rules themselves. */

import { load } from './redis.js';

export const MEMBERS = 50;
export const TASKS = 2_000;
/** Members that work at the same time. */
const AT_ONCE = 4;

/** Plays a team: every turn asks twice, takes what it is offered and reports it done. @returns the lines of its log */
export async function longLog(count) {
  const { decide } = await load('team/decide.js');
  const { evolveEntry } = await load('team/evolve.js');
  const { emptyState } = await load('team/state.js');
  const { nextJobs } = await load('team/next-jobs.js');
  const { RECORD_VERSION } = await load('events/log-entry.js');
  const state = emptyState();
  const made = [];
  let now = 0;
  const send = (command) => {
    const scope = 'turn' in command ? `turn/${command.member}` : 'bench';
    const id = `${scope}/${made.length}`;
    const decision = decide(state, id, command, now);
    if (decision.kind === 'refused') throw new Error(`${command.kind}: ${decision.message}`);
    const { facts } = decision;
    if (facts.length === 0) return;
    const wall = '2026-01-01T00:00:00.000Z';
    const commands = [{ id, facts: facts.length }];
    const entry = { v: RECORD_VERSION, first: state.next, at: now, wall, commands, facts };
    made.push(JSON.stringify(entry));
    evolveEntry(state, entry);
  };
  send({ kind: 'run.start', started: started(), tasks: tasks(), entries: [] });
  for (let turns = 0; turns < count; now += 10) {
    const jobs = nextJobs(state, now).slice(0, AT_ONCE);
    if (jobs.length === 0) {
      const by = { kind: 'operator', name: 'operator' };
      send({ kind: 'mail.send', by, to: `worker-${turns % (MEMBERS - 1)}`, body: 'go on', task: null });
      continue;
    }
    for (const { member, cause } of jobs) send({ kind: 'turn.start', member, cause });
    for (const { member } of jobs) takeTurn(state, member, send);
    turns += jobs.length;
  }
  return made;
}

function takeTurn(state, name, send) {
  const member = () => state.members.get(name);
  const at = { member: name, turn: member().life.turn };
  ask(at, member().unread, send);
  for (const task of member().offers) send({ kind: 'task.claim', task, ...at });
  ask(at, member().unread, send);
  for (const task of member().claims) {
    const { attempts } = state.tasks.get(task);
    const report = { attempt: attempts, summary: 'done, as asked for', evidence: [], artifacts: [] };
    const looked = { missingArtifacts: [], artifactBytes: null, addBlocks: [] };
    send({ kind: 'task.complete', task, ...report, ...looked, ...at });
  }
  const end = { outcome: 'finished', request: null, upto: `${at.turn}-3`, text: 'That is all.' };
  send({ kind: 'turn.end', ...end, calls: 1, cut: false, detail: null, ...at });
}

function ask(at, unread, send) {
  const model = 'script/bench';
  const priced = { inputUsd: 0.01, outputUsd: 0.02 };
  const wish = { model, inputTokens: 1_000, outputTokens: 1_000, leastOutputTokens: 1, priced };
  send({ kind: 'budget.reserve', wish, recordBytes: 0, ...at });
  const used = { inputTokens: 900, cachedTokens: 0, outputTokens: 100, costUsd: 0.01 };
  send({ kind: 'reply.settle', model, ...used, delivered: [...unread], suppressed: [], ...at });
}

function tasks() {
  return Array.from({ length: TASKS }, (_, index) => ({
    key: null,
    subject: `task ${index + 1}`,
    description: 'what has to be done, in a sentence or two',
    role: index % 3 === 0 ? 'worker' : null,
    blocked_by: index > 40 && index % 4 === 0 ? [`#${index - 39}`] : [],
    gates: [],
    acceptance: [],
    artifacts: [],
    required: false,
    upstream: 'wait',
    skills: [],
  }));
}

function started() {
  const most = 1e9;
  const names = ['lead', ...Array.from({ length: MEMBERS - 1 }, (_, index) => `worker-${index}`)];
  return {
    type: 'run.started',
    keys: [],
    key_id: null,
    signature: null,
    safety: 'non-destructive',
    workspace: { path: '/work' },
    prompt: 'do it',
    request_timeout_ms: null,
    limits: {
      members: most,
      turns: most,
      model_calls: most,
      tokens: most,
      cost_usd: null,
      wall_minutes: most,
      record_bytes: most,
      messages: most,
      mail_bytes: most,
      unread_bytes: most,
      tasks: most,
      open_requests: most,
      review_rounds: 3,
    },
    seats: names.map((member) => ({
      member,
      role: member === 'lead' ? 'lead' : 'worker',
      lead: member === 'lead',
      on_demand: false,
      max_turns: null,
      plan_mode: false,
      exclusive_workspace: false,
      entries: [],
      tools: [],
    })),
  };
}
