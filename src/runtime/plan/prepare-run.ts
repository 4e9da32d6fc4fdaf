/**
 * From an order to a plan. Everything that can be refused is refused here, with every finding at once, and nothing
 * is written: no directory, no lock, no record (spec/team.md §7, exit code 2).
 */

import type { Recipe } from '../../catalog/recipes/recipe.js';
import type { FactOf } from '../../events/event.js';
import type { Limits, TaskSpec } from '../../events/facts/frozen.js';
import { RECORD_VERSION } from '../../events/log-entry.js';
import { unpricedModels } from '../../models/choice/chosen-facts.js';
import { openModels } from '../../models/open-model.js';
import { sha256 } from '../../shared/digest.js';
import { distinct, type Finding, hasErrors } from '../../shared/findings.js';
import type { Registry } from '../../skills/registry.js';
import { type House, runsFolder } from '../house.js';
import { loadEntries } from '../load-entries.js';
import { ReplaySession } from '../replay/replay-session.js';
import { wrapAtStart } from '../shell-wrap.js';
import { withTrustFindings } from '../trust-findings.js';
import { composeTeam } from './compose-team.js';
import { engineFindings } from './engine-findings.js';
import { entryTexts } from './entry-texts.js';
import type { Loadouts } from './loadout.js';
import { recordLimits, tightenLimits, tooTight } from './order-limits.js';
import { type RunPlaces, resolvePlaces } from './order-places.js';
import { providedNames } from './provided-tools.js';
import { recipeFindings } from './recipe-findings.js';
import { ruleToolFindings } from './rule-tools.js';
import type { PreparedRun, RunOrder } from './run-order.js';
import { permissionRules } from './run-rules.js';
import { type SeatedTeam, seatTeam } from './seat-team.js';
import { secretFindings } from './secret-findings.js';
import { simulatedModels } from './simulated-models.js';
import { withoutShown } from './without-shown.js';

export type { PreparedRun, RunOrder, RunPlan } from './run-order.js';

/** Resolves an order, or says everything that is wrong with it. */
export async function prepareRun(house: House, order: RunOrder): Promise<PreparedRun> {
  const team = await seatTeam(house, order);
  if (team.recipe === null)
    return { kind: 'refused', findings: await withTrustFindings(house, team.findings) };
  const registry = await loadEntries(house);
  const bounds = simulatedBounds(await boundsOf(house, team.recipe, order, registry), order);
  if (team.kind === 'refused') {
    const said = [...team.findings, ...bounds.findings];
    return { kind: 'refused', findings: distinct(await withTrustFindings(house, said)) };
  }

  const models = await simulatedModels(house, team.recipe, order);
  const { choices, loadouts, delegation, page, findings } = await composeTeam(
    house,
    team,
    { ...order, models },
    bounds.workspace,
    registry,
  );
  const bound = bounds.limits.cost_usd;
  const unpriced = bound === null ? [] : unpricedModels(choices, house.models, bound);
  const replay = new ReplaySession(house);
  const opened = await openModels({
    ...choices,
    replays: replay,
    settings: house.models,
    secrets: house.secrets,
  });
  const wished = { ...startedFact(house, order, team, bounds), page, engineer: delegation.engineer };
  // Whoever plays a run again and says nothing else gives the order of that run.
  const played = order.prompt.trim() === '' ? replay.recording?.started.prompt : undefined;
  const started = { ...wished, prompt: played ?? wished.prompt };
  const tasks = taskSpecs(team.recipe, loadouts.ofTasks);
  const proofs = [...loadouts.seats, ...tasks.flatMap(({ skills }) => skills)].flatMap(
    (given) => given.entries,
  );
  const texts = [...proofs, ...delegation.entries];
  const said = [
    ...team.findings,
    ...bounds.findings,
    ...findings,
    ...secretFindings(
      house.secrets,
      { started, tasks, loadouts, roster: team.roster, proofs: texts },
      registry,
    ),
    ...loadouts.pageFindings,
    ...unpriced,
    ...opened.findings,
    ...replay.differences(
      { ...started, seats: [...loadouts.seats], findings: [] },
      loadouts.prompts,
      new Map(loadouts.inputTexts.map((text) => [sha256(text), text])),
    ),
    ...registry.findings,
  ];
  const all = house.secrets.shown(distinct(withoutShown(await withTrustFindings(house, said))));
  if (hasErrors(all) || opened.kind === 'refused') return { kind: 'refused', findings: all };
  const { entries, prompts, inputTexts, seats } = loadouts;
  return {
    kind: 'ready',
    plan: {
      slug: team.recipe.slug,
      engine: house.redis === null || team.recipe.mode === 'in-process' ? 'files' : 'redis',
      started: { ...started, seats: [...seats], findings: [...all] },
      tasks,
      entries,
      prompts,
      inputTexts,
      entryTexts: entryTexts(texts, registry),
      models: opened.byRole,
      workspaceFrom: bounds.copied,
      replay,
      findings: all,
    },
  };
}

