/**
 * Takes a team up again from what is on disk: same id, same texts, same requests (spec/team.md §7 "resume").
 *
 * Roster, prompts, limits, rules and safety are those of the record; files that have changed since are reported and
 * not used. Only the models are opened anew, with the keys of today.
 */

import { FatalError, UserError } from '../shared/errors.js';
import { type Finding, hasErrors } from '../shared/findings.js';
import { exitCode, isResumable } from '../team/end.js';
import { keyChanges, notAccepted } from './accepted-team.js';
import { openDesk } from './briefs/open-desk.js';
import { startControl } from './control/control-server.js';
import { engineOf } from './engine/engine-of.js';
import { findTeam } from './find-team.js';
import type { House } from './house.js';
import { readKeyRing } from './key-ring.js';
import { LiveTeam, type TeamOptions } from './live-team.js';
import type { OpenTeam } from './open-team.js';
import { recordedSeats } from './recorded-seats.js';
import { driftOf } from './resume-drift.js';
import { lostMemories, lostPlaces } from './resume-losses.js';
import { wrapAtResume } from './shell-wrap.js';
import type { Standing } from './standing/standing.js';
import { standingOf } from './standing/standing-of.js';
import { sharedParts } from './team-parts.js';
import { withTrustFindings } from './trust-findings.js';
import { turnSeats } from './turns/turn-seats.js';
import { localWorkspace } from './workers/local-workspace.js';
import { workspaceFiles } from './workspace-files.js';

export type Resumed =
  | { readonly kind: 'live'; readonly team: LiveTeam }
  | {
      readonly kind: 'finished';
      readonly id: string;
      readonly reason: string;
      readonly exit: number;
      readonly result: string | null;
    }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

export interface ResumeOptions extends TeamOptions {
  /** The operator's word on what cannot be known from here: that its holder is gone, that its record was lost. */
  readonly takeOver: boolean;
  /** What its server had lost, when this process has made it whole just now; else absent. */
  readonly loss?: readonly Finding[];
}

/** Resumes the team that an id or prefix names. */
export async function resumeTeam(house: House, typed: string, options: ResumeOptions): Promise<Resumed> {
  const found = await findTeam(house, typed);
  if (found.kind === 'refused') return found;
  const { id } = found.value;
  try {
    return await takeUp(house, id, options);
  } catch (error) {
    if (!(error instanceof UserError) && !(error instanceof FatalError)) throw error;
    return error.code === 'no-team' ? neverStarted(id) : refused(id, error.code, error.message);
  }
}

async function takeUp(house: House, id: string, options: ResumeOptions): Promise<Resumed> {
  const opened = await (await engineOf(house)).open(id, 'open', options.takeOver);
  if (opened.kind === 'held') return { kind: 'refused', findings: [opened.finding] };
  const { team } = opened;
  try {
    const resumed = await begin(house, team, options);
    if (resumed.kind !== 'live') await team.releases.run();
    return resumed;
  } catch (error) {
    await team.releases.run();
    throw error;
  }
}

