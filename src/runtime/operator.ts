/**
 * The operator's words for a team that another process runs (through its control socket) or nobody runs (take the
 * lock, record, release): `team answer`, `team send`, `team stop` (spec/team.md §7, engine.md §1).
 */

import { describeHolder } from '../events/lock.js';
import { errorText, FatalError, UserError } from '../shared/errors.js';
import type { Finding } from '../shared/findings.js';
import { ulid } from '../shared/ids.js';
import { redactionNote } from '../shared/secrets/redactor.js';
import type { Outcome, TeamStore } from '../state/team-store.js';
import { isReplay, isResumable } from '../team/end.js';
import type { TeamState } from '../team/show/view.js';
import { workspaceGit } from './briefs/open-desk.js';
import { askLiveTeam } from './control/control-client.js';
import type { ControlRequest } from './control/control-protocol.js';
import { endHolder, letGo } from './end-holder.js';
import { findTeam } from './find-team.js';
import type { House } from './house.js';
import { heldFinding, type OpenTeam, openTeam } from './open-team.js';
import { answerCommand, BY_OPERATOR, readAnswer } from './operator-words.js';
import { isHeld, lockOf } from './team-holder.js';
import { closeOpenCalls } from './turns/close-calls.js';
import { missingOfGate, workspaceFiles } from './workspace-files.js';

export type Operated =
  | { readonly kind: 'done'; readonly text: string; readonly live: boolean }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** Decides a request: `yes`, `no`, or the answer to a question. */
export function answerRequest(house: House, team: string, request: string, text: string): Promise<Operated> {
  return operate(house, team, { op: 'answer', request, text }, async (opened) => {
    const { store } = opened;
    const { run, requests } = store.state;
    const missing =
      run === null
        ? []
        : await missingOfGate(
            store.state,
            request,
            workspaceFiles(run, (await workspaceGit(house, opened, run)).git),
          );
    const words = readAnswer(requests.get(request), text);
    const answer = answerCommand(store.state, request, words, house.user, missing);
    return answer.kind === 'refused' ? answer : store.send(commandId(house), answer.command);
  });
}

/** Sends a message to a member or the lead; on a team that nobody runs it waits for the resume. */
export function sendToTeam(house: House, team: string, to: string, text: string): Promise<Operated> {
  return operate(house, team, { op: 'send', to, text }, ({ store }) =>
    store.send(commandId(house), {
      kind: 'mail.send',
      by: { kind: 'operator', name: house.user },
      to,
      body: text,
      task: null,
    }),
  );
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
  const alone = (stopped: OpenTeam): Promise<Outcome> =>
    member === null ? stopAlone(house, stopped.store) : stopMemberAlone(house, stopped, member);
  const whole = member === null && force;
  const operated = await operate(house, team, request, alone, whole ? FORCE_DEADLINE_MS : undefined);
  return whole ? forcedEnd(house, team, operated, alone) : operated;
}

/** How long a process is asked to end a team by force before it is killed, in milliseconds. */
const FORCE_DEADLINE_MS = 3_000;

/** How long one that has taken the word may need to let the team go, in milliseconds. */
const LET_GO_MS = 10_000;

/** Sees the team ended, whatever its process has answered. */
async function forcedEnd(
  house: House,
  typed: string,
  operated: Operated,
  alone: (team: OpenTeam) => Promise<Outcome>,
): Promise<Operated> {
  const unheard = operated.kind === 'refused' && operated.findings.some(({ code }) => code === 'unreachable');
  if (operated.kind === 'refused' ? !unheard : !operated.live) return operated;
  const found = await findTeam(house, typed);
  if (found.kind === 'refused') return operated; // It was put away meanwhile.
  const { id, folder } = found.value;
  const holder = unheard ? await letGo(folder, 0) : await letGo(folder, LET_GO_MS);
  if (holder === undefined) return unheard ? operateAlone(house, id, folder, alone) : operated;
  const left = await endHolder(folder);
  if (left !== undefined)
    return { kind: 'refused', findings: [heldFinding(id, describeHolder(left), 'alive')] };
  const ended = await operateAlone(house, id, folder, alone);
  if (ended.kind === 'refused') return ended;
  return { ...ended, text: `its process (pid ${holder.pid}) did not let go and was killed; ${ended.text}` };
}

