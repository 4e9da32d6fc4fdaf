/**
 * What the calls of a team would meet: the policy, asked for every tool, those of entries included, class, safety mode,
 * `--auto-approve`, and for each kind of rule that may speak of the call (spec/team.md §3, `describe --policy`). Every
 * cell is an answer of the function that decides calls; the rules themselves are listed beside it.
 */

import { AUTO_APPROVE, SAFETY_MODES } from '../config/run-config.js';
import type { PermissionRule, Safety } from '../events/facts/frozen.js';
import { type Finding, hasErrors } from '../shared/findings.js';
import { admits, type PolicyQuestion, type PolicyVerdict, policy } from '../team/policy/policy.js';
import { WORK_TOOLS } from '../tools/catalogue.js';
import type { ProvidedTool } from '../tools/registry.js';
import { composeToShow } from './compose-to-show.js';
import type { Found } from './find-team.js';
import type { House } from './house.js';
import type { LoadoutTools } from './plan/member-loadout.js';
import { permissionRules } from './plan/run-rules.js';
import { seatTeam } from './plan/seat-team.js';
import { withTrustFindings } from './trust-findings.js';

type Class = PolicyQuestion['class'];

/** The answers for calls of one class, by `--auto-approve`. */
export interface PolicyCells {
  readonly never: PolicyVerdict['kind'];
  readonly safe: PolicyVerdict['kind'];
  readonly all: PolicyVerdict['kind'];
}

/** Those where no rule speaks of the call, and where one does; tools with the same answers share a row. */
export interface PolicyRow extends PolicyCells {
  readonly class: Class;
  readonly tools: readonly string[];
  /** By what the rule about the call decides. */
  readonly ruled: Readonly<Record<PermissionRule['decision'], PolicyCells>>;
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
  /** One for each mode that a run may have, the loosest last; then each again for plan mode where a member has it. */
  readonly tables: readonly PolicyTable[];
  readonly rules: readonly PermissionRule[];
  /** Writes into agent folders are possible, and the operator's to confirm whatever rules say. */
  readonly editsAgents: boolean;
  /** Under what programs of tools run on this machine (`shell.wrap`); empty: as they are. */
  readonly shellWrap: readonly string[];
  readonly members: readonly {
    readonly name: string;
    /** Who may confirm its calls of class Write beside the operator: the lead where its role names it. */
    readonly confirmedBy: 'lead' | 'operator';
    /** The work tools it would have in that mode. */
    readonly tools: readonly string[];
    /** Those of them that its entries provide, each with the entry. */
    readonly provided: readonly ProvidedTool[];
    readonly patterns: readonly PermissionRule[];
  }[];
  readonly findings: readonly Finding[];
}

/**
 * Describes the policy of one recipe; nothing is run. Refused for everything that would refuse its roles and entries.
 * @param wish of `--safety`, never looser than the floor
 */
export async function describePolicy(
  house: House,
  slug: string,
  wish: Safety | null,
): Promise<Found<DescribedPolicy>> {
  const team = await seatTeam(house, { slug, variables: null, safety: wish });
  if (team.kind === 'refused' || hasErrors(team.findings))
    return { kind: 'refused', findings: await withTrustFindings(house, team.findings) };
  const { recipe, roster, safety } = team;
  const { loadouts, findings } = await composeToShow(house, team);
  if (hasErrors(findings)) return { kind: 'refused', findings };
  const asks = [...WORK_TOOLS.map(ownTool), ...providedTools([...loadouts.tools.values()])];
  const modes = SAFETY_MODES.slice(0, SAFETY_MODES.indexOf(safety) + 1);
  const planned = roster.members.some(({ planMode }) => planMode) ? [false, true] : [false];
  const tables = planned.flatMap((pending) => modes.map((mode) => tableOf(asks, mode, pending)));
  return {
    kind: 'found',
    value: {
      slug: recipe.slug,
      safety,
      tables,
      rules: permissionRules(house, recipe),
      editsAgents: recipe.editsAgents,
      shellWrap: house.shellWrap,
      members: [...loadouts.tools].map(([name, tools]) => ({
        name,
        confirmedBy: roster.members.find((member) => member.name === name)?.confirmApprover ?? 'operator',
        ...workOf(tools),
      })),
      findings,
    },
  };
}

