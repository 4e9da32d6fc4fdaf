/** What may happen to a team at any moment, the senseless included: one random move a call. */

import { appliedOf } from '../../../src/team/applied.js';
import type { Asker, Command } from '../../../src/team/command.js';
import { nextJobs } from '../../../src/team/next-jobs.js';
import type { TurnLimit } from '../../../src/team/turn-marks.js';
import { aCall, OPERATOR, taskSpec } from '../../helpers/build-start.js';
import { delegate, runnerWord } from './brief-moves.js';
import { PROCESS_MOVES, taker } from './process-moves.js';
import type { Random } from './random.js';
import { randomStart } from './random-team.js';
import type { Walk } from './walk.js';

type Move = (walk: Walk, random: Random) => void;

/** Moves with how often each is made, in parts of all. Another stage may add its own. */
export const MOVES: readonly (readonly [parts: number, move: Move])[] = [
  [25, startTurn],
  [90, work],
  [20, endTurn],
  [5, waitForProvider],
  [8, operate],
  [14, runnerWord],
  [6, sweep],
  [4, (walk, random) => (walk.team.now += random.below(40_000))],
  [3, again],
  [3, late],
  [2, (walk) => walk.crash()],
  [1, halt],
  [1, withdraw],
  [3, unheeded],
  ...PROCESS_MOVES,
];

/** Words that a team hears before it has started, or after it was put away: it takes none of them. */
export const OUTSIDE: readonly (readonly [parts: number, move: Move])[] = [
  [3, halt],
  [1, sweep],
  [2, operate],
  [1, runnerWord],
  [1, withdraw],
  [1, (walk) => walk.do({ kind: 'run.resume', host: 'host', disabled: [], findings: [] })],
  [1, (walk) => walk.do({ kind: 'run.archive', by: 'operator' })],
];

/** Makes one move. */
export function move(walk: Walk, random: Random, moves: typeof MOVES = MOVES): void {
  let part = random.below(moves.reduce((sum, [parts]) => sum + parts, 0));
  for (const [parts, made] of moves) {
    part -= parts;
    if (part < 0) {
      made(walk, random);
      return;
    }
  }
}

function startTurn(walk: Walk, random: Random): void {
  const jobs = nextJobs(walk.team.state, walk.team.now);
  const member = random.chance(85)
    ? random.pick(jobs)?.member
    : random.pick([...walk.team.state.members.keys(), 'nobody']);
  if (member !== undefined)
    walk.do({ kind: 'turn.start', member, cause: random.below(50), ...taker(random) });
}

function sweep(walk: Walk, random: Random): void {
  walk.nothingDue();
  walk.do({ kind: 'run.sweep', operatorPresent: random.chance(70), missingArtifacts: [] });
}

/** A word that was said before, under its id. */
function again(walk: Walk, random: Random): void {
  const said = random.pick(walk.given.slice(-40));
  if (said === undefined || appliedOf(walk.team.state, said.id) === undefined) return;
  const answer = walk.do(said.command, said.id);
  if (answer.kind !== said.decision.kind && said.command.kind !== 'tool.start')
    walk.fail([`${said.id} was ${said.decision.kind} and is now ${answer.kind}`]);
}

/** A word of a turn that is over, under a new id. */
function late(walk: Walk, random: Random): void {
  const said = random.pick(walk.given.slice(-60).filter(({ command }) => 'turn' in command));
  if (said === undefined || !('turn' in said.command)) return;
  const life = walk.team.state.members.get(said.command.member)?.life;
  if (life?.kind === 'working' && life.turn === said.command.turn) return;
  const answer = walk.do(said.command);
  if (answer.kind === 'accepted' || answer.evidence.some(({ type }) => type !== 'write.refused'))
    walk.fail([`2: turn ${said.command.turn} of ${said.command.member} is over and was heard`]);
}

function halt(walk: Walk, random: Random): void {
  const by = 'operator';
  if (walk.team.state.phase.kind === 'stopping' && random.chance(60)) {
    walk.do({ kind: 'run.kill', by });
    return;
  }
  walk.do(
    random.of<Command>(
      { kind: 'run.stop', by, cause: 'interrupt' },
      { kind: 'run.stop', by, cause: 'terminate' },
      { kind: 'run.kill', by },
      randomStart(random),
      { kind: 'run.fail', cause: 'error', detail: 'the disk is away' },
    ),
  );
}