async function begin(house: House, team: OpenTeam, options: ResumeOptions): Promise<Resumed> {
  const { phase, run } = team.store.state;
  if (run === null) return neverStarted(team.id);
  if (phase.kind === 'archived') return refused(team.id, 'archived', 'the team is archived');
  if (phase.kind === 'ended' && !isResumable(phase.reason, phase.cause)) {
    return {
      kind: 'finished',
      id: team.id,
      reason: phase.reason,
      exit: exitCode(phase.reason),
      result: phase.result,
    };
  }
  const ring = team.shared === undefined || house.redis === null ? undefined : await readKeyRing(house);
  const stranger = ring && house.redis && notAccepted(run, ring, house.redis.signed);
  if (stranger !== undefined && stranger !== null)
    return refused(team.id, 'not-accepted', `the team is not taken up here: ${stranger}`);
  const local = localWorkspace(house, team.id, run, team.store.state.workspace);
  // What is on another machine, or is made here when it is needed, is looked for by whoever takes a turn with it.
  const places = local === null || local.isOwn ? await lostPlaces(run) : [];
  const losses = [...(await lostMemories(team)), ...places];
  if (losses.length > 0) return { kind: 'refused', findings: losses };
  const tasks = [...team.store.state.tasks.values()];
  const seats = await recordedSeats(house, team, run, tasks);
  if (seats.kind === 'refused') return seats;
  const drift = await driftOf(house, run, tasks);
  const standing = standingOf(house, team, run, seats.broken);
  const unknown = await standing.unknown();
  if (unknown.length > 0) return { kind: 'refused', findings: unknown };
  const wrap = await wrapAtResume(house, run);
  if (hasErrors(wrap.findings)) return { kind: 'refused', findings: wrap.findings };
  const { loss = [] } = options;
  const said = [...loss, ...team.findings, ...seats.findings, ...drift.findings, ...wrap.findings];
  const findings = house.secrets.shown(await withTrustFindings(house, said));
  const briefs = await openDesk(house, team, run, 'real');
  const path = local?.path ?? run.workspace.path;
  const here = { ...run, workspace: { ...run.workspace, path } };
  const live = new LiveTeam(
    {
      id: team.id,
      folder: team.folder,
      host: house.hostname,
      workspace: path,
      operator: house.user,
      concurrency: run.limits.concurrency,
      clock: house.clock,
      secrets: house.secrets,
      gates: house.gates,
      store: team.store,
      record: team.record,
      groups: team.groups,
      seats: await turnSeats(house, team, here, seats, briefs),
      inputTexts: seats.inputTexts,
      standing,
      releases: team.releases,
      lost: team.lock.lost,
      ...sharedParts(team),
      briefs,
      fileBytes: workspaceFiles(path, briefs?.git ?? null),
    },
    options,
  );
  const outcome = await team.store.send(`resume/${team.store.state.next}`, {
    kind: 'run.resume',
    host: house.hostname,
    ...(loss.length > 0 ? {} : await goingOn(team)),
    disabled: drift.disabled,
    ...(ring === undefined ? {} : keyChanges(team.store.state, ring)),
    findings,
  });
  if (outcome.kind === 'refused') return refused(team.id, outcome.code, outcome.message);
  if (team.shared === undefined) await startControl(house, team, live);
  else await team.shared.serve(run.limits.concurrency, run.grace_ms, (text) => live.note(text));
  await stopFallen(team, standing);
  await briefs?.takeUp();
  live.go();
  return { kind: 'live', team: live };
}

/** Turns that other processes run. What a server has lost of its record ends them all: nobody knows what took effect. */
async function goingOn({ shared }: OpenTeam): Promise<{ kept?: readonly number[]; asOf?: number }> {
  if (shared === undefined || shared.loss.length > 0) return {};
  const { turns, asOf } = await shared.heldTurns();
  return { kept: turns, asOf };
}

/** Whoever may not go on stops before anything moves, the lead first: with it nobody else has to. */
async function stopFallen({ store }: OpenTeam, standing: Standing): Promise<void> {
  const { lead, members } = store.state;
  const others = [...members.keys()].filter((name) => name !== lead);
  for (const name of [lead, ...others]) {
    if (store.state.phase.kind === 'ended') return;
    await standing.holds(name);
  }
}

function refused(id: string, code: string, message: string): Extract<Resumed, { kind: 'refused' }> {
  const remedy = `look at it with bnerd team status ${id} and bnerd team verify ${id}`;
  return { kind: 'refused', findings: [{ code, severity: 'error', path: id, message, remedy }] };
}

/** A folder whose process died before the first entry was on disk: of a team in the making there is nothing. */
function neverStarted(id: string): Extract<Resumed, { kind: 'refused' }> {
  const message =
    'nothing is recorded of it: its process ended while the team was being made, before there was a member or a task';
  const remedy = `start it again with bnerd team run; bnerd team cleanup ${id} puts the empty folder away`;
  return {
    kind: 'refused',
    findings: [{ code: 'never-started', severity: 'error', path: id, message, remedy }],
  };
}