/** A simulation leaves the operator's files alone, unless it is told to work on them. */
function simulatedBounds(bounds: RunBounds, { simulation }: RunOrder): RunBounds & { copied: string | null } {
  if (simulation === undefined || simulation.workspace === 'here') return { ...bounds, copied: null };
  const copied = simulation.workspace === 'copy' ? bounds.workspace : null;
  return { ...bounds, workspace: null, copied };
}

interface RunBounds extends Pick<RunPlaces, 'workspace' | 'reads'> {
  readonly limits: Limits;
  readonly findings: readonly Finding[];
}

/** What a run may use and where, and everything that its recipe and its order say of that in vain. */
async function boundsOf(
  house: House,
  recipe: Recipe,
  order: RunOrder,
  registry: Registry,
): Promise<RunBounds> {
  const provided = providedNames(registry);
  const { limits, findings: ofLimits } = tightenLimits(recordLimits(recipe.limits), order.limits);
  const { workspace, reads, findings: ofPlaces } = await resolvePlaces(house, recipe);
  const wrap = await wrapAtStart(house, { workspace: workspace ?? runsFolder(house), reads });
  const findings = [
    ...engineFindings(recipe, house.redis?.saidBy ?? null),
    ...recipeFindings(recipe, provided),
    ...ruleToolFindings(house.permissions, () => ({ path: '~/.bnerd.yaml' }), provided),
    ...ofLimits,
    ...tooTight(recipe, limits),
    ...ofPlaces,
    ...wrap.findings,
  ];
  return { workspace, reads, limits, findings };
}

type Started = Omit<FactOf<'run.started'>, 'team'>;

function startedFact(
  house: House,
  order: RunOrder,
  { recipe, values, safety }: SeatedTeam,
  { workspace, reads, limits }: RunBounds,
): Omit<Started, 'page' | 'seats' | 'findings' | 'engineer'> {
  const { mission, project } = house;
  const { slug, description, tier, path, digest } = recipe;
  return {
    type: 'run.started',
    versions: { bnerd: house.version, record: RECORD_VERSION },
    recipe: { slug, description, tier, path, digest, approval: recipe.asked },
    prompt: order.prompt.trim() === '' ? description : order.prompt,
    variables: Object.fromEntries(values),
    mission: recordedMission(mission),
    trust_files: [...house.trustFiles],
    project: project === null ? null : { root: project.root, folders: [...project.folders] },
    workspace: workspace === null ? { path: '', kind: 'temp' } : { path: workspace, kind: 'directory' },
    reads: [...reads],
    safety,
    plan_approval: recipe.planApproval,
    edits_agents: recipe.editsAgents,
    auto_approve: order.autoApprove,
    auto_skip_questions: order.autoSkipQuestions,
    request_timeout_ms: order.requestTimeoutMs,
    grace_ms: order.graceMs,
    limits,
    permissions: permissionRules(house, recipe),
    simulated: order.simulation !== undefined,
    shell_wrap: [...house.shellWrap],
    keys: [],
    key_id: null,
    signature: null,
  };
}

function recordedMission(mission: House['mission']): Started['mission'] {
  if (mission === null) return null;
  const { path, named, byPlace = false, commit } = mission;
  return { path, named, by_place: byPlace, commit };
}

/** Roles are in the recipe's spelling, which is that of the seats. */
function taskSpecs(recipe: Recipe, ofTasks: Loadouts['ofTasks']): TaskSpec[] {
  return recipe.tasks.map((task) => ({
    key: task.id,
    subject: task.subject,
    description: task.description,
    role: task.role,
    blocked_by: [...task.blockedBy],
    gates: [...task.gates],
    acceptance: [...task.acceptance],
    artifacts: [...task.artifacts],
    required: task.required,
    upstream: task.upstream,
    skills: [...(ofTasks.get(task.id) ?? [])],
  }));
}
