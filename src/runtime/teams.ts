/** Views of teams from their records, whoever runs them: `ps`, `status`, `result`, `transcript` (spec/team.md §7). */

import type { LogEntry } from '../events/log-entry.js';
import type { TranscriptEntry } from '../events/transcript-entry.js';
import { assertNever } from '../shared/assert-never.js';
import { FatalError, UserError } from '../shared/errors.js';
import type { Finding } from '../shared/findings.js';
import type { FoldedLog } from '../state/fold-log.js';
import { isOverLimit, isReplay, resumeHelps } from '../team/end.js';
import { type StatusView, statusView } from '../team/show/status.js';
import type { TeamState } from '../team/show/view.js';
import { emptyState, isOpen } from '../team/state.js';
import { STATUS_DEADLINE_MS } from './control/control-protocol.js';
import type { TeamLook } from './engine/engine.js';
import { engineOf } from './engine/engine-of.js';
import { type Found, findTeam, type TeamPlace, teamIds } from './find-team.js';
import type { House } from './house.js';
import { foreignLog } from './record-owner.js';
import { recordedBriefs } from './recorded-briefs.js';
import { seenAt } from './seen-at.js';

export type { Found } from './find-team.js';

export interface TeamSummary {
  readonly id: string;
  readonly recipe: string;
  readonly phase: string;
  readonly reason: string | null;
  readonly live: boolean;
  readonly members: number;
  readonly open_tasks: number;
  readonly open_requests: number;
  /** Members that wait for their provider, a line each. */
  readonly waiting: readonly string[];
  /** Wall clock, ISO 8601, of the first entry. */
  readonly started: string;
}

export interface LiveStatus extends StatusView {
  /** Whether a process runs it now. */
  readonly live: boolean;
  /** Who holds the lock, for people. */
  readonly holder: string | null;
}

/** Every team of this home, oldest first; a record that cannot be read is listed as `unreadable`. */
export async function listTeams(house: House): Promise<readonly TeamSummary[]> {
  const summaries: TeamSummary[] = [];
  for (const id of await teamIds(house)) {
    const status = await teamStatus(house, id);
    if (status.kind === 'refused') {
      const unreadable = { id, recipe: '', phase: 'unreadable', reason: status.findings[0]?.code ?? null };
      summaries.push({
        ...unreadable,
        live: false,
        members: 0,
        open_tasks: 0,
        open_requests: 0,
        waiting: [],
        started: '',
      });
      continue;
    }
    const { value } = status;
    summaries.push({
      id,
      recipe: value.recipe,
      phase: value.phase,
      reason: value.reason,
      live: value.live,
      members: value.members.filter((member) => member.state !== 'stopped').length,
      open_tasks: value.tasks.filter((task) => !['completed', 'failed', 'cancelled'].includes(task.state))
        .length,
      open_requests: value.requests.length,
      waiting: value.members.flatMap(({ name, wait, detail }) =>
        wait === null || !value.live ? [] : [`${name} waits for ${detail}`],
      ),
      started: value.started,
    });
  }
  return summaries;
}

/**
 * A snapshot of one team: told by the process that runs it, which holds the state; read off the record where nobody runs
 * it, or who does is of another version or does not answer in time. Both say the same.
 */
export async function teamStatus(
  house: House,
  typed: string,
): Promise<Found<LiveStatus & { readonly started: string }>> {
  return withTeam(
    house,
    typed,
    async ({ id, look }) => (await toldStatus(house, look)) ?? readStatus(house, id, look),
  );
}

async function toldStatus(
  { version }: House,
  look: TeamLook,
): Promise<(LiveStatus & { readonly started: string }) | undefined> {
  const holding = await look.holding();
  if (holding.kind === 'free' || holding.verdict !== 'alive') return undefined;
  const reply = await look.ask({ op: 'status', program: version }, STATUS_DEADLINE_MS);
  if (reply?.kind !== 'status') return undefined;
  return { ...reply.view, live: true, holder: holding.text, started: reply.started };
}

async function readStatus(
  house: House,
  id: string,
  look: TeamLook,
): Promise<LiveStatus & { readonly started: string }> {
  const { state, walls } = await foldedOf(id, look);
  const holding = await look.holding();
  const held = holding.kind === 'held';
  const at = held ? seenAt(state, walls, house.clock.wallMs()) : state.at;
  const view = statusView(state, id, at, held ? await look.processes(state, at) : {});
  return {
    ...view,
    waiting: held ? view.waiting : [...view.waiting, ...wayOn(id, state)],
    live: held && holding.verdict === 'alive',
    holder: held ? holding.text : null,
    started: walls?.first ?? '',
  };
}

