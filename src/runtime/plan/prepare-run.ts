/**
 * From an order to a plan. Everything that can be refused is refused here, with every finding at once, and nothing
 * is written: no directory, no lock, no record (spec/team.md §7, exit code 2).
 */

import { loadRecipe, loadRoster } from '../../catalog/catalogue.js';
import type { Recipe } from '../../catalog/recipes/recipe.js';
import { fillRecipe, resolveValues } from '../../catalog/recipes/variables.js';
import type { Roster } from '../../catalog/roster.js';
import type { TaskSpec } from '../../events/facts/frozen.js';
import { RECORD_VERSION } from '../../events/log-entry.js';
import { chooseModels } from '../../models/choice/choose-model.js';
import { factsOf, unpricedModels } from '../../models/choice/chosen-facts.js';
import { openModels } from '../../models/open-model.js';
import { type Finding, hasErrors } from '../../shared/findings.js';
import { parseAdditions } from '../../skills/additions.js';
import { loadRegistry } from '../../skills/registry.js';
import { type House, placesOf } from '../house.js';
import { composeLoadouts } from './loadout.js';
import { modelSources } from './model-sources.js';
import { recordLimits, tightenLimits, tooTight } from './order-limits.js';
import { resolvePlaces } from './order-places.js';
import { tightenSafety } from './order-safety.js';
import { recipeFindings } from './recipe-findings.js';
import { ruleToolFindings } from './rule-tools.js';
import type { PreparedRun, RunOrder } from './run-order.js';
import { permissionRules } from './run-rules.js';

export type { PreparedRun, RunOrder, RunPlan } from './run-order.js';

/** How long a registry may take to load before the command gives up. */
const LOAD_DEADLINE_MS = 60_000;

/** The inventory of entries goes to the operator's log, which a terminal command does not keep. */
const NO_LOG = { info: (): void => {} };

/** Resolves an order, or says everything that is wrong with it. */
export async function prepareRun(house: House, order: RunOrder): Promise<PreparedRun> {
  const places = placesOf(house);
  const loaded = await loadRecipe(places, order.slug);
  if (loaded.kind === 'refused') return withTrust(house, loaded.findings);
  const findings: Finding[] = [...loaded.findings];
  const values = resolveValues(loaded.recipe.variables, order.variables);
  if (values.kind === 'refused') findings.push(...values.findings);
  const filled = fillRecipe(loaded.recipe, values.kind === 'resolved' ? values.values : new Map());
  if (filled.kind === 'refused') findings.push(...filled.findings);
  const recipe = filled.kind === 'filled' ? filled.recipe : loaded.recipe;
  const built = await loadRoster(places, recipe);
  findings.push(...built.findings);
  findings.push(...recipeFindings(recipe));
  findings.push(...ruleToolFindings(house.permissions, { path: '~/.bnerd.yaml', line: () => undefined }));
  const safety = tightenSafety(recipe.safety, order.safety);
  const limits = tightenLimits(recordLimits(recipe.limits), order.limits);
  findings.push(...tooTight(recipe, limits.limits));
  const where = await resolvePlaces(house, recipe);
  findings.push(...safety.findings, ...limits.findings, ...where.findings);
  if (built.kind === 'refused') return withTrust(house, distinct(findings));

  const choices = chooseModels(modelSources(house, recipe, built.roster, order.models), house.models);
  findings.push(...choices.findings);
  const bound = limits.limits.cost_usd;
  if (bound !== null) findings.push(...unpricedModels(choices, house.models, bound));
  const opened = await openModels({ ...choices, settings: house.models });
  findings.push(...opened.findings);

  const additions = parseAdditions(house.agentSkills, 'BNERD_AGENT_SKILLS');
  findings.push(...additions.findings);
  const registry = await loadRegistry(places, { signal: AbortSignal.timeout(LOAD_DEADLINE_MS), log: NO_LOG });
  findings.push(...registry.findings, ...(await house.trust.findings()));
  const loadouts = composeLoadouts({
    roster: built.roster,
    contract: recipe.contract,
    safety: safety.safety,
    registry,
    additions: additions.additions,
    models: choices.chosen,
    factsOf: (model) => factsOf(model, house.models),
  });
  findings.push(...loadouts.findings);
  const all = distinct(findings);
  if (hasErrors(all) || opened.kind === 'refused') return { kind: 'refused', findings: all };

  return {
    kind: 'ready',
    plan: {
      slug: recipe.slug,
      started: {
        type: 'run.started',
        versions: { bnerd: house.version, record: RECORD_VERSION },
        recipe: {
          slug: recipe.slug,
          description: recipe.description,
          tier: recipe.tier,
          path: recipe.path,
          digest: recipe.digest,
        },
        prompt: order.prompt.trim() === '' ? recipe.description : order.prompt,
        variables: Object.fromEntries(values.kind === 'resolved' ? values.values : []),
        mission: house.mission === null ? null : { ...house.mission },
        project:
          house.project === null ? null : { root: house.project.root, folders: [...house.project.folders] },
        workspace:
          where.workspace === null
            ? { path: '', kind: 'temp' }
            : { path: where.workspace, kind: 'directory' },
        reads: [...where.reads],
        safety: safety.safety,
        plan_approval: recipe.planApproval,
        edits_agents: recipe.editsAgents,
        auto_approve: order.autoApprove,
        auto_skip_questions: order.autoSkipQuestions,
        request_timeout_ms: order.requestTimeoutMs,
        grace_ms: order.graceMs,
        limits: limits.limits,
        permissions: permissionRules(house, recipe),
        seats: [...loadouts.seats],
        findings: [...all],
      },
      tasks: taskSpecs(recipe, built.roster),
      entries: loadouts.entries,
      prompts: loadouts.prompts,
      models: opened.byRole,
      findings: all,
    },
  };
}

/** A refusal with what is wrong with the trust files in front: it may be why nothing counts as approved. */
async function withTrust(house: House, findings: readonly Finding[]): Promise<PreparedRun> {
  return { kind: 'refused', findings: [...(await house.trust.findings()), ...findings] };
}

function taskSpecs(recipe: Recipe, roster: Roster): TaskSpec[] {
  const spelled = new Map(roster.members.map((member) => [member.name, member.name]));
  return recipe.tasks.map((task) => ({
    key: task.id,
    subject: task.subject,
    description: task.description,
    role: task.role === null ? null : (spelled.get(task.role) ?? task.role),
    blocked_by: [...task.blockedBy],
    gates: [...task.gates],
    acceptance: [...task.acceptance],
    artifacts: [...task.artifacts],
    required: task.required,
    upstream: task.upstream,
  }));
}

function distinct(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}
