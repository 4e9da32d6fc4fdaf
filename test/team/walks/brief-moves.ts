/** What may happen to briefs at any moment: members that delegate, runners that work, die, come late or say things twice. */

import type { BriefStep } from '../../../src/events/facts/briefs.js';
import { isReady } from '../../../src/team/board.js';
import { type Brief, briefWord, isLiveBrief, liveBriefs } from '../../../src/team/brief.js';
import type { BriefOffer, BriefResult, Command, Delivery } from '../../../src/team/command.js';
import { fits } from '../../../src/team/offers.js';
import type { Task } from '../../../src/team/state.js';
import { acceptance, briefOffer, ending } from '../../helpers/build-brief.js';
import { OPERATOR } from '../../helpers/build-start.js';
import type { Random } from './random.js';
import type { Walk } from './walk.js';

/** A member sends a brief, mostly one that it may send and that was prepared for what is there. */
export function delegate(walk: Walk, member: string, random: Random): void {
  const { team } = walk;
  const engineer = team.state.run?.engineer ?? null;
  if (engineer?.delegates.some((one) => one.member === member) !== true && random.chance(95)) return;
  const task = taskFor(walk, member, random);
  if (task === undefined) return;
  const attempt = task.state.kind === 'claimed' ? task.attempts : task.attempts + 1;
  const sent = offerOf(walk, task.id, random.chance(95) ? attempt : random.below(3) + 1, {
    safety: random.chance(70) ? 'read-only' : random.of('read-only', 'non-destructive', 'full'),
    verify: random.chance(95) ? random.of<string[]>(['test'], ['test'], []) : ['nothing'],
    cost_usd: random.chance(90) ? random.of(0.5, 1, 1.5) : null,
  });
  const offer = random.chance(95) ? sent.offer : sent.offer + 1;
  walk.do({ kind: 'brief.send', sent: { ...sent, offer }, ...team.in(member) });
}

/** One that the member holds or could claim, or any. */
function taskFor({ team }: Walk, name: string, random: Random): Task | undefined {
  const member = team.member(name);
  const tasks = [...team.state.tasks.values()];
  const good = tasks.filter((task) =>
    task.state.kind === 'claimed'
      ? task.state.member === name && task.brief === null
      : isReady(team.state, task) && fits(team.state, task, member),
  );
  return random.chance(90) ? random.pick(good) : random.pick(tasks);
}

/** A word of a runner, of the process that keeps it, or of whoever calls an engineer off. */
export function runnerWord(walk: Walk, random: Random): void {
  const { state } = walk.team;
  const lost = [...state.briefs.values()].some((brief) => briefWord(brief) === 'lost');
  if (lost && random.chance(40)) {
    comeLate(walk, random);
    return;
  }
  if (state.phase.kind === 'running' && liveBriefs(state).length === 0 && random.chance(90)) return;
  const brief = random.chance(85) ? random.pick(liveBriefs(state)) : random.pick(state.briefs.values());
  const id = brief === undefined || random.chance(2) ? 'nobody' : brief.sent.brief;
  const act = random.below(100);
  if (act < 28) {
    const runner = random.of('runner-1', 'runner-1', 'runner-2');
    walk.do(acceptance(id, random.chance(95) ? { runner } : { runner, sent_block: 'another' }));
  } else if (act < 48) {
    const step = random.of<BriefStep>(
      'accepted',
      'workspace',
      'engineer',
      'verifying',
      'reported',
      'stalled',
    );
    walk.do({ kind: 'brief.progress', brief: id, step, detail: random.of<string | null>(null, 'so it is') });
  } else if (act < 72) {
    end(walk, id, random);
  } else if (act < 82) {
    lose(walk, id, brief, random);
  } else if (act < 92) {
    const working = [...state.members.values()].filter(({ life }) => life.kind === 'working');
    const member = random.chance(50) ? random.pick(working)?.name : undefined;
    const by = member === undefined ? OPERATOR : walk.team.by(member);
    const status = random.of('cancelled' as const, 'failed' as const);
    const word: Command = { kind: 'brief.cancel', by, brief: id, reason: 'enough' };
    const task = brief === undefined || random.chance(60) ? undefined : brief.sent.task;
    walk.do(task === undefined ? word : walk.team.update(task, { by, status }));
  } else if (act < 93) {
    const why = random.of('no_runner' as const, 'not_taken' as const);
    const detail = random.of<string | null>(null, 'no label gpu on vm-1');
    walk.do({ kind: 'brief.unserved', brief: id, pool: 'default', why, detail });
  } else if (act < 94) {
    walk.do({ kind: 'brief.witness', brief: id, code: 'bad_signature', detail: 'forged', result: null });
  } else if (act < 98) {
    comeLate(walk, random);
  } else {
    sayAgain(walk, random);
  }
}

