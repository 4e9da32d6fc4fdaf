/**
 * Brings a walk to its end. Diligent members do what is asked of them and an operator answers; lazy ones read
 * their mail and say a word, and nobody answers. Either way the run must end, and within a bound.
 */

import { isReady } from '../../../src/team/board.js';
import { liveBriefs } from '../../../src/team/brief.js';
import { nextTimer } from '../../../src/team/next-jobs.js';
import { possibleTakers } from '../../../src/team/offers.js';
import type { Task, TeamState } from '../../../src/team/state.js';
import { waitingMembers } from '../../../src/team/waits.js';
import { aCall, OPERATOR } from '../../helpers/build-start.js';
import { delegate, settleBriefs } from './brief-moves.js';
import type { Random } from './random.js';
import type { Walk } from './walk.js';

export type Manner = 'diligent' | 'lazy';

/** Turns that a team may take until it ends: far more than any needs, far fewer than a loop would. */
function bound(walk: Walk): number {
  const { members, tasks } = walk.team.state;
  return 40 + 25 * members.size + 25 * tasks.size;
}

/** Drives the run until it has ended for good or for want of somebody; throws when it hangs or goes round. */
export function driveToEnd(walk: Walk, random: Random, manner: Manner): void {
  const { team } = walk;
  if (team.state.phase.kind === 'archived') return;
  walk.do({ kind: 'run.resume', host: 'host', disabled: [], findings: [] });
  const most = bound(walk);
  const tried = new Set<string>();
  for (let turns = 0; team.state.phase.kind !== 'ended'; ) {
    if (manner === 'diligent') answerAll(walk);
    if (random.chance(30)) settleBriefs(walk, manner);
    const [member] = team.due();
    if (member === undefined && liveBriefs(team.state).length > 0) {
      waitForBriefs(walk, manner);
      continue;
    }
    if (member === undefined) {
      const before = team.state.next;
      walk.nothingDue();
      walk.do({ kind: 'run.sweep', operatorPresent: false, missingArtifacts: [] });
      if (team.state.next === before && isTimed(team.state)) {
        // The time of the first wait, or of a request that expires before it: then the next sweep says so.
        const next = nextTimer(team.state, team.now);
        if (next === undefined || next <= team.now)
          walk.fail(['a member waits, and nobody looks for its time']);
        team.now = next;
        continue;
      }
      if (team.state.next === before) walk.fail(['nothing is due, nobody works, and the run does not end']);
      continue;
    }
    if (++turns > most) walk.fail([`${most} turns of ${manner} members did not end the run`]);
    const started = walk.do({ kind: 'turn.start', member, cause: 1 });
    if (started.kind === 'refused') walk.fail([`${member} is due and may not start: ${started.code}`]);
    if (team.member(member).life.kind !== 'working') continue;
    walk.do({ kind: 'budget.reserve', ...aCall(1), ...team.in(member) });
    walk.do({
      kind: 'reply.settle',
      model: 'script/test.yaml',
      inputTokens: 1,
      cachedTokens: 0,
      outputTokens: 1,
      costUsd: 0,
      delivered: team.member(member).unread,
      suppressed: [],
      ...team.in(member),
    });
    if (random.chance(30)) delegate(walk, member, random);
    if (manner === 'diligent') diligence(walk, member, tried);
    if (team.member(member).life.kind === 'working') {
      const text = manner === 'lazy' && random.chance(30) ? null : 'that is all';
      walk.do(team.ending(member, { text, calls: manner === 'diligent' ? 1 : 0 }));
    }
  }
}

/** Looked at again and again, a run waits for its briefs; then they end. */
function waitForBriefs(walk: Walk, manner: Manner): void {
  for (let times = 0; times < 4; times++) {
    walk.nothingDue();
    walk.do({ kind: 'run.sweep', operatorPresent: false, missingArtifacts: [] });
  }
  if (walk.team.state.phase.kind !== 'ended') settleBriefs(walk, manner);
}

/** Whether the clock alone moves the team: a member waits for its provider, or on a request that expires. */
function isTimed(state: TeamState): boolean {
  const expires = [...state.requests.values()].some(
    ({ status, expiresAt }) => status.kind === 'open' && expiresAt !== null,
  );
  return expires || waitingMembers(state).length > 0;
}