/** What a member was given may not be used any more. */
function withdraw(walk: Walk, random: Random): void {
  const member = random.pick([...walk.team.state.members.keys(), 'nobody']) ?? 'nobody';
  // A member does not come back and the lead takes the run with it: seldom, or no walk would come far.
  if (random.chance(member === walk.team.state.lead ? 98 : 80)) return;
  walk.do({
    kind: 'member.withdraw',
    member,
    cause: random.of<'error' | 'approval_revoked'>('error', 'approval_revoked'),
    omitted: random.of({ entry: 'skill:long', reason: 'trust' } as const, null),
    reason: 'its approval was taken back',
  });
}

/** A word of the process that runs a member which is to stop, and now and then of another. */
function unheeded(walk: Walk, random: Random): void {
  const members = [...walk.team.state.members.values()];
  const stopping = members.filter((member) => member.stopping !== null);
  const name = (random.pick(stopping) ?? (random.chance(25) ? random.pick(members) : undefined))?.name;
  if (name !== undefined)
    walk.do({ kind: 'member.unheeded', member: name, step: random.of('force', 'cut', 'gone') });
}

function working(walk: Walk): string[] {
  return [...walk.team.state.members.values()]
    .filter((member) => member.life.kind === 'working')
    .map((member) => member.name);
}

function endTurn(walk: Walk, random: Random): void {
  const member = random.pick(working(walk));
  if (member === undefined) return;
  const { team } = walk;
  const outcome = random.of<'finished' | 'limit' | 'cancelled'>(
    'finished',
    'finished',
    'finished',
    'limit',
    'cancelled',
  );
  const text = random.of<string | null>('so it is', 'so it is', null, ' ');
  const limit =
    outcome === 'limit' && random.chance(60)
      ? { limit: random.of<TurnLimit>('calls_per_turn', 'turn_minutes') }
      : {};
  if (random.chance(4)) {
    const at = team.in(member);
    walk.do({ kind: 'turn.fail', upto: `${at.turn}-1`, calls: 0, code: 'model', error: 'no answer', ...at });
  } else {
    walk.do({ ...team.ending(member, { outcome, text, calls: random.below(3) }), ...limit } as Command);
  }
}

/** A provider refuses the member's call, or refuses others and is not asked; or others have reserved the budget. */
function waitForProvider(walk: Walk, random: Random): void {
  const member = random.pick(working(walk));
  if (member === undefined) return;
  const { team } = walk;
  if (random.chance(70)) walk.do({ kind: 'budget.reserve', ...aCall(10), ...team.in(member) });
  const asked = team.member(member).reserved !== null;
  if (!asked && random.chance(50)) {
    const need = { tokens: random.of(10, 100), cost_usd: null };
    walk.do({ ...team.waiting(member, { why: 'budget', waitMs: 0, asked }), need });
    return;
  }
  const why = random.of<'rate_limited' | 'unavailable'>('rate_limited', 'unavailable');
  const perhapsUsed = random.chance(30);
  const text = random.of<string | null>('so far', null);
  const waitMs = random.of(0, 0.4, 1_000, 30_000);
  walk.do(team.waiting(member, { asked, why, text, waitMs, perhapsUsed, calls: random.below(2) }));
}

function operate(walk: Walk, random: Random): void {
  const { state } = walk.team;
  if (random.chance(50)) {
    const open = [...state.requests.values()].filter((request) => request.status.kind === 'open');
    const request = random.chance(90) ? random.pick(open) : random.pick(state.requests.values());
    if (request !== undefined) walk.do(decision(OPERATOR, request.id, request.digest, random));
  } else {
    walk.do(random.chance(60) ? send(walk, OPERATOR, random) : govern(walk, OPERATOR, random));
  }
}

/** One act of a member in its turn. */
function work(walk: Walk, random: Random): void {
  const member = random.pick(working(walk));
  if (member === undefined) return;
  const { team } = walk;
  const act = random.below(100);
  if (act < 18) read(walk, member, random);
  else if (act < 48) board(walk, member, random);
  else if (act < 57) delegate(walk, member, random);
  else if (act < 65) walk.do(send(walk, team.by(member), random));
  else if (act < 76) ask(walk, member, random);
  else if (act < 84) startTool(walk, member, random);
  else if (act < 97) walk.do(govern(walk, team.by(member), random));
  else finish(walk, member, random);
}

