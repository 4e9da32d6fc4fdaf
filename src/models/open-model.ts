/**
 * Opens the models that were chosen. Each provider's code is imported only when a role speaks with it, so that a
 * command which asks no model loads none.
 */

import { type Finding, hasErrors } from '../shared/findings.js';
import type { ChosenModel } from './choose-model.js';
import type { Model } from './model.js';

export type OpenedModels =
  | {
      readonly kind: 'opened';
      readonly byRole: ReadonlyMap<string, Model>;
      readonly findings: readonly Finding[];
    }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/**
 * Opens one model per choice, and the same one for roles that chose the same. Scripts are read and checked
 * against the team: a script that cannot come out right is refused here, before anything is created.
 * @param chosen the choice of every role of the team
 */
export async function openModels(chosen: ReadonlyMap<string, ChosenModel>): Promise<OpenedModels> {
  const byRole = new Map<string, Model>();
  const findings: Finding[] = [];
  const team = [...chosen.keys()];
  for (const { choice, roles } of grouped(chosen)) {
    if (choice.provider !== 'script') continue;
    const { openScript } = await import('./script/open-script.js');
    const opened = await openScript(choice, { roles: team, played: roles });
    findings.push(...opened.findings);
    for (const role of roles) if (opened.model !== null) byRole.set(role, opened.model);
  }
  return hasErrors(findings) ? { kind: 'refused', findings } : { kind: 'opened', byRole, findings };
}

interface Group {
  readonly choice: ChosenModel;
  readonly roles: string[];
}

/** One group per model, with the roles that chose it. */
function grouped(chosen: ReadonlyMap<string, ChosenModel>): Group[] {
  const groups = new Map<string, Group>();
  for (const [role, choice] of chosen) {
    const group = groups.get(choice.id);
    if (group === undefined) groups.set(choice.id, { choice, roles: [role] });
    else group.roles.push(role);
  }
  return [...groups.values()];
}
