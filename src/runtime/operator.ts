/**
 * The operator's words for a team that other processes run (told to them, or recorded beside them) or nobody runs (taken,
 * recorded, released): `team answer`, `team send`, `team stop` (spec/team.md §7, engine.md §1).
 */

import type { Fact } from '../events/event.js';
import { ulid } from '../shared/ids.js';
import { redactionNote } from '../shared/secrets/redactor.js';
import type { Outcome, TeamStore } from '../state/team-store.js';
import type { Command } from '../team/command.js';
import { sentText } from '../team/decide/mail.js';
import { stopText } from '../team/decide/stop.js';
import { adoptAlone } from './adopt-brief.js';
import type { ControlRequest } from './control/control-protocol.js';
import type { Operated, Told, Word } from './engine/engine.js';
import { engineOf } from './engine/engine-of.js';
import { findTeam } from './find-team.js';
import type { House } from './house.js';
import { missingOfRequest } from './missing-of-request.js';
import type { OpenTeam } from './open-team.js';
import { answerCommand, BY_OPERATOR, readAnswer } from './operator-words.js';
import { closeOpenCalls } from './turns/close-calls.js';

export type { Operated } from './engine/engine.js';

import { stopAlone } from './stop-alone.js';

/** Decides a request: `yes`, `no`, or the answer to a question. */
export function answerRequest(house: House, team: string, request: string, text: string): Promise<Operated> {
  return operate(house, team, { op: 'answer', request, text }, async (opened) => {
    const { store } = opened;
    const missing = await missingOfRequest(house, opened, request);
    const words = readAnswer(store.state.requests.get(request), text);
    const answer = answerCommand(store.state, request, words, house.user, missing);
    if (answer.kind === 'refused') return answer;
    return told(await store.send(commandId(house), answer.command), () => `${request}: ${answer.word}`);
  });
}

/** Has the late result of a brief count that was lost. @param brief its id, whole or without the team */
export function adoptBrief(house: House, team: string, brief: string): Promise<Operated> {
  return operate(house, team, { op: 'adopt', brief }, async (opened) =>
    told(
      await adoptAlone(house, opened, brief, (command) => opened.store.send(commandId(house), command)),
      () => `the late result of ${brief} is adopted`,
    ),
  );
}

/** Sends a message to a member or the lead; on a team that nobody runs it waits for the resume. */
export function sendToTeam(house: House, team: string, to: string, text: string): Promise<Operated> {
  return operate(house, team, { op: 'send', to, text }, async ({ store }) => {
    const by = { kind: 'operator' as const, name: house.user };
    const sent = await store.send(commandId(house), { kind: 'mail.send', by, to, body: text, task: null });
    return told(sent, (facts) => sentText(store.state, facts));
  });
}

/**
 * Stops a team, or one member of it. A team that nobody runs is recorded as cancelled. Stopping twice is fine. By force a
 * team always ends: a process that does not let go of it is killed, and what it had started is ended (case B26).
 */
export async function stopTeam(
  house: House,
  team: string,
  member: string | null,
  force: boolean,
): Promise<Operated> {
  const request = { op: 'stop', member, force } as const;
  if (member === null) {
    const alone: Word['alone'] = async ({ store }) => told(await stopAlone(house, store), () => STOPPED);
    const beside: Word['beside'] = ({ store }) => stopBeside(house, store, force);
    return operate(house, team, request, alone, beside, force ? 'by force' : 'once');
  }
  const text = (facts: readonly Fact[]): string => stopText(member, facts);
  const alone: Word['alone'] = async (stopped) => told(await stopMemberAlone(house, stopped, member), text);
  const beside: Word['beside'] = async ({ store }) =>
    told(await store.send(commandId(house), memberStop(house, member, force)), text);
  return operate(house, team, request, alone, beside);
}

const STOPPED = 'the team is stopped';

function memberStop(
  house: House,
  member: string,
  forced: boolean,
): Extract<Command, { kind: 'member.stop' }> {
  const by = { kind: 'operator' as const, name: house.user };
  return { kind: 'member.stop', by, member, reason: BY_OPERATOR, forced };
}

/** Whoever runs its turns hears of it and gives them their grace, or none. */
async function stopBeside(house: House, store: TeamStore, force: boolean): Promise<Told> {
  const by = house.user;
  const stopped = await store.send(commandId(house), { kind: 'run.stop', by, cause: 'stop' });
  if (stopped.kind === 'refused' || !force) return told(stopped, () => 'the team is stopping');
  const killed = await store.send(commandId(house), { kind: 'run.kill', by });
  return told(killed, () => 'the team is being killed');
}

/** Nobody runs it: whoever is to stop, by this word or by one that was left behind between its two steps, has stopped. */
async function stopMemberAlone(house: House, { store, record }: OpenTeam, member: string): Promise<Outcome> {
  let outcome = await store.send(commandId(house), memberStop(house, member, false));
  if (outcome.kind === 'refused') return outcome;
  for (const { name, stopping } of [...store.state.members.values()]) {
    if (stopping === null) continue;
    outcome = await store.send(commandId(house), { kind: 'member.unheeded', member: name, step: 'gone' });
  }
  for (const { name, life } of store.state.members.values())
    if (life.kind === 'stopped') await closeOpenCalls(record.transcripts, name);
  return outcome;
}

async function operate(
  house: House,
  typed: string,
  request: ControlRequest,
  alone: Word['alone'],
  beside: Word['beside'] = alone,
  how: 'once' | 'by force' = 'once',
): Promise<Operated> {
  const found = await findTeam(house, typed);
  if (found.kind === 'refused') return found;
  const { id } = found.value;
  const engine = await engineOf(house);
  const word: Word = { request: house.secrets.value(request), alone, beside };
  const operated = how === 'once' ? await engine.say(id, word) : await engine.sayByForce(id, word);
  if (operated.kind === 'refused') return operated;
  return { ...operated, text: `${operated.text}${redactionNote(house.secrets, request)}` };
}

/** @param text what the operator is told when it was accepted */
function told(outcome: Outcome, text: (facts: readonly Fact[]) => string): Told {
  return outcome.kind === 'refused' ? outcome : { ...outcome, text: text(outcome.facts) };
}

function commandId(house: House): string {
  return `operator/${ulid(house.clock.wallMs())}`;
}