function startTool(walk: Walk, member: string, random: Random): void {
  const { team } = walk;
  const at = team.in(member);
  if (random.chance(10))
    walk.do({ kind: 'limit.meet', limit: 'calls_per_reply', value: 33, text: 'not run', ...at });
  const asked = [...team.state.requests.values()].filter((request) => request.member === member);
  const approved = asked.filter(({ status }) => status.kind === 'decided' && status.decision === 'approve');
  const request = random.chance(60) ? random.pick(approved) : random.pick([...asked, undefined]);
  walk.do({
    kind: 'tool.start',
    place: (random.chance(70) ? request?.place : undefined) ?? `${at.turn}-${random.below(9)}.0`,
    tool: 'shell_exec',
    class: random.of<'read' | 'write' | 'destructive'>('write', 'write', 'read', 'destructive'),
    digest: (random.chance(85) ? request?.digest : undefined) ?? 'digest',
    request: request?.id ?? null,
    ...at,
  });
}

function finish(walk: Walk, member: string, random: Random): void {
  const outcome = random.of<'done' | 'partial' | 'failed'>('done', 'partial', 'failed');
  walk.do({ kind: 'run.finish', outcome, result: 'the result', ...walk.team.in(member) });
}

function read(walk: Walk, member: string, random: Random): void {
  const at = walk.team.in(member);
  walk.do({ kind: 'budget.reserve', ...aCall(10), ...at });
  const { unread } = walk.team.member(member);
  const delivered = unread.slice(0, random.below(unread.length + 1));
  if (random.chance(10)) {
    walk.do({ kind: 'mail.recover', ids: delivered, ...at });
    return;
  }
  if (random.chance(5)) {
    const sizes = { beforeTokens: 9, afterTokens: 3 };
    walk.do({ kind: 'memory.compact', entry: `${at.turn}-1`, model: null, ...sizes, ...at });
  }
  walk.do({
    kind: 'reply.settle',
    model: 'script/test.yaml',
    inputTokens: 8,
    cachedTokens: 0,
    outputTokens: 2,
    costUsd: 0,
    delivered: random.chance(90) ? delivered : ['m1', 'm999'],
    suppressed: random.some(unread, 5),
    ...at,
  });
}

function board(walk: Walk, member: string, random: Random): void {
  const { team } = walk;
  const at = team.in(member);
  const own = [...team.member(member).claims, ...team.member(member).offers];
  const reviews = [...team.state.tasks.values()].filter(
    ({ spec, state }) => state.kind === 'in_review' && spec.gates.includes(team.member(member).seat.role),
  );
  const review = random.chance(50) ? random.pick(reviews)?.id : undefined;
  const mine = random.chance(75) ? random.pick(own) : undefined;
  const task = review ?? mine ?? random.pick(team.state.tasks.keys());
  if (task === undefined) return;
  const found = team.state.tasks.get(task);
  const attempt = random.chance(88) ? (found?.attempts ?? 0) : random.below((found?.attempts ?? 0) + 1);
  const others = random.some(team.state.tasks.keys(), 15);
  const detail = 'for a reason';
  if (found?.state.kind === 'pending' && random.chance(80)) {
    walk.do({ kind: 'task.claim', task, ...at });
    return;
  }
  if (review !== undefined && random.chance(70)) {
    const verdict = random.of<'approve' | 'request_changes'>('approve', 'request_changes');
    walk.do(team.verdict(member, task, { attempt, verdict, findings: 'not so' }));
    return;
  }
  walk.do(
    random.of<Command>(
      { kind: 'task.claim', task, ...at },
      { kind: 'task.release', task, attempt, detail, ...at },
      { kind: 'task.block', task, attempt, reason: 'needs_input', on: [], detail, ...at },
      { kind: 'task.block', task, attempt, reason: 'transient', on: others, detail, ...at },
      team.completion(member, task, { attempt }),
      team.completion(member, task, { attempt, addBlocks: others }),
      team.completion(member, task, { attempt, evidence: [], missingArtifacts: ['report.md'] }),
      team.verdict(member, task, { attempt, newFindings: random.of<string[]>([], ['beside it']) }),
      team.verdict(member, task, { attempt, missingArtifacts: random.of<string[]>([], ['report.md']) }),
      team.verdict(member, task, { attempt, verdict: 'request_changes', findings: 'not so' }),
      team.verdict(member, task, { attempt, verdict: 'inconclusive' }),
    ),
  );
}