/** How a team that nobody runs goes on, when it can: the first reason why nothing of it moves (case F131). */
function wayOn(id: string, { phase, tasks, run }: TeamState): string[] {
  const resume = `bnerd team resume ${id} goes on with it`;
  const again = 'it gives recorded answers again, and is played whole: start it again with bnerd team run';
  switch (phase.kind) {
    case 'absent':
    case 'archived':
      return [];
    case 'running':
    case 'finishing':
    case 'stopping':
      return [`no process runs it; ${run !== null && isReplay(run) ? again : resume}`];
    case 'ended':
      if (isOverLimit(phase.reason)) return ['its limit is used up; a resume would meet it again'];
      return resumeHelps(phase.reason, phase.cause, [...tasks.values()].filter(isOpen).length)
        ? [run !== null && isReplay(run) ? again : resume]
        : [];
    default:
      return assertNever(phase, 'phase');
  }
}

/** The result of a team that has one. */
export function teamResult(
  house: House,
  typed: string,
): Promise<Found<{ readonly reason: string | null; readonly result: string | null }>> {
  return withTeam(house, typed, async ({ id, look }) => {
    const { phase } = (await foldedOf(id, look)).state;
    return phase.kind === 'ended'
      ? { reason: phase.reason, result: phase.result }
      : { reason: null, result: null };
  });
}

/** The memory of one member. A bad line in the middle of log or transcript costs that line only, and is reported. */
export function teamTranscript(
  house: House,
  typed: string,
  member: string,
): Promise<Found<{ readonly entries: readonly TranscriptEntry[]; readonly findings: readonly Finding[] }>> {
  return withTeam(house, typed, async ({ id, look }) => {
    const view = look.view('tolerant');
    const log = await view.log();
    // Read off the facts: a log with a hole in it cannot be folded, and what is there is still worth showing.
    const facts = log.entries.flatMap((entry) => entry.facts);
    const names = facts.flatMap((fact) => (fact.type === 'member.spawned' ? [fact.seat.member] : []));
    const members = [...new Set([...names, ...(await view.members())])];
    if (!members.includes(member)) {
      const briefs = recordedBriefs(facts).map(({ sent }) => sent.brief);
      throw new UserError(
        'unknown-member',
        `no member${briefs.length === 0 ? '' : ' and no brief'} of ${id} is named ${member}; members: ${members.join(', ')}` +
          (briefs.length === 0 ? '' : `; briefs: ${briefs.join(', ')}`),
      );
    }
    const memory = await view.transcript(member);
    return { entries: memory.entries, findings: [...log.findings, ...memory.findings] };
  });
}

/** The log of a team as it is on disk. */
export function teamLog(house: House, typed: string): Promise<Found<readonly LogEntry[]>> {
  return withTeam(house, typed, ({ look }) => logOf(look));
}

/** A folder without a log is that of a team whose process died before the first entry: as good as an empty log. */
async function logOf(look: TeamLook): Promise<readonly LogEntry[]> {
  try {
    return (await look.view('strict').log()).entries;
  } catch (error) {
    if (error instanceof UserError && error.code === 'no-team') return [];
    throw error;
  }
}

/** The same of the state that it gives. */
async function foldedOf(id: string, look: TeamLook): Promise<FoldedLog> {
  try {
    const folded = await look.folded();
    const foreign = foreignLog(id, folded.state);
    if (foreign !== undefined) throw foreign;
    return folded;
  } catch (error) {
    if (error instanceof UserError && error.code === 'no-team')
      return { state: emptyState(), walls: undefined };
    throw error;
  }
}

/** Finds a team and looks at it; what its record says against that is a finding. */
export async function withTeam<Value>(
  house: House,
  typed: string,
  look: (team: TeamPlace & { readonly look: TeamLook }) => Promise<Value>,
): Promise<Found<Value>> {
  const found = await findTeam(house, typed);
  if (found.kind === 'refused') return found;
  const { value: place } = found;
  const engine = await engineOf(house);
  try {
    return { kind: 'found', value: await engine.look(place.id, (seen) => look({ ...place, look: seen })) };
  } catch (error) {
    if (!(error instanceof UserError) && !(error instanceof FatalError)) throw error;
    const { code, message } = error;
    const remedy = `run folder: ${found.value.folder}`;
    return {
      kind: 'refused',
      findings: [{ code, severity: 'error', path: found.value.id, message, remedy }],
    };
  }
}