function answerAll(walk: Walk): void {
  for (const request of walk.team.state.requests.values()) {
    if (request.status.kind !== 'open' || !request.principals.includes('operator')) continue;
    if (request.principals.includes('lead')) continue;
    const decision = request.kind === 'question' ? 'answer' : 'approve';
    walk.do({
      kind: 'request.decide',
      by: OPERATOR,
      request: request.id,
      decision,
      text: 'yes',
      digest: null,
      missingArtifacts: [],
    });
  }
}

function diligence(walk: Walk, name: string, tried: Set<string>): void {
  const { team } = walk;
  const member = team.member(name);
  if (member.plan.kind === 'required') {
    const opened = walk.do(team.opening(name, { kind: 'plan', plan: 'step by step' }));
    if (opened.kind === 'accepted') {
      walk.do(team.ending(name, { outcome: 'parked', request: `r${team.state.requests.size}`, calls: 1 }));
      return;
    }
  }
  for (const task of team.state.tasks.values()) {
    const gate = task.spec.gates.includes(member.seat.role);
    if (task.state.kind === 'in_review' && gate && task.state.member !== name) {
      walk.do(team.verdict(name, task.id));
    }
  }
  for (const task of team.member(name).offers) walk.do({ kind: 'task.claim', task, ...team.in(name) });
  for (const task of team.member(name).claims)
    if (team.task(task).state.kind === 'claimed') walk.do(team.completion(name, task));
  if (name === team.state.lead) lead(walk, name, tried);
}

/** What a lead with sense does: decides plans, brings members, unblocks or cancels, closes the team. */
function lead(walk: Walk, name: string, tried: Set<string>): void {
  const { team } = walk;
  const once = (what: string): boolean => !tried.has(what) && tried.add(what) !== undefined;
  const by = team.by(name);
  for (const request of team.state.requests.values()) {
    if (request.status.kind !== 'open' || !request.principals.includes('lead')) continue;
    walk.do({
      kind: 'request.decide',
      by,
      request: request.id,
      decision: 'approve',
      text: null,
      digest: request.digest,
    });
  }
  for (const member of team.state.members.values())
    if (member.life.kind === 'errored' && once(`restart ${member.name}`))
      walk.do({ kind: 'member.spawn', by, role: member.seat.role });
  for (const task of team.state.tasks.values()) {
    const status = settle(walk, task, once);
    if (status !== undefined) walk.do(team.update(task.id, { by, status }));
  }
  const states = [...team.state.tasks.values()].map((task) => task.state.kind);
  const outcome = states.some((kind) => kind === 'failed' || kind === 'cancelled') ? 'partial' : 'done';
  walk.do({ kind: 'run.finish', outcome, result: 'the result', ...team.in(name) });
}

function settle(
  walk: Walk,
  task: Task,
  once: (what: string) => boolean,
): 'pending' | 'cancelled' | undefined {
  const { team } = walk;
  const by = team.by(team.state.lead);
  const live = [...team.state.members.values()].filter(
    (member) => member.life.kind !== 'errored' && member.life.kind !== 'stopped',
  );
  switch (task.state.kind) {
    case 'blocked':
      return task.state.reason !== 'upstream_failed' && once(`unblock ${task.id}`) ? 'pending' : 'cancelled';
    case 'pending': {
      const { role } = task.spec;
      if (role === null || live.some((member) => member.seat.role === role)) {
        if (!isReady(team.state, task) || task.offer !== null) return undefined;
        if (possibleTakers(team.state, task).length > 0) return undefined;
        return once(`offer ${task.id}`) ? 'pending' : 'cancelled';
      }
      return once(`spawn for ${task.id}`) && walk.do({ kind: 'member.spawn', by, role }).kind === 'accepted'
        ? undefined
        : 'cancelled';
    }
    case 'claimed':
      return live.some((member) => member.claims.has(task.id)) ? undefined : 'cancelled';
    case 'in_review': {
      const owner = task.state.member;
      const reviewers = live.filter(
        (member) => task.spec.gates.includes(member.seat.role) && member.name !== owner,
      );
      if (reviewers.length === 0 || !once(`review ${task.id}`)) return 'cancelled';
      for (const reviewer of reviewers)
        if (reviewer.name !== team.state.lead)
          walk.do({ kind: 'mail.send', by, to: reviewer.name, body: `review ${task.id}`, task: task.id });
      return undefined;
    }
    default:
      return undefined;
  }
}
