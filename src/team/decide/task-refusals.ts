/** Refusals that several commands about tasks share. */

import { nameRemedy } from '../../shared/did-you-mean.js';
import { type Refusal, refused } from '../decision.js';
import type { TeamState } from '../state.js';

/** `unknown_task` with what exists. */
export function unknownTask(state: TeamState, id: string): Refusal {
  const known = [...state.tasks.keys()];
  const list = known.length === 0 ? 'the board is empty' : `the board has ${known.join(', ')}`;
  return refused('unknown_task', `no task ${id}; ${list}`);
}

/** A role that no seat of the team has. */
export function unknownRole(role: string, { run }: TeamState): Refusal {
  const roles = run?.seats.map((seat) => seat.role) ?? [];
  return refused('unknown_role', `no role ${role} in this team; ${nameRemedy(role, roles)}`);
}

/** A task that is done and judged by the one member of a role could never be completed. */
export function gateByOwner(id: string, role: string): Refusal {
  return refused(
    'gate_by_owner',
    `${id} is to be done and judged by ${role}: nobody's verdict on their own work counts; name another role`,
  );
}