function ask(walk: Walk, member: string, random: Random): void {
  const { team } = walk;
  const kind = random.of<'confirmation' | 'question' | 'plan'>('confirmation', 'question', 'plan');
  const decided = random.chance(20)
    ? ({ decision: kind === 'question' ? 'skip' : 'approve', by: { kind: 'policy', name: 'rule' } } as const)
    : null;
  const answer = walk.do(
    team.opening(member, {
      kind,
      decided,
      plan: kind === 'plan' ? 'first this, then that' : null,
      always: random.of<string | null>('git push', null),
      place: `${team.in(member).turn}-${random.below(9)}.0`,
    }),
  );
  if (answer.kind === 'refused' || random.chance(30)) return;
  const request = random.chance(95) ? `r${team.state.requests.size}` : random.of<string | null>('r1', null);
  walk.do(team.ending(member, { outcome: 'parked', request, calls: 1 }));
}

function send(walk: Walk, by: Asker, random: Random): Command {
  const to = random.pick([...walk.team.state.members.keys(), 'lead', 'lead', 'all', 'nobody']) ?? 'lead';
  return { kind: 'mail.send', by, to, body: 'x'.repeat(random.of(1, 40, 300)), task: null };
}

/** What only the lead and the operator may do; anybody tries. */
function govern(walk: Walk, by: Asker, random: Random): Command {
  const { state } = walk.team;
  const task = random.pick(state.tasks.keys()) ?? '#1';
  const some = (): string[] => random.some(state.tasks.keys(), 10);
  const role = random.pick([...(state.run?.seats.map((seat) => seat.role) ?? []), 'nobody']) ?? 'nobody';
  const act = random.below(100);
  if (act < 30) {
    const roles = random.of<string | null>(role, null);
    const made = taskSpec({
      role: roles,
      blocked_by: some(),
      upstream: random.of<'wait' | 'fail'>('wait', 'fail'),
    });
    return { kind: 'task.create', by, tasks: [made, taskSpec()].slice(0, 1 + random.below(2)) };
  }
  if (act < 65) {
    return walk.team.update(task, {
      by,
      subject: random.of<string | null>('another', null),
      role: random.of<string | null>(null, null, role),
      addBlockedBy: some(),
      removeBlockedBy: some(),
      addBlocks: some(),
      status: random.of<'pending' | 'cancelled' | 'failed' | null>(
        null,
        null,
        'pending',
        'cancelled',
        'failed',
      ),
    });
  }
  if (act < 80) {
    const failed = [...state.members.values()].filter(({ life }) => life.kind === 'errored');
    const back = random.chance(50) ? random.pick(failed)?.seat.role : undefined;
    return { kind: 'member.spawn', by, role: back ?? role };
  }
  if (act < 85) {
    const running = random.chance(50) ? random.pick(working(walk)) : undefined;
    const member = running ?? random.pick([...state.members.keys(), 'nobody']) ?? 'nobody';
    return { kind: 'member.stop', by, member, reason: 'enough', forced: act < 82 };
  }
  const open = [...state.requests.values()].filter(({ status }) => status.kind === 'open');
  const request = random.pick(random.chance(70) ? open : state.requests.values());
  return decision(by, request?.id ?? 'r1', request?.digest ?? '', random);
}

function decision(by: Asker, request: string, digest: string, random: Random): Command {
  return {
    kind: 'request.decide',
    by,
    request,
    decision: random.of<'approve' | 'always' | 'deny' | 'revise' | 'answer' | 'skip'>(
      'approve',
      'approve',
      'always',
      'deny',
      'revise',
      'answer',
      'skip',
    ),
    text: random.of<string | null>('because', null),
    digest: random.of<string | null>(digest, digest, null, 'another'),
    missingArtifacts: random.of<string[]>([], ['report.md']),
  };
}
