/**
 * What the calls of a team would meet: the policy, asked for every tool, class, safety mode and `--auto-approve`
 * (spec/team.md §3, `describe --policy`). Every cell is an answer of the function that decides calls; rules, which
 * depend on what a call is about, are listed beside it.
 */

import { AUTO_APPROVE, SAFETY_MODES } from '../config/run-config.js';
import type { PermissionRule, Safety } from '../events/facts/frozen.js';
import { hasErrors } from '../shared/findings.js';
import { admits, type PolicyQuestion, type PolicyVerdict, policy } from '../team/policy.js';
import { WORK_TOOLS } from '../tools/catalogue.js';
import type { Found } from './find-team.js';
import type { House } from './house.js';
import { roleTools } from './plan/role-tools.js';
import { permissionRules } from './plan/run-rules.js';
import { seatTeam } from './plan/seat-team.js';

type Class = PolicyQuestion['class'];

/** The answers for calls of one class, by `--auto-approve`; tools with the same answers share a row. */
export interface PolicyRow {
  readonly class: Class;
  readonly tools: readonly string[];
  readonly never: PolicyVerdict['kind'];
  readonly safe: PolicyVerdict['kind'];
  readonly all: PolicyVerdict['kind'];
}

export interface PolicyTable {
  readonly safety: Safety;
  /** For a member in plan mode whose plan is not approved. */
  readonly planPending: boolean;
  readonly rows: readonly PolicyRow[];
}

export interface DescribedPolicy {
  readonly slug: string;
  /** The mode that a run would have. */
  readonly safety: Safety;
  /** One for each mode that a run may have, the loosest last; then one for plan mode where the recipe has it. */
  readonly tables: readonly PolicyTable[];
  readonly rules: readonly PermissionRule[];
  /** Writes into agent folders are possible, and the operator's to confirm whatever rules say. */
  readonly editsAgents: boolean;
  readonly members: readonly {
    readonly name: string;
    /** The work tools it would have in that mode. */
    readonly tools: readonly string[];
    readonly patterns: readonly PermissionRule[];
  }[];
}

/** Describes the policy of one recipe; nothing is run. @param wish of `--safety`, never looser than the floor */
export async function describePolicy(
  house: House,
  slug: string,
  wish: Safety | null,
): Promise<Found<DescribedPolicy>> {
  const team = await seatTeam(house, { slug, variables: null, safety: wish });
  if (team.kind === 'refused' || hasErrors(team.findings))
    return { kind: 'refused', findings: team.findings };
  const { recipe, roster, safety } = team;
  const modes = SAFETY_MODES.slice(0, SAFETY_MODES.indexOf(safety) + 1);
  const members = roster.members.map((member) => {
    const { tools, patterns } = roleTools(member, safety);
    const work = tools.filter((tool) => WORK_TOOLS.some(({ name }) => name === tool.name));
    return { name: member.name, tools: work.map(({ name }) => name), patterns };
  });
  const tables = modes.map((mode) => tableOf(mode, false));
  return {
    kind: 'found',
    value: {
      slug: recipe.slug,
      safety,
      tables: roster.members.some(({ planMode }) => planMode) ? [...tables, tableOf(safety, true)] : tables,
      rules: permissionRules(house, recipe),
      editsAgents: recipe.editsAgents,
      members,
    },
  };
}

const CLASSES: readonly Class[] = ['read', 'write', 'destructive'];

function tableOf(safety: Safety, planPending: boolean): PolicyTable {
  const rows = new Map<string, PolicyRow>();
  for (const toolClass of CLASSES) {
    for (const tool of toolsOf(toolClass)) {
      const [never = 'deny', safe = 'deny', all = 'deny'] = AUTO_APPROVE.map((autoApprove) =>
        verdict({ tool, class: toolClass, safety, planPending, autoApprove }),
      );
      const key = [toolClass, never, safe, all].join(' ');
      const before = rows.get(key)?.tools ?? [];
      rows.set(key, { class: toolClass, tools: [...before, tool], never, safe, all });
    }
  }
  return { safety, planPending, rows: [...rows.values()] };
}

/** A tool whose calls are classed one by one is of every class from its mildest on. */
function toolsOf(toolClass: Class): string[] {
  return WORK_TOOLS.filter((row) => row.class === toolClass || row.least !== row.class).map(
    ({ name }) => name,
  );
}

function verdict(
  question: Pick<PolicyQuestion, 'tool' | 'class' | 'safety' | 'planPending' | 'autoApprove'>,
): PolicyVerdict['kind'] {
  return policy({ ...question, subject: '', rules: [], patterns: [] }).kind;
}

/** Whether a member of these tools could be given a shell that writes. */
export function mayHoldWriteShell({ safety, members }: DescribedPolicy): boolean {
  return admits(safety, 'write') && members.some(({ tools }) => tools.includes('shell_exec'));
}