/** The work of a member: coordination is nobody's to confirm. */
function workOf({
  tools,
  patterns,
  provided,
}: LoadoutTools): Omit<DescribedPolicy['members'][number], 'name' | 'confirmedBy'> {
  const own = tools.filter(
    ({ name, entry }) => entry === undefined && WORK_TOOLS.some((row) => row.name === name),
  );
  const offered = provided.filter((tool) =>
    tools.some(({ name, entry }) => name === tool.name && entry === tool.entry),
  );
  return { tools: [...own, ...offered].map(({ name }) => name), provided: offered, patterns };
}

/** A tool as the policy is asked about it: with every class that one of its calls may have. */
interface Askable {
  readonly name: string;
  readonly classes: readonly Class[];
  readonly runsProgram: boolean;
}

/** A tool whose calls are classed one by one is of every class from its mildest on. */
function ownTool({ name, class: toolClass, least }: (typeof WORK_TOOLS)[number]): Askable {
  return {
    name,
    classes: CLASSES.filter((one) => one === toolClass || least !== toolClass),
    runsProgram: false,
  };
}

/** The tools of entries, each name once: two entries may provide it to two members, in two classes. */
function providedTools(seats: readonly Pick<LoadoutTools, 'provided'>[]): Askable[] {
  const classes = new Map<string, Set<Class>>();
  for (const { name, class: toolClass } of seats.flatMap(({ provided }) => provided))
    classes.set(name, new Set([...(classes.get(name) ?? []), toolClass]));
  return [...classes].map(([name, of]) => ({ name, classes: [...of], runsProgram: true }));
}

const CLASSES: readonly Class[] = ['read', 'write', 'destructive'];

function tableOf(asks: readonly Askable[], safety: Safety, planPending: boolean): PolicyTable {
  const rows = new Map<string, PolicyRow>();
  for (const toolClass of CLASSES) {
    for (const { name: tool, runsProgram } of asks.filter(({ classes }) => classes.includes(toolClass))) {
      const question = { tool, class: toolClass, safety, planPending, runsProgram };
      const [allow, ask, deny] = DECISIONS.map((decision) => cells(question, [ruleAbout(tool, decision)]));
      if (allow === undefined || ask === undefined || deny === undefined) continue;
      const verdicts = { ...cells(question, []), ruled: { allow, ask, deny } };
      const key = `${toolClass} ${JSON.stringify(verdicts)}`;
      const before = rows.get(key)?.tools ?? [];
      rows.set(key, { class: toolClass, tools: [...before, tool], ...verdicts });
    }
  }
  return { safety, planPending, rows: [...rows.values()] };
}

const DECISIONS = ['allow', 'ask', 'deny'] as const;

/** A rule about every call of the tool: what one with a pattern says, it says of the calls that match. */
function ruleAbout(tool: string, decision: PermissionRule['decision']): PermissionRule {
  return { tool, match: null, decision, origin: '' };
}

function cells(
  question: Pick<PolicyQuestion, 'tool' | 'class' | 'safety' | 'planPending' | 'runsProgram'>,
  rules: readonly PermissionRule[],
): PolicyCells {
  const [never = 'deny', safe = 'deny', all = 'deny'] = AUTO_APPROVE.map(
    (autoApprove) =>
      policy({ ...question, autoApprove, subject: '', subjects: SEEN, rules, patterns: [] }).kind,
  );
  return { never, safe, all };
}

/** A shell line that is one simple command. */
const SEEN = { every: [''], some: [''], unclear: false };

/** Whether a member of these tools could be given a shell that writes. */
export function mayHoldWriteShell({ safety, members }: DescribedPolicy): boolean {
  return admits(safety, 'write') && members.some(({ tools }) => tools.includes('shell_exec'));
}
