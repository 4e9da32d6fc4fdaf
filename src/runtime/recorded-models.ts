/**
 * The models of a record, opened anew with the keys and settings of today: the same models, whatever the files say now
 * (spec/team.md §7 "resume"). A key that is not there any more is an error before anything moves.
 */

import type { FactOf } from '../events/event.js';
import type { Seat } from '../events/facts/frozen.js';
import type { ChosenModel, ModelWish } from '../models/choice/choose-model.js';
import { unpricedModels } from '../models/choice/chosen-facts.js';
import { parseModelName } from '../models/choice/model-name.js';
import { type OpenedModels, openModels } from '../models/open-model.js';
import type { Finding } from '../shared/findings.js';
import { oneLine } from '../shared/terminal-text.js';
import type { House } from './house.js';

/** Opens the model of every seat. Findings name the team, for no file is at fault. */
export async function recordedModels(
  house: House,
  team: string,
  run: FactOf<'run.started'>,
): Promise<OpenedModels> {
  const chosen = new Map<string, ChosenModel>();
  const wishes = new Map<string, ModelWish>();
  const findings: Finding[] = [];
  for (const seat of run.seats) {
    const choice = recordedChoice(seat);
    if (choice === undefined) {
      findings.push(unknownRecord(team, seat));
      continue;
    }
    chosen.set(seat.role, choice);
    wishes.set(seat.role, { origin: 'recipe', path: team, text: seat.model, recorded: true });
  }
  const bound = run.limits.cost_usd;
  if (bound !== null) findings.push(...unpricedModels({ chosen, wishes }, house.models, bound));
  if (findings.length > 0) return { kind: 'refused', findings };
  return openModels({ chosen, wishes, settings: house.models, secrets: house.secrets });
}

function recordedChoice(seat: Seat): ChosenModel | undefined {
  const written = parseModelName(seat.model);
  const recorded = written.kind === 'record';
  const name = recorded ? parseModelName(written.inner) : written;
  if (name.kind === 'provider') {
    return { provider: name.provider, name: name.name, id: seat.model, recorded, origin: 'recipe' };
  }
  if (name.kind === 'simulated')
    return { provider: 'simulated', name: 'stand-in', id: 'simulated/stand-in', origin: 'recipe' };
  if (name.kind !== 'script' || seat.model_file === null) return undefined;
  const { path, shown } = seat.model_file;
  return {
    provider: 'script',
    name: name.name,
    id: seat.model,
    recorded,
    file: path,
    shown,
    origin: 'recipe',
  };
}

function unknownRecord(team: string, seat: Seat): Finding {
  if (parseModelName(seat.model).kind === 'replay') {
    const message = `${seat.member} gives recorded answers again (${oneLine(seat.model, 120)}), and a run is played again whole`;
    const remedy = 'start it again with bnerd team run, under another --id where it has one';
    return { code: 'replay', severity: 'error', path: team, message, remedy };
  }
  return {
    code: 'unknown-provider',
    severity: 'error',
    path: team,
    message: `the recorded model "${oneLine(seat.model, 120)}" of ${seat.member} is none that this version can open`,
    remedy: 'resume it with the version of bnerd that started it',
  };
}
