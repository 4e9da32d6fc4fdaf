/**
 * What is denied to a member, as it rides the briefs that the member sends (case E106): the run's rules, which are those of
 * the operator's settings and of the recipe, and the patterns of its role.
 *
 * A rule that asks rides too, and refuses: an engineer works alone. One about everything does not, since it is asked of the
 * very call that delegates. What a role leaves out of a member's tools is about that member alone: to delegate is how it
 * gets done what it cannot do itself.
 */

import type { DeniedRule } from '../../delegate/brief/brief.js';
import { mattersOf } from '../../delegate/engineers/rules.js';
import type { FactOf } from '../../events/event.js';
import type { PermissionRule } from '../../events/facts/frozen.js';

/** The rules in the order in which they are written, each once; only those about what an engineer has. */
export function deniedRules(
  {
    permissions,
    seats,
  }: Pick<FactOf<'run.started'>, 'permissions'> & {
    readonly seats: readonly Pick<FactOf<'run.started'>['seats'][number], 'member' | 'patterns'>[];
  },
  member: string,
): readonly DeniedRule[] {
  const patterns = seats.find((seat) => seat.member === member)?.patterns ?? [];
  const all = [
    ...permissions.flatMap((rule) => denied(rule, 'rule')),
    ...patterns.flatMap((rule) => denied(rule, 'pattern')),
  ];
  const seen = new Set<string>();
  return all.filter((rule) => {
    const text = JSON.stringify(rule);
    return !seen.has(text) && seen.add(text) !== undefined;
  });
}

function denied({ tool, match, decision, origin }: PermissionRule, form: DeniedRule['form']): DeniedRule[] {
  if (decision === 'allow') return [];
  if (decision === 'ask' && tool === '*' && match === null) return [];
  const rule = { tool, match, form, decision, origin };
  return mattersOf(rule).length === 0 ? [] : [rule];
}