/** A result of a brief that was lost, or the wish that one counts: of the operator, the lead, or somebody else. */
function comeLate(walk: Walk, random: Random): void {
  const { team } = walk;
  const all = [...team.state.briefs.values()];
  const lost = all.filter((brief) => briefWord(brief) === 'lost');
  // One that came to another end and whose attempt goes on looks most like a lost one.
  const ended = all.filter(
    ({ sent, status }) =>
      status.kind === 'ended' &&
      status.status !== 'lost' &&
      team.state.tasks.get(sent.task)?.attempts === sent.attempt,
  );
  const brief = random.pick(lost.length > 0 && random.chance(80) ? lost : random.chance(80) ? ended : all);
  if (brief === undefined) return;
  const { sent, late } = brief;
  if (late === null && random.chance(25)) {
    end(walk, sent.brief, random);
    return;
  }
  const working = [...team.state.members.values()].filter(({ life }) => life.kind === 'working');
  const member = random.chance(40) ? random.pick(working)?.name : undefined;
  const good = ending(team.state, sent.brief, { sent_block: sent.sent_block });
  const text = random.chance(95) ? (late ?? 'none') : 'another';
  walk.do({ ...good, kind: 'brief.adopt', text, by: member === undefined ? OPERATOR : team.by(member) });
}

/** Every brief that is out comes to its end: by a runner that does its work, or by one that is gone. */
export function settleBriefs(walk: Walk, manner: 'diligent' | 'lazy'): void {
  for (const { sent } of liveBriefs(walk.team.state)) {
    const { brief } = sent;
    if (manner === 'diligent')
      walk.do(ending(walk.team.state, brief, { sent_block: sent.sent_block }, textOf(walk)));
    else walk.do({ kind: 'brief.lose', brief, detail: 'its runner is gone', again: null });
    if (isLiveBrief(walk.team.state.briefs.get(brief))) walk.fail([`${brief} does not end`]);
  }
}

function end(walk: Walk, id: string, random: Random): void {
  const statuses = ['completed', 'failed', 'timed_out', 'cancelled', 'malformed', 'refused'] as const;
  const status = random.chance(55) ? 'completed' : random.of<BriefResult['status']>('completed', ...statuses);
  const passed = random.chance(90) ? 'passed' : 'failed';
  const command = ending(
    walk.team.state,
    id,
    {
      status,
      cause: status === 'completed' ? null : 'engineer_error',
      verify: random.chance(85) ? [{ key: 'test', outcome: passed }] : [],
      workspace_changes: random.chance(8) ? ['HEAD'] : [],
      ...(random.chance(15) ? { head: null } : {}),
      ...(random.chance(4) ? { sent_block: 'another' } : {}),
      usage: {
        input_tokens: random.below(3),
        cached_tokens: 0,
        output_tokens: random.below(3),
        turns: 1,
        cost_usd: random.of<number | null>(0, 0.25, 0.25, null, 2),
      },
    },
    {
      ...textOf(walk),
      missingArtifacts: random.chance(10) ? ['report.md'] : [],
    },
  );
  const delivery = random.chance(92) ? command.delivery : random.of<Delivery>({ kind: 'nothing' }, FAILED);
  walk.do({ ...command, delivery });
}

const FAILED: Delivery = { kind: 'failed', detail: 'a bad object' };

function lose(walk: Walk, brief: string, known: Brief | undefined, random: Random): void {
  const again = known === undefined || random.chance(30) ? null : againAs(walk, known, random);
  walk.do({ kind: 'brief.lose', brief, detail: 'its runner is gone', again });
}

/** The next offer of a brief, now and then not as it was. */
function againAs(walk: Walk, { sent }: Brief, random: Random): BriefOffer {
  const attempt = sent.attempt + (random.chance(95) ? 0 : 1);
  const { safety, cost_usd, verify } = sent;
  const more = random.chance(90) ? { safety } : {};
  return offerOf(walk, sent.task, attempt, { cost_usd, verify, ...more });
}

/** The same word of a runner under a new id: a line that was sent twice, or found in an outbox again. */
function sayAgain(walk: Walk, random: Random): void {
  const said = random.pick(walk.given.slice(-80).filter(({ command }) => isOfRunner(command)));
  if (said !== undefined) walk.do(said.command);
}

function isOfRunner({ kind }: Command): boolean {
  return (
    kind === 'brief.accept' || kind === 'brief.progress' || kind === 'brief.end' || kind === 'brief.lose'
  );
}

/** The next offer of an attempt, as it would be prepared. */
function offerOf(walk: Walk, task: string, attempt: number, more: Partial<BriefOffer>): BriefOffer {
  const offers = [...walk.team.state.briefs.values()].filter(
    ({ sent }) => sent.task === task && sent.attempt === attempt,
  );
  return briefOffer({ task, attempt, offer: offers.length + 1, ...more });
}

/** Each result is another text. */
function textOf(walk: Walk): { readonly text: string } {
  return { text: `result ${walk.given.length}` };
}
