/** Teams that have ended long ago, put away one after the other (spec/engine.md §3 `prune`). The same on both engines. */

import type { LogEntry } from '../events/log-entry.js';
import { FatalError, UserError } from '../shared/errors.js';
import type { Finding } from '../shared/findings.js';
import { fold } from '../state/team-store.js';
import { wallsOf } from '../state/walls.js';
import type { TeamLook } from './engine/engine.js';
import { engineOf } from './engine/engine-of.js';
import type { House } from './house.js';

export interface OldTeam {
  readonly id: string;
  /** How the run ended. */
  readonly reason: string;
  /** Wall clock, ISO 8601, of the newest entry. */
  readonly ended: string;
}

export interface OldTeams {
  /** Oldest first. */
  readonly teams: readonly OldTeam[];
  /** Of teams whose record cannot be read: nobody knows whether they have ended. */
  readonly findings: readonly Finding[];
}

export interface Pruned {
  readonly away: readonly (OldTeam & { readonly text: string })[];
  readonly findings: readonly Finding[];
}

/**
 * The teams that have ended, and of which nothing was recorded for so long. One that may still go on, or that somebody
 * runs, is none of them, however old it is.
 */
export async function oldTeams(house: House, olderThanMs: number): Promise<OldTeams> {
  const engine = await engineOf(house);
  const before = house.clock.wallMs() - olderThanMs;
  const teams: OldTeam[] = [];
  const findings: Finding[] = [];
  for (const id of await engine.ids()) {
    try {
      const team = await engine.look(id, (look) => endOf(id, look));
      if (team !== undefined && Date.parse(team.ended) <= before) teams.push(team);
    } catch (error) {
      if (!(error instanceof UserError) && !(error instanceof FatalError)) throw error;
      if (error.code === 'no-team') continue; // It never started, or was put away meanwhile.
      const { code, message } = error;
      const remedy = `look at it with bnerd team verify ${id}; bnerd team cleanup ${id} puts it away as it is`;
      findings.push({ code, severity: 'warning', path: id, message, remedy });
    }
  }
  for (const { id, entries } of await engine.mirrored()) {
    const team = endIn(id, entries);
    if (team !== undefined && Date.parse(team.ended) <= before) teams.push(team);
  }
  teams.sort((one, other) => Date.parse(one.ended) - Date.parse(other.ended));
  return { teams, findings };
}

/** Archives them; one that cannot be put away costs the others nothing, and is told. */
export async function pruneTeams(house: House, teams: readonly OldTeam[]): Promise<Pruned> {
  const engine = await engineOf(house);
  const away: (OldTeam & { text: string })[] = [];
  const findings: Finding[] = [];
  for (const team of teams) {
    const outcome = await engine.putAway(team.id, { purge: false });
    if (outcome.kind === 'done') away.push({ ...team, text: outcome.text });
    else findings.push(...outcome.findings);
  }
  await engine.clear();
  return { away, findings };
}

async function endOf(id: string, look: TeamLook): Promise<OldTeam | undefined> {
  const { entries } = await look.view('strict').log();
  return (await look.holding()).kind === 'held' ? undefined : endIn(id, entries);
}

function endIn(id: string, entries: readonly LogEntry[]): OldTeam | undefined {
  const { phase } = fold(entries);
  const walls = wallsOf(entries);
  if (walls === undefined) return undefined;
  switch (phase.kind) {
    case 'ended':
      return { id, reason: phase.reason, ended: walls.newest };
    case 'archived': // Whoever put it away died over it.
      return { id, reason: 'archived', ended: walls.newest };
    default:
      return undefined;
  }
}
