/**
 * The rules and skills that a recipe names for a task (spec/skills.md §6): what each seat would be told in the message
 * that offers it the task. Decided once, at the start of the run, for every seat, since a lead may give a task to another
 * role.
 *
 * Always true:
 * - They add and take nothing away. What the member has by its role, or was denied by it, is not brought again.
 * - They pass the same gates and guards as the entries of a role, for each member by itself.
 * - What may not instruct stands in a reference block, within what the block of the role has left of the budget.
 * - They are text: the tools that one of them provides are offered to nobody by it, which is said.
 */

import { placeIn } from '../../catalog/files/written-mapping.js';
import type { Recipe, RecipeTask } from '../../catalog/recipes/recipe.js';
import type { RosterMember } from '../../catalog/roster.js';
import type { LoadedEntry, TaskEntries } from '../../events/facts/frozen.js';
import { sha256 } from '../../shared/digest.js';
import type { Finding } from '../../shared/findings.js';
import { fitBudget } from '../../skills/choose/budget.js';
import { throughGates } from '../../skills/choose/gates.js';
import { NamedEntries } from '../../skills/choose/named-entries.js';
import { inOrder } from '../../skills/composition-order.js';
import type { Capability, Entry } from '../../skills/entry.js';
import { Remarks } from '../../skills/remark.js';
import {
  type BundlePathOf,
  renderForSystem,
  renderInMessage,
  renderReferenceBlock,
} from '../../skills/render.js';
import { renderPage, renderTaskRider } from '../../team/show/render-message.js';
import { EntryOutcomes } from './entry-outcomes.js';
import { proofOf } from './entry-proof.js';
import { guarded } from './guarded.js';
import { type EntrySources, type MemberEntries, saidOfFiles } from './member-entries.js';
import { worksOnPage } from './page.js';

/** A seat as far as tasks go. */
export interface TaskTaker {
  readonly member: RosterMember;
  readonly granted: readonly Capability[];
  readonly bundlePathOf: BundlePathOf;
  readonly own: Pick<MemberEntries, 'references' | 'decided'>;
  /** Whether its first input names the page of the run. */
  readonly toldPage: boolean;
}

export interface EntriesOfTasks {
  /** By the recipe's id of the task; a task without entries is not in it. */
  readonly byTask: ReadonlyMap<string, readonly TaskEntries[]>;
  /** Every text that `byTask` names by its digest. */
  readonly texts: readonly string[];
  readonly findings: readonly Finding[];
}

/** @param page of the run; null without one */
export async function entriesOfTasks(
  recipe: Recipe,
  takers: readonly TaskTaker[],
  page: string | null,
  sources: EntrySources,
  outcomes: EntryOutcomes,
): Promise<EntriesOfTasks> {
  const byTask = new Map<string, readonly TaskEntries[]>();
  const texts = new Set<string>();
  const findings: Finding[] = [];
  for (const [at, task] of recipe.tasks.entries()) {
    if (task.skills.length === 0) continue;
    const named = new NamedEntries(sources.registry);
    const remarks = new Remarks(recipe.path);
    named.addAll(task.skills, recipe.path, remarks);
    findings.push(...remarks.findings.map((finding) => atList(finding, recipe, at)));
    const groups = new Map<string, TaskEntries>();
    for (const taker of takers) {
      // What a seat of another role would miss is told when it matters to somebody, which may be never.
      const fits = task.role === null || task.role === taker.member.name;
      const told = await toldTo(taker, task, named, page, sources, fits ? outcomes : new EntryOutcomes());
      if (told.text === '') continue;
      if (fits)
        findings.push(...saidOfFiles(told.used, sources.registry), ...textAlone(told.used, recipe, at));
      texts.add(told.text);
      const digest = sha256(told.text);
      const members = [...(groups.get(digest)?.members ?? []), taker.member.name];
      const bytes = Buffer.byteLength(told.text);
      groups.set(digest, { members, sha256: digest, bytes, entries: [...told.proofs] });
    }
    byTask.set(task.id, [...groups.values()]);
  }
  return { byTask, texts: [...texts], findings };
}

interface Told {
  readonly text: string;
  readonly used: readonly Entry[];
  readonly proofs: readonly LoadedEntry[];
}

async function toldTo(
  { member, granted, bundlePathOf, own, toldPage }: TaskTaker,
  task: RecipeTask,
  named: NamedEntries,
  page: string | null,
  { registry, maxBytes, guards }: EntrySources,
  outcomes: EntryOutcomes,
): Promise<Told> {
  const gated = async (entries: readonly Entry[]): Promise<readonly Entry[]> => {
    const news = inOrder(entries.filter(({ name }) => !own.decided.has(name)));
    const passed = throughGates(news, granted);
    outcomes.stopped(member, passed, task.id);
    return guarded(passed.entries, member, guards, outcomes, task.id);
  };
  const entries = await gated(named.instruction);
  const shown = await gated(named.reference);
  const fitted = fitBudget(
    [
      ...own.references.map((entry) => ({ entry, level: 'role' as const })),
      ...shown.map((entry) => ({ entry, level: 'task' as const })),
    ],
    maxBytes,
    bundlePathOf,
  );
  for (const { entry, level } of fitted.omitted)
    if (level === 'task') outcomes.unroomed(member, entry, maxBytes, task.id);
  const references = fitted.kept.filter(({ level }) => level === 'task').map(({ entry }) => entry);
  const used = [...entries, ...references];
  const instructing = entries.map((entry) => renderInMessage(entry, bundlePathOf(entry)));
  return {
    text: renderTaskRider({
      page: page !== null && !toldPage && worksOnPage(used) ? renderPage(page) : '',
      instructing,
      shown: renderReferenceBlock(references, bundlePathOf),
    }),
    used,
    proofs: [
      ...entries.map((entry, at) =>
        proofOf(entry, { level: 'task', trust: 'instruction', rendered: instructing[at] ?? '' }, registry),
      ),
      ...references.map((entry) =>
        proofOf(
          entry,
          { level: 'task', trust: 'reference', rendered: renderForSystem(entry, bundlePathOf(entry)) },
          registry,
        ),
      ),
    ],
  };
}

/**
 * What comes with a task is text: a member has the tools it was spawned with, and the text may count on others. Of what
 * is only shown nobody expects a tool.
 */
function textAlone(entries: readonly Entry[], recipe: Recipe, at: number): Finding[] {
  return entries
    .filter(({ trust, tools }) => trust === 'instruction' && tools.length > 0)
    .map(({ kind, name, tools }) => ({
      code: 'tool-not-offered',
      severity: 'warning' as const,
      ...placeIn(recipe, ['tasks', at, 'skills']),
      message: `task ${recipe.tasks[at]?.id ?? at} brings the text of ${kind} ${name} and not its tools (${tools.map((tool) => tool.name).join(', ')}): a task gives text alone`,
      remedy: `name ${name} in skills of the role that needs the tools`,
    }));
}

/** A remark on the recipe, at the line of the list. */
function atList(finding: Finding, recipe: Recipe, at: number): Finding {
  return finding.path === recipe.path ? { ...finding, ...placeIn(recipe, ['tasks', at, 'skills']) } : finding;
}