/** Nobody runs it, so no turn is live whatever the record last said: the end can be written at once. */
async function stopAlone(house: House, store: TeamStore): Promise<Outcome> {
  const nothing: Outcome = { kind: 'accepted', facts: [], first: null };
  if (store.state.phase.kind === 'ended') return nothing;
  const stopped = await store.send(commandId(house), { kind: 'run.stop', by: house.user, cause: 'stop' });
  if (stopped.kind === 'refused') return stopped;
  await store.send(commandId(house), { kind: 'run.kill', by: house.user });
  for (;;) {
    // What is overdue is said first, one sweep a kind; the end comes with the last.
    const swept = await store.send(commandId(house), {
      kind: 'run.sweep',
      operatorPresent: false,
      missingArtifacts: [], // It is being stopped: it does not end well.
    });
    if (swept.kind === 'refused' || swept.facts.length === 0) return swept;
    if (swept.facts.some((fact) => fact.type === 'run.ended')) return swept;
  }
}

/** Nobody runs it: whoever is to stop, by this word or by one that was left behind between its two steps, has stopped. */
async function stopMemberAlone(house: House, { store, record }: OpenTeam, member: string): Promise<Outcome> {
  const by = { kind: 'operator' as const, name: house.user };
  let outcome = await store.send(commandId(house), { kind: 'member.stop', by, member, reason: BY_OPERATOR });
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
  alone: (team: OpenTeam) => Promise<Outcome>,
  deadlineMs?: number,
): Promise<Operated> {
  const operated = await operateOn(house, typed, house.secrets.value(request), alone, deadlineMs);
  if (operated.kind === 'refused') return operated;
  return { ...operated, text: `${operated.text}${redactionNote(house.secrets, request)}` };
}

async function operateOn(
  house: House,
  typed: string,
  request: ControlRequest,
  alone: (team: OpenTeam) => Promise<Outcome>,
  deadlineMs: number | undefined,
): Promise<Operated> {
  const found = await findTeam(house, typed);
  if (found.kind === 'refused') return found;
  const { id, folder } = found.value;
  const lock = await lockOf(folder);
  if (isHeld(lock)) {
    const { holder, verdict } = lock;
    if (verdict === 'alive' && holder.socket === undefined && deadlineMs !== undefined) {
      return refused(id, { code: 'unreachable', message: 'it does not listen yet' });
    }
    if (verdict === 'unknown' || holder.socket === undefined) {
      return { kind: 'refused', findings: [heldFinding(id, describeHolder(holder), verdict)] };
    }
    const reply = await askLiveTeam(holder.socket, request, deadlineMs);
    if (reply.kind === 'accepted') return { kind: 'done', text: reply.text, live: true };
    // A team that ended between the look at its lock and the call is one that nobody runs.
    if (reply.kind !== 'refused')
      return refused(id, { code: 'failed', message: 'it answered another question' });
    if (reply.code !== 'unreachable' || isHeld(await lockOf(folder))) return refused(id, reply);
  }
  return operateAlone(house, id, folder, alone);
}

async function operateAlone(
  house: House,
  id: string,
  folder: string,
  act: (team: OpenTeam) => Promise<Outcome>,
): Promise<Operated> {
  try {
    const opened = await openTeam(house, id, folder, 'open');
    if (opened.kind === 'held') return { kind: 'refused', findings: [opened.finding] };
    const { team } = opened;
    try {
      const outcome = await act(team);
      if (outcome.kind === 'refused') return refused(id, outcome);
      return { kind: 'done', text: recordedText(id, outcome, team.store.state), live: false };
    } finally {
      await team.releases.run();
    }
  } catch (error) {
    if (error instanceof UserError || error instanceof FatalError) {
      return refused(id, { code: error.code, message: errorText(error) });
    }
    throw error;
  }
}

function recordedText(
  id: string,
  outcome: Extract<Outcome, { kind: 'accepted' }>,
  { phase, run }: TeamState,
): string {
  if (phase.kind === 'ended' && !isResumable(phase.reason, phase.cause)) {
    return `the run has ended: ${phase.reason}; nothing was changed`;
  }
  const what = outcome.facts.length === 0 ? 'nothing had to be changed' : 'recorded';
  if (run !== null && isReplay(run))
    return `${what}; a run that gives recorded answers again is not taken up`;
  return `${what}; go on with: bnerd team resume ${id}`;
}

function refused(id: string, why: { readonly code: string; readonly message: string }): Operated {
  const finding: Finding = {
    code: why.code.replaceAll('_', '-'),
    severity: 'error',
    path: id,
    message: why.message,
    remedy:
      why.code === 'unreachable'
        ? `look at it with bnerd team status ${id}; bnerd team stop ${id} --force ends that process`
        : `look at it with bnerd team status ${id}`,
  };
  return { kind: 'refused', findings: [finding] };
}

function commandId(house: House): string {
  return `operator/${ulid(house.clock.wallMs())}`;
}
