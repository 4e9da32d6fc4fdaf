/** What a turn of each seat needs: its model, its prompt, its tools, bound to the places of the run. */

import type { FactOf } from '../events/event.js';
import type { Seat } from '../events/facts/frozen.js';
import type { Model, PromptPart } from '../models/model.js';
import { BugError } from '../shared/errors.js';
import { workTools } from '../tools/catalogue.js';
import type { House } from './house.js';
import { seatTools } from './member-tools.js';
import { type OpenTeam, teamMarker } from './open-team.js';
import type { TurnSeat } from './turn-runner.js';

/** Every seat of the roster, on-demand ones included, ready for turns. */
export function turnSeats(
  house: House,
  team: OpenTeam,
  started: FactOf<'run.started'>,
  prompts: ReadonlyMap<string, readonly PromptPart[]>,
  models: ReadonlyMap<string, Model>,
): ReadonlyMap<string, TurnSeat> {
  return new Map(
    started.seats.map((seat) => [seat.member, turnSeat(house, team, started, seat, prompts, models)]),
  );
}

function turnSeat(
  house: House,
  team: OpenTeam,
  started: FactOf<'run.started'>,
  seat: Seat,
  prompts: ReadonlyMap<string, readonly PromptPart[]>,
  models: ReadonlyMap<string, Model>,
): TurnSeat {
  const model = models.get(seat.role);
  const system = prompts.get(seat.member);
  if (model === undefined || system === undefined) {
    throw new BugError('no-seat', `no model or prompt was prepared for ${seat.member}`);
  }
  const work = workTools({
    roots: { workspace: started.workspace.path, reads: started.reads },
    editsAgents: started.edits_agents,
    groups: team.groups,
    environment: { ...house.toolEnvironment, ...markers(team.id, seat.member) },
    member: seat.member,
    graceMs: started.grace_ms,
  });
  return { model, system, tools: seatTools(seat, (name) => work.get(name)) };
}

function markers(team: string, member: string): Record<string, string> {
  const [name = '', value = ''] = teamMarker(team).split('=');
  return { [name]: value, BNERD_MEMBER: member };
}
