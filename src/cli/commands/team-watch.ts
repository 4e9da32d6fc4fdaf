/** `bnerd team watch`. */

import { engineOf } from '../../runtime/engine/engine-of.js';
import { findTeam } from '../../runtime/find-team.js';
import { CancelledError, FatalError } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import { houseOf } from '../build-house.js';
import { argument, type Call, flagText, isGiven } from '../call.js';
import { interruptible } from '../interruptible.js';
import { watchTeam } from '../live/watch-team.js';
import { refuse } from '../refusal.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const from = fromOf(flagText(call, 'from'));
  if (typeof from === 'object') return refuse(program, [from]);
  const house = await houseOf(call, 'records');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const found = await findTeam(house.value, argument(call, 'id'));
  if (found.kind === 'refused') return refuse(program, found.findings);
  const { id } = found.value;
  const engine = await engineOf(house.value);
  return interruptible(program, async (signal) => {
    try {
      const json = isGiven(call, 'json');
      return await engine.look(id, (look) => watchTeam(program, { id, look, from, json }, signal));
    } catch (error) {
      if (error instanceof CancelledError) return 1; // The signal's own exit code takes its place.
      if (!(error instanceof FatalError)) throw error;
      const { code, message } = error;
      const remedy = `look at it with bnerd team verify ${id}`;
      return refuse(program, [{ code, severity: 'error', path: id, message, remedy }], 'text', 1);
    }
  });
}

/** Where to begin: a number of a fact, or behind everything that is there. */
function fromOf(text: string | null): number | 'now' | Finding {
  if (text === null) return 1;
  if (text === 'now') return 'now';
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number > 0) return number;
  return {
    code: 'bad-value',
    severity: 'error',
    path: '--from',
    message: `found "${text}"; allowed: a whole number from 1, or now`,
    remedy: 'write the number of an event (its field n), or now',
  };
}
