/**
 * `run --id <name>` (spec/team.md §7): the same command line any number of times is one run. Live: refused, naming the
 * holder. Stopped or crashed: gone on with, as it was started. Finished: its end again, no work. None there: started; of
 * two at once one wins, and the other is told who. A team that was put away has given its name free.
 */

import { writtenValue } from '../../config/written.js';
import type { House } from '../../runtime/house.js';
import { fitsTeam, namedTeam } from '../../runtime/named-team.js';
import { prepareRun, type RunOrder } from '../../runtime/plan/prepare-run.js';
import { startTeam } from '../../runtime/start-team.js';
import { UserError } from '../../shared/errors.js';
import type { Call } from '../call.js';
import { writeFindings } from '../refusal.js';
import { takeUp } from './begin-resume.js';
import type { Beginning, Begun } from './drive-team.js';

/** Settings of an order that a record holds one value of each of. */
const COMPARED = [
  'safety',
  'auto-approve',
  'auto-skip-questions',
  'request-timeout',
  'grace',
  'page',
] as const;

export interface NamedBeginning extends Beginning {
  readonly id: string;
  readonly order: RunOrder;
}

/** Begins the team of this name, or goes on with it. */
export async function beginNamed(call: Call, house: House, beginning: NamedBeginning): Promise<Begun> {
  const { id, order, options, stopped } = beginning;
  const named = await namedTeam(house, id);
  if (named.kind === 'there') return goOn(call, house, beginning, named);
  const prepared = await prepareRun(house, order);
  if (prepared.kind === 'refused') return prepared;
  if (stopped.aborted) return { kind: 'cancelled' };
  try {
    return { kind: 'live', house, team: await startTeam(house, prepared.plan, options, id) };
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== 'team-exists') throw error;
    // Another has made it meanwhile, and has let go of it.
    const made = await namedTeam(house, id);
    if (made.kind === 'free') throw error;
    return goOn(call, house, beginning, made);
  }
}

async function goOn(
  { program, layers }: Call,
  house: House,
  { id, order, options, stopped, quiet, attach }: NamedBeginning,
  named: Extract<Awaited<ReturnType<typeof namedTeam>>, { kind: 'there' }>,
): Promise<Begun> {
  const written = new Set(COMPARED.filter((flag) => writtenValue(layers, flag) !== undefined));
  const fits = await fitsTeam(house, id, named, order, written);
  if (fits.kind === 'refused') return fits;
  if (stopped.aborted) return { kind: 'cancelled' };
  if (!quiet) writeFindings(program, fits.said);
  return takeUp(house, id, { ...options, takeOver: false }, attach);
}
